//! Lines of files.

use throughline_core::watermark::Reading;
use throughline_watch::Unresolved;

use crate::{Project, lines};

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

#[test]
fn lines_that_only_shifted_are_still_there() {
    let project = Project::new();
    project.write("a.txt", TEXT);
    let stamped = project.stamp(&lines("a.txt", 3, 4));
    assert_eq!(stamped.then, "three\nfour");
    project.write("a.txt", format!("zero\nand a half\n{TEXT}"));
    let seen = project.look(&stamped);
    assert_eq!(seen.reading, Reading::FileChanged);
    assert_eq!(seen.now, "the same, from line 5");
    project.write("a.txt", "two\nthree\nfour\n");
    assert_eq!(project.reading(&stamped), Reading::FileChanged);
}

#[test]
fn a_change_elsewhere_in_the_file_leaves_the_lines_alone() {
    let project = Project::new();
    project.write("a.txt", TEXT);
    let stamped = project.stamp(&lines("a.txt", 3, 3));
    project.write("a.txt", TEXT.replace("five", "six"));
    assert_eq!(project.reading(&stamped), Reading::FileChanged);
}

#[test]
fn a_change_of_the_lines_is_a_move() {
    let project = Project::new();
    project.write("a.txt", TEXT);
    let stamped = project.stamp(&lines("a.txt", 3, 4));
    project.write("a.txt", TEXT.replace("four", "4"));
    let seen = project.look(&stamped);
    assert_eq!(seen.reading, Reading::Moved);
    assert_eq!(seen.now, "three\n4");
    project.write("a.txt", TEXT.replace("three\n", "three\nbetween\n"));
    assert_eq!(project.reading(&stamped), Reading::Moved, "they must stand together");
    project.write("a.txt", "one\n");
    assert_eq!(project.reading(&stamped), Reading::Moved);
    assert_eq!(project.look(&stamped).now, "the lines are gone");
}

#[test]
fn the_same_file_again_is_unchanged() {
    let project = Project::new();
    project.write("a.txt", TEXT);
    let stamped = project.stamp(&lines("a.txt", 5, 5));
    project.write("a.txt", TEXT);
    assert_eq!(project.reading(&stamped), Reading::Unchanged);
}

#[test]
fn other_line_ends_are_not_other_lines() {
    let project = Project::new();
    project.write("a.txt", TEXT);
    let stamped = project.stamp(&lines("a.txt", 2, 4));
    project.write("a.txt", TEXT.replace('\n', "\r\n"));
    assert_eq!(project.reading(&stamped), Reading::FileChanged);

    let stamped = project.stamp(&lines("a.txt", 5, 5));
    project.write("a.txt", TEXT.trim_end());
    assert_eq!(project.reading(&stamped), Reading::FileChanged);
}

#[test]
fn the_last_line_needs_no_end() {
    let project = Project::new();
    project.write("a.txt", "one\ntwo");
    let stamped = project.stamp(&lines("a.txt", 2, 2));
    assert_eq!(project.reading(&stamped), Reading::Unchanged);
    project.write("a.txt", "one\ntwo\n");
    assert_eq!(project.reading(&stamped), Reading::FileChanged);
    project.write("a.txt", "one\ntwo more");
    assert_eq!(project.reading(&stamped), Reading::Moved);
}

#[test]
fn lines_of_a_binary_file_can_be_watched() {
    let project = Project::new();
    project.write("a.bin", [0, 255, 10, 7, 0, 7, 10, 9]);
    let stamped = project.stamp(&lines("a.bin", 2, 2));
    project.write("a.bin", [1, 10, 1, 10, 7, 0, 7, 10]);
    assert_eq!(project.reading(&stamped), Reading::FileChanged);
}

