//! Metrics: the three figures by which memory says of itself whether it helps. From the log and the record of what was
//! told, of the last thirty days.
//!
//! Continuity: how many prompts a session needed until something known before was put in front of it. Cross-domain
//! surfacing: how often something from another area came up, and was used. Graduation: how many accepted lines held.

use std::collections::{BTreeMap, BTreeSet};

use throughline_core::row::Injection;
use throughline_core::{
    Change, Memory, MemoryId, Pending, Row, RowKey, SessionId, SpaceId, State, Timestamp, Usage,
};
use throughline_store::{LogQuery, Reader};

use crate::flows::Checking;
use crate::graduate::Proposal;
use crate::today::first_of;
use crate::{Context, Result, TOLD_DAYS, Telling, Tellings};

/// Batches of the log that are read at a time.
const PAGE: usize = 256;
/// Days after which an accepted line has held.
const HELD_DAYS: f64 = 30.0;
/// Prompts that are counted one by one; more count as one more.
const PROMPTS_MAX: usize = 5;

/// The three figures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metrics {
    /// How soon sessions were back in context.
    pub continuity: Continuity,
    /// What came up from other areas.
    pub cross_domain: CrossDomain,
    /// What became of accepted lines.
    pub graduation: GraduationQuality,
}

/// How soon sessions were back in context: new ones, and those that lost it on the way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Continuity {
    /// Sessions that began where something was known already.
    pub sessions: usize,
    /// Sessions that went on after they had lost their context.
    pub compactions: usize,
    /// How many were told something known after so many prompts: 0, 1, 2, 3, 4, and more.
    pub after_prompts: [usize; PROMPTS_MAX + 1],
    /// How many were never told anything.
    pub never: usize,
}

impl Continuity {
    /// Prompts until something known was there, on average; nothing where nobody was told anything.
    #[expect(clippy::cast_precision_loss, reason = "sessions are few")]
    pub fn mean_prompts(&self) -> Option<f64> {
        let told: usize = self.after_prompts.iter().sum();
        let prompts: usize = self.after_prompts.iter().enumerate().map(|(at, n)| at * n).sum();
        (told > 0).then(|| prompts as f64 / told as f64)
    }

    /// The share that was told within one prompt.
    #[expect(clippy::cast_precision_loss, reason = "sessions are few")]
    pub fn within_one(&self) -> Option<f64> {
        let all: usize = self.after_prompts.iter().sum::<usize>() + self.never;
        let soon = self.after_prompts[0] + self.after_prompts[1];
        (all > 0).then(|| soon as f64 / all as f64)
    }

    fn count(&mut self, prompts: usize) {
        self.after_prompts[prompts.min(PROMPTS_MAX)] += 1;
    }
}

/// What came up from another area than the session was about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CrossDomain {
    /// Memories of another area that were put in front of a session.
    pub surfaced: usize,
    /// Those of them that the session used.
    pub useful: usize,
    /// Days on which there was a session.
    pub days: usize,
    /// For each of the last days, how many were used; the present one last.
    pub by_day: Vec<usize>,
}

impl CrossDomain {
    /// Useful ones a day.
    #[expect(clippy::cast_precision_loss, reason = "days are few")]
    pub fn per_day(&self) -> Option<f64> {
        (self.days > 0).then(|| self.useful as f64 / self.days as f64)
    }
}

/// What became of lines that a person let into a flat file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraduationQuality {
    /// Lines that were proposed.
    pub proposed: usize,
    /// Those that a person accepted.
    pub accepted: usize,
    /// Accepted ones that are thirty days old or were taken back before.
    pub judged: usize,
    /// Those of them that held for thirty days.
    pub held: usize,
}

impl GraduationQuality {
    /// The share that held.
    #[expect(clippy::cast_precision_loss, reason = "lines are few")]
    pub fn share_held(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.held as f64 / self.judged as f64)
    }
}

/// One session as the log tells it.
#[derive(Default)]
struct SessionLog {
    space: Option<SpaceId>,
    began: Option<Timestamp>,
    prompts: Vec<Timestamp>,
    /// What it was told, and when.
    shown: Vec<(Timestamp, Vec<MemoryId>)>,
    /// Its beginnings after the first one: it had lost its context.
    began_again: Vec<Timestamp>,
}

impl SessionLog {
    fn at(&mut self, space: SpaceId, at: Timestamp) {
        self.space = Some(space);
        self.began = Some(self.began.map_or(at, |began| began.min(at)));
    }

    /// Prompts from a moment on until something was shown.
    fn prompts_until_told(&self, from: Timestamp) -> Option<usize> {
        let told = self.shown.iter().filter(|(_, memories)| !memories.is_empty());
        let first = told.map(|(at, _)| *at).filter(|at| *at >= from).min()?;
        Some(self.prompts.iter().filter(|at| **at >= from && **at < first).count())
    }
}

