//! Clean: what must never be kept is taken out of an event before anything is done with it.
//!
//! Secrets by their shape, wherever they stand; and the contents of files that a project keeps to
//! itself: `.env` and its like, what `.gitignore` and `.secretsignore` name.

mod cleaner;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use gix_ignore::Search;
use gix_ignore::glob::pattern::Case;
use gix_ignore::search::Ignore;
use throughline_core::event::{Event, ToolCall, What};
use throughline_core::text;
use throughline_redact::{is_secret_file, redact};

pub use cleaner::Cleaner;
pub(crate) use cleaner::clean_texts_of;

/// What stands for the contents of a file that is not kept.
const NOT_KEPT: &str = "[not kept: the file is private to the project]";

/// Programs that print files.
const READERS: [&str; 34] = [
    "cat",
    "less",
    "more",
    "head",
    "tail",
    "bat",
    "sed",
    "awk",
    "grep",
    "rg",
    "source",
    ".",
    "xxd",
    "strings",
    "jq",
    "printenv",
    "tac",
    "nl",
    "od",
    "hexdump",
    "base64",
    "cut",
    "sort",
    "uniq",
    "diff",
    "yq",
    "egrep",
    "fgrep",
    "zcat",
    "show",
    "blame",
    "type",
    "Get-Content",
    "gc",
];

/// Words that go before a program and run it.
const RUNNERS: [&str; 17] = [
    "sudo", "doas", "env", "command", "exec", "time", "nohup", "nice", "xargs", "bash", "sh",
    "zsh", "then", "else", "do", "!", "git",
];

/// Takes out of an event what must not be kept. Returns how much that was.
pub fn clean(event: &mut Event, root: &Path) -> usize {
    let mut cleaner = Cleaner::default();
    cleaner.event(event, root);
    cleaner.taken()
}

/// A name without its secrets: of a session, a folder, a tool. A short hash keeps apart what would
/// otherwise be called the same.
pub fn clean_name(name: &str) -> String {
    let redacted = redact(name);
    if redacted.found.is_empty() {
        return name.to_owned();
    }
    format!("{}-{}", redacted.text, &text::sha256_hex(name.as_bytes())[..8])
}

/// Takes the secrets out of a text, by their shape alone. Whoever keeps the text asks
/// [`crate::Engine::clean_texts`], which knows more. Returns how many there were.
pub fn clean_text(text: &mut String) -> usize {
    let redacted = redact(text);
    let found = redacted.found.len();
    if found > 0 {
        *text = redacted.text.into_owned();
    }
    found
}

/// A text without its secrets, and how many there were.
pub(crate) fn cleaned(text: &str) -> (String, usize) {
    let mut text = text.to_owned();
    let found = clean_text(&mut text);
    (text, found)
}

/// Where an agent works.
struct AgentPlace<'a> {
    /// The project's root, with no links in it.
    root: &'a Path,
    /// The folder that names of files start from.
    folder: &'a Path,
}

fn hide_private_files(event: &mut Event, place: &AgentPlace<'_>) -> usize {
    let mut hidden = 0;
    match &mut event.what {
        What::ToolsRan(runs) => {
            for run in runs {
                if is_private(&run.call, place) {
                    NOT_KEPT.clone_into(&mut run.output);
                    run.call.text = None;
                    hidden += 1;
                }
            }
        }
        What::ToolStarts(call) => {
            if call.text.is_some() && is_private(call, place) {
                call.text = None;
                hidden += 1;
            }
        }
        What::Started(_)
        | What::Prompted { .. }
        | What::Compacting
        | What::Compacted { .. }
        | What::Answered { .. }
        | What::HelperAsked { .. }
        | What::HelperStarts { .. }
        | What::HelperAnswered { .. }
        | What::Ended
        | What::Nothing { .. } => {}
    }
    hidden
}

/// Whether a tool reads or writes a file that is private to the project.
fn is_private(call: &ToolCall, place: &AgentPlace<'_>) -> bool {
    let named = call.command.as_deref().map(files_read).unwrap_or_default();
    let mut files = call.files.iter().map(String::as_str).chain(named).peekable();
    if files.peek().is_none() {
        return false;
    }
    files.any(|file| is_secret_file(file) || is_ignored(file, place))
}

