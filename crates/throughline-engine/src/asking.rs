//! Asking the agent: where the reader cannot tell what a prompt holds, whoever answers it is asked to keep
//! what matters, as long as it has our tools.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use throughline_core::asking::{LINE, may_settle};
use throughline_core::{SpaceId, Timestamp, tokens};
use throughline_language::question::Question;
use throughline_reader::is_english;

use crate::capture::Mind;
use crate::flows::Listening;
use crate::journal::file;
use crate::{Error, Project, Result, Said};

/// Days for which tools that were offered count as connected.
const SERVED_DAYS: u32 = 1;

/// Notes that our tools are offered to an agent in a project. The moment is the file's own, so that
/// whoever wants to know needs not open it.
pub fn note_serving(home: &Path, project: &Project, now: Timestamp) -> Result<()> {
    let path = path(home, project.space());
    let note = || {
        file::replace_lightly(&path, format!("{now}\n").as_bytes())?;
        let millis = u64::try_from(now.as_millis()).unwrap_or_default();
        let at = UNIX_EPOCH + Duration::from_millis(millis);
        File::options().write(true).open(&path)?.set_modified(at)
    };
    note().map_err(|source| Error::File { path: path.clone(), source })
}

/// Whether our tools were offered in a project not long ago.
fn is_served(home: &Path, space: SpaceId, now: Timestamp) -> bool {
    fs::metadata(path(home, space)).is_ok_and(|data| !file::is_older(&data, SERVED_DAYS, now))
}

fn path(home: &Path, space: SpaceId) -> PathBuf {
    home.join("serving").join(space.to_string())
}

impl Listening<'_> {
    /// What asks the agent to keep what a person says with this prompt; empty where that is not needed. An
    /// English prompt is not read for it where there is no time (`hurried`), and two of them running are
    /// not asked about.
    pub(crate) fn ask_to_keep(
        &self,
        prompt: &str,
        asked: &Question,
        mind: &mut Mind,
        hurried: bool,
    ) -> Said {
        let lately = std::mem::take(&mut mind.lately.asked_to_keep);
        let space = self.context.project.space();
        if !self.engine.policy.recall.asks_agent
            || !is_served(&self.engine.home, space, self.engine.now())
        {
            return Said::default();
        }
        let wanted = if is_english(prompt) {
            !lately && !hurried && !asked.small_talk && mind.is_unsure_of(prompt)
        } else {
            may_settle(prompt)
        };
        if !wanted {
            return Said::default();
        }
        mind.lately.asked_to_keep = true;
        Said { text: LINE.to_owned(), tokens: tokens::estimate(LINE), ..Said::default() }
    }
}
