//! What is told of erased memories outside of the store: lines of the project's files, and sessions of agents.

use std::collections::BTreeSet;

use throughline_core::{Leaf, Memory, MemoryId, SessionId};
use throughline_store::Reader;

use super::Gone;
use crate::flows::Erasing;
use crate::graduate::edit::{FlatEdit, LineEdit, line_written};
use crate::seed::{SHELF, WRITTEN, is_in_file};
use crate::told::Tellings;
use crate::{Context, Result};

/// Lines of the project's files that tell what is erased.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ToldInFiles {
    /// Those that we wrote.
    ours: Vec<Leaf>,
    /// The files with lines that somebody else wrote.
    pub(crate) theirs: Vec<String>,
}

/// The lines of files that tell these memories.
pub(super) fn told_in_files(reader: &dyn Reader, erased: &[Memory]) -> Result<ToldInFiles> {
    let mut told = ToldInFiles::default();
    for memory in erased {
        let leaves = reader.leaves(memory.space, SHELF)?.into_iter();
        for leaf in leaves.filter(|leaf| leaf.memory == memory.id && is_in_file(leaf)) {
            if leaf.notes.iter().any(|note| note == WRITTEN) {
                told.ours.push(leaf);
            } else {
                told.theirs.push(leaf.name);
            }
        }
    }
    told.theirs.sort();
    told.theirs.dedup();
    Ok(told)
}

/// Takes our own lines out of their files. Returns the files that were changed, and those that still tell it.
pub(super) fn take_out(context: &Context, told: ToldInFiles) -> (Vec<String>, Vec<String>) {
    let (mut changed, mut left) = (Vec::new(), told.theirs);
    for leaf in told.ours {
        let line = line_written(&leaf);
        let edit = FlatEdit { file: &leaf.name, edit: LineEdit::Remove { line: &line } };
        let here = leaf.space == context.project.space();
        let done = here.then(|| edit.apply(&context.project.root));
        match done {
            Some(Ok(edited)) if edited.write().is_ok() => changed.push(leaf.name),
            // Somebody has taken it out, or worded it otherwise.
            Some(Err(why)) if why.ends_with("as it was") => {}
            Some(Ok(_) | Err(_)) | None => left.push(leaf.name),
        }
    }
    changed.dedup();
    left.sort();
    left.dedup();
    (changed, left)
}

impl Erasing<'_> {
    /// The sessions in which it was said or told: an agent may have said it there in words of its own.
    pub(super) fn sessions_of(&self, gone: &Gone) -> Vec<SessionId> {
        let is_told = |ids: &[MemoryId]| ids.iter().any(|id| gone.memories.contains(id));
        let tellings = Tellings::new(&self.engine.home);
        let told = tellings.read(&|one| is_told(&one.memories)).unwrap_or_default();
        let told = told.into_iter().filter_map(|one| one.session);
        let sessions: BTreeSet<SessionId> = gone.sessions.iter().cloned().chain(told).collect();
        sessions.into_iter().collect()
    }
}
