//! A cleaner of one event, or of one session's turns: what it recognised once goes everywhere.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use throughline_core::SessionId;
use throughline_core::event::Event;
use throughline_redact::{Hash, Known};

use super::{Place, clean_name, hide_private_files};
use crate::journal::file;

/// Bytes of a text that are looked at; what is longer loses its middle first. More than is kept of
/// any text, so that no secret is cut in two where the kept part ends.
const TEXT_BYTES_MAX: usize = (1 << 20) + (64 << 10);
/// Bytes of the end that is kept of a text that is too long.
const TAIL_BYTES: usize = 64 << 10;
/// Texts up to here are looked at once more when they have been put together.
const TOGETHER_BYTES_MAX: usize = 64 << 10;
/// Values that are known again in one session.
const KNOWN_MAX: usize = 4_096;

/// Fields that name a folder or a file of the host: they are needed as they are, to find it.
const PLACES: [&str; 5] = ["cwd", "directory", "worktree", "workspace_roots", "transcript_path"];
/// Fields that are names, besides those that end in `id`.
const NAMES: [&str; 5] = ["tool_name", "tool", "hook_event_name", "hook", "agent_type"];

/// Takes out what must not be kept, and remembers what it took out.
#[derive(Debug, Default)]
pub struct Cleaner {
    known: Known,
    taken: usize,
}

impl Cleaner {
    /// A cleaner that knows what a session has recognised before.
    pub fn of(home: &Path, session: &SessionId) -> Self {
        let mut cleaner = Self::default();
        cleaner.recall(home, session);
        cleaner
    }

    /// How many secrets were taken out so far.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Cleans one field of a payload.
    pub fn field(&mut self, name: &str, text: &mut String) {
        let is_name = NAMES.contains(&name) || name.to_ascii_lowercase().ends_with("id");
        if is_name {
            *text = clean_name(text);
        } else if !PLACES.contains(&name) {
            shorten(text);
            self.redact(text);
        }
    }

    /// Takes the secrets out of a text, and remembers them.
    pub fn redact(&mut self, text: &mut String) {
        let redacted = self.known.redact(text);
        self.taken += redacted.found.len();
        if !redacted.found.is_empty() {
            *text = redacted.text.into_owned();
        }
    }

    /// Takes out of a text what was recognised elsewhere.
    pub fn take_out(&mut self, text: &mut String) {
        if self.known.is_empty() {
            return;
        }
        let redacted = self.known.take_out(text);
        self.taken += redacted.found.len();
        if !redacted.found.is_empty() {
            *text = redacted.text.into_owned();
        }
    }

    /// Takes out of an event what must not be kept, also where only its place says so.
    pub fn event(&mut self, event: &mut Event, root: &Path) {
        let folder = event.folder.clone().map_or_else(|| root.to_owned(), PathBuf::from);
        self.taken += hide_private_files(event, &Place { root, folder: &folder });
        for text in event.texts_mut() {
            if text.len() <= TOGETHER_BYTES_MAX {
                self.redact(text);
            }
        }
        for text in event.texts_mut() {
            self.take_out(text);
        }
        for name in event.names_mut() {
            *name = clean_name(name);
        }
    }

    /// Learns what the session has recognised before: hashes, for the values were never kept.
    pub fn recall(&mut self, home: &Path, session: &SessionId) {
        let mut written = String::new();
        let opened = file::open_to_read(&path(home, session));
        let read = opened.and_then(|file| file.take(1 << 20).read_to_string(&mut written));
        let salt = read.ok().and_then(|_| u64::from_str_radix(written.lines().next()?, 16).ok());
        let hashes = written.lines().skip(1).take(KNOWN_MAX).filter_map(|line| {
            let (length, hash) = line.split_once(' ')?;
            Some(Hash { length: length.parse().ok()?, hash: u32::from_str_radix(hash, 16).ok()? })
        });
        // Whoever cannot read the file must not write hashes of another salt into it.
        self.known.salt(salt.unwrap_or_else(|| fastrand::u64(1..)), hashes);
    }

    /// Keeps what was recognised here for the rest of the session. What cannot be kept is let go:
    /// the event itself is clean.
    pub fn keep(&self, home: &Path, session: &SessionId) {
        let fresh = self.known.fresh();
        if fresh.is_empty() || self.known.hash_count() >= KNOWN_MAX {
            return;
        }
        let Ok((mut file, _)) = file::open_to_append(&path(home, session)) else { return };
        let mut lines = String::new();
        if file.metadata().is_ok_and(|data| data.len() == 0) {
            lines = format!("{:016x}\n", self.known.salted_with());
        }
        for Hash { length, hash } in fresh {
            lines.push_str(&format!("{length} {hash:08x}\n"));
        }
        file.write_all(lines.as_bytes()).ok();
    }
}

/// Where the hashes of a session are kept.
fn path(home: &Path, session: &SessionId) -> PathBuf {
    home.join("journal").join(format!("{}.known", file::safe_name(&session.0)))
}

/// Cuts the middle out of a text that is too long, at line ends, so that redacting takes its time
/// and no more. A key whose head is gone goes with it.
fn shorten(text: &mut String) {
    if text.len() <= TEXT_BYTES_MAX + 2 * TAIL_BYTES {
        return;
    }
    let head = text.floor_char_boundary(TEXT_BYTES_MAX);
    // No word is cut in two.
    let near = text.ceil_char_boundary(head - TAIL_BYTES);
    let head = text[near..head].rfind(char::is_whitespace).map_or(near, |at| near + at);
    let tail = text.ceil_char_boundary(text.len() - TAIL_BYTES);
    let line = text[tail..].find('\n').map_or(text.len(), |at| tail + at);
    let rest = &text[line..];
    let rest = match (rest.find("-----END"), rest.find("-----BEGIN")) {
        (Some(end), begin) if begin.is_none_or(|begin| end < begin) => &rest[end..],
        _ => rest,
    };
    let missing = line - head;
    *text = format!("{}\n[… {missing} bytes left out …]{rest}", &text[..head]);
}
