//! Forgetting: what is erased leaves every session's mind, and does not come in again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use throughline_core::{Episode, Fingerprint, NodeId, SessionId, SpaceId, words};
use throughline_store::Reader;

use super::{Mind, Minds};
use crate::Result;
use crate::journal::file;
use crate::purge::Gone;

/// How often a session is asked for its turn. A hook is done within a second.
const TRIES: usize = 20;

impl Minds {
    /// Drops what is erased from every session's mind. Returns the files that could not be cleaned.
    pub(crate) fn forget(&self, gone: &Gone) -> Vec<PathBuf> {
        let mut sessions: BTreeSet<SessionId> = gone.sessions.clone();
        sessions.extend(self.sessions());
        let mut left = Vec::new();
        for session in sessions {
            let path = self.path(&session);
            if !path.exists() && !path.with_extension("lock").exists() {
                continue;
            }
            // Whoever listens right now may be about to keep what was just heard.
            let Some(_turn) = (0..TRIES).find_map(|_| self.lock(&session)) else {
                left.push(path);
                continue;
            };
            let apart = self.told_apart(&session).is_some();
            let mut mind = self.load(&session);
            // What lies beside the mind becomes part of it, without what is erased.
            if (mind.forget(&session, gone) || apart) && self.save(&session, &mind).is_err() {
                left.push(path);
            }
        }
        // Whatever stays there is swept away in time.
        self.clear_aside().ok();
        left
    }
}

/// How long a session that takes out what it must not keep waits for whoever listens.
const PATIENCE: Duration = Duration::from_millis(100);

impl Minds {
    /// Changes what sessions have in mind as it is written, where `clean` says that it changed something.
    /// Returns the files that could not be changed.
    pub(crate) fn rewrite(&self, clean: &mut dyn FnMut(&mut Value) -> bool) -> Vec<PathBuf> {
        let mut left = Vec::new();
        for session in self.sessions() {
            let path = self.path(&session);
            let Some(_turn) = self.lock_within(&session, PATIENCE) else {
                left.push(path);
                continue;
            };
            let read = |path: &Path| {
                let bytes = std::fs::read(path).ok()?;
                serde_json::from_slice::<Value>(&bytes).ok()
            };
            let Some(mut json) = read(&path) else { continue };
            let written =
                clean(&mut json).then(|| file::replace(&path, json.to_string().as_bytes()));
            if written.is_some_and(|written| written.is_err()) {
                left.push(path);
            }
        }
        // Whatever stays there is swept away in time.
        self.clear_aside().ok();
        left
    }
}

impl Mind {
    /// Drops what is erased. Says whether there was anything.
    fn forget(&mut self, session: &SessionId, gone: &Gone) -> bool {
        if self.lately.space.is_some_and(|space| !gone.spaces.contains(&space)) {
            return false;
        }
        let before = self.clone();
        for memory in &gone.memories {
            self.hot.forget((*memory).into());
            self.lately.warned.remove(memory);
        }
        self.lately.holds.forget(gone);
        self.lately.helpers.forget(&|text| gone.is_told_in(text));
        self.hot.nodes.retain(|node, _| !gone.is_node(*node));
        for warmth in self.hot.nodes.values_mut() {
            if gone.is_told_in(&warmth.label) {
                warmth.label.clear();
            }
        }
        self.lately.heard.retain(|one| {
            !gone.is_node(NodeId::Episode(one.episode)) && !gone.is_turn(session, &one.turn)
        });
        // Which turn a term is from is not known; those that said it lose its words.
        if gone.sessions.contains(session) || self.lately.heard != before.lately.heard {
            self.hot.topic.retain(|term| !gone.is_its_word(term));
            let tells = |label: &str| words::terms(label).iter().any(|one| gone.is_its_word(one));
            self.hot.nodes.retain(|_, warmth| !tells(&warmth.label));
        }
        *self != before
    }
}

/// Which of these turns were erased before, by what recognises them.
pub(crate) fn erased(
    reader: &dyn Reader,
    space: SpaceId,
    turns: &[Episode],
) -> Result<BTreeSet<Fingerprint>> {
    if turns.is_empty() {
        return Ok(BTreeSet::new());
    }
    let marks: Vec<Fingerprint> = turns.iter().map(Episode::mark).collect();
    let stones = reader.tombstones(space, &marks)?;
    Ok(stones.into_iter().map(|stone| stone.fingerprint).collect())
}

#[cfg(test)]
mod tests {
    use throughline_core::Speaker;
    use throughline_core::policy::ActivationPolicy;
    use throughline_core::{EpisodeId, MemoryId, Timestamp};
    use uuid::Uuid;

    use super::super::Captured;
    use super::*;

    const SECRET: &str = "The launch is called Quixotic Zebra";

    fn at() -> Timestamp {
        Timestamp::from_millis(1_763_000_000_000)
    }

    fn gone() -> Gone {
        let mut gone = Gone::default();
        gone.spaces.insert(SpaceId(7));
        gone.memories.insert(MemoryId(Uuid::from_u128(1)));
        gone.add_wording(SECRET);
        gone
    }

    fn mind(space: i64) -> Mind {
        let policy = ActivationPolicy::default();
        let mut mind = Mind::default();
        mind.lately.space = Some(SpaceId(space));
        for (number, said) in [(1, "Good morning"), (2, SECRET)] {
            let turn = Captured::said(at(), Speaker::User, said);
            mind.hear(&turn, EpisodeId(Uuid::from_u128(number)), &policy);
        }
        let touch = throughline_attention::activation::Touch::Mention;
        mind.hot.touch(MemoryId(Uuid::from_u128(1)).into(), "launch", touch, &policy);
        mind.hot.touch(MemoryId(Uuid::from_u128(2)).into(), SECRET, touch, &policy);
        mind.take_fresh();
        mind
    }

    #[test]
    fn what_is_erased_is_in_no_mind_and_other_projects_keep_theirs() {
        let home = tempfile::tempdir().unwrap();
        let minds = Minds::new(home.path());
        let [here, there] = ["here", "there"].map(|name| SessionId(name.to_owned()));
        minds.save(&here, &mind(7)).unwrap();
        minds.save(&there, &mind(8)).unwrap();
        let theirs = minds.load(&there);
        assert_eq!(minds.forget(&gone()), Vec::<PathBuf>::new());
        let written = std::fs::read_to_string(minds.path(&here)).unwrap().to_lowercase();
        for word in ["quixot", "zebra"] {
            assert!(!written.contains(word), "{word}: {written}");
        }
        assert_eq!(minds.load(&there), theirs);
        let left = minds.load(&here);
        assert_eq!((left.lately.heard.len(), left.hot.nodes.len()), (1, 1), "the rest stays");
    }

    #[test]
    fn a_mind_that_somebody_does_not_let_go_is_named() {
        let home = tempfile::tempdir().unwrap();
        let minds = Minds::new(home.path());
        let session = SessionId("held".to_owned());
        minds.save(&session, &mind(7)).unwrap();
        let _held = minds.lock(&session).unwrap();
        assert_eq!(minds.forget(&gone()), [minds.path(&session)]);
    }
}
