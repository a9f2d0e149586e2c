//! Beginning: what was said to hold from a day on takes the place of what held until then, once that day is there.

use throughline_core::{Cause, Change, Memory, Relation, Row, RowKey};
use throughline_store::Reader;

use super::Run;
use super::plan::may_replace;
use super::write::stand;
use crate::flows::Sleeping;
use crate::{Context, Result};

/// Contradictions that are looked at.
const LOOKED_AT: usize = 256;

impl Sleeping<'_> {
    /// Lets what was announced and holds by now take the place of what it was announced against.
    pub(super) fn let_begin(&self, run: &mut Run) -> Result<()> {
        let begun = self.begun(&*self.engine.now_reader()?)?;
        if begun.is_empty() {
            return Ok(());
        }
        if run.dry.is_some() {
            run.slept.done.superseded += begun.len();
            return Ok(());
        }
        let context = Context { session: None, ..self.context.clone() };
        let (done, batch) = self.engine.write(&context, Cause::Sleep, None, |tx| {
            let mut done = 0;
            for (old, new) in &begun {
                if stand(&**tx, &[old, new])? && may_replace(&**tx, old, new)? {
                    let (space, from, to, at) = (old.space, new.id.into(), old.id.into(), tx.now);
                    tx.push(Change::Unlink { space, from, relation: Relation::Contradicts, to });
                    tx.push(Change::Supersede { space, old: old.id, new: new.id, at });
                    done += 1;
                }
            }
            Ok(done)
        })?;
        if done > 0 {
            run.slept.batches.push(batch);
            run.slept.done.superseded += done;
        }
        Ok(())
    }

    /// What was announced and holds by now, behind what it takes the place of.
    fn begun(&self, reader: &dyn Reader) -> Result<Vec<(Memory, Memory)>> {
        let now = self.engine.now();
        let mut begun: Vec<(Memory, Memory)> = Vec::new();
        for edge in reader.contradictions(&[self.context.project.space()], LOOKED_AT)? {
            let keys = [edge.to, edge.from].map(|end| RowKey::node(edge.space, end));
            let mut ends =
                reader.rows(&keys)?.into_iter().map(|row| row.and_then(Row::into_memory));
            let (Some(Some(old)), Some(Some(new))) = (ends.next(), ends.next()) else { continue };
            let (old, new) = if new.has_begun(now) { (old, new) } else { (new, old) };
            let holds = old.state.is_active() && new.state.is_active() && new.has_begun(now);
            let twice = begun.iter().any(|(known, _)| known.id == old.id);
            // What was said after it was announced is not what it was announced against.
            let before = old.recorded_at <= new.recorded_at;
            if holds && before && !twice && may_replace(reader, &old, &new)? {
                begun.push((old, new));
            }
        }
        Ok(begun)
    }
}
