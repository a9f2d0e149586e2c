//! Trouble with files: damage, newer versions, places that cannot be written, a full disk.

use std::path::Path;
use std::process::Command;

use crate::copies::USER_VERSION;
use crate::harness::{Home, PROGRAM, Run, bare, clean, overwrite};

/// Commands that read and commands that write.
const COMMANDS: &[&[&str]] = &[
    &["remember", "Something"],
    &["list"],
    &["search", "something"],
    &["recall", "something"],
    &["log"],
    &["status"],
    &["export"],
    &["undo"],
];

/// Puts a file in the place of the database.
fn install(home: &Home, bytes: &[u8]) {
    std::fs::create_dir_all(home.path()).expect("a folder can be made");
    std::fs::write(home.database(), bytes).expect("a file can be written");
}

/// A copy of a database with a few pages.
fn sound_copy() -> Vec<u8> {
    let home = Home::new();
    for n in 0..30 {
        home.remember(&format!("Fact number {n} of a home that fills a few pages"));
    }
    let file = home.arg("copy.db");
    home.json(&["backup", &file]);
    std::fs::read(file).expect("the backup is there")
}

fn assert_refused_and_untouched(home: &Home, code: &str) {
    let bytes = || std::fs::read(home.database()).expect("the file is there");
    let before = bytes();
    for args in COMMANDS {
        let (exit, error) = home.error(args);
        assert_eq!((exit, error["code"].as_str()), (1, Some(code)), "{args:?}: {error}");
        let message = error["message"].as_str().expect("an error has a message");
        assert!(message.contains("throughline.db"), "{error}");
        assert!(error["hint"].is_string(), "{args:?}: {error}");
    }
    assert!(bytes() == before, "the file must stay as it is");
}

