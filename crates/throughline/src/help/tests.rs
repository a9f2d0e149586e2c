//! Every command is in a group and has an example that can be typed.

use std::collections::BTreeMap;

use super::{EVERYDAY, EXAMPLES, GROUPS, command, unwrapped};

/// Every command that a person can see, by name.
fn visible() -> Vec<String> {
    let all = command();
    all.get_subcommands()
        .filter(|one| !one.is_hide_set())
        .map(|one| one.get_name().to_owned())
        .collect()
}

#[test]
fn every_visible_command_stands_in_exactly_one_group() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for name in std::iter::once(&EVERYDAY).chain(&GROUPS).flat_map(|group| group.commands) {
        *seen.entry(name).or_default() += 1;
    }
    let twice: Vec<_> = seen.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "in two groups: {twice:?}");
    for name in visible() {
        assert!(seen.remove(name.as_str()).is_some(), "{name} is in no group");
    }
    // clap adds it when the tree is built.
    assert_eq!(seen.into_keys().collect::<Vec<_>>(), ["help"], "no such command");
}

#[test]
fn eight_commands_come_first_each_with_an_example() {
    assert_eq!(EVERYDAY.commands.len(), 8);
    let page = command().render_help().to_string();
    for name in EVERYDAY.commands {
        let at = page.find(&format!("\n  {name} ")).unwrap();
        let below = page[at + 1..].lines().find(|line| line.trim().starts_with('$')).unwrap();
        assert!(below.trim().starts_with(&format!("$ throughline {name}")), "{name}: {below}");
    }
}

#[test]
fn paragraphs_are_broken_by_the_terminal_and_examples_stay_as_they_are() {
    let written =
        "One sentence that is\nbroken here.\n\nAn example:\n  throughline list\n  throughline log";
    let page =
        "One sentence that is broken here.\n\nAn example:\n  throughline list\n  throughline log";
    assert_eq!(unwrapped(written), page);
}

#[test]
fn no_example_is_wider_than_a_terminal() {
    let all = command();
    for path in tree(&all, "") {
        let mut one = &all;
        for name in path.split(' ') {
            one = one.find_subcommand(name).unwrap();
        }
        let page = one.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in page.lines().filter(|line| line.starts_with("  ")) {
            assert!(line.chars().count() <= 80, "{path}: {line}");
        }
    }
}

/// A command and everything below it, with the words that lead there.
fn tree(command: &clap::Command, path: &str) -> Vec<String> {
    let below = |one: &clap::Command| {
        let path = format!("{path} {}", one.get_name()).trim_start().to_owned();
        let mut paths = vec![path.clone()];
        paths.extend(tree(one, &path));
        paths
    };
    command.get_subcommands().flat_map(below).collect()
}

#[test]
fn every_command_has_an_example_and_no_example_is_of_another() {
    let paths = tree(&command(), "");
    for path in &paths {
        let found = EXAMPLES.iter().filter(|(of, _)| of == path).count();
        assert_eq!(found, 1, "examples of {path}");
    }
    for (of, lines) in EXAMPLES {
        assert!(paths.iter().any(|path| path == of), "no command {of}");
        assert!(!lines.is_empty(), "{of}");
        for (line, _) in *lines {
            assert!(line.starts_with(&format!("throughline {of}")), "{of}: {line}");
        }
    }
}

/// Words as a shell takes them apart, up to where it sends the output elsewhere.
fn words(line: &str) -> Vec<String> {
    let line = line.split(" > ").next().unwrap_or_default();
    let line = line.split(" < ").next().unwrap_or_default();
    let line = line.split(" | ").next().unwrap_or_default();
    let quoted = line.split('"').enumerate();
    quoted
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

#[test]
fn every_example_can_be_typed_as_it_stands() {
    for (line, _) in EXAMPLES.iter().flat_map(|(_, lines)| *lines) {
        if let Err(error) = command().try_get_matches_from(words(line)) {
            panic!("{line}: {error}");
        }
        assert!(line.chars().count() <= 90, "{line}");
    }
}

#[test]
fn the_command_tree_holds_together() {
    command().debug_assert();
}
