//! Whole files.

use std::fs::File;
use std::time::Duration;

use throughline_core::watermark::Reading;
use throughline_watch::{Unresolved, World};

use crate::{Project, file, lines, look, settle};

#[test]
fn a_file_that_nobody_touched_is_unchanged() {
    let project = Project::new();
    project.write("src/main.rs", "fn main() {}\n");
    let stamped = project.stamp(&file("src/main.rs"));
    let seen = project.look(&stamped);
    assert_eq!(seen.reading, Reading::Unchanged);
    assert_eq!(seen.now, "");
    assert_eq!(seen.renamed, None);
}

#[test]
fn a_file_that_was_written_to_has_moved() {
    let project = Project::new();
    project.write("a.txt", "one");
    let stamped = project.stamp(&file("a.txt"));
    project.write("a.txt", "two!");
    let seen = project.look(&stamped);
    assert_eq!(seen.reading, Reading::Moved);
    assert_eq!(seen.now.len(), 8);
    assert_ne!(seen.now, stamped.then);
}

#[test]
fn a_file_that_says_the_same_again_is_unchanged() {
    let project = Project::new();
    project.write("a.txt", "one");
    let stamped = project.stamp(&file("a.txt"));
    project.write("a.txt", "two");
    assert_eq!(project.reading(&stamped), Reading::Moved);
    project.write("a.txt", "one");
    assert_eq!(project.reading(&stamped), Reading::Unchanged);
}

#[test]
fn a_file_that_is_gone_is_missing() {
    let project = Project::new();
    project.write("src/a.txt", "something that was said here");
    let stamped = project.stamp(&file("src/a.txt"));
    project.remove("src/a.txt");
    assert_eq!(project.reading(&stamped), Reading::Missing);
    std::fs::remove_dir(project.path("src")).unwrap();
    assert_eq!(project.reading(&stamped), Reading::Missing);
    project.write("src", "now a file");
    assert_eq!(project.reading(&stamped), Reading::Missing);
}

#[test]
fn a_folder_in_place_of_a_file_means_that_the_file_is_gone() {
    let project = Project::new();
    project.write("a", "something that was said here");
    let stamped = project.stamp(&file("a"));
    project.remove("a");
    project.write("a/b", "else");
    assert_eq!(project.reading(&stamped), Reading::Missing);
}

#[test]
fn of_a_file_only_the_lines_that_were_named_can_be_read() {
    let project = Project::new();
    project.write("a.txt", "hunter2\n  limit = 30\nswordfish\n");
    let whole = project.stamp(&file("a.txt"));
    let span = project.stamp(&lines("a.txt", 2, 2));
    assert_eq!(span.then, "limit = 30");
    project.write("a.txt", "trustno1\n  limit = 45\n");
    assert_eq!(project.look(&span).now, "limit = 45");
    let texts = [
        format!("{whole:?}{span:?}"),
        format!("{:?}{:?}", project.look(&whole), project.look(&span)),
    ];
    assert!(!span.stamp.contains("limit"), "the stamp is a hash");
    for word in ["hunter2", "swordfish", "trustno1"] {
        assert!(!texts.concat().contains(word), "{word}");
    }
}

#[test]
fn paths_are_kept_from_the_root_and_without_detours() {
    let project = Project::new();
    project.write("src/a.txt", "one");
    let absolute = project.path("src/a.txt");
    for written in [
        "src/a.txt",
        "./src/a.txt",
        "src//a.txt",
        "src/./a.txt",
        "src/../src/a.txt",
        absolute.to_str().unwrap(),
    ] {
        assert_eq!(project.stamp(&file(written)).referent, file("src/a.txt"), "{written}");
    }
}

#[test]
fn an_absolute_path_through_a_link_to_the_root_is_understood() {
    let project = Project::new();
    project.write("a.txt", "one");
    let link = project.outside("link");
    std::os::unix::fs::symlink(project.root(), &link).unwrap();
    let written = link.join("a.txt");
    let stamped = project.stamp(&file(written.to_str().unwrap()));
    assert_eq!(stamped.referent, file("a.txt"));
    // And the other way round.
    let written = project.path("a.txt").canonicalize().unwrap();
    let stamped = World::at(&link).stamp(&file(written.to_str().unwrap())).unwrap();
    assert_eq!(stamped.referent, file("a.txt"));
}

