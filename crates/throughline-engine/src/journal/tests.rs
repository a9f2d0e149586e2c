//! The journal: nothing acknowledged is lost, whatever breaks off.

use std::collections::BTreeSet;

use throughline_core::event::What;

use super::*;
use std::fs::OpenOptions;

fn home() -> (tempfile::TempDir, Journal) {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::new(folder.path());
    (folder, journal)
}

fn session(name: &str) -> SessionId {
    SessionId(name.to_owned())
}

fn said(name: &str, text: &str) -> JournalEntry {
    let what = What::Prompted { text: text.to_owned() };
    let session = session(name);
    let event = Event { session, folder: None, transcript: None, helper: None, what };
    let project = Project::recorded("/home/dev/app", Path::new("/home/dev/app"));
    JournalEntry::new(Timestamp::from_millis(1_763_000_000_000), "claude", Some(&project), event)
}

fn texts(journal: &Journal, name: &str) -> Vec<String> {
    let said = |entry: JournalEntry| {
        let What::Prompted { text } = entry.event.what else { panic!("{entry:?}") };
        text
    };
    let read = journal.read(&session(name), 0).unwrap();
    read.entries.into_iter().map(|(_, entry)| said(entry)).collect()
}

/// A text of anything: line breaks, controls, quotes, other scripts.
fn anything(rng: &mut fastrand::Rng, max: usize) -> String {
    let odd = ['\n', '\r', '\0', '"', '\\', '\u{1b}', '\u{2028}', '\u{feff}', 'é', '界', '🦀'];
    (0..rng.usize(0..max))
        .map(|_| if rng.bool() { rng.char(..) } else { odd[rng.usize(..odd.len())] })
        .collect()
}

#[test]
fn whatever_was_said_is_read_back_as_it_was() {
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (_home, journal) = home();
        let name = anything(&mut rng, 40);
        let entries: Vec<JournalEntry> =
            (0..rng.usize(1..12)).map(|_| said(&name, &anything(&mut rng, 300))).collect();
        for entry in &entries {
            journal.append(entry).unwrap();
        }
        let read = journal.read(&session(&name), 0).unwrap();
        let found: Vec<JournalEntry> =
            read.entries.iter().map(|(_, entry)| entry.clone()).collect();
        assert_eq!(found, entries, "seed {seed}");
        assert_eq!((read.torn, read.unreadable, read.more), (0, 0, false), "seed {seed}");
        assert_eq!(read.end, read.entries.last().unwrap().0);
        assert_eq!(journal.undrained().unwrap(), [session(&name)], "seed {seed}");

        // From wherever one goes on, one sees exactly what comes after.
        let place = rng.usize(..entries.len());
        let rest = journal.read(&session(&name), read.entries[place].0).unwrap();
        assert_eq!(rest.entries, read.entries[place + 1..], "seed {seed}");
        journal.set_drained(&session(&name), read.end).unwrap();
        let again = journal.read(&session(&name), journal.drained(&session(&name))).unwrap();
        assert!(again.entries.is_empty(), "draining twice sees nothing new");
        assert!(journal.undrained().unwrap().is_empty());
    }
}

#[test]
fn a_journal_that_breaks_off_anywhere_keeps_what_was_whole_and_takes_more() {
    let (_home, journal) = home();
    let all: Vec<String> = (0..2).map(|n| format!("entry {n} \n é \"quoted\"")).collect();
    for text in &all {
        journal.append(&said("a", text)).unwrap();
    }
    let path = journal.path(&session("a"));
    let whole = std::fs::read(&path).unwrap();
    for length in 0..=whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        let lines = whole[..length].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(texts(&journal, "a"), all[..lines], "{length} bytes");
        let read = journal.read(&session("a"), 0).unwrap();
        let at_end = read.end == length as u64;
        assert_eq!((read.torn, read.unreadable), (usize::from(!at_end), 0), "{length} bytes");

        journal.append(&said("a", "after the crash")).unwrap();
        let found = texts(&journal, "a");
        assert_eq!(found.last().unwrap(), "after the crash", "{length} bytes");
        // An entry that lacked only its line break is whole again.
        assert!((lines..=lines + 1).contains(&(found.len() - 1)), "{length} bytes");
        assert_eq!(found[..found.len() - 1], all[..found.len() - 1], "{length} bytes");
        assert_eq!(journal.read(&session("a"), read.end).unwrap().unreadable, 0);
    }
}

