//! The journal: everything an agent told us, on disk before anything else is done with it.
//!
//! One file of lines for each session under the home, appended under a lock. It needs no database
//! and works when that does not. Whoever drains it reads from the mark on; reading twice does no
//! harm, for what comes of an entry is found again by what it says.

pub(crate) mod file;
mod forget;
mod line;
pub(crate) mod note;
#[cfg(test)]
mod tests;
mod tried;
mod wall;

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_core::event::Event;
use throughline_core::{SessionId, Timestamp, text};

use crate::{Project, RootStanding};

use crate::clean::clean_name;
use file::Hold;
pub(crate) use forget::JournalLine;
use line::EntryLine;

/// Bytes of one entry, written down.
const ENTRY_BYTES_MAX: usize = 8 << 20;
/// Bytes that are read at a time. No entry is larger, so each fits.
const READ_BYTES_MAX: usize = ENTRY_BYTES_MAX;
/// Bytes of one session: more is an agent that talks to itself.
const SESSION_BYTES_MAX: u64 = 256 << 20;
/// Bytes before a mark by which it is recognised that they are still the same.
const TAIL_BYTES: u64 = 256;
/// Bytes that [`Journal::health`] looks through at most.
const HEALTH_BYTES_MAX: u64 = 64 << 20;
/// The form that this program writes.
const VERSION: u8 = 1;

/// One event, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The form it is written in.
    pub v: u8,
    /// When it came.
    pub at: Timestamp,
    /// Which agent told us.
    pub agent: String,
    /// The root of the project that it works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// What identified that project at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What happened.
    pub event: Event,
}

impl JournalEntry {
    /// An entry in the present form.
    pub fn new(at: Timestamp, agent: &str, project: Option<&Project>, event: Event) -> Self {
        let root = project.map(|project| clean_name(&project.root.to_string_lossy()));
        // Where nobody can say which project it is, whoever takes it in looks again.
        let known = project.filter(|project| project.standing != RootStanding::Unknown);
        let key = known.map(|project| project.key.as_str().to_owned());
        Self { v: VERSION, at, agent: agent.to_owned(), project: root, key, event }
    }
}

/// What was read of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JournalRead {
    /// Whole entries, each with the place where it ends.
    pub entries: Vec<(u64, JournalEntry)>,
    /// Lines that break off, as a crash leaves them.
    pub torn: usize,
    /// Lines that are something else.
    pub unreadable: usize,
    /// Whether it stopped at an entry that a newer program wrote. That one is left for it.
    pub newer: bool,
    /// Where the next reading goes on.
    pub end: u64,
    /// Whether there is more to read from there.
    pub more: bool,
    /// A name for what stands right before that place.
    tail: String,
}

/// How the journals are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JournalHealth {
    /// Sessions that have one.
    pub sessions: usize,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Those with something after their mark.
    pub undrained: usize,
    /// Bytes that were looked through, the newest journals first.
    pub looked_at: u64,
    /// Lines in them that break off.
    pub torn: usize,
    /// Lines in them that are something else.
    pub unreadable: usize,
    /// Things in the folder that are no regular files and are not touched.
    pub refused: usize,
}

/// What waits in the journals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JournalQueue {
    /// Things that agents told.
    pub turns: usize,
    /// Sessions in which they did.
    pub sessions: usize,
}

impl fmt::Display for JournalQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (turns, of) =
            (text::plural(self.turns, "turn"), text::plural(self.sessions, "session"));
        write!(f, "{turns} of {of} {} in the journal", text::agree(self.turns, "waits", "wait"))
    }
}

/// The journals under one home.
#[derive(Debug, Clone)]
pub struct Journal {
    folder: PathBuf,
}

/// A journal in the folder.
struct JournalFile {
    path: PathBuf,
    data: Metadata,
}

impl Journal {
    /// The journals under `home`. Touches nothing.
    pub fn new(home: &Path) -> Self {
        Self { folder: home.join("journal") }
    }

