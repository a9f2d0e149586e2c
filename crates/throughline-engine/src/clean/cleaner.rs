//! A cleaner of one event, of one session's turns, or of what one call hands in. What any cleaner of
//! this home recognised once goes everywhere, by whichever door and in whichever session it comes.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use throughline_core::event::{Event, What};
use throughline_core::permission::Door;
use throughline_core::{SessionId, Slot, Speaker, Trace, text};
use throughline_redact::{Hash, KnownSecrets, asks_for_secret, is_secret_file};

use super::{AgentPlace, NOT_KEPT, clean_name, hide_private_files};
use crate::capture::Minds;
use crate::journal::file;
use crate::purge::{NamedBy, note_late, some_were_left};
use crate::{Context, Engine};

/// Bytes of a text that are looked at; what is longer loses its middle first. More than is kept of
/// any text, so that no secret is cut in two where the kept part ends.
const TEXT_BYTES_MAX: usize = (1 << 20) + (64 << 10);
/// Bytes of the end that is kept of a text that is too long.
const TAIL_BYTES: usize = 64 << 10;
/// Texts up to here are looked at once more when they have been put together.
const TOGETHER_BYTES_MAX: usize = 64 << 10;
/// Values that a home knows again. When there are more, the older half goes.
const KNOWN_MAX: usize = 4_096;

/// Bytes at the end of what an agent said in which it may ask for a secret.
const ASKED_BYTES: usize = 300;

/// Bytes of a name that says what stands under it.
const NAME_BYTES_MAX: usize = 64;

/// Fields that name a folder or a file of the host: they are needed as they are, to find it.
const PLACES: [&str; 5] = ["cwd", "directory", "worktree", "workspace_roots", "transcript_path"];
/// Fields that are names, besides those that end in `id`.
const NAMES: [&str; 5] = ["tool_name", "tool", "hook_event_name", "hook", "agent_type"];

/// Takes out what must not be kept, and remembers what it took out.
#[derive(Debug, Default)]
pub struct Cleaner {
    known: KnownSecrets,
    taken: usize,
}

