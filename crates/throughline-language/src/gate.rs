//! The gate: whether a turn is worth probing now, later, or not by itself.
//!
//! It limits what probing costs, never what is captured: every turn is already in the journal.
//! Rules over words, without a model; bounded in time for any text and in memory for any session.

mod cue;
mod phrase;
#[cfg(test)]
mod tests;
mod topic;
mod truth;
mod watch;

use crate::Turn;
use std::ops::Range;
use throughline_core::Speaker;

use crate::{probe, speech};
use throughline_core::{Timestamp, text};

pub use watch::Watch;

/// How eagerly turns are probed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GatePolicy {
    /// Prompts and answers after which a probe is due whatever was said.
    pub dead_man_turns: u32,
    /// Waiting turns that are probed together.
    pub batch_turns: u32,
    /// Minutes that a turn may wait.
    pub batch_minutes: f64,
    /// Waiting turns that are probed when the topic changes.
    pub topic_turns: u32,
    /// Share of a prompt's telling terms said lately, below which the topic has changed.
    pub topic_overlap: f64,
    /// Telling terms that a prompt must have to be able to change the topic.
    pub topic_terms: usize,
    /// Names in a prompt that were never met in the session, from which it brings something new.
    pub names_in_prompt: usize,
    /// The same for an answer, which names files and functions as a matter of course.
    pub names_in_answer: usize,
    /// Turns for which "all tests pass" is what the assistant just claimed.
    pub claim_turns: u64,
}

impl Default for GatePolicy {
    fn default() -> Self {
        Self {
            dead_man_turns: 8,
            batch_turns: 5,
            batch_minutes: 15.0,
            topic_turns: 4,
            topic_overlap: 0.3,
            topic_terms: 6,
            names_in_prompt: 1,
            names_in_answer: 8,
            claim_turns: 2,
        }
    }
}

throughline_core::closed_set! {
    /// What makes a turn worth a probe.
    pub enum Signal ("signal") {
        /// Names that the session has not met.
        NewEntity = "new_entity",
        /// Other ground, or another topic.
        DomainShift = "domain_shift",
        /// Something is decided, or has changed.
        Decision = "decision",
        /// Something is put right.
        Correction = "correction",
        /// How things are wanted.
        Preference = "preference",
        /// A tool found that something is not as meant or claimed.
        GroundTruth = "ground_truth",
        /// Somebody takes something on.
        Commitment = "commitment",
        /// Nothing was probed for too long.
        Silence = "silence",
    }
}

throughline_core::closed_set! {
    /// The ground that a conversation is on.
    pub enum Domain ("domain") {
        /// People and what is between them.
        Relationship = "relationship",
        /// Work as an undertaking: plans, dates, customers.
        Project = "project",
        /// How things are built.
        Technical = "technical",
        /// The speaker's own life.
        Personal = "personal",
    }
}

/// How much a signal weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// It can wait for others.
    Medium,
    /// It is probed at once.
    High,
}

/// A signal found in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fired {
    /// Which.
    pub signal: Signal,
    /// How much it weighs.
    pub strength: Strength,
    /// The words it was found in; shortened.
    pub words: String,
}

throughline_core::closed_set! {
    /// Why a probe is due.
    pub enum Due ("reason") {
        /// Something weighs enough by itself.
        Strong = "strong",
        /// Enough turns wait.
        Batch = "batch",
        /// The topic changed while turns wait.
        Topic = "topic",
        /// One has waited long enough.
        Minutes = "minutes",
        /// Nothing was probed for too many turns.
        Silence = "silence",
    }
}

/// When to probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeWhen {
    /// Now, and why.
    Now(Due),
    /// Not yet; with what waits, or not at all.
    Wait,
}

/// What the gate makes of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateVerdict {
    /// What was found, each signal once.
    pub fired: Vec<Fired>,
    /// When to probe.
    pub probe: ProbeWhen,
    /// A prompt speaks of other things than were spoken of lately.
    pub topic_changed: bool,
}

/// Why everything that waits is wanted at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// The topic changed, as somebody else sees it.
    TopicChange,
    /// The context is about to be made shorter.
    Compacting,
    /// The session ends.
    Ending,
}

/// Judges one turn: what fires, when to probe, and what to remember for the next one.
///
/// Whoever then probes says so with [`probed`]; until then a due probe stays due.
pub fn judge(watch: &Watch, turn: &Turn<'_>, policy: &GatePolicy) -> (GateVerdict, Watch) {
    let mut next = watch.clone();
    let mut fired = Vec::new();
    let mut moved = Moved::default();
    match turn.speaker {
        Speaker::Tool => found_by_tool(&next, turn, policy, &mut fired),
        Speaker::User | Speaker::Assistant => {
            next.turns = next.turns.saturating_add(1);
            next.silent_turns = next.silent_turns.saturating_add(1);
            next.tools_wait = false;
            listen(&mut next, turn, &mut fired);
            moved = place(&mut next, turn, policy, &mut fired);
        }
    }
    note(&mut next, turn, !fired.is_empty());
    let due = due(&next, turn.at, &fired, moved.ground || moved.topic, policy);
    if due == Some(Due::Silence) {
        let words = format!("{} turns", next.silent_turns);
        fire(&mut fired, Signal::Silence, Strength::Medium, words);
    }
    fired.sort_by_key(|one| one.signal);
    next.due = next.due.into_iter().chain(due).min();
    let probe = next.due.map_or(ProbeWhen::Wait, ProbeWhen::Now);
    (GateVerdict { fired, probe, topic_changed: moved.topic }, next)
}

