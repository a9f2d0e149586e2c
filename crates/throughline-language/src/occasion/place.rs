//! Places in a rule: paths, patterns and names of folders, held against a file.

use super::doing::is_general;
use super::rule::{Rule, RuleToken};

/// Words that say that the word before them is a folder.
const FOLDERS: &[&str] = &[
    "folder",
    "folders",
    "directory",
    "directories",
    "dir",
    "dirs",
    "module",
    "package",
    "crate",
    "code",
];

/// How many parts of a file's path a rule names. Only a rule (`free`) may name a folder in passing.
pub(super) fn fit(rule: &Rule<'_>, file: &str, free: bool) -> Option<usize> {
    let parts: Vec<&str> =
        file.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect();
    let fits = rule.tokens.iter().enumerate().filter_map(|(at, token)| {
        if token.is_flag() {
            None
        } else if token.is_path || token.text.starts_with('.') {
            by_path(token.text, &parts)
        } else {
            by_name(rule, at, free, &parts)
        }
    });
    fits.max()
}

/// Whether a prompt says the name of the folder or file that a rule writes as a path.
pub(super) fn is_said(rule: &Rule<'_>, said: &[String]) -> bool {
    const TELLING: usize = 4;
    let paths = rule.tokens.iter().filter(|token| token.is_path && token.text.contains('/'));
    let mut names = paths.filter_map(|token| token.lower.trim_end_matches('/').rsplit('/').next());
    names.any(|name| {
        name.len() >= TELLING && !is_general(name) && said.iter().any(|one| one == name)
    })
}

/// A path or a pattern as it is written.
fn by_path(written: &str, parts: &[&str]) -> Option<usize> {
    // `src/a.ts:40` is a line of it.
    let line =
        written.rsplit_once(':').filter(|(_, line)| line.bytes().all(|b| b.is_ascii_digit()));
    let written = line.map_or(written, |(path, _)| path);
    let body = written.trim_start_matches("./").trim_end_matches('/');
    let wanted: Vec<&str> = body.split('/').filter(|part| !part.is_empty()).collect();
    let last = parts.last()?;
    if let [one] = wanted[..] {
        let ending = one.starts_with('.') && last.len() > one.len() && last.ends_with(one);
        let folder = written.ends_with('/') && !is_general(one);
        let found = matches(one, last)
            || ending
            || folder && parts[..parts.len() - 1].iter().any(|part| matches(one, part));
        return (found && one.chars().any(char::is_alphanumeric)).then_some(1);
    }
    let telling = wanted.iter().filter(|part| !is_general(part) && **part != "**").count();
    let found = (0..parts.len()).any(|from| stands_at(&wanted, &parts[from..]));
    (found && telling > 0).then_some(telling)
}

/// Whether the parts of a path begin with those of a pattern.
fn stands_at(wanted: &[&str], parts: &[&str]) -> bool {
    match (wanted, parts) {
        ([], _) => true,
        (["**", rest @ ..], _) => {
            (0..=parts.len()).any(|skipped| stands_at(rest, &parts[skipped..]))
        }
        ([first, rest @ ..], [part, others @ ..]) => {
            matches(first, part) && stands_at(rest, others)
        }
        ([_, ..], []) => false,
    }
}

/// One part of a path, where `*` stands for anything.
fn matches(pattern: &str, part: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == part };
    let Some(rest) = part.strip_prefix(head) else { return false };
    let starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    starts.into_iter().any(|at| matches(tail, &rest[at..]))
}

/// A file or a folder by its name alone: "the vendor folder", "never edit migrations", "Makefile".
fn by_name(rule: &Rule<'_>, at: usize, free: bool, parts: &[&str]) -> Option<usize> {
    let token = &rule.tokens[at];
    let (last, folders) = parts.split_last()?;
    if token.text == *last && token.text.starts_with(char::is_uppercase) {
        return Some(1);
    }
    let called = rule.next(at).is_some_and(|next| FOLDERS.contains(&next.lower.as_str()));
    // "Edit migrations", "touching billing": right behind the verb of what is denied or of the occasion.
    let follows = rule.next(at).is_some_and(RuleToken::tells);
    let meant = free && (token.denied || token.on_occasion) && token.behind == 1 && !follows;
    let named = folders.iter().any(|part| part.eq_ignore_ascii_case(&token.lower));
    (named && (called || meant) && !is_general(&token.lower)).then_some(1)
}