impl Checking<'_> {
    /// The three figures, of what is within reach.
    pub fn metrics(&self, context: &Context) -> Result<Metrics> {
        let now = self.engine.now();
        let since = first_of(now, i64::from(TOLD_DAYS));
        let space = context.project.space();
        let fits = |one: &Telling| one.space == space && one.at >= since;
        let told = Tellings::new(&self.engine.home).read(&fits)?;
        let reader = self.engine.now_reader()?;
        let sessions = sessions_since(&*reader, space, since, &told)?;
        Ok(Metrics {
            continuity: continuity(&*reader, space, &sessions)?,
            cross_domain: cross_domain(&*reader, context, &sessions, now)?,
            graduation: graduation(&*reader, space, now)?,
        })
    }
}

/// What the log and the record of tellings say about sessions.
fn sessions_since(
    reader: &dyn Reader,
    space: SpaceId,
    since: Timestamp,
    told: &[Telling],
) -> Result<BTreeMap<SessionId, SessionLog>> {
    let mut sessions: BTreeMap<SessionId, SessionLog> = BTreeMap::new();
    let spaces = vec![space];
    let mut query = LogQuery { since: Some(since), spaces, limit: PAGE, ..LogQuery::default() };
    loop {
        let page = reader.log(&query)?;
        for change in page.iter().flat_map(|stored| &stored.batch.changes) {
            note_change(&mut sessions, change);
        }
        match page.last() {
            Some(last) if page.len() == PAGE => query.after_seq = last.last_seq,
            _ => break,
        }
    }
    for telling in told {
        let Some(id) = &telling.session else { continue };
        let session = sessions.entry(id.clone()).or_default();
        session.at(telling.space, telling.at);
        session.shown.push((telling.at, telling.memories.clone()));
        if is_start(&telling.event) {
            session.began_again.push(telling.at);
        }
    }
    for session in sessions.values_mut() {
        session.prompts.sort_unstable();
        session.began_again.sort_unstable();
        // The first beginning is that of the session.
        if session.began_again.first() <= session.prompts.first() && !session.began_again.is_empty()
        {
            session.began_again.remove(0);
        }
    }
    Ok(sessions)
}

/// Whether an event is the beginning of a conversation, in a host's words.
fn is_start(event: &str) -> bool {
    event.to_ascii_lowercase().contains("start") && !event.to_ascii_lowercase().contains("agent")
}

fn note_change(sessions: &mut BTreeMap<SessionId, SessionLog>, change: &Change) {
    #[expect(clippy::wildcard_enum_match_arm, reason = "only these speak of sessions")]
    match change {
        Change::Attend(row) => {
            sessions.entry(row.id.clone()).or_default().at(row.space, row.started_at);
        }
        Change::Record(turn) if turn.speaker == "user" => {
            let session = sessions.entry(turn.session.clone()).or_default();
            session.at(turn.space, turn.at);
            session.prompts.push(turn.at);
        }
        Change::Inject(Injection { session: Some(id), space, at, memories, .. }) => {
            let session = sessions.entry(id.clone()).or_default();
            session.at(*space, *at);
            session.shown.push((*at, memories.clone()));
        }
        _ => {}
    }
}

/// How soon sessions were told something, where something was known before they began.
fn continuity(
    reader: &dyn Reader,
    space: SpaceId,
    sessions: &BTreeMap<SessionId, SessionLog>,
) -> Result<Continuity> {
    let first = LogQuery { spaces: vec![space], limit: 1, ..LogQuery::default() };
    let known_since = reader.log(&first)?.first().map(|stored| stored.batch.at);
    let mut found = Continuity::default();
    for session in sessions.values() {
        let (Some(began), Some(known)) = (session.began, known_since) else { continue };
        if session.prompts.is_empty() && session.shown.is_empty() {
            continue;
        }
        // The very first session of a project has nothing to come back to.
        if known < began {
            found.sessions += 1;
            match session.prompts_until_told(began) {
                Some(prompts) => found.count(prompts),
                None => found.never += 1,
            }
        }
        for again in &session.began_again {
            found.compactions += 1;
            match session.prompts_until_told(*again) {
                Some(prompts) => found.count(prompts),
                None => found.never += 1,
            }
        }
    }
    Ok(found)
}