#[test]
fn a_damaged_line_costs_only_itself() {
    let (_home, journal) = home();
    journal.append(&said("a", "before")).unwrap();
    let path = journal.path(&session("a"));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"\0\0\0\0\n\xff\xfe\n{}\n[1,2]\n\n{\"v\":1,\"at\":\"20\n");
    let stranger = serde_json::to_vec(&said("b", "of another session")).unwrap();
    bytes.extend_from_slice(&stranger);
    bytes.push(b'\n');
    std::fs::write(&path, bytes).unwrap();
    journal.append(&said("a", "after")).unwrap();
    assert_eq!(texts(&journal, "a"), ["before", "after"]);
    let read = journal.read(&session("a"), 0).unwrap();
    assert_eq!((read.torn, read.unreadable, read.newer), (1, 5, false));
    let health = journal.health().unwrap();
    assert_eq!((health.sessions, health.undrained, health.torn, health.unreadable), (1, 1, 1, 4));
}

#[test]
fn a_drainer_comes_past_damage_that_ends_a_journal() {
    let (_home, journal) = home();
    journal.append(&said("a", "before")).unwrap();
    let end = journal.read(&session("a"), 0).unwrap().end;
    journal.set_drained(&session("a"), end).unwrap();
    let path = journal.path(&session("a"));
    let append = |bytes: &[u8]| {
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(bytes).unwrap();
    };
    append(b"half a line");
    assert!(journal.undrained().unwrap().is_empty(), "half a line was never acknowledged");
    assert!(journal.sweep(0, Timestamp::EPOCH.plus_days(90_000.0)).is_ok_and(|count| count == 1));

    journal.append(&said("a", "anew")).unwrap();
    assert_eq!(journal.drained(&session("a")), 0);
    let end = journal.read(&session("a"), 0).unwrap().end;
    journal.set_drained(&session("a"), end).unwrap();
    append(b"rubbish\n");
    assert_eq!(journal.undrained().unwrap(), [session("a")]);
    let read = journal.read(&session("a"), end).unwrap();
    journal.set_drained(&session("a"), read.end).unwrap();
    assert!(journal.undrained().unwrap().is_empty());
}

#[test]
fn what_a_newer_program_wrote_is_left_for_it() {
    let (_home, journal) = home();
    journal.append(&said("a", "ours")).unwrap();
    let end = journal.read(&session("a"), 0).unwrap().end;
    let path = journal.path(&session("a"));
    let theirs = "{\"v\":2,\"at\":7,\"event\":{\"session\":\"a\",\"what\":\"dreamt\"}}\n";
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(theirs.as_bytes());
    std::fs::write(&path, bytes).unwrap();
    journal.append(&said("a", "ours again")).unwrap();
    let read = journal.read(&session("a"), 0).unwrap();
    assert_eq!((read.entries.len(), read.end, read.newer), (1, end, true));
}

#[test]
fn more_than_fits_into_memory_is_read_in_parts() {
    let (_home, journal) = home();
    let text = "x".repeat(3 << 20);
    for _ in 0..5 {
        journal.append(&said("a", &text)).unwrap();
    }
    let (mut after, mut count, mut parts) = (0, 0, 0);
    loop {
        let read = journal.read(&session("a"), after).unwrap();
        (after, count, parts) = (read.end, count + read.entries.len(), parts + 1);
        assert_eq!((read.torn, read.unreadable), (0, 0));
        if !read.more {
            break;
        }
    }
    assert_eq!((count, parts), (5, 3));

    assert!(journal.append(&said("b", &"x".repeat(ENTRY_BYTES_MAX))).is_err());
    let overlong = [vec![b'y'; READ_BYTES_MAX + 5], b"\n".to_vec()].concat();
    journal.append(&said("c", "before")).unwrap();
    let mut file = OpenOptions::new().append(true).open(journal.path(&session("c"))).unwrap();
    file.write_all(&overlong).unwrap();
    journal.append(&said("c", "after")).unwrap();
    let first = journal.read(&session("c"), 0).unwrap();
    assert!(first.more && first.entries.len() == 1);
    let second = journal.read(&session("c"), first.end).unwrap();
    assert_eq!((second.unreadable, second.more), (1, true));
    let third = journal.read(&session("c"), second.end).unwrap();
    assert_eq!((third.entries.len(), third.more), (1, false));
}

#[test]
fn a_mark_that_is_lost_damaged_or_of_another_file_means_from_the_beginning() {
    let (_home, journal) = home();
    let one = session("a");
    assert_eq!(journal.drained(&one), 0);
    journal.set_drained(&one, 0).unwrap();
    for n in 0..9 {
        journal.append(&said("a", &format!("entry {n}"))).unwrap();
    }
    let read = journal.read(&one, 0).unwrap();
    let third = read.entries[2].0;
    journal.set_drained(&one, third).unwrap();
    assert_eq!(journal.drained(&one), third);
    assert!(journal.set_drained(&one, third + 1).is_err(), "in the middle of an entry");
    assert!(journal.set_drained(&one, read.end + 1).is_err(), "beyond the end");

    let mark = journal.path(&one).with_extension("mark");
    let written = std::fs::read_to_string(&mark).unwrap();
    for bad in ["", "x", "18446744073709551615 0", &format!("{} x", read.entries[5].0)] {
        std::fs::write(&mark, bad).unwrap();
        assert_eq!(journal.drained(&one), 0, "{bad}");
        assert_eq!(journal.undrained().unwrap(), std::slice::from_ref(&one), "{bad}");
    }
    std::fs::write(&mark, written).unwrap();
    assert_eq!(journal.drained(&one), third);
    std::fs::remove_file(journal.path(&one)).unwrap();
    for n in 0..9 {
        journal.append(&said("a", &format!("other {n}"))).unwrap();
    }
    assert_eq!(journal.drained(&one), 0, "the same length, another journal");
}