/// Whether a file of a project is private to it: it holds secrets by its name, or is ignored there.
pub(crate) fn is_private_file(root: &Path, file: &str) -> bool {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    is_secret_file(file) || is_ignored(file, &AgentPlace { root: &real, folder: &real })
}

/// The words of a command line that may be files whose contents it prints.
fn files_read(command: &str) -> Vec<&str> {
    command
        .split(['|', ';', '&', '\n', '(', ')'])
        .flat_map(|part| {
            let words = part.split_whitespace().map(|word| word.trim_matches(AROUND));
            // `sudo cat`, `A=1 cat`, `bash -c "cat …"`.
            let mut words = words.skip_while(|word| {
                RUNNERS.contains(word) || word.starts_with('-') || word.contains('=')
            });
            let program = words.next().unwrap_or_default();
            let name = program.rsplit('/').next().unwrap_or(program);
            let reads = READERS.contains(&name) || part.contains('<');
            words.filter(move |word| reads && !word.starts_with('-'))
        })
        // `git show HEAD:.env` names a file, too.
        .flat_map(|word| [Some(word), word.split_once(':').map(|(_, file)| file)])
        .flatten()
        .filter(|word| !word.is_empty())
        .collect()
}

/// What may stand around a word.
const AROUND: [char; 6] = ['"', '\'', '<', '>', ',', '`'];

/// Whether a file of the project is ignored there.
fn is_ignored(file: &str, place: &AgentPlace<'_>) -> bool {
    // A command may have gone to the root before it names the file.
    let named = [place.folder, place.root].map(|from| plain(&from.join(file)));
    // The project may be reached through a link, and a link may stand for the file.
    let paths: BTreeSet<PathBuf> = named
        .into_iter()
        .flat_map(|path| [path.canonicalize().ok(), real(&path), Some(path)])
        .flatten()
        .collect();
    let inside = |path: &'_ PathBuf| path.strip_prefix(place.root).ok().map(Path::to_path_buf);
    paths.iter().filter_map(inside).any(|inside| is_ruled_out(&rules(place.root, &inside), &inside))
}

/// Whether the rule that comes nearest to a file, its own or else that of a folder around it, ignores it.
fn is_ruled_out(rules: &Search, inside: &Path) -> bool {
    let nearest = inside.ancestors().enumerate().find_map(|(above, path)| {
        let name = path.as_os_str().as_encoded_bytes();
        rules.pattern_matching_relative_path(name.into(), Some(above > 0), Case::Sensitive)
    });
    nearest.is_some_and(|rule| !rule.pattern.is_negative())
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(part),
        }
    }
    plain
}

/// A path without links in its folders, as far as they are there.
fn real(path: &Path) -> Option<PathBuf> {
    let (real, at) = path.ancestors().skip(1).find_map(|at| Some((at.canonicalize().ok()?, at)))?;
    Some(real.join(path.strip_prefix(at).ok()?))
}

/// The rules that hold for a file: those of its folders, the project's own last.
fn rules(root: &Path, inside: &Path) -> Search {
    let mut folders: Vec<&Path> = inside.ancestors().skip(1).collect();
    folders.reverse();
    let of_folders = folders.into_iter().map(|folder| root.join(folder).join(".gitignore"));
    let own = [".git/info/exclude", ".secretsignore"].map(|file| root.join(file));
    let mut rules = Search::default();
    for (file, base) in
        of_folders.map(|file| (file, Some(root))).chain(own.map(|file| (file, None)))
    {
        if !is_small_file(&file) {
            continue;
        }
        if let Ok(lines) = std::fs::read(&file) {
            // A file that cannot be read, or lies where no rules are expected, ignores nothing; the others still hold.
            drop(rules.add_patterns_buffer(&lines, file, base, Ignore::default()));
        }
    }
    rules
}

/// Whether it is a plain file of a sensible size: reading must not block.
fn is_small_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() < 1 << 20)
}
