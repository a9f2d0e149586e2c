//! Where the deep class stands in each space: which pass comes next, and what there was when it last came to its end.
//! A convenience and no truth: a file that is lost or damaged begins anew, and every pass finds out what is left.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_core::{SpaceId, Timestamp};

use crate::doctor::Check;
use crate::journal::file;
use crate::{Error, Result};

/// Bytes of the file.
const BYTES_MAX: u64 = 1 << 20;
/// How often the file's lock is tried.
const LOCK_TRIES: usize = 20;

/// Where the deep class stands in every space.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct DeepState {
    spaces: BTreeMap<String, DeepMark>,
}

/// Where it stands in one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct DeepMark {
    /// The pass that comes next; 0 where the last run came to its end.
    pub(super) next: usize,
    /// When the last run did.
    pub(super) at: Option<Timestamp>,
    /// What there was then.
    pub(super) sessions: u64,
    pub(super) memories: u64,
    pub(super) recalls: u64,
    /// What the last run came to.
    pub(super) told: String,
    /// It came to the same as the one before although something new had come in.
    pub(super) stuck: bool,
}

impl DeepState {
    pub(super) fn load(home: &Path) -> Self {
        let read = || {
            let mut bytes = Vec::new();
            file::open_to_read(&path(home)).ok()?.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
            serde_json::from_slice(&bytes).ok()
        };
        read().unwrap_or_default()
    }

    pub(super) fn of(&self, space: SpaceId) -> DeepMark {
        self.spaces.get(&space.0.to_string()).cloned().unwrap_or_default()
    }

    /// Changes where a space stands; one at a time.
    pub(super) fn update(
        home: &Path,
        space: SpaceId,
        change: impl FnOnce(&mut DeepMark),
    ) -> Result<()> {
        let path = path(home);
        let failed = |source| Error::File { path: path.clone(), source };
        let lock = path.with_extension("lock");
        let mut turn = file::lock_file(&lock);
        for _ in 1..LOCK_TRIES {
            if turn.is_ok() {
                break;
            }
            turn = file::lock_file(&lock);
        }
        let _turn = turn.map_err(failed)?;
        let mut state = Self::load(home);
        change(state.spaces.entry(space.0.to_string()).or_default());
        let bytes = serde_json::to_vec(&state).expect("plain data serialises");
        file::replace(&path, &bytes).map_err(failed)
    }
}

fn path(home: &Path) -> PathBuf {
    home.join("sleep.json")
}

/// What `doctor` says of sleep: nothing, unless it came to the same twice although something new had come in.
pub(crate) fn sleep_check(home: &Path) -> Option<Check> {
    let stuck = DeepState::load(home).spaces.values().filter(|mark| mark.stuck).count();
    (stuck > 0).then(|| {
        let detail = format!(
            "deep sleep of {stuck} projects came to the same result twice although there were new memories"
        );
        Check::wrong("sleep", detail, "run `sleep --deep` and look at what its passes say")
    })
}
