//! Things in the way that are not what they seem.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use throughline_core::watermark::Reading;
use throughline_watch::{Unresolved, World};

use crate::{Project, file, flag, look};

fn pipe(project: &Project, path: &str) {
    assert!(Command::new("mkfifo").arg(project.path(path)).status().unwrap().success());
}

#[test]
fn what_lies_outside_cannot_be_watched() {
    let project = Project::new();
    std::fs::write(project.outside("secret"), "hunter2").unwrap();
    std::fs::create_dir(project.outside("rooted")).unwrap();
    std::fs::write(project.outside("rooted/a"), "hunter2").unwrap();
    let absolute = project.outside("secret");
    let similar = project.outside("rooted/a");
    for path in [
        "../secret",
        "../root/../secret",
        "../../nothing",
        "/etc/passwd",
        "/nothing/there",
        absolute.to_str().unwrap(),
        similar.to_str().unwrap(),
    ] {
        assert_eq!(project.refusal(&file(path)), Unresolved::Outside, "{path}");
    }
}

#[test]
fn a_link_may_lead_elsewhere_inside() {
    let project = Project::new();
    project.write("config/prod.toml", "a = 1");
    project.write("config/test.toml", "a = 2");
    project.link("current.toml", "config/prod.toml");
    project.link("settings", "config");
    project.link("absolute", project.path("config/prod.toml"));
    let linked = project.stamp(&file("current.toml"));
    let below = project.stamp(&file("settings/prod.toml"));
    let absolute = project.stamp(&file("absolute"));
    assert_eq!(linked.referent, file("current.toml"));
    for stamped in [&linked, &below, &absolute] {
        assert_eq!(project.reading(stamped), Reading::Unchanged);
    }
    project.remove("current.toml");
    project.link("current.toml", "config/test.toml");
    assert_eq!(project.reading(&linked), Reading::Moved, "it leads to something else now");
    project.write("config/prod.toml", "a = 3");
    for stamped in [&below, &absolute] {
        assert_eq!(project.reading(stamped), Reading::Moved);
    }
}

#[test]
fn a_link_that_leads_outside_is_not_followed() {
    let project = Project::new();
    std::fs::write(project.outside("secret"), "hunter2").unwrap();
    project.link("file", project.outside("secret"));
    project.link("relative", "../secret");
    project.link("folder", "..");
    project.link("step", "folder");
    for path in ["file", "relative", "folder/secret", "step/secret"] {
        assert_eq!(project.refusal(&file(path)), Unresolved::Outside, "{path}");
    }
}

#[test]
fn a_file_that_became_a_link_outside_is_not_read() {
    let project = Project::new();
    project.write("src/a.txt", "one");
    let stamped = project.stamp(&file("src/a.txt"));
    std::fs::create_dir(project.outside("elsewhere")).unwrap();
    std::fs::write(project.outside("elsewhere/a.txt"), "one").unwrap();
    let world = project.world();

    project.remove("src/a.txt");
    project.link("src/a.txt", "../../elsewhere/a.txt");
    assert_eq!(look(&world, &stamped).reading, Reading::Unknown);

    project.remove("src/a.txt");
    std::fs::remove_dir(project.path("src")).unwrap();
    project.link("src", "../elsewhere");
    assert_eq!(look(&world, &stamped).reading, Reading::Unknown);
    assert_eq!(world.files_opened(), 0);
}

#[test]
fn links_in_a_circle_and_into_nothing_end() {
    let project = Project::new();
    project.write("a", "something that was said here");
    let stamped = project.stamp(&file("a"));
    project.remove("a");
    project.link("a", "b");
    assert_eq!(project.reading(&stamped), Reading::Missing, "a link into nothing");
    assert_eq!(project.refusal(&file("a")), Unresolved::Missing);
    project.link("b", "a");
    assert_eq!(project.reading(&stamped), Reading::Unknown, "a circle");
    assert_eq!(project.refusal(&file("a")), Unresolved::Unreadable);
}

