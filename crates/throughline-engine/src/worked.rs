//! Worked: a command of which a failure is held works in a later session. After two of them nobody is warned of the
//! failure any more; it stays where whoever asks finds it. A success that rests on what helped before speaks for the
//! warning and not against it.

use std::collections::BTreeMap;

use throughline_core::event::ToolRun;
use throughline_core::permission::{Act, Backing, Door, Verdict};
use throughline_core::{
    Authority, Change, Evidence, Kind, Memory, Row, RowKey, SessionId, State, words,
};
use throughline_language::probe;
use throughline_store::{TextOf, TextQuery};

use crate::Result;
use crate::flows::Watching;
use crate::permit::ask;
use crate::transaction::Transaction;

/// Sorts of commands that are looked up after one turn.
const SORTS_MAX: usize = 16;
/// Failures of one sort that are looked at.
const FAILURES_READ: usize = 24;

impl Watching<'_> {
    /// Notes for each sort of command that ran whether the failures that are held of it still stand. `runs` are new,
    /// `before` are those of the session so far.
    pub(crate) fn note_what_works(
        &self,
        tx: &mut Transaction<'_>,
        session: &SessionId,
        runs: &[&ToolRun],
        before: &[&ToolRun],
    ) -> Result<()> {
        let last: BTreeMap<String, bool> =
            runs.iter().filter_map(|run| probe::outcome(run)).collect();
        for (sort, works) in last.into_iter().take(SORTS_MAX) {
            for memory in failures_of(tx, &sort)? {
                let helped = || before.iter().any(|run| probe::is_remedy(&memory.content, run));
                let next = if !works {
                    memory.after_failing()
                } else if failed_in(tx, &memory, session)? || helped() {
                    // Within a session the probe says what became of it.
                    None
                } else {
                    memory.after_working(session)
                };
                let Some(next) = next else { continue };
                // A person may have vouched for it.
                let asked =
                    ask(&**tx, Door::Upkeep, Act::Replace, Some(&memory), Backing::ToolResult)?;
                if let Verdict::Allowed { .. } = asked {
                    tx.push(Change::Revise(Box::new(next)));
                }
            }
        }
        Ok(())
    }
}

/// The failures of a sort of command that tools told of.
fn failures_of(tx: &Transaction<'_>, sort: &str) -> Result<Vec<Memory>> {
    let query = TextQuery {
        of: TextOf::Memories,
        terms: words::query_terms(sort),
        spaces: vec![tx.scope.space],
        session: tx.scope.session.clone(),
        states: vec![State::Staged, State::Confirmed],
        kinds: vec![Kind::Negative],
        limit: FAILURES_READ,
    };
    if query.terms.is_empty() {
        return Ok(Vec::new());
    }
    let hits = tx.text(&query)?;
    let keys: Vec<RowKey> = hits.iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
    let held = tx.rows(&keys)?.into_iter().filter_map(|row| row?.into_memory());
    let told_by_tool = |one: &Memory| {
        let observed = one.authority == Authority::Observed && !one.pinned;
        observed && one.state.is_active() && probe::tells_of_failed(&one.content, sort)
    };
    Ok(held.filter(told_by_tool).collect())
}

/// Whether a failure happened in a session.
fn failed_in(tx: &Transaction<'_>, memory: &Memory, session: &SessionId) -> Result<bool> {
    let attached = tx.attached(memory.space, &[memory.id.into()])?;
    let here = |one: &Evidence| one.session.as_ref() == Some(session);
    Ok(attached.iter().any(|row| matches!(row, Row::Evidence(one) if here(one))))
}
