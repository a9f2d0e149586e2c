//! Judging turns: the gate, the reader and the probe look at them before anything is written.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::patch::Patch;
use throughline_core::reading::Piece;
use throughline_core::{Episode, EpisodeId, SessionId, SpaceId, Timestamp, text};
use throughline_language::Turn;
use throughline_language::gate::{self, Fired, Flush, ProbeWhen};
use throughline_language::probe::{self, Fated, PieceFate};
use throughline_store::{EntityName, Reader};

use super::{Captured, Mind, erased, mind, name};
use crate::Result;
use crate::apply::{TurnSource, turn_of};
use crate::flows::Capturing;
use crate::reading::{Held, Nearby};

/// A patch, and who said what it rests on.
pub(super) struct Probed {
    pub(super) patch: Patch,
    /// What became of the pieces of what was probed.
    pub(super) fates: Vec<Fated>,
    pub(super) sources: Vec<TurnSource>,
    /// What was heard, as it was told.
    pub(super) turns: Vec<Captured>,
    /// The memories that may be about each, where they were looked up.
    pub(super) nearby: Vec<Option<Nearby>>,
}

impl Probed {
    /// What became of a piece of the turn that was heard last.
    fn fate_of_last(&self, piece: usize) -> Option<PieceFate> {
        let last = self.turns.len().checked_sub(1)?;
        let fated = self.fates.iter().find(|one| one.turn == last && one.piece == piece)?;
        Some(fated.fate)
    }
}

/// A piece that was held against what is known before it was let go.
pub(super) struct Weighed {
    /// Which piece of its turn.
    pub(super) piece: usize,
    /// What its own words told.
    pub(super) own: Piece,
    /// How it bears on what is held.
    pub(super) bearings: Vec<Held>,
    /// Its words beside what they may touch, unless it is kept.
    pub(super) aside: Option<Aside>,
    /// Whether it stands beside that even if it is kept.
    pub(super) is_bare: bool,
}

/// Words of a turn of which nothing else is kept, and the memories that they may touch.
pub(super) struct Aside {
    pub(super) turn: EpisodeId,
    pub(super) words: String,
    pub(super) may_touch: Vec<Held>,
}

/// Turns taken through the gate, before anything is written.
#[derive(Default)]
pub(super) struct Pass {
    pub(super) episodes: Vec<Episode>,
    pub(super) probed: Vec<Probed>,
    /// What was looked through at the end without the gate's asking.
    pub(super) swept: Vec<Probed>,
    pub(super) fired: Vec<Fired>,
    /// What was held against what is known.
    pub(super) weighed: Vec<Weighed>,
    /// What is not kept, and stands beside what it may touch.
    pub(super) asides: Vec<Aside>,
}

impl Pass {
    /// Every patch, in the order of the turns.
    pub(super) fn patches(&self) -> impl Iterator<Item = &Probed> {
        self.probed.iter().chain(&self.swept)
    }

    /// Leaves the episodes to somebody else: nothing is kept of them, and nothing rests on them.
    pub(super) fn without_episodes(&mut self) {
        self.episodes.clear();
        self.asides.clear();
        let probed = self.probed.iter_mut().chain(&mut self.swept);
        probed.flat_map(|one| &mut one.sources).for_each(|one| one.episode = None);
    }

    /// Puts what was weighed from a place on beside what it may touch, where nothing came of it.
    fn put_aside(&mut self, from: usize, probed: Option<&Probed>) {
        for one in &mut self.weighed[from..] {
            let fate = probed.and_then(|probed| probed.fate_of_last(one.piece));
            if one.is_bare || fate.is_none_or(PieceFate::leaves_words) {
                self.asides.extend(one.aside.take());
            }
        }
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.episodes.is_empty() && self.probed.is_empty() && self.swept.is_empty()
    }
}

