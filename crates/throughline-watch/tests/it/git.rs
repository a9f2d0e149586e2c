//! Paths under version control: what a commit touches, and what it leaves alone.

use std::process::Command;
use std::time::{Duration, Instant};

use throughline_core::watermark::Reading;
use throughline_watch::{Unresolved, World};

use crate::{Project, git, look, tracked};

/// A repository with code and documents.
pub(crate) fn repository() -> Project {
    let project = Project::new();
    project.git(&["init", "-q"]);
    project.write("src/kernel.rs", "fn fast() {}\n");
    project.write("src/other.rs", "fn other() {}\n");
    project.write("docs/guide.md", "# Guide\n");
    project.write("with space/ä.txt", "text\n");
    project.commit("first");
    project
}

#[test]
fn without_a_commit_nothing_moves() {
    let project = repository();
    let stamped = project.stamp(&tracked(&["src/kernel.rs"]));
    assert_eq!(stamped.then, project.git(&["rev-parse", "--short=7", "HEAD"]));
    project.write("src/kernel.rs", "fn slow() {}\n");
    let seen = project.look(&stamped);
    assert_eq!((seen.reading, seen.now.as_str()), (Reading::Unchanged, ""), "not committed");
}

#[test]
fn a_docs_commit_leaves_a_benchmark_alone() {
    let project = repository();
    let file = project.stamp(&tracked(&["src/kernel.rs"]));
    let folder = project.stamp(&tracked(&["src"]));
    project.write("docs/guide.md", "# Better guide\n");
    project.commit("docs");
    for stamped in [file, folder] {
        let seen = project.look(&stamped);
        assert_eq!(seen.reading, Reading::OutsideScope);
        assert_eq!(seen.now, project.git(&["rev-parse", "--short=7", "HEAD"]));
    }
}

#[test]
fn a_commit_within_the_scope_is_told_by_how_near_it_came() {
    let project = repository();
    let file = project.stamp(&tracked(&["src/kernel.rs"]));
    let folder = project.stamp(&tracked(&["src"]));
    let both = project.stamp(&tracked(&["src/kernel.rs", "src/"]));
    assert_eq!(both.referent, tracked(&["src", "src/kernel.rs"]));
    project.write("src/other.rs", "fn another() {}\n");
    project.commit("beside it");
    assert_eq!(project.reading(&file), Reading::OutsideScope);
    assert_eq!(project.reading(&folder), Reading::Moved);
    assert_eq!(project.reading(&both), Reading::ScopeTouched);
    project.write("src/kernel.rs", "fn slow() {}\n");
    project.commit("the thing itself");
    assert_eq!(project.reading(&file), Reading::Moved);
    assert_eq!(project.reading(&both), Reading::Moved);
}

#[test]
fn a_change_that_was_taken_back_is_no_change() {
    let project = repository();
    let stamped = project.stamp(&tracked(&["src/kernel.rs"]));
    project.write("src/kernel.rs", "fn slow() {}\n");
    project.commit("try");
    project.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(project.reading(&stamped), Reading::OutsideScope);
}

#[test]
fn a_path_that_is_gone_is_missing() {
    let project = repository();
    let stamped = project.stamp(&tracked(&["src/kernel.rs", "docs"]));
    let head = project.stamp(&tracked(&["docs"]));
    project.remove("src/kernel.rs");
    project.commit("remove");
    let seen = project.look(&stamped);
    assert_eq!(seen.reading, Reading::Missing);
    assert!(seen.now.starts_with("gone at "), "{}", seen.now);
    assert_eq!(project.reading(&head), Reading::OutsideScope);
}

#[test]
fn names_with_spaces_and_marks_are_names() {
    let project = repository();
    project.write("odd/a:b*[c]?\\d\"e'#f", "odd\n");
    project.write("-x", "dash\n");
    project.commit("odd");
    let paths = ["with space/ä.txt", "odd/a:b*[c]?\\d\"e'#f", "-x"];
    let stamped = paths.map(|path| project.stamp(&tracked(&[path])));
    project.write("new", "new\n");
    project.commit("new");
    for stamped in &stamped {
        assert_eq!(project.reading(stamped), Reading::OutsideScope);
    }
    for path in paths {
        project.remove(path);
    }
    project.commit("gone");
    for stamped in &stamped {
        assert_eq!(project.reading(stamped), Reading::Missing);
    }
}

#[test]
fn a_project_may_be_a_folder_of_a_repository() {
    let project = repository();
    project.write("part/src/a.rs", "a\n");
    project.commit("part");
    let part = World::at(&project.path("part")).with_budget(Duration::from_secs(60));
    let stamped = part.stamp(&tracked(&["src/a.rs"])).unwrap();
    assert_eq!(stamped.referent, tracked(&["src/a.rs"]));
    assert_eq!(look(&part, &stamped).reading, Reading::Unchanged);
    assert_eq!(part.stamp(&tracked(&["../src/kernel.rs"])).unwrap_err(), Unresolved::Outside);
    project.write("src/kernel.rs", "fn slow() {}\n");
    project.commit("elsewhere");
    assert_eq!(look(&part, &stamped).reading, Reading::OutsideScope);
    project.remove("part/src/a.rs");
    project.write("part/b", "b\n");
    project.commit("gone");
    assert_eq!(look(&part, &stamped).reading, Reading::Missing);
}

