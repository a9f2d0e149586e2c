//! Transfer: one store's log applied to another, which then holds the same memory.

use throughline_core::SpaceId;

use crate::query::{LogQuery, Vector};
use crate::store::{Store, StoredBatch};
use crate::{Error, Result};

/// Batches that are read at a time.
const PAGE: usize = 200;

/// What a transfer did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Transferred {
    /// Batches that were there already.
    pub known: usize,
    /// Batches that were brought over.
    pub applied: usize,
    /// Vectors that were brought over.
    pub vectors: usize,
}

/// Brings everything that `from` holds to `to`, in order. What an earlier transfer brought is left,
/// so that one that was cut short goes on where it stopped; a store that holds anything else is
/// refused. `progress` hears how many batches are done, of how many.
pub fn transfer(
    from: &dyn Store,
    to: &dyn Store,
    models: &[&str],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Transferred> {
    let mut done = Transferred::default();
    let total = count(from)?;
    let mut held = page(to, 0)?.into_iter();
    let (mut after, mut held_after) = (0, 0);
    loop {
        let some = page(from, after)?;
        let Some(last) = some.last() else { break };
        after = last.last_seq;
        for stored in &some {
            if held.len() == 0 && held_after > 0 {
                held = page(to, held_after)?.into_iter();
            }
            match held.next() {
                Some(known) if known.batch.id == stored.batch.id => {
                    held_after = known.last_seq;
                    done.known += 1;
                }
                Some(other) => return Err(holds_else(&other)),
                None => {
                    to.apply(&stored.batch)?;
                    held_after = 0;
                    done.applied += 1;
                }
            }
            progress(done.known + done.applied, total);
        }
    }
    if let Some(more) = held.next() {
        return Err(holds_else(&more));
    }
    done.vectors = vectors(from, to, models)?;
    Ok(done)
}

fn page(store: &dyn Store, after_seq: u64) -> Result<Vec<StoredBatch>> {
    store.read()?.log(&LogQuery { after_seq, limit: PAGE, ..LogQuery::default() })
}

fn count(store: &dyn Store) -> Result<usize> {
    let (mut after, mut total) = (0, 0);
    loop {
        let some = page(store, after)?;
        let Some(last) = some.last() else { return Ok(total) };
        after = last.last_seq;
        total += some.len();
    }
}

fn holds_else(stored: &StoredBatch) -> Error {
    Error::BadAddress(format!(
        "the other store holds something else already (batch {}); use an empty one",
        stored.batch.id
    ))
}

/// Brings the vectors that are not there.
fn vectors(from: &dyn Store, to: &dyn Store, models: &[&str]) -> Result<usize> {
    let spaces: Vec<SpaceId> = from.read()?.spaces()?.iter().map(|one| one.space).collect();
    let mut brought = 0;
    for space in spaces {
        for model in models {
            let there = to.read()?.vectors(space, model, 0)?;
            let there: std::collections::BTreeSet<_> = there.iter().map(|one| one.node).collect();
            let all = from.read()?.vectors(space, model, 0)?;
            let missing: Vec<Vector> =
                all.into_iter().filter(|one| !there.contains(&one.node)).collect();
            for some in missing.chunks(PAGE) {
                to.put_vectors(space, model, some)?;
                brought += some.len();
            }
        }
    }
    Ok(brought)
}
