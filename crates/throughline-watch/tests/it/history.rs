//! Histories that were rewritten: what cannot be compared is not called a change.

use std::time::Duration;

use throughline_core::watermark::Reading;
use throughline_watch::{Binding, Stamped, World};

use crate::git::repository;
use crate::{git, look, tracked};

#[test]
fn after_a_rebase_a_difference_is_unknown() {
    let project = repository();
    project.git(&["checkout", "-q", "-b", "feature"]);
    project.write("src/kernel.rs", "fn feature() {}\n");
    project.commit("feature");
    let touched = project.stamp(&tracked(&["src/other.rs"]));
    let untouched = project.stamp(&tracked(&["src/kernel.rs"]));
    project.git(&["checkout", "-q", "main"]);
    project.write("src/other.rs", "fn main_moved_on() {}\n");
    project.commit("main");
    project.git(&["checkout", "-q", "feature"]);
    project.git(&["rebase", "-q", "main"]);
    assert_eq!(project.reading(&touched), Reading::Unknown);
    assert_eq!(project.look(&touched).now, "the history was rewritten");
    assert_eq!(project.reading(&untouched), Reading::OutsideScope, "the same all the same");
}

#[test]
fn on_another_branch_a_difference_is_unknown() {
    let project = repository();
    project.git(&["checkout", "-q", "-b", "feature"]);
    project.write("src/kernel.rs", "fn feature() {}\n");
    project.commit("feature");
    let stamped = project.stamp(&tracked(&["src/kernel.rs"]));
    project.git(&["checkout", "-q", "main"]);
    assert_eq!(project.reading(&stamped), Reading::Unknown);
    project.git(&["merge", "-q", "--no-ff", "-m", "merge", "feature"]);
    assert_eq!(project.reading(&stamped), Reading::OutsideScope);
    project.write("src/kernel.rs", "fn merged() {}\n");
    project.commit("on");
    assert_eq!(project.reading(&stamped), Reading::Moved);
}

#[test]
fn after_a_forced_push_and_a_clean_up_the_old_commit_is_gone() {
    let project = repository();
    project.write("src/kernel.rs", "fn second() {}\n");
    project.commit("second");
    let stamped = project.stamp(&tracked(&["src/kernel.rs"]));
    let gone = project.stamp(&tracked(&["src/kernel.rs", "docs"]));
    project.git(&["reset", "-q", "--hard", "HEAD~1"]);
    project.write("src/kernel.rs", "fn forced() {}\n");
    project.commit("forced");
    assert_eq!(project.reading(&stamped), Reading::Unknown);
    project.git(&["reflog", "expire", "--expire=now", "--all"]);
    project.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(project.reading(&stamped), Reading::Unknown);
    project.remove("src/kernel.rs");
    project.commit("gone");
    assert_eq!(project.reading(&gone), Reading::Unknown, "not missing either");
}

#[test]
fn a_shallow_clone_does_not_know_the_old_commit() {
    let project = repository();
    let stamped = project.stamp(&tracked(&["src/kernel.rs"]));
    let still = project.stamp(&tracked(&["docs"]));
    project.write("src/kernel.rs", "fn second() {}\n");
    project.commit("second");
    let address = format!("file://{}", project.root().display());
    git(project.folder.path(), &["clone", "-q", "--depth=1", &address, "shallow"]);
    let shallow = World::at(&project.outside("shallow")).with_budget(Duration::from_secs(60));
    assert_eq!(look(&shallow, &stamped).reading, Reading::Unknown);
    let seen = look(&shallow, &still);
    assert_eq!(seen.reading, Reading::OutsideScope);
    let fresher = Stamped { stamp: seen.stamp.unwrap(), ..still };
    assert_eq!(look(&shallow, &fresher).reading, Reading::Unchanged);
}

#[test]
fn each_binding_is_judged_by_its_own_commit() {
    let project = repository();
    let mut all = Vec::new();
    for at in 0..5 {
        all.push(project.stamp(&tracked(&["src/kernel.rs"])));
        project.write("src/kernel.rs", format!("fn version_{at}() {{}}\n"));
        project.commit("next");
    }
    project.git(&["checkout", "-q", "-b", "stray", "HEAD~2"]);
    project.write("src/kernel.rs", "fn stray() {}\n");
    project.commit("stray");
    all.push(project.stamp(&tracked(&["src/kernel.rs"])));
    project.git(&["checkout", "-q", "main"]);
    all.push(project.stamp(&tracked(&["src/kernel.rs"])));
    let bindings: Vec<Binding<'_>> = all
        .iter()
        .map(|stamped| Binding { referent: &stamped.referent, stamp: &stamped.stamp })
        .collect();
    let looks = project.world().look(&bindings);
    let readings: Vec<Reading> = looks.iter().map(|look| look.reading).collect();
    assert_eq!(readings[..5], [Reading::Moved; 5]);
    assert_eq!(readings[5..], [Reading::Unknown, Reading::Unchanged]);
}