impl Cleaner {
    /// A cleaner that knows what a home has recognised before, and what this session has.
    pub fn of(home: &Path, session: Option<&SessionId>) -> Self {
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

    /// Takes out of a prompt what answers an agent who has just asked for a secret: a password by itself looks like any
    /// other word.
    pub fn answer(&mut self, home: &Path, event: &mut Event) {
        let What::Prompted { text } = &mut event.what else { return };
        if text.split_whitespace().count() != 1 {
            return;
        }
        let mind = Minds::new(home).load(&event.session);
        let said = mind.heard_words().filter(|(speaker, _)| *speaker == Speaker::Assistant).last();
        let Some((_, said)) = said else { return };
        let end = said.floor_char_boundary(said.len().saturating_sub(ASKED_BYTES));
        if !asks_for_secret(&said[end..]) {
            return;
        }
        for label in ["password: ", "pin: "] {
            let mut told = format!("{label}{}", text.trim());
            let taken = self.taken;
            self.redact(&mut told);
            if self.taken > taken {
                *text = told[label.len()..].to_owned();
                return;
            }
        }
    }

    /// Takes out of an event what must not be kept, also where only its place says so.
    pub fn event(&mut self, event: &mut Event, root: &Path) {
        let folder = event.folder.clone().map_or_else(|| root.to_owned(), PathBuf::from);
        self.taken += hide_private_files(event, &AgentPlace { root, folder: &folder });
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

    /// Cleans texts that belong together: what one of them shows goes from all.
    pub fn texts<'a>(&mut self, texts: impl IntoIterator<Item = &'a mut String>) {
        let mut texts: Vec<&mut String> = texts.into_iter().collect();
        texts.iter_mut().for_each(|text| self.redact(text));
        texts.iter_mut().for_each(|text| self.take_out(text));
    }

    /// Takes out of a text what is secret only because of the name that it stands under: a tag, a thing
    /// that is described, a file.
    pub fn named(&mut self, name: &str, text: &mut String) {
        let is_sign = |letter: char| letter.is_alphanumeric() || "_- ".contains(letter);
        if name.len() > NAME_BYTES_MAX || name.is_empty() || !name.chars().all(is_sign) {
            return;
        }
        let name = name.trim().trim_end_matches('s').replace(' ', "_");
        let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let before = self.taken;
        for line in lines.iter_mut().filter(|line| !line.trim().is_empty()) {
            let mut pair = format!("{name}: {line}");
            self.redact(&mut pair);
            if let Some(value) = pair.strip_prefix(&format!("{name}: ")) {
                value.clone_into(line);
            }
        }
        if self.taken > before {
            *text = lines.join("\n");
        }
    }

    /// The same for the contents of a file. Of one that is secret as a whole, nothing is kept.
    pub fn file(&mut self, path: &str, text: &mut String) {
        if is_secret_file(path) {
            NOT_KEPT.clone_into(text);
            self.taken += 1;
            return;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        self.named(stem, text);
    }

    /// Learns what was recognised before: hashes, for the values were never kept.
    pub fn recall(&mut self, home: &Path, session: Option<&SessionId>) {
        let opened = file::open_to_read(&path(home));
        let mut written = String::new();
        opened.and_then(|file| file.take(BYTES_MAX).read_to_string(&mut written)).ok();
        self.learn(&written, session);
    }

    /// Learns what the lines of the file say. One that cannot be read is as good as none.
    fn learn(&mut self, written: &str, session: Option<&SessionId>) {
        let tag = session.map(tag);
        let salt = written.lines().next().and_then(|line| u64::from_str_radix(line, 16).ok());
        let hashes = written.lines().skip(1).filter_map(|line| {
            let mut parts = line.split(' ');
            let (length, hash, of) = (parts.next()?, parts.next()?, parts.next());
            if of.is_some() && of != tag.as_deref() {
                return None;
            }
            Some(Hash { length: length.parse().ok()?, hash: u32::from_str_radix(hash, 16).ok()? })
        });
        self.known.salt(salt.unwrap_or_else(|| fastrand::u64(1..)), hashes);
    }

    /// Keeps what was recognised here for every door of the home; what is mostly a word, only for
    /// this session. What cannot be kept is let go: the event itself is clean. Who named it decides how far back
    /// it is taken out.
    pub fn keep(&mut self, home: &Path, session: Option<&SessionId>, by: NamedBy) {
        // What others named before, and had to leave where it stood, goes when a person names it.
        let known = by == NamedBy::Person && some_were_left(home);
        if self.known.fresh().is_empty() && !known {
            return;
        }
        let path = path(home);
        let Ok((mut file, _)) = file::open_to_append(&path) else { return };
        // Another process may have written since, with a salt of its own.
        let mut written = String::new();
        if (&file).take(BYTES_MAX).read_to_string(&mut written).is_err() {
            return;
        }
        self.learn(&written, session);
        // Before anything is known of them: whoever is cut off here leaves a note too many.
        note_late(home, self.late(known), by, session).ok();
        let tag = session.map(tag);
        let fresh = self.known.fresh();
        let lines = fresh.iter().filter_map(|fresh| {
            let Hash { length, hash } = fresh.hash;
            match (&tag, fresh.is_common) {
                (_, false) => Some(format!("{length} {hash:08x}\n")),
                (Some(tag), true) => Some(format!("{length} {hash:08x} {tag}\n")),
                (None, true) => None,
            }
        });
        let lines: String = lines.collect();
        let salt = format!("{:016x}\n", self.known.salted_with());
        let count = written.lines().count();
        if count > KNOWN_MAX || count > 0 && !written.starts_with(&salt) {
            // Where the salt cannot be read any more, the lines say nothing either.
            let are_known = written.starts_with(&salt);
            let newer = written.lines().skip(1 + KNOWN_MAX / 2).filter(|_| are_known);
            let newer = newer.map(|line| format!("{line}\n"));
            let all = format!("{salt}{}{lines}", newer.collect::<String>());
            file::replace_lightly(&path, all.as_bytes()).ok();
        } else if count == 0 {
            file.write_all(format!("{salt}{lines}").as_bytes()).ok();
        } else {
            file.write_all(lines.as_bytes()).ok();
        }
    }
}

impl Cleaner {
    /// Notes what a person themselves named in texts, before it is put together with what others said.
    pub(crate) fn note_named_by_person<'a>(
        home: &Path,
        session: &SessionId,
        texts: impl Iterator<Item = &'a String>,
    ) {
        let mut cleaner = Self::of(home, Some(session));
        texts.for_each(|text| cleaner.redact(&mut text.clone()));
        note_late(home, cleaner.late(some_were_left(home)), NamedBy::Person, None).ok();
    }

    /// The traces of values that were recognised here and may have been kept before: those that nobody knew, or all.
    fn late(&self, known: bool) -> Vec<Trace> {
        let rare = self.known.rare(known);
        rare.filter_map(|(value, rule)| Trace::of(value, rule, fastrand::u64(1..))).collect()
    }
}

/// Takes out of texts what must not be kept, as `Engine::clean_texts` does, where only the session is known.
pub(crate) fn clean_texts_of<'a>(
    home: &Path,
    session: Option<&SessionId>,
    by: NamedBy,
    texts: impl IntoIterator<Item = &'a mut String>,
) -> usize {
    let mut cleaner = Cleaner::of(home, session);
    cleaner.texts(texts);
    cleaner.keep(home, session, by);
    cleaner.taken()
}

impl Engine {
    /// Takes out of texts what must not be kept: secrets by their shape, and values that were
    /// recognised before by any door of this home. What is recognised here is known from now on.
    /// Returns how many there were.
    pub fn clean_texts<'a>(
        &self,
        context: &Context,
        texts: impl IntoIterator<Item = &'a mut String>,
    ) -> usize {
        let is_person = context.door == Door::Terminal;
        let by = if is_person { NamedBy::Person } else { NamedBy::Others };
        clean_texts_of(&self.home, context.session.as_ref(), by, texts)
    }

    /// A text without what must not be kept, and how much that was.
    pub(crate) fn cleaned(&self, context: &Context, text: &str) -> (String, usize) {
        let mut text = text.to_owned();
        let taken = self.clean_texts(context, [&mut text]);
        (text, taken)
    }

    /// A slot without what must not be kept.
    pub(crate) fn cleaned_slot(&self, context: &Context, slot: &Slot) -> Slot {
        let mut slot = slot.clone();
        let parts = [&mut slot.subject, &mut slot.predicate, &mut slot.object];
        self.clean_texts(context, parts);
        slot
    }
}

/// More than all lines take.
const BYTES_MAX: u64 = 1 << 20;

/// Where the hashes are kept.
fn path(home: &Path) -> PathBuf {
    home.join("journal").join("home.known")
}

/// What tells the lines of one session from those of others.
fn tag(session: &SessionId) -> String {
    text::sha256_hex(session.0.as_bytes())[..8].to_owned()
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
