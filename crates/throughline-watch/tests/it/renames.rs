//! Files that went elsewhere.

use throughline_core::watermark::{Reading, Referent};

use crate::{Project, file, lines};

const TEXT: &str = "a text that is long enough\nto be known again\n";

#[test]
fn a_renamed_file_is_found_again() {
    let project = Project::new();
    project.write("src/old.rs", TEXT);
    project.write("src/other.rs", TEXT.to_uppercase());
    let whole = project.stamp(&file("src/old.rs"));
    let span = project.stamp(&lines("src/old.rs", 2, 2));
    project.rename("src/old.rs", "lib/deep/new.rs");
    for mut stamped in [whole, span] {
        let seen = project.look(&stamped);
        assert_eq!(seen.reading, Reading::Unchanged);
        assert_eq!(seen.renamed.as_deref(), Some("lib/deep/new.rs"));
        if let Referent::File { path, .. } = &mut stamped.referent {
            *path = seen.renamed.unwrap();
        }
        stamped.stamp = seen.stamp.unwrap();
        let seen = project.look(&stamped);
        assert_eq!((seen.reading, seen.renamed), (Reading::Unchanged, None));
    }
}

#[test]
fn a_file_that_was_renamed_and_edited_is_missing() {
    let project = Project::new();
    project.write("old.rs", TEXT);
    let stamped = project.stamp(&lines("old.rs", 1, 1));
    project.rename("old.rs", "new.rs");
    project.write("new.rs", TEXT.replace("again", "later"));
    let seen = project.look(&stamped);
    assert_eq!((seen.reading, seen.renamed), (Reading::Missing, None));
}

#[test]
fn among_copies_the_name_decides_and_without_it_nobody_guesses() {
    let project = Project::new();
    project.write("LICENSE", TEXT);
    let stamped = project.stamp(&file("LICENSE"));
    project.remove("LICENSE");
    project.write("a/COPYING", TEXT);
    project.write("b/COPYING", TEXT);
    assert_eq!(project.reading(&stamped), Reading::Missing);
    project.write("c/LICENSE", TEXT);
    assert_eq!(project.look(&stamped).renamed.as_deref(), Some("c/LICENSE"));
    project.write("d/LICENSE", TEXT);
    assert_eq!(project.reading(&stamped), Reading::Missing);
}

#[test]
fn a_file_that_says_nothing_much_is_not_looked_for() {
    let project = Project::new();
    project.write("a/__init__.py", "");
    project.write("b/__init__.py", "");
    let stamped = project.stamp(&file("a/__init__.py"));
    project.remove("a/__init__.py");
    assert_eq!(project.reading(&stamped), Reading::Missing);
}

#[test]
fn copies_that_others_made_are_not_looked_at() {
    let project = Project::new();
    project.write("a.txt", TEXT);
    let stamped = project.stamp(&file("a.txt"));
    project.remove("a.txt");
    for folder in [".git", "node_modules", "target", ".cache", "src/node_modules"] {
        project.write(&format!("{folder}/a.txt"), TEXT);
    }
    std::fs::write(project.outside("a.txt"), TEXT).unwrap();
    project.link("outside", "..");
    project.link("b.txt", "../a.txt");
    assert_eq!(project.reading(&stamped), Reading::Missing);
}

#[test]
fn a_search_that_takes_too_long_says_so() {
    let project = Project::new();
    project.write("a.txt", TEXT);
    let stamped = project.stamp(&file("a.txt"));
    project.remove("a.txt");
    for folder in 0..100 {
        for file in 0..100 {
            project.write(&format!("{folder}/{file}"), "x");
        }
    }
    let hasty = project.world().with_budget(std::time::Duration::from_millis(2));
    assert_eq!(crate::look(&hasty, &stamped).reading, Reading::Unknown);
    assert_eq!(project.reading(&stamped), Reading::Missing);
}