/// The names that a turn brings, as they are compared: whoever keeps names can say which of them are known.
pub fn names_of(turn: &Turn<'_>) -> Vec<String> {
    let about = topic::about(turn.speaker, turn.text, turn.at);
    about.names.into_iter().map(|(name, _)| name).collect()
}

/// Notes names that are known from elsewhere: they are nothing new to the session.
pub fn know(watch: &mut Watch, names: &[String]) {
    watch.meet(names.iter().map(|name| watch::hash(&name.to_lowercase())));
}

/// Whether something waits that should be probed before it is too late. No session of any length
/// ends, or is made shorter, without ever having been probed.
pub fn flush(watch: &Watch, why: Flush) -> bool {
    let never_probed = watch.probes == 0 && watch.turns > 1;
    match why {
        Flush::TopicChange => watch.waiting > 0,
        Flush::Compacting | Flush::Ending => watch.waiting > 0 || never_probed,
    }
}

/// What to remember after a probe.
pub fn probed(mut watch: Watch, at: Timestamp) -> Watch {
    watch.probes = watch.probes.saturating_add(1);
    watch.silent_turns = 0;
    watch.waiting = 0;
    watch.waiting_since = None;
    watch.due = None;
    watch.tools_wait = false;
    watch.probed_at = Some(at);
    watch
}

/// What is said in the speaker's own words.
fn listen(watch: &mut Watch, turn: &Turn<'_>, fired: &mut Vec<Fired>) {
    let mut claiming = CLAIMING_SENTENCES_MAX;
    for part in parts(turn.text) {
        let sentences = match turn.speaker {
            Speaker::User => speech::own_sentences(turn.text, part),
            Speaker::Assistant | Speaker::Tool => speech::sentences(&turn.text[part]),
        };
        for (at, sentence) in sentences.iter().enumerate() {
            for (signal, strength) in
                cue::signals_of(turn.speaker, *sentence, sentences.get(at + 1).copied())
            {
                fire(fired, signal, strength, text::headline(sentence.text, WORDS_CHARS_MAX));
            }
            if turn.speaker == Speaker::User {
                let words = || text::headline(sentence.text, WORDS_CHARS_MAX);
                if probe::is_asked(sentence.text) {
                    fire(fired, Signal::Preference, Strength::High, words());
                } else if probe::forgets(sentence.text).is_some() {
                    fire(fired, Signal::Correction, Strength::High, words());
                }
            }
            if sentence.guard.is_none() {
                let claims = if claiming > 0 { truth::claims(sentence.text) } else { Vec::new() };
                claiming -= usize::from(!claims.is_empty());
                watch.claim(claims);
            }
            if turn.speaker == Speaker::Assistant && cue::claims_success(*sentence) {
                let checks = truth::Checks::named_in(&[sentence.text]);
                watch.success_claimed = Some((watch.turns, checks));
            }
        }
    }
}

/// Sentences of one turn whose numbers are remembered.
const CLAIMING_SENTENCES_MAX: usize = 8;

/// Whether a turn is on other ground than the one before, and about another topic.
#[derive(Default)]
struct Moved {
    ground: bool,
    topic: bool,
}

/// Which names, ground and topic the turn is about; whether these changed.
fn place(watch: &mut Watch, turn: &Turn<'_>, policy: &GatePolicy, fired: &mut Vec<Fired>) -> Moved {
    let about = topic::about(turn.speaker, turn.text, turn.at);
    let new: Vec<&str> = about
        .names
        .iter()
        .filter(|(_, hash)| !watch.knows(*hash))
        .map(|(name, _)| name.as_str())
        .collect();
    let enough = match turn.speaker {
        Speaker::User => policy.names_in_prompt,
        Speaker::Assistant | Speaker::Tool => policy.names_in_answer,
    };
    if new.len() >= enough.max(1) {
        let words = text::headline(&new.join(", "), WORDS_CHARS_MAX);
        fire(fired, Signal::NewEntity, Strength::Medium, words);
    }
    watch.meet(about.names.iter().map(|(_, hash)| *hash));

    let known_ground = watch.domain.is_some();
    let shifted = about.domain.is_some_and(|domain| known_ground && Some(domain) != watch.domain);
    let elsewhere = !watch.lately().is_empty()
        && about.terms.len() >= policy.topic_terms
        && topic::overlap(&about.terms, watch.lately()) < policy.topic_overlap;
    if shifted || elsewhere {
        let words = match about.domain.filter(|_| shifted) {
            Some(domain) => domain.to_string(),
            None => {
                text::headline(&turn.text[..turn.text.floor_char_boundary(1024)], WORDS_CHARS_MAX)
            }
        };
        fire(fired, Signal::DomainShift, Strength::Medium, words);
    }
    watch.domain = about.domain.or(watch.domain);
    watch.say(about.terms);
    Moved { ground: shifted, topic: elsewhere }
}