#[test]
fn a_file_of_garbage_is_reported_and_left_alone() {
    let home = Home::new();
    install(&home, &[0x5a; 8_192]);
    assert_refused_and_untouched(&home, "damaged");
    let run = home.run(&["doctor"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("wrong") && run.stdout.contains("restore"), "{}", run.stdout);
}

#[test]
fn a_torn_database_is_reported_and_left_alone() {
    let home = Home::new();
    let whole = sound_copy();
    install(&home, &whole[..whole.len() / 3]);
    let before = std::fs::read(home.database()).unwrap();
    let (code, error) = home.error(&["list"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("damaged")), "{error}");
    let doctor = home.run(&["doctor", "--json"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("\"ok\":false"), "{}", doctor.stdout);
    assert!(std::fs::read(home.database()).unwrap() == before, "the file must stay as it is");
}

#[test]
fn somebody_elses_database_is_left_alone() {
    let home = Home::new();
    install(&home, &sound_copy());
    // Where SQLite keeps whose database it is.
    overwrite(&home.database(), 68, b"Else");
    assert_refused_and_untouched(&home, "not_ours");
}

#[test]
fn a_newer_database_is_refused_and_left_alone() {
    let home = Home::new();
    install(&home, &sound_copy());
    overwrite(&home.database(), USER_VERSION, &[0, 0, 0, 99]);
    assert_refused_and_untouched(&home, "newer");
    let (_, error) = home.error(&["list"]);
    assert!(error["message"].as_str().unwrap().contains("99"), "{error}");
    assert_eq!(home.files(), [home.database()], "no file appears beside it");
}

#[test]
fn a_home_that_cannot_be_made_is_an_error() {
    let home = Home::new();
    let file = home.outside("plain.txt");
    std::fs::write(&file, "plain").unwrap();
    for place in [file.clone(), file.join("below")] {
        for args in COMMANDS {
            let run: Run = bare()
                .arg("--home")
                .arg(&place)
                .arg("--project")
                .arg(home.project())
                .arg("--json")
                .args(*args)
                .output()
                .unwrap()
                .into();
            assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{args:?}");
            let error: serde_json::Value = serde_json::from_str(&run.stderr).unwrap();
            let error = &error["error"];
            assert!(["io", "not_writable"].contains(&error["code"].as_str().unwrap()), "{error}");
            assert!(error["message"].as_str().unwrap().contains("plain.txt"), "{error}");
        }
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "plain");
}

/// Remembers under a limit on how large a file may grow, until that fails.
fn fill(home: &Home, home_path: &Path, limit_kib: Option<u32>) -> (usize, serde_json::Value) {
    let limit = limit_kib.map_or(String::new(), |kib| format!("ulimit -f {kib}; trap '' XFSZ; "));
    let script = format!("{limit}exec \"$0\" \"$@\"");
    for n in 0..200 {
        let text = format!("Filler {n} {}", "x".repeat(4_000));
        let run: Run = clean(Command::new("bash"))
            .args(["-c", &script, PROGRAM, "--home"])
            .arg(home_path)
            .arg("--project")
            .arg(home.project())
            .args(["--json", "remember", &text])
            .output()
            .expect("bash starts")
            .into();
        if run.code != 0 {
            assert_eq!((run.code, run.stdout.as_str()), (1, ""));
            let error: serde_json::Value =
                serde_json::from_str(&run.stderr).expect("one JSON document");
            return (n, error["error"].clone());
        }
    }
    panic!("the limit was never reached");
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_fails_cleanly_and_loses_nothing() {
    let home = Home::new();
    home.remember("Written before");
    let (written, error) = fill(&home, &home.path(), Some(900));
    assert!(error["message"].as_str().is_some_and(|text| text.contains("disk")), "{error}");
    assert_eq!(home.json(&["list", "--limit", "1"])["total"], written + 1);
    assert_eq!(home.texts(&["search", "written before"]), ["Written before"]);
    home.assert_sound();
    home.remember("Written after");
}

/// A disk of one mebibyte, for as long as this lives.
#[cfg(target_os = "linux")]
struct SmallDisk(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl SmallDisk {
    /// `None` where this user may not mount anything.
    fn mount(at: std::path::PathBuf) -> Option<Self> {
        std::fs::create_dir(&at).expect("a folder can be made");
        let options = ["-t", "tmpfs", "-o", "size=1m", "tmpfs"];
        let done = Command::new("mount").args(options).arg(&at).output();
        done.is_ok_and(|done| done.status.success()).then_some(Self(at))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg(&self.0).status().ok();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_fails_cleanly_and_loses_nothing() {
    let home = Home::new();
    let Some(disk) = SmallDisk::mount(home.outside("disk")) else {
        crate::harness::skipped(&crate::harness::Missing::Right(
            "mounting a small disk needs rights that this user does not have",
        ));
        return;
    };
    let place = disk.0.join("home");
    let (written, error) = fill(&home, &place, None);
    assert_eq!(error["code"], "disk_full", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("nothing was lost"));
    let list = home_at(&home, &place, &["list", "--limit", "1", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&list.stdout).unwrap();
    assert_eq!(list["total"], written);
    let doctor = home_at(&home, &place, &["doctor", "--rebuild-check", "--json"]);
    assert_eq!(doctor.code, 0, "{}", doctor.stdout);
}

#[cfg(target_os = "linux")]
fn home_at(home: &Home, path: &Path, args: &[&str]) -> Run {
    let mut command = bare();
    command.arg("--home").arg(path).arg("--project").arg(home.project()).args(args);
    command.output().expect("the program starts").into()
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = Home::new();
    for n in 0..20 {
        home.remember(&format!("Fact number {n}"));
    }
    let script = "\"$0\" \"$@\" | head -n 1; exit ${PIPESTATUS[0]}";
    let run: Run = clean(Command::new("bash"))
        .args(["-c", script, PROGRAM, "--home"])
        .arg(home.path())
        .arg("--project")
        .arg(home.project())
        .args(["list"])
        .output()
        .unwrap()
        .into();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}