/// The names of a turn that are known from earlier sessions, in whatever way they are written there.
fn known_names(reader: &dyn Reader, space: SpaceId, turn: &Turn<'_>) -> Result<Vec<String>> {
    let names = gate::names_of(turn);
    if names.is_empty() {
        return Ok(names);
    }
    let wanted: Vec<EntityName> = names
        .iter()
        .map(|name| EntityName { kind: None, name: text::normalise(name) })
        .filter(|one| !one.name.is_empty())
        .collect();
    let known: BTreeSet<String> =
        reader.entities(space, &wanted)?.iter().flat_map(|one| one.names()).collect();
    Ok(names.into_iter().filter(|name| known.contains(&text::normalise(name))).collect())
}

impl Capturing<'_> {
    /// Lets the gate judge every turn, and the probe look at what it lets through.
    pub(super) fn judge_turns(
        &self,
        session: &SessionId,
        turns: &[Captured],
        mind: &mut Mind,
        flush: Option<Flush>,
    ) -> Result<Pass> {
        let space = self.context.project.space();
        let policy = gate::GatePolicy::default();
        let mut pass = Pass::default();
        let mut said = BTreeMap::new();
        for turn in turns {
            if turn.text.trim().is_empty() || turn.id.as_ref().is_some_and(|id| !mind.meets(id)) {
                continue;
            }
            // Not held while the turn is read: there is one reader of the store at a time.
            let reader = self.engine.now_reader()?;
            let (episode, known) =
                name(&*reader, space, session, turn, &mut said, mind.apart_days)?;
            if !erased(&*reader, space, std::slice::from_ref(&episode))?.is_empty() {
                continue;
            }
            let met = known_names(&*reader, space, &turn.as_turn())?;
            drop(reader);
            gate::know(&mut mind.watch, &met);
            if known && mind.went_through(episode.id) {
                // It went through the gate when it came in; now it is only what was said before.
                mind.hear(turn, episode.id, &self.engine.policy.activation);
                mind.is_known();
                pass.episodes.push(episode);
                continue;
            }
            let (verdict, watch) = gate::judge(&mind.watch, &turn.as_turn(), &policy);
            mind.watch = watch;
            pass.fired.extend(verdict.fired);
            mind.hear(turn, episode.id, &self.engine.policy.activation);
            pass.episodes.push(episode);
            let weighed = pass.weighed.len();
            let holds = self.read_last(mind, &mut pass)?;
            let wanted = holds || matches!(verdict.probe, ProbeWhen::Now(_));
            let probed = if wanted { self.probe(mind, turn.at) } else { None };
            pass.put_aside(weighed, probed.as_ref());
            pass.probed.extend(probed);
        }
        if let Some(why) = flush {
            let at = turns.last().map_or_else(|| self.engine.now(), |turn| turn.at);
            if gate::flush(&mind.watch, why) {
                pass.probed.extend(self.probe(mind, at));
            } else {
                // Rules cost nothing: what the gate found nothing in is still looked through once.
                let probes = mind.watch.clone();
                pass.swept.extend(self.probe(mind, at));
                mind.watch = probes;
            }
        }
        Ok(pass)
    }

    /// Probes what was heard since the last time, with what was said before as context.
    fn probe(&self, mind: &mut Mind, at: Timestamp) -> Option<Probed> {
        mind.read_all();
        mind.watch = gate::probed(mind.watch.clone(), at);
        let heard = &mind.lately.heard;
        let said: Vec<Turn<'_>> = heard.iter().map(mind::HeardTurn::as_turn).collect();
        // What was probed before is context now, and must not be taken in twice.
        let first = heard.iter().position(|one| !one.probed)?;
        let (patch, fates) = probe::probe_telling(&said, first, &probe::ProbePolicy::default());
        let sources = heard.iter().map(mind::HeardTurn::source).collect();
        let turns = heard.iter().map(|one| one.turn.clone()).collect();
        let nearby = heard.iter().map(|one| one.nearby.clone()).collect();
        let told: BTreeSet<usize> = patch.operations.iter().filter_map(turn_of).collect();
        for (at, one) in mind.lately.heard.iter_mut().enumerate() {
            one.probed = true;
            one.kept |= told.contains(&at);
        }
        Some(Probed { patch, fates, sources, turns, nearby })
    }
}
