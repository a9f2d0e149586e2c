//! The brief of the last wake, kept in a file: said where there is no time to write a new one.
//!
//! It is a copy of what stands in the store. Whoever says it looks up what it speaks of, if there is
//! time for that; an erasure removes it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_core::{
    EpisodeId, Fingerprint, Memory, MemoryId, Row, RowKey, SessionId, SpaceId, Timestamp, page,
    tokens,
};
use throughline_store::Reader;

use super::Brief;
use crate::capture::{Minds, ToldApart};
use crate::flows::Briefing;
use crate::journal::file;
use crate::{Because, Project, Result, Said};

/// The form that this program writes.
const VERSION: u8 = 1;
/// A file that is larger is not ours.
const BYTES_MAX: u64 = 256 << 10;

/// A brief that was said before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptBrief {
    v: u8,
    /// The project that it is of: a file is not believed for its name.
    space: SpaceId,
    /// When it was written.
    pub at: Timestamp,
    text: String,
    tokens: usize,
    memories: Vec<(SpaceId, MemoryId, Fingerprint)>,
    /// Those of them that it tells whole.
    #[serde(default)]
    whole: Vec<MemoryId>,
    /// The turns that it quotes.
    #[serde(default)]
    turns: Vec<EpisodeId>,
    /// What it asks to check.
    #[serde(default)]
    to_check: Vec<MemoryId>,
    /// Why each of them is in it.
    #[serde(default)]
    why: Vec<Because>,
}

impl KeptBrief {
    /// The one of a project, if one was kept. Opens no database.
    pub fn load(home: &Path, project: &Project) -> Option<Self> {
        let path = path(home, project.space());
        let file = file::open_to_read(&path).ok()?;
        if file.metadata().ok()?.len() > BYTES_MAX {
            return None;
        }
        let kept: Self = serde_json::from_reader(std::io::BufReader::new(file)).ok()?;
        (kept.v == VERSION && kept.space == project.space()).then_some(kept)
    }

    /// What is said of it without looking anything up.
    pub fn unchecked(&self) -> Said {
        let moment = moment(self.at);
        let as_of = format!("As of {moment}, not checked since: recall before building on it.");
        self.say(&as_of, &[])
    }

    fn say(&self, as_of: &str, gone: &[MemoryId]) -> Said {
        let handles: Vec<String> = gone.iter().map(MemoryId::handle).collect();
        let text = page::kept(&self.text, as_of, &handles);
        if text.is_empty() {
            return Said::default();
        }
        let memories = self.memories.iter().map(|(_, id, _)| *id);
        let why = self.why.iter().filter(|because| !handles.contains(&because.id));
        Said {
            tokens: tokens::estimate(&text),
            text,
            memories: memories.filter(|id| !gone.contains(id)).collect(),
            turns: self.turns.clone(),
            why: why.cloned().collect(),
        }
    }

    /// Notes that a conversation was told this when it began: it holds that now, and is not told again.
    /// What came up after the brief was written is still news to it.
    pub fn was_told(
        &self,
        home: &Path,
        session: &SessionId,
        now: Timestamp,
        said: &Said,
    ) -> Result<()> {
        let among = |ids: &[MemoryId]| -> Vec<MemoryId> {
            ids.iter().copied().filter(|id| said.memories.contains(id)).collect()
        };
        Minds::new(home).tell_apart(&ToldApart {
            session: session.clone(),
            at: now,
            as_of: self.at,
            memories: said.memories.clone(),
            whole: among(&self.whole),
            turns: said.turns.clone(),
            to_check: among(&self.to_check),
        })
    }
}

