//! Tried: how much of a journal was taken in at once when that was begun. Whoever finds it about the place where it
//! goes on itself knows that the one before was cut off, and takes in half as much, so that what waits gets less on a
//! machine on which all of it takes longer than a hook has.

use std::io::Read as _;

use throughline_core::SessionId;

use super::{Journal, JournalRead, file, tail_of};

/// How the name of such a file ends.
pub(super) const EXTENSION: &str = "tried";

impl Journal {
    /// How many entries from the byte `after` on are taken in at once; `None` where nobody was cut off there.
    pub(crate) fn entries_max(&self, session: &SessionId, after: u64) -> Option<usize> {
        let mut written = String::new();
        let file = file::open_lightly(&self.path(session).with_extension(EXTENSION)).ok()?;
        file.take(64).read_to_string(&mut written).ok()?;
        let (at, tried) = written.trim_end().split_once(' ')?;
        let tried: usize = tried.parse().ok()?;
        (at.parse() == Ok(after)).then_some((tried / 2).max(1))
    }

    /// Notes that so many entries from `after` on are about to be taken in. Where that cannot be noted, all are tried
    /// again the next time.
    pub(crate) fn note_tried(&self, session: &SessionId, after: u64, entries: usize) {
        let path = self.path(session).with_extension(EXTENSION);
        file::replace_lightly(&path, format!("{after} {entries}\n").as_bytes()).ok();
    }

    /// The first entries of what was read. All of it where the file cannot be read again.
    pub(crate) fn first_of(
        &self,
        session: &SessionId,
        read: JournalRead,
        entries: usize,
    ) -> JournalRead {
        let Some(end) = read.entries.get(entries.saturating_sub(1)).map(|(end, _)| *end) else {
            return read;
        };
        let tail =
            file::open_to_read(&self.path(session)).and_then(|mut file| tail_of(&mut file, end));
        match tail {
            Ok(tail) if read.entries.len() > entries => {
                let entries = read.entries.into_iter().take(entries).collect();
                JournalRead { entries, end, tail, more: true, ..JournalRead::default() }
            }
            Ok(_) | Err(_) => read,
        }
    }
}

#[cfg(test)]
mod tests {
    use throughline_core::Timestamp;
    use throughline_core::event::{Event, Start, What};

    use super::*;
    use crate::JournalEntry;

    #[test]
    fn whoever_was_cut_off_is_followed_by_one_who_takes_in_half_as_much_and_nothing_is_passed_over()
    {
        let home = tempfile::tempdir().unwrap();
        let (journal, session) = (Journal::new(home.path()), SessionId("a".to_owned()));
        for n in 0..9 {
            let event = Event {
                session: session.clone(),
                folder: Some(format!("/projects/{n}")),
                transcript: None,
                helper: None,
                what: What::Started(Start::Startup),
            };
            journal.append(&JournalEntry::new(Timestamp::EPOCH, "agent", None, event)).unwrap();
        }
        assert_eq!(journal.entries_max(&session, 0), None);
        let (mut after, mut seen, mut sizes) = (0, Vec::new(), Vec::new());
        journal.note_tried(&session, after, 9);
        while let Some(most) = journal.entries_max(&session, after) {
            let read = journal.read(&session, after).unwrap();
            let part = journal.first_of(&session, read, most);
            sizes.push(part.entries.len());
            seen.extend(part.entries.iter().map(|(_, one)| one.event.folder.clone()));
            journal.set_drained_to(&session, &part).unwrap();
            assert_eq!(journal.drained(&session), part.end);
            if !part.more {
                break;
            }
            after = part.end;
            // Cut off again, at the same number.
            journal.note_tried(&session, after, most);
        }
        assert_eq!(sizes, [4, 2, 1, 1, 1]);
        let all: Vec<_> = (0..9).map(|n| Some(format!("/projects/{n}"))).collect();
        assert_eq!(seen, all);
    }
}
