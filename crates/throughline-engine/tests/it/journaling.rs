//! The journal under pressure: many writers, killed writers, full disks, traps.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use throughline_core::event::{Event, What};
use throughline_core::{SessionId, Timestamp};
use throughline_engine::{Journal, JournalEntry};

fn session(name: &str) -> SessionId {
    SessionId(name.to_owned())
}

fn said(name: &str, text: &str) -> JournalEntry {
    let what = What::Prompted { text: text.to_owned() };
    let session = session(name);
    let event = Event { session, folder: None, transcript: None, helper: None, what };
    JournalEntry::new(Timestamp::from_millis(1_763_000_000_000), "claude", None, event)
}

fn texts(journal: &Journal, name: &str) -> Vec<String> {
    let (mut after, mut texts) = (0, Vec::new());
    loop {
        let read = journal.read(&session(name), after).unwrap();
        for (_, entry) in read.entries {
            let What::Prompted { text } = entry.event.what else { panic!("{entry:?}") };
            texts.push(text);
        }
        after = read.end;
        if !read.more {
            return texts;
        }
    }
}

/// The one journal in a home.
fn file_of(home: &Path) -> PathBuf {
    let mut files =
        std::fs::read_dir(home.join("journal")).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|end| end == "jsonl")).unwrap()
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::new(home.path());
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let journal = journal.clone();
            scope.spawn(move || {
                for n in 0..50 {
                    let text = format!("{writer}/{n} {}", "x".repeat(n * 100));
                    // Nobody waits long for a turn; whoever got none was told so.
                    while let Err(error) = journal.append(&said("crowd", &text)) {
                        assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock, "{error}");
                    }
                }
            });
        }
    });
    let found = texts(&journal, "crowd");
    assert_eq!(found.len(), 400);
    for writer in 0..8 {
        let own: Vec<&String> =
            found.iter().filter(|text| text.starts_with(&format!("{writer}/"))).collect();
        for (n, text) in own.iter().enumerate() {
            assert_eq!(**text, format!("{writer}/{n} {}", "x".repeat(n * 100)), "in order, whole");
        }
        assert_eq!(own.len(), 50);
    }
    let health = journal.health().unwrap();
    assert_eq!((health.torn, health.unreadable, health.undrained), (0, 0, 1));
}

/// Where the writer that is to be killed writes. Not set in a usual run.
const WRITER_HOME: &str = "THROUGHLINE_TEST_WRITER_HOME";

#[test]
fn a_writer_that_is_to_be_killed() {
    let Some(home) = std::env::var_os(WRITER_HOME) else { return };
    let journal = Journal::new(Path::new(&home));
    let from = texts(&journal, "killed").len();
    let mut out = std::io::stdout();
    for n in from.. {
        journal.append(&said("killed", &format!("{n} {}", "y".repeat(n % 7 * 20_000)))).unwrap();
        out.write_all(format!("\nacknowledged {n}\n").as_bytes()).unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill_at_any_moment() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::new(home.path());
    let mut acknowledged = None;
    for cycle in 0..12_u64 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "journaling::a_writer_that_is_to_be_killed", "--nocapture"])
            .env(WRITER_HOME, home.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        let mut told = lines.map_while(Result::ok).filter_map(|line| {
            line.strip_prefix("acknowledged ").and_then(|n| n.parse::<usize>().ok())
        });
        acknowledged = told.next().or(acknowledged);
        std::thread::sleep(Duration::from_micros(700 * cycle));
        writer.kill().unwrap();
        writer.wait().unwrap();
        acknowledged = told.last().or(acknowledged);

        let found = texts(&journal, "killed");
        assert!(found.len() > acknowledged.unwrap(), "{} of {acknowledged:?}", found.len());
        for (n, text) in found.iter().enumerate() {
            assert_eq!(*text, format!("{n} {}", "y".repeat(n % 7 * 20_000)));
        }
    }
}