#[test]
fn what_is_not_in_the_last_commit_cannot_be_watched() {
    let project = repository();
    project.write("new.rs", "new\n");
    for (path, refusal) in [
        ("new.rs", Unresolved::NotTracked),
        ("nothing.rs", Unresolved::NotTracked),
        ("src/kernel.rs/x", Unresolved::NotTracked),
        ("a\nb", Unresolved::NotTracked),
        ("../x", Unresolved::Outside),
        ("src/../../x", Unresolved::Outside),
        ("/etc/passwd", Unresolved::Outside),
        (".", Unresolved::TooBroad),
        ("src/..", Unresolved::TooBroad),
        ("", Unresolved::TooBroad),
        ("throughline.db", Unresolved::OwnData),
    ] {
        assert_eq!(project.refusal(&tracked(&[path])), refusal, "{path:?}");
    }
    assert_eq!(project.refusal(&tracked(&["src", "new.rs"])), Unresolved::NotTracked);
    assert_eq!(project.refusal(&tracked(&[])), Unresolved::TooBroad);
    let absolute = project.path("src/kernel.rs");
    let stamped = project.stamp(&tracked(&[absolute.to_str().unwrap(), "src/./kernel.rs"]));
    assert_eq!(stamped.referent, tracked(&["src/kernel.rs"]));
}

#[test]
fn without_a_repository_nothing_is_known() {
    let project = repository();
    let stamped = project.stamp(&tracked(&["src"]));
    std::fs::rename(project.path(".git"), project.path("was-git")).unwrap();
    assert_eq!(project.reading(&stamped), Reading::Unknown);
    assert_eq!(project.refusal(&tracked(&["src"])), Unresolved::NoRepository);
    project.git(&["init", "-q"]);
    assert_eq!(project.reading(&stamped), Reading::Unknown, "no commit yet");
    assert_eq!(project.refusal(&tracked(&["src"])), Unresolved::NoRepository);
    std::fs::remove_dir_all(project.root()).unwrap();
    assert_eq!(project.reading(&stamped), Reading::Unknown);
}

#[test]
fn a_submodule_is_not_ours_to_judge() {
    let project = repository();
    project.write("lib/a.c", "int a;\n");
    project.commit("lib");
    let folder = project.stamp(&tracked(&["lib"]));
    let file = project.stamp(&tracked(&["lib/a.c"]));
    let other = project.outside("other");
    std::fs::create_dir(&other).unwrap();
    git(&other, &["init", "-q"]);
    std::fs::write(other.join("a.c"), "int a;\n").unwrap();
    git(&other, &["add", "-A"]);
    git(&other, &["commit", "-q", "-m", "a"]);

    project.git(&["rm", "-q", "-r", "lib"]);
    project.git(&["submodule", "--quiet", "add", other.to_str().unwrap(), "lib"]);
    project.commit("as a submodule");
    assert_eq!(project.reading(&folder), Reading::Unknown);
    assert_eq!(project.reading(&file), Reading::Unknown);
    assert_eq!(project.refusal(&tracked(&["lib"])), Unresolved::NotTracked);
    assert_eq!(project.refusal(&tracked(&["lib/a.c"])), Unresolved::NotTracked);

    // Seen from within it is a repository like any other.
    let inside = World::at(&project.path("lib")).with_budget(Duration::from_secs(60));
    let stamped = inside.stamp(&tracked(&["a.c"])).unwrap();
    assert_eq!(look(&inside, &stamped).reading, Reading::Unchanged);
}

#[test]
fn a_look_without_time_waits_for_nobody() {
    let project = repository();
    let stamped = project.stamp(&tracked(&["src"]));
    let started = Instant::now();
    let hasty = project.world().with_budget(Duration::ZERO);
    assert_eq!(look(&hasty, &stamped).reading, Reading::Unknown);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn looking_writes_nothing_and_starts_no_program_of_the_repository() {
    let project = repository();
    let trap = project.outside("trap.sh");
    let sprung = project.outside("sprung");
    std::fs::write(&trap, format!("#!/bin/sh\ntouch {}\n", sprung.display())).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&trap).status().unwrap().success());
    let trap = trap.to_str().unwrap();
    project.git(&["config", "core.fsmonitor", trap]);
    project.git(&["config", "core.sshCommand", trap]);
    project.git(&["config", "core.pager", trap]);
    project.git(&["config", "alias.cat-file", &format!("!{trap}")]);
    std::fs::remove_file(&sprung).ok();

    let listing = || {
        let mut command = Command::new("find");
        let listed = command.arg(project.path(".git")).args(["-printf", "%p %s %T@\n"]).output();
        String::from_utf8(listed.unwrap().stdout).unwrap()
    };
    let before = listing();
    let stamped = project.stamp(&tracked(&["src", "docs/guide.md"]));
    assert_eq!(project.reading(&stamped), Reading::Unchanged);
    assert_eq!(listing(), before);
    assert!(!sprung.exists());
}

#[test]
fn a_stamp_that_is_none_is_never_handed_to_git() {
    let project = repository();
    let good = project.stamp(&tracked(&["src"]));
    let zeros = "0".repeat(40);
    for stamp in [
        "",
        "g1",
        "g1 HEAD",
        "g1 --all bxyz",
        &format!("g1 {zeros}"),
        &format!("g1 {zeros} x{zeros}"),
    ] {
        let mut stamped = good.clone();
        stamped.stamp = stamp.to_owned();
        assert_eq!(project.reading(&stamped), Reading::Unknown, "{stamp}");
    }
    for path in ["../x", "/etc", "a\nHEAD", ""] {
        let mut stamped = good.clone();
        stamped.referent = tracked(&[path]);
        assert_eq!(project.reading(&stamped), Reading::Unknown, "{path:?}");
    }
    assert_eq!(project.reading(&good), Reading::Unchanged);
}