#[test]
fn lines_that_say_nothing_cannot_be_watched() {
    let project = Project::new();
    project.write("a.txt", "one\n\n  \n\r\n");
    for (first, last) in [(0, 1), (2, 2), (2, 4), (3, 2), (1, 5), (9, 9), (u32::MAX, u32::MAX)] {
        let refusal = project.refusal(&lines("a.txt", first, last));
        assert_eq!(refusal, Unresolved::NoSuchLines, "{first}-{last}");
    }
    project.stamp(&lines("a.txt", 1, 4));
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn words_lead_to_the_line_that_has_them_all() {
    let project = Project::new();
    project.write(
        "a.toml",
        "[pool]\nmax_connections = 200\nmax = 200\n[other]\nmin_connections = 20\n",
    );
    let world = project.world();
    assert_eq!(world.span_with("a.toml", &words(&["max_connections", "200"])), Some((2, 2)));
    assert_eq!(world.span_with("a.toml", &words(&["max", "200"])), Some((3, 3)));
    assert_eq!(world.span_with("./a.toml", &words(&["[other]"])), Some((4, 4)));
    assert_eq!(world.span_with("a.toml", &words(&["200"])), None, "twice");
    assert_eq!(world.span_with("a.toml", &words(&["MAX"])), None, "case counts");
    assert_eq!(world.span_with("a.toml", &words(&["connections"])), None, "part of a word");
    assert_eq!(world.span_with("a.toml", &[]), None);
    assert_eq!(world.span_with("a.toml", &words(&["max", ""])), None);
    assert_eq!(world.span_with("none.toml", &words(&["max"])), None);
}

#[test]
fn words_on_several_lines_lead_to_the_smallest_span() {
    let project = Project::new();
    let far = "\n".repeat(8);
    project.write("a.yml", format!("a:\n  b: 1\n  c: 2\n{far}a:\n\n\n  c: 2\nlast\n"));
    let world = project.world();
    assert_eq!(world.span_with("a.yml", &words(&["a", "c"])), Some((1, 3)));
    assert_eq!(world.span_with("a.yml", &words(&["c", "last"])), Some((15, 16)));
    assert_eq!(world.span_with("a.yml", &words(&["b", "last"])), None, "too far apart");

    project.write("b.txt", format!("x{}y", "\n-\n".repeat(3)));
    assert_eq!(world.span_with("b.txt", &words(&["x", "y"])), None, "a gap lies between");
    project.write("b.txt", format!("x\n{}y", "-\n".repeat(6)));
    assert_eq!(world.span_with("b.txt", &words(&["x", "y"])), Some((1, 8)));
    project.write("b.txt", format!("x\n{}y", "-\n".repeat(7)));
    assert_eq!(world.span_with("b.txt", &words(&["x", "y"])), None);
}

#[test]
fn lines_that_say_the_same_elsewhere_are_not_taken_for_them() {
    let project = Project::new();
    let block = |name: &str, limit: u32| format!("fn {name}() {{\n    limit({limit});\n}}\n\n");
    let both = |one, other| format!("{}{}", block("one", one), block("other", other));
    project.write("a.rs", both(7, 7));
    let stamped = project.stamp(&lines("a.rs", 2, 2));
    project.write("a.rs", both(9, 7));
    assert_eq!(project.reading(&stamped), Reading::Moved, "the other one stayed");
    project.write("a.rs", both(7, 9));
    assert_eq!(project.reading(&stamped), Reading::FileChanged, "only the other one changed");

    // Nothing around tells the two apart: in doubt it moved.
    project.write("b.rs", "start\n  limit 7\nend\nstart\n  limit 7\nend\n");
    let stamped = project.stamp(&lines("b.rs", 2, 2));
    project.write("b.rs", "start\n  limit 9\nend\nstart\n  limit 7\nend\n");
    assert_eq!(project.reading(&stamped), Reading::Moved);

    // One line came to say what ours said while ours changed.
    project.write("c.rs", "a\n  limit 7\nb\n\nc\n  limit 9\nd\n");
    let stamped = project.stamp(&lines("c.rs", 2, 2));
    project.write("c.rs", "a\n  limit 9\nb\n\nc\n  limit 7\nd\n");
    assert_eq!(project.reading(&stamped), Reading::Moved);
}

#[test]
fn lines_stay_where_everything_around_them_was_rewritten() {
    let project = Project::new();
    project.write("a.txt", "above\nlimit = 7\nbelow\n");
    let stamped = project.stamp(&lines("a.txt", 2, 2));
    project.write("a.txt", "over\nlimit = 7\nunder\n");
    assert_eq!(project.reading(&stamped), Reading::FileChanged);
}
