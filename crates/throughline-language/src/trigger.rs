//! Triggers: patterns that bring a memory up when a tool is about to do what it warns about.
//!
//! A pattern is plain words: a command (`cargo publish`), a file (`src/db.rs`, `*.lock`), a call
//! (`println!`). No expression language: what a person or a rule wrote down must mean what it says.

use crate::command;
use throughline_core::event::ToolCall;

/// Shorter patterns stand in too much by chance.
const SHORTEST: usize = 3;

/// Whether what a tool is about to do matches a pattern.
pub fn matches(pattern: &str, call: &ToolCall) -> bool {
    let pattern = squeezed(pattern);
    if pattern.chars().count() < SHORTEST {
        return false;
    }
    let line = call.command.as_deref();
    line.is_some_and(|line| runs(&pattern, line) || stands_in(&pattern, &squeezed(line)))
        || call.files.iter().any(|file| names_file(&pattern, file))
        || call.text.as_deref().is_some_and(|text| stands_in(&pattern, &squeezed(text)))
}

/// Whether a prompt names what a pattern warns about. A single plain word is not enough: it stands in prompts
/// that are about something else.
pub fn is_named_in(pattern: &str, prompt: &str) -> bool {
    let pattern = squeezed(pattern);
    pattern.chars().count() >= SHORTEST && stands_in(&pattern, &squeezed(prompt))
}

/// One space where there is white space, none at the ends.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a command line runs the command of a pattern: all its words, in their order, whatever
/// options stand between them. One word alone must be the program.
fn runs(pattern: &str, line: &str) -> bool {
    let wanted: Vec<&str> = pattern.split(' ').collect();
    command::steps(line).iter().any(|step| {
        let mut words = step.words.iter();
        step.name() == wanted[0] && wanted[1..].iter().all(|one| words.any(|word| word == one))
    })
}

/// Whether a pattern of several words or with a sign in it stands in a text as it is, not inside a
/// longer word.
fn stands_in(pattern: &str, text: &str) -> bool {
    let plain = pattern.chars().all(char::is_alphanumeric);
    if plain {
        return false;
    }
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(pattern).any(|(at, found)| {
        let before = text[..at].chars().next_back().is_some_and(inner);
        let after = text[at + found.len()..].chars().next().is_some_and(inner);
        let starts = pattern.chars().next().is_some_and(inner);
        let ends = pattern.chars().next_back().is_some_and(inner);
        !(before && starts || after && ends)
    })
}

/// Whether a pattern names a file: its path, the end of it, or `*` and an ending.
fn names_file(pattern: &str, file: &str) -> bool {
    if let Some(ending) = pattern.strip_prefix('*') {
        return ending.len() >= 2 && !ending.contains(['*', ' ']) && file.ends_with(ending);
    }
    let pattern = pattern.trim_start_matches("./");
    if !pattern.contains(['.', '/']) || pattern.contains(' ') {
        return false;
    }
    if let Some(folder) = pattern.strip_suffix('/') {
        return file == folder
            || file.contains(&format!("/{pattern}"))
            || file.starts_with(pattern);
    }
    file == pattern || file.ends_with(&format!("/{pattern}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> ToolCall {
        ToolCall { tool: "Bash".into(), command: Some(line.into()), ..ToolCall::default() }
    }

    fn edit(file: &str, text: &str) -> ToolCall {
        let files = vec![file.to_owned()];
        ToolCall { tool: "Edit".into(), files, text: Some(text.into()), ..ToolCall::default() }
    }

    #[test]
    fn a_command_matches_with_options_between_its_words() {
        for line in [
            "cargo publish",
            "cargo --quiet publish --dry-run",
            "cd core && cargo publish",
            "RUST_LOG=info /usr/bin/cargo publish",
        ] {
            assert!(matches("cargo publish", &command(line)), "{line}");
        }
    }

    #[test]
    fn a_command_that_only_looks_like_it_does_not_match() {
        for line in
            ["cargo test", "echo publish cargo", "npm publish", "cargo-publish", "xcargo publish"]
        {
            assert!(!matches("cargo publish", &command(line)), "{line}");
        }
        assert!(!matches("make", &command("echo make")));
        assert!(matches("make", &command("make all")));
    }

    #[test]
    fn a_call_matches_in_what_is_written_and_not_inside_another_word() {
        assert!(matches("println!", &edit("src/a.rs", "    println!(\"x\");")));
        assert!(!matches("println!", &edit("src/a.rs", "eprintln!(\"x\");")));
        assert!(!matches("println!", &edit("src/println.rs", "nothing")));
    }

    #[test]
    fn a_file_matches_by_its_end_or_its_ending() {
        assert!(matches("src/db.rs", &edit("/home/me/app/src/db.rs", "")));
        assert!(!matches("src/db.rs", &edit("/home/me/app/src/other_db.rs", "")));
        assert!(matches("*.lock", &edit("/app/Cargo.lock", "")));
        assert!(matches("migrations/", &edit("/app/migrations/0001.sql", "")));
        assert!(!matches("migrations/", &edit("/app/src/migrations.rs", "")));
    }

    #[test]
    fn a_prompt_names_a_call_a_command_or_a_file() {
        assert!(is_named_in("println!", "add a println! to the handler"));
        assert!(is_named_in("cargo publish", "then run  cargo publish"));
        assert!(is_named_in("src/db.rs", "open src/db.rs, please"));
        assert!(!is_named_in("println!", "add an eprintln! to the handler"));
        assert!(!is_named_in("make", "make it faster"));
        assert!(!is_named_in("!", "stop!"));
    }

    #[test]
    fn a_pattern_that_says_nothing_matches_nothing() {
        for pattern in ["", " ", "a", "rs", "*", "*."] {
            assert!(!matches(pattern, &edit("a.rs", "a rs * .")), "{pattern:?}");
        }
    }
}
