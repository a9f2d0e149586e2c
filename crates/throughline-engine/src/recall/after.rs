//! After recall: what was shown to a session counts as used, what was used together is linked, and
//! what was missing is noted.
//!
//! None of it happens while the agent waits. A recall leaves one line in a spool; whoever writes
//! next, or looks at a memory, settles it through the one door. Attention moves, truth never does.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_attention::hot::Settlement;
use throughline_core::page::Detail;
use throughline_core::permission::Door;
use throughline_core::policy::EdgePolicy;
use throughline_core::row::Injection;
use throughline_core::scope::Level;
use throughline_core::{
    Authority, Cause, Change, Edge, Kind, MemoryId, NodeId, Relation, Row, RowKey, SessionId,
    SpaceId, Timestamp,
};
use throughline_language::question::AskKind as Asked;
use throughline_language::{gap, probe, speech};

use super::{CandidateFate, CutReason, Recall};
use crate::flows::Recalling;
use crate::journal::file;
use crate::remember::NewMemory;
use crate::told::rewrite_lines;
use crate::transaction::Transaction;
use crate::{Context, Error, Project, Result};

/// Memories of one recall that are linked with each other at most.
const TOGETHER_MAX: usize = 5;
/// Memories that are noted as found, and as found and not fitting.
const FOUND_MAX: usize = 10;
/// How strong a first use together is.
const FIRST_TOGETHER: f64 = 0.3;

/// One recall, as the spool keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Noted {
    at: Timestamp,
    space: SpaceId,
    /// The key and the name of the project it was asked in.
    project: (String, String),
    level: Level,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    /// What was shown, by space.
    shown: Vec<(SpaceId, MemoryId)>,
    /// What was found first, before anything was followed or cut, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    found: Vec<(SpaceId, MemoryId)>,
    /// What was found and did not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    passed_over: Vec<(SpaceId, MemoryId)>,
    tokens: usize,
    /// It was said unasked, when a session began: shown, and not used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unasked: bool,
    /// It was told before in this session and is used now: used, and not shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    again: bool,
    /// What was asked for in vain: the words, and whether anything was found at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gap: Option<Gap>,
    /// What was asked and is answered now, in the words of a gap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answers: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Gap {
    about: String,
    kind: String,
}

/// What settling did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settled {
    /// Recalls that were counted.
    pub recalls: usize,
    /// Gaps that were noted.
    pub gaps: usize,
}