    /// Writes an entry down. When this returns it is on the disk, or it failed and what was there
    /// before is as it was. Never waits long for others.
    pub fn append(&self, entry: &JournalEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        if line.len() > ENTRY_BYTES_MAX {
            let size = format!("an entry of {} bytes is too large", line.len());
            return Err(io::Error::new(ErrorKind::InvalidInput, size));
        }
        let path = self.path(&entry.event.session);
        let (mut file, new) = file::open_to_append(&path)?;
        let before = file.metadata()?.len();
        if before > SESSION_BYTES_MAX {
            let full = format!("{} is full", path.display());
            return Err(io::Error::new(ErrorKind::QuotaExceeded, full));
        }
        if before > 0 && byte_at(&mut file, before - 1)? != b'\n' {
            // A crash tore the last line; closed off, it costs only itself.
            line.insert(0, b'\n');
        }
        if let Err(error) = file.write_all(&line) {
            // If this fails too, the half line is closed off by whoever writes next.
            file.set_len(before).ok();
            return Err(error);
        }
        // Others may write while this waits for the disk.
        file.unlock()?;
        file.sync_data()?;
        if new { file::sync_folder(&self.folder) } else { Ok(()) }
    }

    /// Reads a session's entries from the byte `after` on, a bounded part at a time. An `after`
    /// that is not the end of a line is taken for the beginning: the journal is another one.
    pub fn read(&self, session: &SessionId, after: u64) -> io::Result<JournalRead> {
        let read = read_from(&self.path(session), after)?;
        let own = |(_, entry): &(u64, JournalEntry)| entry.event.session == *session;
        let (entries, strange): (Vec<_>, Vec<_>) = read.entries.into_iter().partition(own);
        Ok(JournalRead { entries, unreadable: read.unreadable + strange.len(), ..read })
    }

    /// Up to where a session was drained. 0 where that is not known, or was said of another file.
    pub fn drained(&self, session: &SessionId) -> u64 {
        verified_mark(&self.path(session))
    }

