//! Where flat memory files lie, and what is read of them: text files of the project, with what they import.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Component, Path, PathBuf};

use throughline_core::event::ToolCall;
use throughline_language::flat;
use throughline_watch::{FileRead, Unresolved, World};

use crate::clean::is_private_file;

/// Files that agents read by themselves, from the root of a project.
pub(crate) const FILES: [&str; 9] = [
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    "MEMORY.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
];
/// Folders of rules, whose files are read.
const FOLDERS: [&str; 5] =
    [".claude/rules", ".cursor/rules", ".windsurf/rules", ".clinerules", ".github/instructions"];
/// Endings of such files.
const ENDINGS: [&str; 3] = ["md", "mdc", "txt"];
/// Files that are read of one project.
const FILES_MAX: usize = 64;
/// Entries of a folder that are looked at.
const ENTRIES_MAX: usize = 512;
/// Bytes of one file.
const BYTES_MAX: usize = 256 << 10;
/// How deep imports are followed.
const DEPTH_MAX: usize = 5;

/// Why a file is left alone that the project keeps to itself.
const PRIVATE: &str = "it is private to the project (.gitignore, .secretsignore)";

/// Whether a tool call may have changed a flat file: it writes to one, or its command names one.
pub(super) fn changes_flat_file(call: &ToolCall) -> bool {
    let is_flat = |path: &String| {
        let path = path.replace('\\', "/");
        let named = FILES.iter().any(|file| path == *file || path.ends_with(&format!("/{file}")));
        let within = FOLDERS.iter().any(|folder| {
            path.starts_with(&format!("{folder}/")) || path.contains(&format!("/{folder}/"))
        });
        named || within
    };
    let command = call.command.as_deref().unwrap_or_default();
    let written = call.writes && call.files.iter().any(is_flat);
    written || FILES.iter().chain(&FOLDERS).any(|name| command.contains(name))
}

/// A flat file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FlatText {
    /// Its path from the root.
    pub(crate) path: String,
    /// The same without links.
    pub(crate) real: PathBuf,
    /// What it says.
    pub(crate) text: String,
}

/// What was found of flat files.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// The files, each once however it is reached.
    pub(super) texts: Vec<FlatText>,
    /// What was left alone, and why.
    pub(super) skipped: Vec<String>,
    /// Those of them that are there and cannot be read as text: what they said before still counts.
    pub(super) unread: BTreeSet<String>,
    /// Whether the search ended before everything was looked at.
    pub(super) cut_off: bool,
}

/// The flat files of a project.
pub(super) fn gather(root: &Path) -> Gathered {
    let world = World::at(root);
    let Gathered { mut texts, mut skipped, mut unread, mut cut_off } = Gathered::default();
    let mut met: BTreeSet<PathBuf> = BTreeSet::new();
    let named = FILES.iter().map(|path| (*path).to_owned()).chain(in_folders(root));
    let mut open: VecDeque<(String, usize)> = named.map(|path| (path, 0)).collect();
    while let Some((path, depth)) = open.pop_front() {
        if texts.len() >= FILES_MAX {
            skipped.push(format!("{path}: more than {FILES_MAX} files"));
            cut_off = true;
            break;
        }
        let text = match text_of(&world, root, &path) {
            Ok(Some(text)) => text,
            // What is not there is not missed; an import that leads nowhere says so.
            Ok(None) if depth == 0 => continue,
            Ok(None) => {
                skipped.push(format!("{path}: there is no such file"));
                continue;
            }
            Err(why) => {
                // What the project keeps to itself is not kept by us either.
                if why != PRIVATE {
                    unread.insert(path.clone());
                }
                skipped.push(format!("{path}: {why}"));
                continue;
            }
        };
        // Imports may go in circles, and links may give one file two names.
        if !met.insert(text.real.clone()) {
            continue;
        }
        if depth < DEPTH_MAX {
            let folder = Path::new(&text.path).parent().map(Path::to_path_buf).unwrap_or_default();
            let imports = flat::read(&text.text).imports.into_iter();
            open.extend(imports.filter_map(|one| Some((beside(&folder, &one)?, depth + 1))));
        }
        texts.push(text);
    }
    Gathered { texts, skipped, unread, cut_off }
}

/// A flat file, or nothing where there is none. The error says why a file is left alone.
pub(crate) fn text_of(world: &World, root: &Path, path: &str) -> Result<Option<FlatText>, String> {
    let read = match world.read(path) {
        Ok(read) => read,
        Err(Unresolved::Missing) => return Ok(None),
        Err(why) => return Err(why.to_string()),
    };
    let FileRead { path, real, bytes } = read;
    if bytes.len() > BYTES_MAX {
        return Err(format!("it has {} bytes; {BYTES_MAX} are read at most", bytes.len()));
    }
    if is_private_file(root, &path) {
        return Err(PRIVATE.to_owned());
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(Some(FlatText { path, real, text })),
        _ => Err("it is not a text file".to_owned()),
    }
}

/// The files in folders of rules, by name.
fn in_folders(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        let names = entries
            .take(ENTRIES_MAX)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let is_text = |name: &String| {
            Path::new(name).extension().is_some_and(|end| ENDINGS.iter().any(|one| end == *one))
        };
        let mut names: Vec<String> = names.filter(is_text).collect();
        names.sort();
        found.extend(names.into_iter().map(|name| format!("{folder}/{name}")));
    }
    found
}

/// A path that a file names, from the root; nothing where it does not stay below it, or leads into git's own folder.
fn beside(folder: &Path, named: &str) -> Option<String> {
    let mut path = PathBuf::new();
    for part in folder.join(named).components() {
        match part {
            Component::Normal(part) if part == ".git" => return None,
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    path.to_str().filter(|path| !path.is_empty()).map(str::to_owned)
}