impl Recalling<'_> {
    /// Notes what a recall showed or missed. Quick, and takes no turn to write.
    pub fn note_recall(&self, recall: &Recall) -> Result<()> {
        let noted = Noted {
            gap: missing(recall),
            answers: answered(recall),
            found: found_first(recall),
            passed_over: passed_over(recall),
            ..self.noted(recall.memories(), recall.tokens)
        };
        self.note(&noted)
    }

    /// Notes that memories were put in front of a session without a question. `unasked` when it
    /// was not even something the session did that brought them up.
    pub(crate) fn note_shown(
        &self,
        shown: &[(SpaceId, MemoryId)],
        tokens: usize,
        unasked: bool,
    ) -> Result<()> {
        self.note(&Noted { unasked, ..self.noted(shown.to_vec(), tokens) })
    }

    /// Notes that a prompt was about memories that the session was told before: they are used, and not shown again.
    pub(crate) fn note_used(&self, used: Vec<(SpaceId, MemoryId)>) -> Result<()> {
        self.note(&Noted { again: true, ..self.noted(used, 0) })
    }

    /// What was shown, as the spool keeps it.
    fn noted(&self, shown: Vec<(SpaceId, MemoryId)>, tokens: usize) -> Noted {
        Noted {
            at: self.engine.now(),
            space: self.context.scope().space,
            project: (
                self.context.project.key.as_str().to_owned(),
                self.context.project.name.clone(),
            ),
            level: self.context.level,
            session: self.context.session.clone(),
            shown,
            found: Vec::new(),
            passed_over: Vec::new(),
            tokens,
            unasked: false,
            again: false,
            gap: None,
            answers: None,
        }
    }

    fn note(&self, noted: &Noted) -> Result<()> {
        if noted.shown.is_empty() && noted.gap.is_none() {
            return Ok(());
        }
        let mut line = serde_json::to_string(noted).expect("plain data serialises");
        line.push('\n');
        let path = self.spool();
        let failed = |source| Error::File { path: path.clone(), source };
        let mut options = std::fs::OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // One write of one line: lines of several processes do not mix.
        options.open(&path).and_then(|mut file| file.write_all(line.as_bytes())).map_err(failed)
    }

    /// Ties together what a session had in mind at the same time.
    pub(crate) fn count_in_mind(&self, mind: &Settlement) -> Result<()> {
        let spaces = self.context.reach().spaces;
        let edges = &self.engine.policy.edge;
        self.engine.write(self.context, Cause::Recall, None, |tx| {
            for (one, other) in &mind.pairs {
                for space in &spaces {
                    let keys = [RowKey::memory(*space, *one), RowKey::memory(*space, *other)];
                    if tx.rows(&keys)?.iter().all(Option::is_some) {
                        let at = tx.now;
                        together(tx, *space, &[*one, *other], at, edges)?;
                    }
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Counts what was noted, through the one door.
    pub fn settle_recalls(&self) -> Result<Settled> {
        let (path, taken) = (self.spool(), self.spool().with_extension("settling"));
        if !path.is_file() && !taken.is_file() {
            return Ok(Settled::default());
        }
        // Somebody else settles: what is left is counted by whoever comes next.
        let lock = self.spool().with_extension("lock");
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true);
        let lock = file::open_regular(&lock, &mut options)
            .map_err(|source| Error::File { path: lock.clone(), source })?;
        if lock.try_lock().is_err() {
            return Ok(Settled::default());
        }
        // What an earlier attempt left comes first; nobody else appends to it.
        if !taken.exists() && std::fs::rename(&path, &taken).is_err() {
            return Ok(Settled::default());
        }
        let text =
            std::fs::read(&taken).map_err(|source| Error::File { path: taken.clone(), source })?;
        let text = String::from_utf8_lossy(&text);
        // A line that was torn by a crash is attention lost, nothing else.
        let noted: Vec<Noted> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let mut settled = Settled::default();
        for one in &noted {
            let context = Context {
                door: Door::Upkeep,
                session: one.session.clone(),
                level: one.level,
                project: Project::recorded(&one.project.0, &self.context.project.root),
                only_if: None,
            };
            self.engine.recalling(&context).settle(one, &mut settled)?;
        }
        std::fs::remove_file(&taken)
            .map_err(|source| Error::File { path: taken.clone(), source })?;
        Ok(settled)
    }

    fn spool(&self) -> PathBuf {
        spool(&self.engine.home)
    }

    fn settle(&self, noted: &Noted, settled: &mut Settled) -> Result<()> {
        if !noted.shown.is_empty() {
            self.engine.write(self.context, Cause::Recall, None, |tx| {
                tx.scope.space = noted.space;
                count_uses(tx, noted, &self.engine.policy.edge)
            })?;
            settled.recalls += 1;
        }
        if let (Some(about), Some((_, answer))) = (&noted.answers, noted.shown.first()) {
            self.engine.reviewing(self.context).close_asked_again(about, *answer)?;
        }
        let answered = |missed: &Gap| {
            let reviewing = self.engine.reviewing(self.context);
            reviewing.is_answered_since(&gap::content(&missed.about), noted.at)
        };
        if let Some(missed) = &noted.gap
            && !answered(missed)?
        {
            let new = NewMemory {
                kind: Kind::Gap,
                label: Some(missed.kind.clone()),
                authority: Authority::Inferred,
                confidence: 0.3,
                ..NewMemory::new(&gap::content(&missed.about))
            };
            // An erased gap stays erased.
            match self.engine.keeping(self.context).remember(&new) {
                Ok(_) => settled.gaps += 1,
                Err(Error::Blocked(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// What was missing, if it seems to matter: a prompt that asks about something, in words.
fn missing(recall: &Recall) -> Option<Gap> {
    if !recall.items.is_empty() || recall.question.small_talk || !recall.text.is_empty() {
        return None;
    }
    // Whoever tells something ("we decided to …") misses nothing.
    let told = recall.question.ask == Asked::Statement && speech::tells(&recall.query, true);
    // "Can you remember that …?" orders, and asks nothing.
    if !gap::matters(&recall.query, &recall.question) || told || probe::is_asked(&recall.query) {
        return None;
    }
    let fitting = |one: &super::RecallCandidate| {
        matches!(
            one.fate,
            CandidateFate::Shown(_)
                | CandidateFate::Counted(_)
                | CandidateFate::Cut(
                    CutReason::NoRoom | CutReason::AlreadyShown | CutReason::SaidHere
                )
        )
    };
    if recall.candidates.iter().any(fitting) {
        return None;
    }
    let found = recall
        .candidates
        .iter()
        .any(|one| one.signals.words > 0.0 && one.fate != CandidateFate::Considered);
    let kind = if found { "none_relevant" } else { "none_found" };
    let about = gap::words_of(&recall.query).join(" ");
    (!about.is_empty()).then(|| Gap { about, kind: kind.to_owned() })
}

/// The memories that were found by themselves, the best first.
fn found_first(recall: &Recall) -> Vec<(SpaceId, MemoryId)> {
    let mut found: Vec<&super::RecallCandidate> =
        recall.candidates.iter().filter(|one| one.path.is_empty()).collect();
    found.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(a.node.cmp(&b.node)));
    let memories = found.iter().filter_map(|one| Some((one.space, one.node.memory()?)));
    memories.take(FOUND_MAX).collect()
}

/// The memories that were found and did not fit what was asked. It says nothing of how true they are.
fn passed_over(recall: &Recall) -> Vec<(SpaceId, MemoryId)> {
    let unfit = |one: &&super::RecallCandidate| {
        matches!(
            one.fate,
            CandidateFate::Cut(
                CutReason::DoesNotFit
                    | CutReason::OnlyReached
                    | CutReason::FarBehind
                    | CutReason::FarFromFocus
                    | CutReason::Unfit
            )
        )
    };
    let found = recall.candidates.iter().filter(unfit);
    found.filter_map(|one| Some((one.space, one.node.memory()?))).take(FOUND_MAX).collect()
}

/// The words that a gap about an answered question has: what the best memory says fits by itself.
fn answered(recall: &Recall) -> Option<String> {
    let best = recall.items.first()?;
    let fits = best.detail == Detail::Full && best.candidate.path.is_empty();
    let asks = gap::matters(&recall.query, &recall.question);
    let about = gap::words_of(&recall.query).join(" ");
    (fits && asks && !about.is_empty()).then_some(about)
}

/// Counts uses, notes what was shown, and strengthens what ties them together.
fn count_uses(tx: &mut Transaction<'_>, noted: &Noted, policy: &EdgePolicy) -> Result<()> {
    let keys: Vec<RowKey> =
        noted.shown.iter().map(|(space, id)| RowKey::memory(*space, *id)).collect();
    let there: BTreeSet<(SpaceId, MemoryId)> = noted
        .shown
        .iter()
        .zip(tx.rows(&keys)?)
        .filter(|(_, row)| row.is_some())
        .map(|(one, _)| *one)
        .collect();
    let spaces: BTreeSet<SpaceId> = there.iter().map(|(space, _)| *space).collect();
    for space in spaces {
        let memories: Vec<MemoryId> = noted
            .shown
            .iter()
            .filter(|one| one.0 == space && there.contains(one))
            .map(|one| one.1)
            .collect();
        if !noted.unasked {
            tx.push(Change::Use {
                space,
                memories: memories.clone(),
                session: noted.session.clone(),
                at: noted.at,
            });
        }
        if !noted.again {
            tx.push(Change::Inject(Injection {
                id: tx.mint().to_string(),
                space,
                session: noted.session.clone(),
                at: noted.at,
                memories: memories.clone(),
                tokens: noted.tokens,
                found: here(&noted.found, space),
                passed_over: here(&noted.passed_over, space),
            }));
        }
        if !noted.unasked {
            together(tx, space, &memories, noted.at, policy)?;
            apart(tx, space, &memories, &here(&noted.passed_over, space))?;
        }
    }
    Ok(())
}

/// Those of some memories that live in a space.
fn here(some: &[(SpaceId, MemoryId)], space: SpaceId) -> Vec<MemoryId> {
    some.iter().filter(|one| one.0 == space).map(|one| one.1).collect()
}

/// What fits where another does not is tied to it a little less. Nothing else changes for the one that did not fit.
fn apart(
    tx: &mut Transaction<'_>,
    space: SpaceId,
    shown: &[MemoryId],
    passed_over: &[MemoryId],
) -> Result<()> {
    for one in shown.iter().take(TOGETHER_MAX) {
        for other in passed_over.iter().filter(|other| !shown.contains(other)) {
            let (from, to): (NodeId, NodeId) =
                Relation::CoUsed.in_order((*one).into(), (*other).into());
            let key = RowKey::edge(space, from, Relation::CoUsed, to);
            if let Some(Row::Edge(edge)) = tx.rows(&[key])?.remove(0)
                && edge.reinforcements > 0
            {
                let reinforcements = edge.reinforcements - 1;
                tx.push(Change::Link(Edge { reinforcements, ..edge }));
            }
        }
    }
    Ok(())
}

/// Memories used together are tied by the one relation that co-occurrence may make.
fn together(
    tx: &mut Transaction<'_>,
    space: SpaceId,
    memories: &[MemoryId],
    at: Timestamp,
    policy: &EdgePolicy,
) -> Result<()> {
    let few = &memories[..memories.len().min(TOGETHER_MAX)];
    for (place, one) in few.iter().enumerate() {
        for other in &few[place + 1..] {
            let (from, to): (NodeId, NodeId) =
                Relation::CoUsed.in_order((*one).into(), (*other).into());
            let key = RowKey::edge(space, from, Relation::CoUsed, to);
            let edge = match tx.rows(&[key])?.remove(0) {
                Some(Row::Edge(edge)) => Edge {
                    reinforcements: edge.reinforcements.saturating_add(1),
                    last_reinforced_at: at,
                    ..edge
                },
                _ => Edge {
                    weight: FIRST_TOGETHER.max(policy.floor),
                    ..Edge::new(space, from, Relation::CoUsed, to, at)
                },
            };
            tx.push(Change::Link(edge));
        }
    }
    Ok(())
}

/// Whether recalls were noted under `home` that are not counted yet.
pub fn recalls_wait(home: &Path) -> bool {
    let noted = spool(home);
    noted.is_file() || noted.with_extension("settling").is_file()
}

fn spool(home: &Path) -> PathBuf {
    home.join("recalls.jsonl")
}

/// Puts other lines in the place of those noted recalls for which `clean` has one. Returns the files that
/// could not be rewritten.
pub(crate) fn clean_spool(
    home: &Path,
    clean: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>,
) -> Vec<PathBuf> {
    let (path, taken) = (spool(home), spool(home).with_extension("settling"));
    let there: Vec<PathBuf> = [path, taken].into_iter().filter(|one| one.is_file()).collect();
    if there.is_empty() {
        return there;
    }
    // Whoever settles removes them, and what is noted meanwhile is cleaned before.
    let Ok(_turn) = file::lock_file(&spool(home).with_extension("lock")) else { return there };
    let mut fails = |path: &PathBuf| rewrite_lines(path, clean).is_err() && path.exists();
    there.into_iter().filter(|path| fails(path)).collect()
}