    /// Notes up to where a session was drained.
    pub fn set_drained(&self, session: &SessionId, offset: u64) -> io::Result<()> {
        let path = self.path(session);
        let mut file = match file::open_to_read(&path) {
            // Swept away, so there is nothing left to mark.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        let tail = tail_of(&mut file, offset)?;
        file::replace(&path.with_extension("mark"), format!("{offset} {tail}\n").as_bytes())
    }

    /// The journal of a session as it is now, to be held against what it is later.
    pub(crate) fn open_now(&self, session: &SessionId) -> Option<File> {
        file::open_to_read(&self.path(session)).ok()
    }

    /// Whether the journal of a session is still the one that was opened before: it may have been written
    /// anew since, without what must not be kept.
    pub(crate) fn is_still(&self, session: &SessionId, before: Option<&File>) -> bool {
        match (before, self.open_now(session)) {
            (Some(before), Some(now)) => file::is_same(before, &now),
            (before, now) => before.is_none() == now.is_none(),
        }
    }

    /// Notes that what was read was drained. If the journal was written anew since, nothing is noted,
    /// and what is left of it is read again.
    pub fn set_drained_to(&self, session: &SessionId, read: &JournalRead) -> io::Result<()> {
        let path = self.path(session);
        let same = file::open_to_read(&path).and_then(|mut file| tail_of(&mut file, read.end));
        if same.is_ok_and(|tail| tail == read.tail) {
            self.set_drained(session, read.end)
        } else {
            Ok(())
        }
    }

    /// The sessions that have entries after their mark, the longest unchanged first. Compares
    /// sizes; only what is undrained is opened.
    pub fn undrained(&self) -> io::Result<Vec<SessionId>> {
        let (mut found, _) = self.list()?;
        found.retain(|one| one.mark() != one.data.len());
        found.sort_by_cached_key(|one| (one.data.modified().ok(), one.path.clone()));
        Ok(found.iter().filter_map(|one| self.session_of(one)).collect())
    }

    /// Removes journals that are fully drained and were not written to for `keep_days`.
    pub fn sweep(&self, keep_days: u32, now: Timestamp) -> io::Result<usize> {
        let old = |data: &Metadata| file::is_older(data, keep_days, now);
        let (found, _) = self.list()?;
        let mut removed = 0;
        for one in found.iter().filter(|one| old(&one.data)) {
            let Ok(file) = file::open_locked(&one.path, Hold::Exclusive) else { continue };
            // Only under the lock is it certain that nobody has written since.
            let done = file.metadata().is_ok_and(|data| old(&data)) && one.is_drained();
            if done {
                // The mark goes first: without it a journal is read again, which does no harm.
                file::remove(&one.path.with_extension("mark"))?;
                file::remove(&one.path.with_extension(wall::EXTENSION))?;
                file::remove(&one.path.with_extension(tried::EXTENSION))?;
                file::remove(&one.path)?;
                removed += 1;
            }
        }
        let marks = file::with_extension(&self.folder, "mark")?.into_iter();
        let marks = marks.chain(file::with_extension(&self.folder, "known")?);
        let marks = marks.chain(file::with_extension(&self.folder, wall::EXTENSION)?);
        let marks = marks.chain(file::with_extension(&self.folder, tried::EXTENSION)?);
        let alone = marks.filter(|mark| !mark.with_extension("jsonl").exists());
        for left in alone.chain(file::with_extension(&self.folder, "tmp")?) {
            if left.symlink_metadata().is_ok_and(|data| old(&data)) {
                file::remove(&left)?;
            }
        }
        Ok(removed)
    }

    /// Bytes of all journals.
    pub fn bytes(&self) -> u64 {
        let found = self.list().map(|(found, _)| found).unwrap_or_default();
        found.iter().map(|one| one.data.len()).sum()
    }

    /// How the journals are, for `doctor`.
    pub fn health(&self) -> io::Result<JournalHealth> {
        let (mut found, refused) = self.list()?;
        found.sort_by_cached_key(|one| {
            std::cmp::Reverse((one.data.modified().ok(), one.path.clone()))
        });
        let mut health =
            JournalHealth { sessions: found.len(), refused, ..JournalHealth::default() };
        for one in &found {
            health.bytes += one.data.len();
            health.undrained += usize::from(!one.is_drained());
            let mut after = 0;
            while health.looked_at < HEALTH_BYTES_MAX {
                let Ok(read) = read_from(&one.path, after) else { break };
                health.torn += read.torn;
                health.unreadable += read.unreadable;
                health.looked_at += read.end - after;
                after = read.end;
                if !read.more {
                    break;
                }
            }
        }
        Ok(health)
    }

    /// What waits to be taken in: agents told it, and memory has not heard it yet.
    pub fn queue(&self) -> JournalQueue {
        let mut queue = JournalQueue::default();
        let mut looked_at = 0;
        for one in self.list().map(|(found, _)| found).unwrap_or_default() {
            let mut after = verified_mark(&one.path);
            let before = queue.turns;
            while looked_at < HEALTH_BYTES_MAX {
                let Ok(read) = read_from(&one.path, after) else { break };
                queue.turns += read.entries.len();
                looked_at += read.end.saturating_sub(after);
                after = read.end;
                if !read.more {
                    break;
                }
            }
            queue.sessions += usize::from(queue.turns > before);
        }
        queue
    }

    fn path(&self, session: &SessionId) -> PathBuf {
        self.folder.join(format!("{}.jsonl", file::safe_name(&session.0)))
    }

    /// The journals in the folder, and how many other things of that name there are.
    fn list(&self) -> io::Result<(Vec<JournalFile>, usize)> {
        let (mut found, mut refused) = (Vec::new(), 0);
        for path in file::with_extension(&self.folder, "jsonl")? {
            match path.symlink_metadata() {
                Ok(data) if data.is_file() => found.push(JournalFile { path, data }),
                Ok(_) => refused += 1,
                // Swept away in the meantime.
                Err(_) => {}
            }
        }
        Ok((found, refused))
    }

    /// The session of a journal that has whole lines after its mark.
    fn session_of(&self, found: &JournalFile) -> Option<SessionId> {
        let mark = verified_mark(&found.path);
        let (session, lines) = first_session(&found.path, mark).ok()?;
        let session = match session {
            None if lines == 0 => return None,
            // Nothing after the mark can be read, and yet a drainer must come past it.
            None => first_session(&found.path, 0).ok()?.0?,
            Some(session) => session,
        };
        (self.path(&session) == found.path).then_some(session)
    }
}

impl JournalFile {
    /// What the mark says, unchecked. `u64::MAX` where there is none, which no size equals.
    fn mark(&self) -> u64 {
        DrainMark::read(&self.path.with_extension("mark")).map_or(u64::MAX, |mark| mark.offset)
    }