#[test]
fn only_what_is_drained_and_old_is_swept_away() {
    let (_home, journal) = home();
    for name in ["drained", "undrained"] {
        journal.append(&said(name, "something")).unwrap();
    }
    let end = journal.read(&session("drained"), 0).unwrap().end;
    journal.set_drained(&session("drained"), end).unwrap();
    let now = crate::Clock::System.now();
    assert_eq!(journal.sweep(30, now).unwrap(), 0);
    assert_eq!(journal.sweep(30, now.plus_days(-400.0)).unwrap(), 0, "a clock that runs backwards");
    assert_eq!(journal.sweep(30, now.plus_days(31.0)).unwrap(), 1);
    assert_eq!(texts(&journal, "undrained"), ["something"]);
    assert!(texts(&journal, "drained").is_empty());
    assert_eq!(std::fs::read_dir(&journal.folder).unwrap().count(), 1, "the mark went too");
    journal.append(&said("drained", "again")).unwrap();
    assert_eq!(texts(&journal, "drained"), ["again"]);
}

#[test]
fn any_session_has_a_name_of_its_own_that_is_only_a_name() {
    let long = "x".repeat(10_000);
    let names = [
        "",
        ".",
        "..",
        "/",
        "a/b",
        "a\\b",
        "../../etc/passwd",
        "a\0b",
        "CON",
        "nul.txt",
        "ä",
        "Ä",
        "a",
        "A",
        "-rf",
        "a\nb",
        " ",
        "a ",
        "\u{202e}",
        &long,
        "x",
    ];
    let safe: BTreeSet<String> = names.iter().map(|name| file::safe_name(name)).collect();
    assert_eq!(safe.len(), names.len());
    for name in safe {
        assert!(name.len() <= 64 && name.starts_with('s'), "{name}");
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
    }
}

#[test]
fn a_lock_is_waited_for_only_briefly() {
    let (_home, journal) = home();
    journal.append(&said("a", "first")).unwrap();
    let holder = file::open_locked(&journal.path(&session("a")), Hold::Exclusive).unwrap();
    let since = std::time::Instant::now();
    let refused = journal.append(&said("a", "second")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::WouldBlock);
    assert!(since.elapsed().as_millis() < 2_000, "{:?}", since.elapsed());
    drop(holder);
    journal.append(&said("a", "second")).unwrap();
    assert_eq!(texts(&journal, "a"), ["first", "second"]);
}

#[test]
fn failures_are_noted_within_bounds() {
    let (home, _) = home();
    let at = Timestamp::from_millis(1_763_000_000_000);
    assert!(note::last_failures(home.path(), 5).is_empty());
    for n in 0..2_000 {
        note::note_failure(
            home.path(),
            at,
            "Stop",
            &format!("failure {n} {}", "x".repeat(100)),
            note::Damage::None,
        );
    }
    let last = note::last_failures(home.path(), 3);
    assert_eq!(last.len(), 3);
    assert!(last[2].why.starts_with("failure 1999 "), "{last:?}");
    let bytes: u64 = std::fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes < 150_000, "{bytes}");
    note::note_failure(home.path(), at, "Stop", &"\n\u{1b}é".repeat(100_000), note::Damage::None);
    assert!(note::last_failures(home.path(), 1)[0].why.chars().count() <= 400);
}

#[test]
fn when_each_hook_last_ran_is_known() {
    let (home, _) = home();
    let at = |millis| Timestamp::from_millis(millis);
    assert!(note::last_fired(home.path()).is_empty());
    note::note_fired(home.path(), "Stop", at(5_000));
    note::note_fired(home.path(), "Stop", at(9_000));
    note::note_fired(home.path(), "SessionStart", at(7_000));
    note::note_fired(home.path(), "../Stop", at(1));
    note::note_fired(Path::new("/dev/null"), "Stop", at(1));
    let fired = note::last_fired(home.path());
    let expected = [("SessionStart", at(7_000)), ("Stop", at(9_000))];
    assert_eq!(fired, expected.map(|(event, at)| (event.to_owned(), at)).into());
}