#[test]
fn nobody_waits_on_a_pipe() {
    let project = Project::new();
    project.write("a", "one");
    let stamped = project.stamp(&file("a"));
    project.remove("a");
    pipe(&project, "a");
    project.link("b", "a");
    let started = Instant::now();
    assert_eq!(project.refusal(&file("a")), Unresolved::NotAFile);
    assert_eq!(project.refusal(&file("b")), Unresolved::NotAFile);
    assert_eq!(project.reading(&stamped), Reading::Unknown);
    assert_eq!(project.refusal(&flag("a#key")), Unresolved::NotAFile);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn folders_sockets_and_devices_are_not_files() {
    let project = Project::new();
    project.write("src/a", "one");
    let listener = std::os::unix::net::UnixListener::bind(project.path("socket")).unwrap();
    for path in ["src", "src/", "src/..", ".", "", "socket"] {
        assert_eq!(project.refusal(&file(path)), Unresolved::NotAFile, "{path:?}");
    }
    drop(listener);
    let devices = World::at("/dev".as_ref());
    for device in ["zero", "null"] {
        assert_eq!(devices.stamp(&file(device)).unwrap_err(), Unresolved::NotAFile);
    }
}

#[test]
fn a_file_that_never_ends_is_not_read_to_its_end() {
    let project = Project::new();
    project.write("a", "one");
    let stamped = project.stamp(&file("a"));
    File::create(project.path("a")).unwrap().set_len(1 << 30).unwrap();
    let world = project.world();
    assert_eq!(look(&world, &stamped).reading, Reading::Unknown);
    assert_eq!(world.stamp(&file("a")).unwrap_err(), Unresolved::TooLarge);
    assert_eq!(world.span_with("a", &["x".to_owned()]), None);
    assert_eq!(world.files_opened(), 0);
    // Eight of them are fine.
    File::create(project.path("a")).unwrap().set_len(8 << 20).unwrap();
    assert_eq!(project.reading(&stamped), Reading::Moved);
    project.stamp(&file("a"));
}

#[test]
fn a_file_of_the_system_without_a_size_is_not_trusted() {
    let status = World::at("/proc/self".as_ref());
    if cfg!(target_os = "linux") {
        assert_eq!(status.stamp(&file("status")).unwrap_err(), Unresolved::Unreadable);
        assert_eq!(status.stamp(&file("mem")).unwrap_err(), Unresolved::Unreadable);
    }
}

#[test]
fn a_file_that_grows_all_the_time_is_never_taken_for_unchanged() {
    let project = Project::new();
    project.write("log", "x".repeat(1 << 20));
    let stamped = project.stamp(&file("log"));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut log = File::options().append(true).open(project.path("log")).unwrap();
            let started = Instant::now();
            while !stop.load(Ordering::Relaxed) && started.elapsed() < Duration::from_secs(20) {
                log.write_all(b"line\n").unwrap();
                std::thread::sleep(Duration::from_micros(50));
            }
        });
        while std::fs::metadata(project.path("log")).unwrap().len() == 1 << 20 {
            std::thread::yield_now();
        }
        for _ in 0..50 {
            let reading = project.reading(&stamped);
            assert!(matches!(reading, Reading::Unknown | Reading::Moved), "{reading:?}");
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_file_that_is_replaced_all_the_time_is_one_or_the_other() {
    let project = Project::new();
    project.write("a", "x".repeat(100_000));
    let stamped = project.stamp(&file("a"));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let started = Instant::now();
            while !stop.load(Ordering::Relaxed) && started.elapsed() < Duration::from_secs(20) {
                project.write("new", "x".repeat(100_000));
                project.rename("new", "a");
            }
        });
        for _ in 0..50 {
            let reading = project.reading(&stamped);
            assert!(matches!(reading, Reading::Unknown | Reading::Unchanged), "{reading:?}");
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn our_own_databases_are_never_opened() {
    let project = Project::new();
    for name in ["throughline.db", "data/throughline.db-wal", "Throughline.db-shm"] {
        project.write(name, "SQLite format 3");
        assert_eq!(project.refusal(&file(name)), Unresolved::OwnData, "{name}");
        assert_eq!(project.refusal(&flag(&format!("{name}#key"))), Unresolved::OwnData, "{name}");
    }
    project.link("innocent", "throughline.db");
    project.write("a", "one");
    let mut stamped = project.stamp(&file("a"));
    assert_eq!(project.refusal(&file("innocent")), Unresolved::OwnData);
    let world = project.world();
    for path in ["throughline.db", "innocent"] {
        stamped.referent = file(path);
        assert_eq!(look(&world, &stamped).reading, Reading::Unknown, "{path}");
    }
    assert_eq!(world.files_opened(), 0);
}

#[test]
fn a_kept_path_that_leads_outside_is_not_followed() {
    let project = Project::new();
    std::fs::write(project.outside("secret"), "one").unwrap();
    project.write("a", "one");
    let mut stamped = project.stamp(&file("a"));
    for path in ["../secret", "/etc/passwd", "./a", "", "a/", "b/../a", "a\0b"] {
        stamped.referent = file(path);
        assert_eq!(project.reading(&stamped), Reading::Unknown, "{path:?}");
    }
}

#[test]
fn names_that_are_no_text_do_no_harm() {
    let project = Project::new();
    let odd = OsStr::from_bytes(b"odd-\xff\xfe");
    std::fs::create_dir(project.root().join(odd)).unwrap();
    std::fs::write(project.root().join(odd).join("a"), "behind an odd name").unwrap();
    std::fs::write(project.root().join("plain"), "something that was said here").unwrap();
    project.link("link", std::path::Path::new(odd).join("a"));
    let linked = project.stamp(&file("link"));
    assert_eq!(project.reading(&linked), Reading::Unchanged);
    let plain = project.stamp(&file("plain"));
    std::fs::rename(project.path("plain"), project.root().join(odd).join("plain")).unwrap();
    assert_eq!(project.reading(&plain), Reading::Missing, "it cannot be named any more");
}

#[test]
fn a_file_that_may_not_be_read_is_unknown() {
    let project = Project::new();
    project.write("src/a", "one");
    let stamped = project.stamp(&file("src/a"));
    let lock = |path: &str, mode: u32| {
        std::fs::set_permissions(project.path(path), PermissionsExt::from_mode(mode)).unwrap();
    };
    lock("src/a", 0o000);
    // Root may read everything.
    if File::open(project.path("src/a")).is_ok() {
        return;
    }
    assert_eq!(project.reading(&stamped), Reading::Unknown);
    assert_eq!(project.refusal(&file("src/a")), Unresolved::Unreadable);
    lock("src", 0o000);
    assert_eq!(project.reading(&stamped), Reading::Unknown);
    lock("src", 0o700);
}
