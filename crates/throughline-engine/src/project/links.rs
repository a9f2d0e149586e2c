//! Links: which other projects a project gets hints of. Only a person makes them. A hint is a count and a name that
//! the prompt says itself; nothing of the other project's words goes along.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_core::ProjectKey;

use crate::journal::file;
use crate::{Error, Result};

/// Bytes of the file.
const BYTES_MAX: u64 = 1 << 20;
/// Projects that one is linked with at most.
const LINKS_MAX: usize = 16;

/// The links of a home.
#[derive(Debug, Clone)]
pub struct ProjectLinks {
    home: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct WrittenLinks {
    links: BTreeMap<String, BTreeSet<String>>,
}

impl ProjectLinks {
    /// The links of a home. Touches nothing.
    pub fn new(home: &Path) -> Self {
        Self { home: home.to_owned() }
    }

    /// The projects that one gets hints of. A list that cannot be read gives nothing away.
    pub fn of(&self, key: &ProjectKey) -> Vec<ProjectKey> {
        let mut links = self.read().links;
        let others = links.remove(key.as_str()).unwrap_or_default();
        others.iter().map(|other| ProjectKey::read(other)).collect()
    }

    /// Lets a project get hints of another.
    pub fn link(&self, key: &ProjectKey, other: &ProjectKey) -> Result<()> {
        if key == other {
            return Err(Error::BadInput("a project cannot be linked with itself".to_owned()));
        }
        self.change(|links| {
            let others = links.entry(key.as_str().to_owned()).or_default();
            if others.len() >= LINKS_MAX {
                let message = format!("a project is linked with {LINKS_MAX} others at most");
                return Err(Error::NotPossible(message));
            }
            others.insert(other.as_str().to_owned());
            Ok(())
        })
    }

    /// Ends that.
    pub fn unlink(&self, key: &ProjectKey, other: &ProjectKey) -> Result<()> {
        self.change(|links| {
            let gone = links.get_mut(key.as_str()).is_some_and(|all| all.remove(other.as_str()));
            let missing = || Error::NotFound { what: "link", handle: other.to_string() };
            if gone { Ok(()) } else { Err(missing()) }
        })
    }

    fn change(
        &self,
        how: impl FnOnce(&mut BTreeMap<String, BTreeSet<String>>) -> Result<()>,
    ) -> Result<()> {
        let path = self.path();
        let failed = |source| Error::File { path: path.clone(), source };
        let _turn = file::lock_file(&path.with_extension("lock")).map_err(failed)?;
        let mut written = self.read();
        how(&mut written.links)?;
        let bytes = serde_json::to_vec(&written).expect("plain data serialises");
        file::replace(&path, &bytes).map_err(failed)
    }

    fn read(&self) -> WrittenLinks {
        let read = || {
            let mut bytes = Vec::new();
            file::open_to_read(&self.path()).ok()?.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
            serde_json::from_slice(&bytes).ok()
        };
        read().unwrap_or_default()
    }

    fn path(&self) -> PathBuf {
        self.home.join("links.json")
    }
}
