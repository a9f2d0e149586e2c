//! The list of folders as a file: with a checksum, and once more beside it.
//!
//! One flipped bit could name another project, so what fails its checksum is not believed: the copy is
//! read instead. Where that fails too nobody can say which project a folder belongs to.

use std::io::{ErrorKind, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_core::{Timestamp, text};

use crate::journal::file;
use crate::{Error, Result};

/// The list within its home.
const FILE: &str = "projects.json";
/// The same list once more, written after it.
const COPY: &str = "projects.copy.json";
/// Where a list goes that failed its checksum, when it is written anew.
const ASIDE: &str = "projects.damaged.json";
/// Held while it is changed.
const LOCK: &str = "projects.lock";
/// A longer list is not read.
const BYTES_MAX: u64 = 16 << 20;

/// A folder that belongs to a project, or that was asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RootEntry {
    pub(super) root: String,
    /// What its repository claimed at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) claim: Option<String>,
    pub(super) state: RootState,
    /// The project that it was joined to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    pub(super) at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RootState {
    /// It belongs to the project.
    Joined,
    /// It waits, and its sessions were told so.
    Asked,
    /// A person wants it to be a project of its own.
    Apart,
}

#[derive(Debug, Default)]
pub(super) struct RootList {
    pub(super) roots: Vec<RootEntry>,
    /// What is wrong with the file, where this is what its copy says.
    pub(super) damage: Option<String>,
}

/// The list as it is written.
#[derive(Serialize)]
struct WrittenList<'a> {
    roots: &'a [RootEntry],
    check: String,
}

impl RootList {
    /// What the list of a home says. There is none where its file is not there.
    pub(super) fn read(home: &Path) -> Result<Self> {
        let path = home.join(FILE);
        let why = match entries_in(&path) {
            Ok(roots) => return Ok(Self { roots, damage: None }),
            Err(error)
                if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) =>
            {
                return Ok(Self::default());
            }
            Err(error) => error.to_string(),
        };
        match entries_in(&home.join(COPY)) {
            Ok(roots) => {
                let damage = format!(
                    "{} cannot be read ({why}); {COPY} is read in its place",
                    path.display()
                );
                Ok(Self { roots, damage: Some(damage) })
            }
            Err(_) => Err(Error::Unusable {
                path,
                why: format!(
                    "cannot be read ({why}), so it is unknown which project this folder belongs to"
                ),
                code: "damaged",
                hint: "bring the file back from a copy of the home, or move it away: then each folder \
                       with an origin asks again, and `throughline project join --key KEY` joins the others",
            }),
        }
    }

    /// Writes the list and its copy. What was there and cannot be read is kept aside.
    pub(super) fn write(&self, home: &Path) -> Result<()> {
        let path = home.join(FILE);
        let failed = |source| Error::File { path: path.clone(), source };
        let roots = serde_json::to_value(&self.roots).map_err(|error| failed(error.into()))?;
        let written = WrittenList { roots: &self.roots, check: checksum(&roots) };
        let mut bytes =
            serde_json::to_vec_pretty(&written).map_err(|error| failed(error.into()))?;
        bytes.push(b'\n');
        if self.damage.is_some() {
            // Not moved away: where there is no list, there seem to be no joined folders.
            std::fs::copy(&path, home.join(ASIDE)).ok();
        }
        file::replace(&path, &bytes).map_err(failed)?;
        file::replace(&home.join(COPY), &bytes).map_err(failed)
    }

    /// Makes sure that nobody else changes the list of a home for as long as this is held.
    pub(super) fn lock(home: &Path) -> std::io::Result<std::fs::File> {
        file::lock_file(&home.join(LOCK))
    }
}

/// The entries that a file holds, if it says what it said. One of an older version has no checksum.
fn entries_in(path: &Path) -> std::io::Result<Vec<RootEntry>> {
    let mut bytes = Vec::new();
    file::open_to_read(path)?.take(BYTES_MAX).read_to_end(&mut bytes)?;
    let mut list: Value = serde_json::from_slice(&bytes)?;
    let broken = |why: &str| std::io::Error::new(ErrorKind::InvalidData, why.to_owned());
    let roots =
        list.get_mut("roots").map(Value::take).ok_or_else(|| broken("it lists no folders"))?;
    if list.get("check").is_some_and(|check| *check != checksum(&roots)) {
        return Err(broken("it does not match its checksum"));
    }
    Ok(serde_json::from_value(roots)?)
}

fn checksum(roots: &Value) -> String {
    text::sha256_hex(roots.to_string().as_bytes())[..16].to_owned()
}
