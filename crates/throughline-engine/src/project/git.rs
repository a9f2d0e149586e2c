//! What a repository says of itself, found by reading files. No program is run: a repository's
//! settings could make `git` run somebody else's.

use std::path::{Path, PathBuf};

use throughline_core::ProjectKey;

/// Larger settings files are not read.
const CONFIG_BYTES_MAX: u64 = 1 << 20;

/// What is found at a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitFolder {
    /// The work tree around it, or the folder itself.
    pub(super) root: PathBuf,
    pub(super) is_repository: bool,
    /// Where the repository says it comes from.
    pub(super) origin: Option<ProjectKey>,
}

/// Looks at a folder, whose path leads through no links.
pub(super) fn look(folder: &Path) -> GitFolder {
    match folder.ancestors().find_map(|at| Some((at, settings_folder(at)?))) {
        Some((root, git)) => {
            let origin = origin(&git).and_then(|url| ProjectKey::of_origin(&url));
            GitFolder { root: root.to_owned(), is_repository: true, origin }
        }
        None => GitFolder { root: folder.to_owned(), is_repository: false, origin: None },
    }
}

/// Whether a folder is the root of a work tree.
pub(super) fn is_root(folder: &Path) -> bool {
    settings_folder(folder).is_some()
}

/// When the root's `.git` was made, as the file system has it. An archive cannot bring that along.
pub(super) fn made_at(root: &Path) -> Option<std::time::SystemTime> {
    std::fs::symlink_metadata(root.join(".git")).ok()?.created().ok()
}

/// The folder in which git keeps the repository of a work tree, if that is proven: the work tree
/// has it within itself, or it lists the work tree among its own. Two roots with the same one are
/// worktrees of one repository.
pub(super) fn proven_repository(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let found = std::fs::symlink_metadata(&git).ok()?;
    if found.is_dir() {
        return git.canonicalize().ok();
    }
    if !found.is_file() {
        return None;
    }
    let own = pointed_to(root)?.canonicalize().ok()?;
    let shared = own.join(read_small(&own.join("commondir"))?.trim()).canonicalize().ok()?;
    if own.parent() != Some(shared.join("worktrees").as_path()) {
        return None;
    }
    let back = own.join(read_small(&own.join("gitdir"))?.trim());
    (back.canonicalize().ok()? == git.canonicalize().ok()?).then_some(shared)
}

/// The folder with the repository's settings. In a worktree `.git` is a file that points to a
/// folder that names the shared one.
fn settings_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let own = pointed_to(root)?;
    let shared = read_small(&own.join("commondir"))
        .map_or_else(|| own.clone(), |shared| own.join(shared.trim()));
    shared.is_dir().then_some(shared)
}

/// Where a `.git` that is a file points to.
fn pointed_to(root: &Path) -> Option<PathBuf> {
    let pointer = read_small(&root.join(".git"))?;
    Some(root.join(pointer.trim().strip_prefix("gitdir:")?.trim()))
}

fn read_small(path: &Path) -> Option<String> {
    let data = std::fs::metadata(path).ok()?;
    (data.is_file() && data.len() <= CONFIG_BYTES_MAX)
        .then(|| std::fs::read_to_string(path).ok())?
}

/// The address of the remote called origin. Other files that the settings include are not read.
fn origin(git: &Path) -> Option<String> {
    let config = read_small(&git.join("config"))?;
    let mut in_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            let name = line.replace([' ', '\t'], "");
            in_origin = name.to_ascii_lowercase().starts_with("[remote\"")
                && name[8..].starts_with("origin\"]");
        } else if in_origin
            && let Some((name, value)) = line.split_once('=')
            && name.trim().eq_ignore_ascii_case("url")
        {
            return Some(plain(value));
        }
    }
    None
}

/// A value without quotes and without a comment behind it.
fn plain(value: &str) -> String {
    let value = value.trim();
    match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default().to_owned(),
        None => value.split([';', '#']).next().unwrap_or_default().trim().to_owned(),
    }
}
