//! Which project a folder belongs to.
//!
//! A repository only claims to be a project: anybody can write an origin into a `.git/config`. The
//! home keeps which folders belong to which project ([`Roots`]), and a folder that is not on that
//! list is a project of its own.

mod git;
mod links;
mod list;
mod roots;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use throughline_core::{ProjectKey, SpaceId};

use crate::clean::clean_name;
use crate::{Error, Result};

pub use links::ProjectLinks;
pub use roots::{Joined, KnownProject, Roots};

/// A project: what identifies it, and what people call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// What identifies it here: an origin only if its root was joined to it.
    pub key: ProjectKey,
    /// The last part of the key.
    pub name: String,
    /// Its root folder.
    pub root: PathBuf,
    /// What its repository says it is, whoever wrote that.
    pub claim: Option<ProjectKey>,
    /// How it stands to what it claims to be.
    pub standing: RootStanding,
    /// Whether the root is the work tree of a repository.
    pub is_repository: bool,
}

/// How a root stands to the project that its repository claims to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootStanding {
    /// It belongs to the project of its key.
    Settled,
    /// The same, and the home does not know it yet: the first write puts it on the list.
    New,
    /// Other folders belong to the project that it claims. Until a person joins it, it is a
    /// project of its own.
    Waits(ProjectKey),
    /// The list of folders cannot be read, so nobody can say which project it belongs to. Nothing is
    /// written for it until somebody can.
    Unknown,
}

impl Project {
    /// A folder's own project: the repository around it, or the folder, whatever the repository
    /// claims. What was joined to something else is known by [`Roots`].
    pub fn at(folder: &Path) -> Result<Self> {
        let folder = folder
            .canonicalize()
            .map_err(|source| Error::NoFolder { path: folder.to_owned(), source })?;
        Ok(Self::own(&git::look(&folder)))
    }

    /// The project that a key and a folder were written down for.
    pub fn recorded(key: &str, root: &Path) -> Self {
        Self::with_key(ProjectKey::read(key), root)
    }

    fn with_key(key: ProjectKey, root: &Path) -> Self {
        let name = key.name().to_owned();
        let (claim, standing) = (None, RootStanding::Settled);
        Self { key, name, root: root.to_owned(), claim, standing, is_repository: false }
    }

    fn own(look: &git::GitFolder) -> Self {
        let own = Self::with_key(key_of(&look.root), &look.root);
        Self { claim: look.origin.clone(), is_repository: look.is_repository, ..own }
    }

    /// Its space in the store.
    pub fn space(&self) -> SpaceId {
        self.key.space()
    }

    /// Whether an agent that works here may name the other project: it is the same, or a part of this
    /// one, which is a plain folder inside. A folder that holds many projects, such as a home folder,
    /// has none of them as a part, and a repository is a part of nothing.
    pub fn reaches(&self, other: &Self) -> bool {
        let holds_all = std::env::home_dir()
            .and_then(|home| home.canonicalize().ok())
            .is_some_and(|home| home.starts_with(&self.root));
        let is_top = self.root.parent().is_none();
        let is_part = other.root.starts_with(&self.root)
            && other.key == key_of(&other.root)
            && !other.is_repository
            && !holds_all
            && !is_top;
        other.key == self.key || is_part
    }

    /// What it would be if a person joined it.
    pub fn waits_for(&self) -> Option<&ProjectKey> {
        match &self.standing {
            RootStanding::Waits(key) => Some(key),
            RootStanding::Settled | RootStanding::New | RootStanding::Unknown => None,
        }
    }
}

/// The key of a folder. One that is named after a secret has a key without it.
pub fn key_of(root: &Path) -> ProjectKey {
    let written = root.to_string_lossy();
    let clean = clean_name(&written);
    if clean == written {
        ProjectKey::of_path(root)
    } else {
        ProjectKey::of_path(Path::new(&clean))
    }
}

/// The folder, or the nearest one above that is there, where that lies in a repository.
fn standing_folder(folder: &Path) -> Option<&Path> {
    folder
        .ancestors()
        .find(|at| at.exists())
        .filter(|at| *at == folder || at.ancestors().any(git::is_root))
}
