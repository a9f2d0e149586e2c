//! Paths as they are kept: from the root, with `/`, without `.` and `..`.

use std::path::{Component, Path, PathBuf};

use crate::{Unresolved, World};

/// Folders within folders; nobody's project is deeper.
const DEPTH_MAX: usize = 64;

/// A path as somebody wrote it, for a file that exists. A `..` is followed as the system would.
pub(crate) fn of_file(world: &World, written: &str) -> Result<String, Unresolved> {
    let path = Path::new(written);
    if written.contains('\0') {
        return Err(Unresolved::Missing);
    }
    if let Some(below) = below_root(world, path)
        && let Some(parts) = parts(&below, false)
    {
        return join(&parts).ok_or(Unresolved::NotAFile);
    }
    let root = world.root.canonicalize().map_err(|_| Unresolved::Unreadable)?;
    let Ok(real) = world.root.join(path).canonicalize() else {
        let inside = below_root(world, path).is_some_and(|below| parts(&below, true).is_some());
        return Err(if inside { Unresolved::Missing } else { Unresolved::Outside });
    };
    let below = real.strip_prefix(root).map_err(|_| Unresolved::Outside)?;
    let parts = parts(below, false).ok_or(Unresolved::Unreadable)?;
    join(&parts).ok_or(Unresolved::NotAFile)
}

/// A path as somebody wrote it, for git: it need not exist in the working tree, and a `..` takes
/// back the name before it.
pub(crate) fn of_git(world: &World, written: &str) -> Result<String, Unresolved> {
    if written.contains(['\0', '\n']) {
        return Err(Unresolved::NotTracked);
    }
    let below = below_root(world, Path::new(written)).ok_or(Unresolved::Outside)?;
    let parts = parts(&below, true).ok_or(Unresolved::Outside)?;
    join(&parts).ok_or(Unresolved::TooBroad)
}

/// Whether a kept path is one that we would have kept.
pub(crate) fn is_canonical(path: &str) -> bool {
    let plain = |part: &str| !matches!(part, "" | "." | "..");
    path.split('/').all(plain) && path.split('/').count() <= DEPTH_MAX && !path.contains('\0')
}

/// Whether it is a database of ours, or a file beside it. Opening and closing one would drop the
/// locks that SQLite holds.
pub(crate) fn is_own_data(path: &Path) -> bool {
    const NAME: &[u8] = b"throughline.db";
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.get(..NAME.len()).is_some_and(|start| start.eq_ignore_ascii_case(NAME))
}

/// Whether a file is there to hold secrets: its values are none of ours.
pub(crate) fn is_secret(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    name.starts_with(".env") || name.ends_with(".env")
}

fn below_root(world: &World, path: &Path) -> Option<PathBuf> {
    if path.is_relative() {
        return Some(path.to_path_buf());
    }
    let below = |root: &Path| path.strip_prefix(root).ok().map(Path::to_path_buf);
    below(&world.root).or_else(|| below(&world.root.canonicalize().ok()?))
}

/// The names of a path. `None` if it leaves the root, has a `..` where none is wanted, is too deep
/// or not to be written as text.
fn parts(path: &Path, take_back: bool) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir if take_back => {
                parts.pop()?;
            }
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (parts.len() <= DEPTH_MAX).then_some(parts)
}

fn join(parts: &[&str]) -> Option<String> {
    (!parts.is_empty()).then(|| parts.join("/"))
}