#[test]
fn what_does_not_exist_cannot_be_watched() {
    let project = Project::new();
    project.write("a.txt", "one");
    for invented in ["nothing.rs", "src/nothing.rs", "a.txt/b", "x\0y", "src/../nothing.rs"] {
        assert_eq!(project.refusal(&file(invented)), Unresolved::Missing, "{invented:?}");
    }
    let long = "x".repeat(5000);
    assert_eq!(project.refusal(&file(&long)), Unresolved::Missing);
}

#[test]
fn a_change_of_the_same_size_at_the_same_moment_is_seen() {
    let project = Project::new();
    project.write("a.txt", "timeout = 10");
    let stamped = project.stamp(&file("a.txt"));
    let then = File::open(project.path("a.txt")).unwrap().metadata().unwrap().modified().unwrap();
    project.write("a.txt", "timeout = 99");
    File::options().write(true).open(project.path("a.txt")).unwrap().set_modified(then).unwrap();
    assert_eq!(project.reading(&stamped), Reading::Moved);
}

#[test]
fn a_change_that_was_dated_back_is_seen() {
    let project = Project::new();
    project.write("a.txt", "timeout = 10");
    settle();
    let stamped = project.stamp(&file("a.txt"));
    let then = File::open(project.path("a.txt")).unwrap().metadata().unwrap().modified().unwrap();
    project.write("a.txt", "timeout = 99");
    File::options().write(true).open(project.path("a.txt")).unwrap().set_modified(then).unwrap();
    assert_eq!(project.reading(&stamped), Reading::Moved);
}

#[test]
fn a_file_that_only_looks_newer_is_unchanged_and_gets_a_fresher_stamp() {
    let project = Project::new();
    project.write("a.txt", "one");
    let mut stamped = project.stamp(&file("a.txt"));
    assert_eq!(project.look(&stamped).stamp, None, "it was written a moment ago");
    settle();

    let world = project.world();
    let seen = look(&world, &stamped);
    assert_eq!((seen.reading, world.files_opened()), (Reading::Unchanged, 1));
    stamped.stamp = seen.stamp.unwrap();
    let seen = look(&world, &stamped);
    assert_eq!((seen.reading, world.files_opened()), (Reading::Unchanged, 1), "not read again");
    assert_eq!(seen.stamp, None);
}

#[test]
fn empty_and_binary_files_are_files() {
    let project = Project::new();
    project.write("empty", "");
    project.write("binary", [0, 159, 146, 150, 10, 0, 255]);
    for path in ["empty", "binary"] {
        let stamped = project.stamp(&file(path));
        assert_eq!(project.reading(&stamped), Reading::Unchanged);
        project.write(path, [1, 2, 3]);
        assert_eq!(project.reading(&stamped), Reading::Moved);
    }
}

#[test]
fn without_the_root_nothing_is_known() {
    let project = Project::new();
    project.write("a.txt", "one");
    let stamped = project.stamp(&file("a.txt"));
    std::fs::remove_dir_all(project.root()).unwrap();
    assert_eq!(project.reading(&stamped), Reading::Unknown);
    assert_eq!(project.refusal(&file("a.txt")), Unresolved::Unreadable);
}

#[test]
fn without_time_nothing_is_known() {
    let project = Project::new();
    project.write("a.txt", "one");
    let stamped = project.stamp(&file("a.txt"));
    let hasty = project.world().with_budget(Duration::ZERO);
    assert_eq!(look(&hasty, &stamped).reading, Reading::Unknown);
    assert_eq!(hasty.files_opened(), 0);
}

#[test]
fn a_stamp_of_somebody_else_is_no_stamp() {
    let project = Project::new();
    project.write("a.txt", "one\ntwo\n");
    let good = project.stamp(&lines("a.txt", 1, 1));
    let long = format!("{} more", good.stamp);
    for stamp in ["", "f1", "f2 a 1 -", "f1 x y z", "f1 abc 3 1.2", &long, "f1 a 3 - h 1"] {
        let mut stamped = good.clone();
        stamped.stamp = stamp.to_owned();
        assert_eq!(project.reading(&stamped), Reading::Unknown, "{stamp:?}");
    }
    let mut crossed = good;
    crossed.referent = file("a.txt");
    assert_eq!(project.reading(&crossed), Reading::Unknown);
}
