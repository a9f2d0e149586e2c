//! What somebody erased from another home: a server erases it for everybody, and what this home was told
//! of it before lies in files of its own.

use throughline_core::Trace;
use throughline_core::row::Tombstone;

use super::{Gone, late};
use crate::Result;
use crate::brief::forget_kept;
use crate::capture::Minds;
use crate::flows::Erasing;
use crate::told::Tellings;

/// The file that says how many erasures this home has followed.
const SEEN: &str = "erased.seen";

impl Erasing<'_> {
    /// Forgets in the files of this home what was erased on the server since the last time. What is in use
    /// right now is forgotten the next time.
    pub(crate) fn forget_erased_elsewhere(&self) -> Result<()> {
        if self.engine.store.server().is_none() {
            return Ok(());
        }
        let home = &self.engine.home;
        let stones = self.engine.now_reader()?.all_tombstones()?;
        let seen = std::fs::read_to_string(home.join(SEEN)).unwrap_or_default();
        if seen.trim().parse().unwrap_or(0) == stones.len() {
            return Ok(());
        }
        let gone = erased(&stones);
        let mut left = forget_kept(home);
        left.extend(self.engine.indexes.forget_kept());
        left.extend(Minds::new(home).forget(&gone));
        left.extend(Tellings::new(home).forget(&gone));
        let traces: Vec<Trace> = stones.iter().filter_map(|stone| stone.trace.clone()).collect();
        if !traces.is_empty() {
            left.extend(late::take_out_of_files(home, &traces));
        }
        if left.is_empty() {
            // Where it cannot be noted, it is done again.
            std::fs::write(home.join(SEEN), stones.len().to_string()).ok();
        }
        Ok(())
    }
}

/// What tombstones still tell of what they stand for.
fn erased(stones: &[Tombstone]) -> Gone {
    let mut gone = Gone::default();
    for stone in stones {
        gone.memories.insert(stone.memory);
        gone.add_mark(stone.space, &stone.fingerprint);
    }
    gone
}