/// What a tool's output says against what was meant or claimed.
fn found_by_tool(watch: &Watch, turn: &Turn<'_>, policy: &GatePolicy, fired: &mut Vec<Fired>) {
    for part in both_ends(turn.text, TOOL_BYTES_MAX) {
        if let Some(line) = truth::failure(turn.run, part) {
            let command = turn.run.and_then(|run| run.call.command.as_deref());
            let checks = truth::Checks::named_in(&[command.unwrap_or(""), &line]);
            let just_claimed = watch.success_claimed.is_some_and(|(claimed_in, claimed)| {
                watch.turns.saturating_sub(claimed_in) < policy.claim_turns && claimed.meets(checks)
            });
            let strength = if just_claimed { Strength::High } else { Strength::Medium };
            fire(fired, Signal::GroundTruth, strength, line);
        }
        if let Some(line) = truth::contradiction(watch.claims(), part) {
            fire(fired, Signal::GroundTruth, Strength::Medium, line);
        }
    }
}

/// Puts a turn that something was found in with those that wait.
fn note(watch: &mut Watch, turn: &Turn<'_>, worthy: bool) {
    if !worthy {
        return;
    }
    // A person's or an agent's turn can run any number of tools: only turns are counted as such.
    if turn.speaker != Speaker::Tool {
        watch.fired = watch.fired.saturating_add(1);
    }
    if turn.speaker != Speaker::Tool || !watch.tools_wait {
        watch.waiting = watch.waiting.saturating_add(1);
    }
    watch.tools_wait |= turn.speaker == Speaker::Tool;
    watch.waiting_since = Some(watch.waiting_since.map_or(turn.at, |since| since.min(turn.at)));
}

/// Why a probe is due with this turn, if it is.
fn due(
    watch: &Watch,
    at: Timestamp,
    fired: &[Fired],
    topic_changed: bool,
    policy: &GatePolicy,
) -> Option<Due> {
    let waited_minutes =
        watch.waiting_since.map_or(0.0, |since| at.days_since(since) * MINUTES_PER_DAY);
    if fired.iter().any(|one| one.strength == Strength::High) {
        Some(Due::Strong)
    } else if watch.waiting >= policy.batch_turns.max(1) {
        Some(Due::Batch)
    } else if topic_changed && watch.waiting >= policy.topic_turns.max(1) {
        Some(Due::Topic)
    } else if watch.waiting > 0 && waited_minutes >= policy.batch_minutes {
        Some(Due::Minutes)
    } else if watch.silent_turns >= policy.dead_man_turns.max(1) {
        Some(Due::Silence)
    } else {
        None
    }
}

const MINUTES_PER_DAY: f64 = 24.0 * 60.0;

/// Adds what fired; a signal met twice keeps the stronger.
fn fire(fired: &mut Vec<Fired>, signal: Signal, strength: Strength, words: String) {
    match fired.iter_mut().find(|one| one.signal == signal) {
        Some(known) if known.strength >= strength => {}
        Some(known) => *known = Fired { signal, strength, words },
        None => fired.push(Fired { signal, strength, words }),
    }
}

const WORDS_CHARS_MAX: usize = 120;
const TOOL_BYTES_MAX: usize = 16 * 1024;
// Taking speech apart costs about a microsecond a byte, and a turn may take two milliseconds.
const HEAD_BYTES_MAX: usize = 768;
const TAIL_BYTES_MAX: usize = 512;

/// The beginning and the end of a turn: people write before and after what they paste.
fn parts(text: &str) -> Vec<Range<usize>> {
    let head = text.floor_char_boundary(HEAD_BYTES_MAX);
    let tail = text.ceil_char_boundary(text.len().saturating_sub(TAIL_BYTES_MAX)).max(head);
    [0..head, tail..text.len()]
        .into_iter()
        .filter(|part| part.start == 0 || !part.is_empty())
        .collect()
}

/// Whether a command line only shows or searches text.
pub fn only_shows(command: &str) -> bool {
    truth::shows(command)
}

/// The beginning and the end of a long text, or the whole of a short one.
fn both_ends(text: &str, bytes_max: usize) -> Vec<&str> {
    if text.len() <= 2 * bytes_max {
        return vec![text];
    }
    let head = text.floor_char_boundary(bytes_max);
    let tail = text.ceil_char_boundary(text.len() - bytes_max);
    vec![&text[..head], &text[tail..]]
}