impl Briefing<'_> {
    /// What is said of a kept brief, without what no longer holds.
    pub fn say_kept(&self, kept: &KeptBrief) -> Result<Said> {
        let gone = {
            let reader = self.engine.now_reader()?;
            gone(&*reader, &kept.memories)?
        };
        let as_of = format!("As of {}; files were not looked at since.", moment(kept.at));
        let said = kept.say(&as_of, &gone);
        if !said.text.is_empty() {
            let told = kept.memories.iter().filter(|(_, id, _)| !gone.contains(id));
            let told: Vec<(SpaceId, MemoryId)> = told.map(|(space, id, _)| (*space, *id)).collect();
            self.engine.recalling(self.context).note_shown(&told, said.tokens, true)?;
        }
        Ok(said)
    }

    /// Keeps a brief for when there is no time to write one. Nothing is kept where something of it
    /// was changed or erased meanwhile.
    pub(crate) fn keep_brief(&self, brief: &Brief) -> Result<()> {
        let space = self.context.project.space();
        let path = path(&self.engine.home, space);
        let failed = |source| crate::Error::File { path: path.clone(), source };
        // Under the lock, so that an erasure comes before the look or after the file.
        let _turn = file::lock_file(&lock(&self.engine.home)).map_err(failed)?;
        let reader = self.engine.now_reader()?;
        let keys: Vec<RowKey> =
            brief.memories.iter().map(|(space, id)| RowKey::memory(*space, *id)).collect();
        let held: Vec<Memory> =
            reader.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory()).collect();
        let memories: Vec<_> =
            held.iter().map(|one| (one.space, one.id, one.fingerprint.clone())).collect();
        let whole = memories.len() == brief.memories.len();
        if brief.text.is_empty() || !whole || !gone(&*reader, &memories)?.is_empty() {
            return file::remove(&path).map(drop).map_err(failed);
        }
        let kept = KeptBrief {
            v: VERSION,
            space,
            at: self.engine.now(),
            text: brief.text.clone(),
            tokens: brief.tokens,
            memories,
            whole: brief.whole.clone(),
            turns: brief.turns.clone(),
            to_check: brief.to_check.clone(),
            why: brief.why.clone(),
        };
        let bytes = serde_json::to_vec(&kept).expect("plain data serialises");
        file::replace_lightly(&path, &bytes).map_err(failed)
    }
}

/// Removes every brief that was kept. What cannot be removed is returned.
pub(crate) fn forget_kept(home: &Path) -> Vec<PathBuf> {
    let folder = home.join("briefs");
    if !folder.is_dir() {
        return Vec::new();
    }
    // Whoever writes one right now is waited for; if that takes too long, the file goes all the same.
    let _turn = file::lock_file(&lock(home)).ok();
    let mut left = Vec::new();
    for extension in ["json", "tmp"] {
        for path in file::with_extension(&folder, extension).unwrap_or_default() {
            if file::remove(&path).is_err() {
                left.push(path);
            }
        }
    }
    left
}

fn path(home: &Path, space: SpaceId) -> PathBuf {
    home.join("briefs").join(format!("{space}.json"))
}

fn lock(home: &Path) -> PathBuf {
    home.join("briefs").join("lock")
}

fn moment(at: Timestamp) -> String {
    format!("{} UTC", at.to_string()[..16].replace('T', " "))
}

/// The memories of a kept brief that no longer hold as they did, or are not for every session.
fn gone(
    reader: &dyn Reader,
    memories: &[(SpaceId, MemoryId, Fingerprint)],
) -> Result<Vec<MemoryId>> {
    let keys: Vec<RowKey> =
        memories.iter().map(|(space, id, _)| RowKey::memory(*space, *id)).collect();
    let holds = |row: Option<Row>, fingerprint: &Fingerprint| {
        row.and_then(Row::into_memory).is_some_and(|memory| {
            memory.state.is_active()
                && memory.session.is_none()
                && memory.fingerprint == *fingerprint
        })
    };
    let rows = reader.rows(&keys)?;
    let gone = memories.iter().zip(rows).filter(|((_, _, print), row)| !holds(row.clone(), print));
    Ok(gone.map(|((_, id, _), _)| *id).collect())
}