#[cfg(unix)]
#[test]
fn nothing_but_a_regular_file_is_written_to_or_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::new(home.path());
    journal.append(&said("a", "first")).unwrap();
    let path = file_of(home.path());
    let elsewhere = home.path().join("elsewhere");
    std::fs::write(&elsewhere, "private").unwrap();
    let traps: [(&str, &dyn Fn()); 4] = [
        ("pipe", &|| assert!(Command::new("mkfifo").arg(&path).status().unwrap().success())),
        ("link", &|| std::os::unix::fs::symlink(&elsewhere, &path).unwrap()),
        ("link to nothing", &|| std::os::unix::fs::symlink("/nonexistent", &path).unwrap()),
        ("folder", &|| std::fs::create_dir(&path).unwrap()),
    ];
    for (trap, set) in traps {
        if path.symlink_metadata().is_ok() {
            std::fs::remove_file(&path).unwrap();
        }
        set();
        let since = Instant::now();
        let refused = journal.append(&said("a", "second")).unwrap_err();
        assert!(refused.to_string().ends_with("is not a regular file"), "{trap}: {refused}");
        assert!(journal.read(&session("a"), 0).is_err(), "{trap}");
        assert!(journal.undrained().unwrap().is_empty(), "{trap}");
        assert_eq!(journal.health().unwrap().refused, 1, "{trap}");
        assert!(since.elapsed() < Duration::from_secs(2), "{trap}: {:?}", since.elapsed());
    }
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "private");
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_a_journal() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::new(&home.path().join("new").join("home"));
    journal.append(&said("a", "first")).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let home = home.path().join("new").join("home");
    assert_eq!(mode(&home.join("journal")), 0o700);
    assert_eq!(mode(&file_of(&home)), 0o600);
}

#[test]
fn a_place_that_cannot_be_written_to_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    std::fs::write(&file, "x").unwrap();
    // Permissions do not stop the user that tests may run as; these places stop everybody.
    for place in [file.as_path(), Path::new("/dev/null/home")] {
        assert!(Journal::new(place).append(&said("a", "first")).is_err(), "{}", place.display());
    }
}

#[test]
fn sessions_with_news_are_found_among_ten_thousand() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::new(home.path());
    let folder = home.path().join("journal");
    std::fs::create_dir(&folder).unwrap();
    // Marked journals, as draining leaves them; writing each through the disk would take a minute.
    journal.append(&said("pattern", "x")).unwrap();
    let end = journal.read(&session("pattern"), 0).unwrap().end;
    journal.set_drained(&session("pattern"), end).unwrap();
    let pattern = file_of(home.path());
    let (entry, mark) =
        (std::fs::read(&pattern).unwrap(), std::fs::read(pattern.with_extension("mark")).unwrap());
    for n in 0..10_000 {
        std::fs::write(folder.join(format!("s{n}.jsonl")), &entry).unwrap();
        std::fs::write(folder.join(format!("s{n}.mark")), &mark).unwrap();
    }
    journal.append(&said("pattern", "news")).unwrap();
    journal.append(&said("other", "first")).unwrap();
    let since = Instant::now();
    let undrained = journal.undrained().unwrap();
    let took = since.elapsed();
    assert_eq!(undrained, [session("pattern"), session("other")]);
    println!("10,000 journals looked through in {took:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn appending_is_quick() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::new(home.path());
    let mut took: Vec<Duration> = (0..200)
        .map(|n| {
            let entry = said("a", &format!("{n} {}", "z".repeat(400)));
            let since = Instant::now();
            journal.append(&entry).unwrap();
            since.elapsed()
        })
        .collect();
    took.sort();
    println!("appended in {:?} (half), {:?} (99 of 100)", took[100], took[198]);
    assert!(took[100] < Duration::from_millis(100), "{:?}", took[100]);

    let at = Timestamp::from_millis(1_763_000_000_000);
    let since = Instant::now();
    for _ in 0..200 {
        throughline_engine::note_fired(home.path(), "Stop", at);
    }
    println!("noted in {:?} (mean)", since.elapsed() / 200);
}