/// What came up from another area than most of what a session was shown.
fn cross_domain(
    reader: &dyn Reader,
    context: &Context,
    sessions: &BTreeMap<SessionId, SessionLog>,
    now: Timestamp,
) -> Result<CrossDomain> {
    let today = now.day();
    let days = i64::from(TOLD_DAYS);
    let mut found = CrossDomain { by_day: vec![0; TOLD_DAYS as usize], ..CrossDomain::default() };
    let mut worked: BTreeSet<i64> = BTreeSet::new();
    for (id, session) in sessions {
        let Some(began) = session.began else { continue };
        worked.insert(began.day());
        let shown: BTreeSet<MemoryId> =
            session.shown.iter().flat_map(|(_, memories)| memories.iter().copied()).collect();
        let memories = read_memories(reader, context, &shown)?;
        let areas: Vec<(String, &Memory)> =
            memories.iter().map(|(memory, _)| (area_of(memory), memory)).collect();
        let Some(main) = most_frequent(areas.iter().map(|(area, _)| area.as_str())) else {
            continue;
        };
        for (area, memory) in &areas {
            if area == main {
                continue;
            }
            found.surfaced += 1;
            let usage =
                memories.iter().find(|(one, _)| one.id == memory.id).map(|(_, usage)| usage);
            if usage.is_some_and(|usage| usage.sessions.contains(id)) {
                found.useful += 1;
                let ago = today - began.day();
                if (0..days).contains(&ago)
                    && let Ok(at) = usize::try_from(days - 1 - ago)
                {
                    found.by_day[at] += 1;
                }
            }
        }
    }
    found.days = worked.len();
    Ok(found)
}

/// Memories within reach, with how they were used.
fn read_memories(
    reader: &dyn Reader,
    context: &Context,
    ids: &BTreeSet<MemoryId>,
) -> Result<Vec<(Memory, Usage)>> {
    let spaces = context.reach().spaces;
    let wanted: Vec<(SpaceId, MemoryId)> =
        spaces.iter().flat_map(|space| ids.iter().map(|id| (*space, *id))).collect();
    let keys: Vec<RowKey> = wanted.iter().map(|(space, id)| RowKey::memory(*space, *id)).collect();
    let counters: Vec<RowKey> =
        wanted.iter().map(|(space, id)| RowKey::usage(*space, *id)).collect();
    let rows = reader.rows(&keys)?.into_iter().zip(reader.rows(&counters)?);
    let memories = rows.filter_map(|(row, counted)| {
        let memory = row?.into_memory()?;
        let usage = match counted {
            Some(Row::Usage(usage)) => usage,
            _ => Usage::none(memory.space, memory.id),
        };
        Some((memory, usage))
    });
    Ok(memories.collect())
}

/// The area that a memory belongs to: its domain, or whether it holds everywhere.
fn area_of(memory: &Memory) -> String {
    match &memory.domain {
        Some(domain) => domain.clone(),
        None if memory.space == SpaceId::GLOBAL => "global".to_owned(),
        None => String::new(),
    }
}

/// What comes most often; of equals, the first by name.
fn most_frequent<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(name, _)| name)
}

/// What became of lines that were proposed and accepted.
fn graduation(reader: &dyn Reader, space: SpaceId, now: Timestamp) -> Result<GraduationQuality> {
    let lines = reader.deferred(space)?;
    let about = |one: &Pending| Proposal::read(one).and_then(|one| one.for_file());
    let proposed: BTreeSet<MemoryId> = lines.iter().filter_map(about).collect();
    let keys: Vec<RowKey> = proposed.iter().map(|id| RowKey::memory(space, *id)).collect();
    let mut found = GraduationQuality { proposed: proposed.len(), ..GraduationQuality::default() };
    for memory in reader.rows(&keys)?.into_iter().flatten().filter_map(Row::into_memory) {
        let Some(accepted) = memory.graduated_at else { continue };
        found.accepted += 1;
        let ended = memory.since.filter(|_| !memory.state.is_active());
        let lasted = ended.unwrap_or(now).days_since(accepted);
        if lasted >= HELD_DAYS {
            found.judged += 1;
            found.held += 1;
        } else if ended.is_some() && memory.state != State::Expired {
            found.judged += 1;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    #[test]
    fn a_session_that_is_told_at_its_start_needs_no_prompt() {
        let memory = MemoryId(uuid::Uuid::from_u128(7));
        let session = SessionLog {
            began: Some(at(0)),
            prompts: vec![at(1), at(5), at(9)],
            shown: vec![(at(0), vec![memory]), (at(9), vec![memory])],
            ..SessionLog::default()
        };
        assert_eq!(session.prompts_until_told(at(0)), Some(0));
        assert_eq!(session.prompts_until_told(at(2)), Some(1), "the second prompt came before");
        assert_eq!(session.prompts_until_told(at(10)), None);
    }

    #[test]
    fn figures_without_sessions_say_nothing() {
        let none = Metrics::default();
        assert_eq!(none.continuity.mean_prompts(), None);
        assert_eq!(none.continuity.within_one(), None);
        assert_eq!(none.cross_domain.per_day(), None);
        assert_eq!(none.graduation.share_held(), None);
    }

    #[test]
    fn the_area_of_a_session_is_what_most_of_it_belongs_to() {
        assert_eq!(most_frequent(["a", "b", "b"].into_iter()), Some("b"));
        assert_eq!(most_frequent(["b", "a"].into_iter()), Some("a"), "of equals the first by name");
        assert_eq!(most_frequent(std::iter::empty()), None);
    }
}
