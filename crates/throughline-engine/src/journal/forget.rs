//! Forgetting: lines that tell what is erased leave the journal, drained or not, and lines that hold
//! a secret lose it.
//!
//! The rest is copied while others may still write, so that a hook waits only for the last few lines
//! and for the disk. A crash leaves the old journal or the new one; between the new one and its mark
//! it leaves a journal that is drained again, which does no harm.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use throughline_core::text;

use super::file::{self, Hold};
use super::line::EntryLine;
use super::{Journal, JournalEntry, tail_of, verified_mark};

/// How often a journal is tried that somebody else holds, or that was replaced meanwhile.
const TRIES: usize = 20;

/// A line of a journal.
#[derive(Debug, Clone, Copy)]
pub(crate) enum JournalLine<'a> {
    /// An entry.
    Entry(&'a JournalEntry),
    /// What can be read of a line that is none, or not any more.
    Text(&'a str),
}

/// What was taken out of the journals.
#[derive(Debug, Default)]
pub(crate) struct Forgotten {
    /// Lines that went.
    pub(crate) lines: usize,
    /// Those of them that were entries.
    pub(crate) entries: Vec<JournalEntry>,
    /// Journals that could not be cleaned.
    pub(crate) left: Vec<PathBuf>,
}

/// What becomes of a line.
enum LineFate {
    Stays,
    /// It goes; the entry, if it was one.
    Goes(Option<Box<JournalEntry>>),
    /// Another takes its place.
    Becomes(Vec<u8>),
}

/// Decides about every line.
type Judge<'a> = &'a mut dyn FnMut(&[u8]) -> LineFate;

/// One journal, written anew beside the old one.
struct JournalCopy {
    path: PathBuf,
    file: File,
    /// How much of the old one was gone through.
    seen: u64,
    /// The lines that went or became others.
    changed: Vec<ChangedLine>,
    entries: Vec<JournalEntry>,
}

/// A line that is not what it was.
struct ChangedLine {
    /// Where it lay.
    at: u64,
    /// How long it was.
    was: u64,
    /// How long it is.
    is: u64,
}

impl Journal {
    /// Takes the lines out of every journal that `gone` names.
    pub(crate) fn forget(&self, gone: &dyn Fn(JournalLine<'_>) -> bool) -> Forgotten {
        let mut done = Forgotten::default();
        let found = self.list().map(|(found, _)| found).unwrap_or_default();
        for path in found.into_iter().map(|one| one.path) {
            let judge: Judge<'_> =
                &mut |line| is_gone(line, gone).map_or(LineFate::Stays, LineFate::Goes);
            match change_in(&path, judge) {
                Ok((lines, entries)) => {
                    done.lines += lines;
                    done.entries.extend(entries);
                }
                // Swept away meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => done.left.push(path),
            }
        }
        // What a crash left half-written may hold it too. Whoever writes such a file right now
        // writes it again.
        for left in file::with_extension(&self.folder, "tmp").unwrap_or_default() {
            if file::remove(&left).is_err() {
                done.left.push(left);
            }
        }
        done
    }

    /// Puts other lines in the place of those for which `clean` has one. Returns the journals that could
    /// not be rewritten.
    pub(crate) fn rewrite(&self, clean: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>) -> Vec<PathBuf> {
        let mut left = Vec::new();
        let found = self.list().map(|(found, _)| found).unwrap_or_default();
        for path in found.into_iter().map(|one| one.path) {
            let judge: Judge<'_> =
                &mut |line| clean(line).map_or(LineFate::Stays, LineFate::Becomes);
            match change_in(&path, judge) {
                Err(error) if error.kind() != ErrorKind::NotFound => left.push(path),
                Ok(_) | Err(_) => {}
            }
        }
        for half in file::with_extension(&self.folder, "tmp").unwrap_or_default() {
            if file::remove(&half).is_err() {
                left.push(half);
            }
        }
        left
    }
}

/// Takes lines out of one journal, or puts others in their place. Says how many, and which entries went.
fn change_in(path: &Path, judge: Judge<'_>) -> io::Result<(usize, Vec<JournalEntry>)> {
    let mut error = io::Error::new(ErrorKind::WouldBlock, "it keeps changing");
    for _ in 0..TRIES {
        let mut old = file::open_to_read(path)?;
        if !holds_any(&mut old, judge)? {
            return Ok((0, Vec::new()));
        }
        let mut copy = JournalCopy::beside(path)?;
        let taken = copy.copy_lines(&mut old, Last::Whole, judge);
        let done = taken.and_then(|()| copy.put_in_place(path, &old, judge));
        match done {
            Ok(true) => return Ok((copy.changed.len(), copy.entries)),
            Ok(false) => {}
            Err(failed) if failed.kind() == ErrorKind::WouldBlock => error = failed,
            Err(failed) => {
                file::remove(&copy.path).ok();
                return Err(failed);
            }
        }
        file::remove(&copy.path).ok();
    }
    Err(error)
}

fn holds_any(file: &mut File, judge: Judge<'_>) -> io::Result<bool> {
    let mut any = false;
    each_line(file, 0, Last::Torn, &mut |line| {
        any |= !matches!(judge(line), LineFate::Stays);
        Ok(())
    })?;
    Ok(any)
}

impl JournalCopy {
    fn beside(path: &Path) -> io::Result<Self> {
        let path = path.with_extension(format!("{:016x}.tmp", fastrand::u64(..)));
        let file = file::open_regular(&path, OpenOptions::new().write(true).create_new(true))?;
        Ok(Self { path, file, seen: 0, changed: Vec::new(), entries: Vec::new() })
    }

    /// Takes over the lines that stay, from where it was left.
    fn copy_lines(&mut self, old: &mut File, last: Last, judge: Judge<'_>) -> io::Result<()> {
        let (file, seen) = (&mut self.file, &mut self.seen);
        let (changed, entries) = (&mut self.changed, &mut self.entries);
        each_line(old, *seen, last, &mut |line| {
            let length = line.len() as u64;
            match judge(line) {
                LineFate::Goes(entry) => {
                    changed.push(ChangedLine { at: *seen, was: length, is: 0 });
                    entries.extend(entry.map(|entry| *entry));
                }
                LineFate::Becomes(other) => {
                    changed.push(ChangedLine { at: *seen, was: length, is: other.len() as u64 });
                    file.write_all(&other)?;
                }
                LineFate::Stays => file.write_all(line)?,
            }
            *seen += length;
            Ok(())
        })?;
        self.file.sync_data()
    }

    /// Takes the journal's place, with what was written to it meanwhile. `false` if there is another
    /// one there by now.
    fn put_in_place(&mut self, path: &Path, old: &File, judge: Judge<'_>) -> io::Result<bool> {
        let mut held = file::open_locked(path, Hold::Exclusive)?;
        let (mark, data) = (verified_mark(path), held.metadata()?);
        if !file::is_same(old, &held) {
            return Ok(false);
        }
        self.copy_lines(&mut held, Last::Torn, judge)?;
        // It is as old as what it holds.
        self.file.set_modified(data.modified()?)?;
        std::fs::rename(&self.path, path)?;
        if mark > 0 {
            let before = || self.changed.iter().filter(|one| one.at < mark);
            let (was, is): (u64, u64) =
                (before().map(|one| one.was).sum(), before().map(|one| one.is).sum());
            let mark = mark - was + is;
            let tail = tail_of(&mut file::open_to_read(path)?, mark)?;
            file::replace(&path.with_extension("mark"), format!("{mark} {tail}\n").as_bytes())?;
        }
        path.parent().map_or(Ok(()), file::sync_folder)?;
        Ok(true)
    }
}

/// Whether a line goes, and the entry that it was.
fn is_gone(
    line: &[u8],
    gone: &dyn Fn(JournalLine<'_>) -> bool,
) -> Option<Option<Box<JournalEntry>>> {
    match EntryLine::parse(line) {
        EntryLine::Blank => None,
        EntryLine::Whole(entry) => gone(JournalLine::Entry(&entry)).then_some(Some(entry)),
        EntryLine::Torn | EntryLine::Newer | EntryLine::Strange => {
            let text = text::unescaped(&String::from_utf8_lossy(line));
            gone(JournalLine::Text(&text)).then_some(None)
        }
    }
}

/// Up to where lines are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The last whole one: somebody may be writing the next.
    Whole,
    /// The last one, also if it breaks off.
    Torn,
}

/// Hands over the lines from a place on.
fn each_line(
    file: &mut File,
    from: u64,
    last: Last,
    each: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    file.seek(SeekFrom::Start(from))?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        reader.read_until(b'\n', &mut line)?;
        if line.is_empty() || last == Last::Whole && !line.ends_with(b"\n") {
            return Ok(());
        }
        each(&line)?;
    }
}

#[cfg(test)]
mod tests {
    use throughline_core::event::{Event, What};
    use throughline_core::{SessionId, Timestamp};

    use super::*;

    fn session(name: &str) -> SessionId {
        SessionId(name.to_owned())
    }

    fn said(name: &str, text: &str) -> JournalEntry {
        let what = What::Prompted { text: text.to_owned() };
        let session = session(name);
        let event = Event { session, folder: None, transcript: None, helper: None, what };
        JournalEntry::new(Timestamp::from_millis(1_763_000_000_000), "claude", None, event)
    }

    /// Lines that tell of zebras.
    fn zebra(told: JournalLine<'_>) -> bool {
        match told {
            JournalLine::Entry(entry) => {
                matches!(&entry.event.what, What::Prompted { text } if text.contains("zebra"))
            }
            JournalLine::Text(text) => text.contains("zebra"),
        }
    }

    fn texts(journal: &Journal, name: &str, after: u64) -> Vec<String> {
        let read = journal.read(&session(name), after).unwrap();
        let text = |entry: JournalEntry| {
            let What::Prompted { text } = entry.event.what else { panic!("{entry:?}") };
            text
        };
        read.entries.into_iter().map(|(_, entry)| text(entry)).collect()
    }

    /// A journal whose entries before the `drained`th are drained.
    fn journal(lines: &[&str], drained: usize) -> (tempfile::TempDir, Journal) {
        let home = tempfile::tempdir().unwrap();
        let journal = Journal::new(home.path());
        for line in lines {
            journal.append(&said("a", line)).unwrap();
        }
        let read = journal.read(&session("a"), 0).unwrap();
        if drained > 0 {
            journal.set_drained(&session("a"), read.entries[drained - 1].0).unwrap();
        }
        (home, journal)
    }

    #[test]
    fn wherever_the_erased_lines_are_the_same_is_drained_and_the_same_is_not() {
        let lines = ["one", "a zebra", "two", "zebra zebra", "three"];
        for drained in 0..=lines.len() {
            let (home, journal) = journal(&lines, drained);
            let forgotten = journal.forget(&zebra);
            assert_eq!((forgotten.lines, forgotten.entries.len()), (2, 2));
            assert!(forgotten.left.is_empty());
            assert_eq!(texts(&journal, "a", 0), ["one", "two", "three"]);
            let waiting: Vec<&str> =
                lines[drained..].iter().copied().filter(|line| !line.contains("zebra")).collect();
            assert_eq!(texts(&journal, "a", journal.drained(&session("a"))), waiting, "{drained}");
            journal.append(&said("a", "four")).unwrap();
            assert_eq!(texts(&journal, "a", 0).len(), 4);
            for entry in std::fs::read_dir(home.path().join("journal")).unwrap() {
                let written = std::fs::read_to_string(entry.unwrap().path()).unwrap();
                assert!(!written.contains("zebra"), "{written}");
            }
            assert_eq!(journal.forget(&zebra).lines, 0, "nothing is left to forget");
        }
    }

    #[test]
    fn wherever_lines_become_others_the_same_is_drained_and_the_same_is_not() {
        let lines = ["one", "a zebra", "two", "zebra zebra", "three"];
        for other in ["cat", "a hippopotamus"] {
            let becomes = |line: &str| line.replace("zebra", other);
            for drained in 0..=lines.len() {
                let (home, journal) = journal(&lines, drained);
                let mut clean = |line: &[u8]| {
                    let line = String::from_utf8_lossy(line);
                    line.contains("zebra").then(|| becomes(&line).into_bytes())
                };
                assert_eq!(journal.rewrite(&mut clean), Vec::<PathBuf>::new());
                assert_eq!(texts(&journal, "a", 0), lines.map(becomes));
                let waiting: Vec<String> =
                    lines[drained..].iter().map(|one| becomes(one)).collect();
                let after = journal.drained(&session("a"));
                assert_eq!(texts(&journal, "a", after), waiting, "{drained}");
                assert!(home.path().join("journal").exists());
            }
        }
    }

    #[test]
    fn who_drains_a_journal_that_was_written_anew_notices() {
        let (_home, journal) = journal(&["a zebra"], 0);
        let opened = journal.open_now(&session("a"));
        journal.append(&said("a", "one")).unwrap();
        assert!(journal.is_still(&session("a"), opened.as_ref()), "it only became longer");
        journal.rewrite(&mut |line| {
            Some(String::from_utf8_lossy(line).replace("zebra", "horse").into())
        });
        assert!(!journal.is_still(&session("a"), opened.as_ref()));
        assert!(journal.is_still(&session("nobody"), None));
    }

    #[test]
    fn a_journal_that_tells_nothing_else_is_empty_and_drained() {
        let (_home, journal) = journal(&["zebra", "a zebra"], 2);
        assert_eq!(journal.forget(&zebra).lines, 2);
        assert_eq!(journal.drained(&session("a")), 0);
        assert_eq!(journal.undrained().unwrap(), []);
        journal.append(&said("a", "one")).unwrap();
        assert_eq!(journal.undrained().unwrap(), [session("a")]);
    }

    #[test]
    fn what_a_crash_left_half_written_is_looked_at_too() {
        let (home, journal) = journal(&["one"], 1);
        let folder = home.path().join("journal");
        let path = journal.path(&session("a"));
        let torn = r#"{"v":1,"event":{"session":"a","what":{"prompted":{"text":"the zebra is"#;
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        write!(file, "not ours: zebra\n{torn}").unwrap();
        std::fs::write(folder.join("old.0123.tmp"), "zebra").unwrap();
        let forgotten = journal.forget(&zebra);
        assert_eq!((forgotten.lines, forgotten.entries.len()), (2, 0));
        assert!(!folder.join("old.0123.tmp").exists());
        assert!(!std::fs::read_to_string(&path).unwrap().contains("zebra"));
        assert_eq!(texts(&journal, "a", 0), ["one"]);
    }

    #[test]
    fn who_was_draining_meanwhile_skips_nothing() {
        let (_home, journal) = journal(&["a zebra that is long", "one", "two"], 0);
        let read = journal.read(&session("a"), 0).unwrap();
        journal.forget(&zebra);
        journal.append(&said("a", "three, which makes it as long as it was before")).unwrap();
        journal.set_drained_to(&session("a"), &read).unwrap();
        assert_eq!(journal.drained(&session("a")), 0, "what was read is not there any more");
        let read = journal.read(&session("a"), 0).unwrap();
        journal.set_drained_to(&session("a"), &read).unwrap();
        assert_eq!(journal.drained(&session("a")), read.end);
    }

    #[test]
    fn whoever_writes_meanwhile_loses_nothing() {
        let (_home, journal) = journal(&["a zebra"], 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..60 {
                    let line = said("a", &format!("line {number}"));
                    // A lock that is not had in time is an error, and the agent is told so.
                    while journal.append(&line).is_err() {}
                }
            });
            for _ in 0..20 {
                assert!(journal.forget(&zebra).left.is_empty());
                journal.append(&said("a", "another zebra")).ok();
            }
        });
        journal.forget(&zebra);
        let expected: Vec<String> = (0..60).map(|number| format!("line {number}")).collect();
        assert_eq!(texts(&journal, "a", 0), expected);
    }
}