    /// Whether no whole line is left after the mark. Half a line was never acknowledged.
    fn is_drained(&self) -> bool {
        let mark = verified_mark(&self.path);
        first_session(&self.path, mark).is_ok_and(|(_, lines)| lines == 0)
    }
}

/// Up to where a journal was drained, and what stands right before that place.
struct DrainMark {
    offset: u64,
    tail: String,
}

impl DrainMark {
    fn read(path: &Path) -> Option<Self> {
        let mut written = String::new();
        file::open_lightly(path).ok()?.take(64).read_to_string(&mut written).ok()?;
        let (offset, tail) = written.trim_end().split_once(' ')?;
        Some(Self { offset: offset.parse().ok()?, tail: tail.to_owned() })
    }
}

/// Up to where a journal was drained, if its mark is really about what is there now.
fn verified_mark(journal: &Path) -> u64 {
    let Some(mark) = DrainMark::read(&journal.with_extension("mark")) else { return 0 };
    let tail = file::open_to_read(journal).and_then(|mut file| tail_of(&mut file, mark.offset));
    if tail.is_ok_and(|tail| tail == mark.tail) { mark.offset } else { 0 }
}

/// A name for what stands right before `offset`, by which a mark knows its journal again.
fn tail_of(file: &mut File, offset: u64) -> io::Result<String> {
    let from = offset.saturating_sub(TAIL_BYTES);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(offset - from).read_to_end(&mut tail)?;
    if tail.len() as u64 != offset - from || tail.last().is_some_and(|last| *last != b'\n') {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not the end of an entry"));
    }
    Ok(text::sha256_hex(&tail)[..16].to_owned())
}

fn byte_at(file: &mut File, at: u64) -> io::Result<u8> {
    let mut byte = [0];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// Reads whole lines from `after` on.
fn read_from(path: &Path, after: u64) -> io::Result<JournalRead> {
    // Under the lock no writer is half-way, or taking back what did not fit on the disk.
    let mut file = match file::open_locked(path, Hold::Shared) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(JournalRead::default()),
        opened => opened?,
    };
    let size = file.metadata()?.len();
    let at_line = after == 0 || (after <= size && byte_at(&mut file, after - 1)? == b'\n');
    let mut read = JournalRead { end: if at_line { after } else { 0 }, ..JournalRead::default() };
    let mut window = Vec::new();
    file.seek(SeekFrom::Start(read.end))?;
    (&file).take(READ_BYTES_MAX as u64).read_to_end(&mut window)?;
    let Some(whole) = window.iter().rposition(|byte| *byte == b'\n') else {
        if window.len() == READ_BYTES_MAX {
            return skip_overlong(&mut file, read, size);
        }
        read.torn = usize::from(!window.is_empty());
        return Ok(read);
    };
    file.unlock()?;
    let start = read.end;
    for line in window[..=whole].split_inclusive(|byte| *byte == b'\n') {
        match EntryLine::parse(line) {
            EntryLine::Blank => {}
            EntryLine::Newer => {
                read.newer = true;
                read.tail = tail_of(&mut file, read.end)?;
                return Ok(read);
            }
            EntryLine::Torn => read.torn += 1,
            EntryLine::Strange => read.unreadable += 1,
            EntryLine::Whole(entry) => {
                read.entries.push((read.end + line.len() as u64, *entry));
            }
        }
        read.end += line.len() as u64;
    }
    read.tail = tail_of(&mut file, read.end)?;
    let seen = start + window.len() as u64;
    read.more = seen < size;
    read.torn += usize::from(!read.more && read.end < seen);
    Ok(read)
}

/// Goes past a line that is longer than any of ours.
fn skip_overlong(file: &mut File, mut read: JournalRead, size: u64) -> io::Result<JournalRead> {
    let mut chunk = vec![0; 1 << 16];
    let mut at = file.seek(SeekFrom::Start(read.end))?;
    loop {
        let count = file.read(&mut chunk)?;
        if count == 0 {
            read.torn = 1;
            return Ok(read);
        }
        if let Some(end) = chunk[..count].iter().position(|byte| *byte == b'\n') {
            read.end = at + end as u64 + 1;
            read.unreadable = 1;
            read.more = read.end < size;
            read.tail = tail_of(file, read.end)?;
            return Ok(read);
        }
        at += count as u64;
    }
}

/// The session of the first line after `from` that tells one, and how many whole lines were looked
/// at for it.
fn first_session(path: &Path, from: u64) -> io::Result<(Option<SessionId>, usize)> {
    let mut file = file::open_to_read(path)?;
    file.seek(SeekFrom::Start(from))?;
    line::first_session(&file, READ_BYTES_MAX)
}
