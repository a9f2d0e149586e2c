//! A memory: one claim, with what is needed to judge it.

use serde::{Deserialize, Serialize};

use crate::row::Extra;
use crate::{Authority, Fingerprint, MemoryId, Scope, SessionId, SpaceId, State, Timestamp, text};

closed_set! {
    /// What sort of claim it is.
    pub enum Kind ("kind") {
        /// How things are.
        Fact = "fact",
        /// How the user likes it.
        Preference = "preference",
        /// A rule that holds throughout.
        Principle = "principle",
        /// What was chosen, and why.
        Decision = "decision",
        /// Something promised.
        Commitment = "commitment",
        /// How to do something.
        Procedure = "procedure",
        /// What failed, and the cause.
        Negative = "negative",
        /// What was believed wrongly, and what is right.
        Correction = "correction",
        /// Something that happened.
        Event = "event",
        /// What we learnt from an error of our own.
        Lesson = "lesson",
        /// Something we were asked and did not know.
        Gap = "gap",
    }
}

closed_set! {
    /// The six layers, by rate of change and purpose. Derived, never stored.
    pub enum Layer ("layer") {
        /// Slow foundations.
        Invariant = "A",
        /// The state of play.
        Working = "B",
        /// Dated events.
        Episodic = "C",
        /// Decisions and their reasons.
        Decision = "D",
        /// What failed.
        Negative = "E",
        /// Our own errors.
        Lesson = "F",
    }
}

closed_set! {
    /// Whether a slot holds one value or several.
    pub enum Cardinality ("cardinality") {
        /// A new value replaces the old one.
        One = "one",
        /// Values stand side by side.
        Many = "many",
    }
}

impl Kind {
    /// Whether a claim of this kind may give way to another value of the same thing. What failed, what
    /// happened, what was learnt and what is not known stand beside each other.
    pub fn can_be_replaced(self) -> bool {
        match self {
            Self::Fact
            | Self::Preference
            | Self::Principle
            | Self::Decision
            | Self::Commitment
            | Self::Procedure
            | Self::Correction => true,
            Self::Negative | Self::Event | Self::Lesson | Self::Gap => false,
        }
    }

    /// The layer a memory of this kind belongs to.
    pub fn layer(self, pinned: bool) -> Layer {
        match self {
            Self::Principle => Layer::Invariant,
            Self::Preference if pinned => Layer::Invariant,
            Self::Preference | Self::Fact | Self::Commitment | Self::Procedure => Layer::Working,
            Self::Event | Self::Gap => Layer::Episodic,
            Self::Decision => Layer::Decision,
            Self::Negative => Layer::Negative,
            Self::Correction | Self::Lesson => Layer::Lesson,
        }
    }

    /// How much a memory of this kind matters before anything else is known, in 0.3..=1.
    pub fn importance(self) -> f64 {
        match self {
            Self::Correction | Self::Principle => 0.9,
            Self::Decision | Self::Negative | Self::Lesson => 0.8,
            Self::Preference | Self::Procedure | Self::Commitment => 0.7,
            Self::Fact => 0.5,
            Self::Event => 0.4,
            Self::Gap => 0.3,
        }
    }
}

/// Subject, predicate and value of a claim that has them: "staging | runs | Postgres 16".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// What it is about.
    pub subject: String,
    /// Which property or relation.
    pub predicate: String,
    /// The value.
    pub object: String,
    /// One value, or several side by side.
    pub cardinality: Cardinality,
}

impl Slot {
    /// Reads `subject|predicate|object` with an optional `|one` or `|many`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split('|').map(str::trim).collect();
        let (&[subject, predicate, object], rest) = parts
            .split_first_chunk::<3>()
            .ok_or_else(|| format!("slot \"{text}\" has fewer than three parts"))?;
        let cardinality = match rest {
            [] => Cardinality::Many,
            [one] => one.parse()?,
            _ => return Err(format!("slot \"{text}\" has more than four parts")),
        };
        if [subject, predicate, object].iter().any(|part| text::normalise(part).is_empty()) {
            return Err(format!("slot \"{text}\" has an empty part"));
        }
        Ok(Self {
            subject: subject.to_owned(),
            predicate: predicate.to_owned(),
            object: object.to_owned(),
            cardinality,
        })
    }

    /// What two claims must share to be about the same thing.
    pub fn key(&self) -> String {
        let part = |text: &str| text::normalise(text).replace('\\', "\\\\").replace('|', "\\|");
        format!("{}|{}", part(&self.subject), part(&self.predicate))
    }

    /// The value in comparable form.
    pub fn value(&self) -> String {
        text::normalise(&self.object)
    }
}

/// One claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Its name.
    pub id: MemoryId,
    /// The wall it lives behind.
    pub space: SpaceId,
    /// Set when it holds only within one session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// What sort of claim.
    pub kind: Kind,
    /// The claim in words.
    pub content: String,
    /// The claim in comparable form; always [`Fingerprint::of`] the content.
    pub fingerprint: Fingerprint,
    /// A short title, when somebody gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The area it belongs to: relationship, project, technical, personal or a word of the user's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// How much it matters, in 0..=1.
    pub importance: f64,
    /// Its structured form, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Slot>,
    /// The best source behind it.
    pub authority: Authority,
    /// How sure the extractor was, in 0..=1. Not trust.
    pub confidence: f64,
    /// Where it stands.
    pub state: State,
    /// The state to return to when it comes back from being put away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<State>,
    /// Since when it has been out of view. Nothing said before that brings it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// True from, in the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// True until, in the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// When we learnt it.
    pub recorded_at: Timestamp,
    /// When somebody last checked it. Reading is not checking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_verified_at: Option<Timestamp>,
    /// What it names that could not be found when it came in: to be checked before it is believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unresolved: Option<String>,
    /// What took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MemoryId>,
    /// Kept in front on purpose.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Kept in the cold tier: its vector is left out of the scan that a prompt makes, its words are not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cold: bool,
    /// When a person let it into a flat memory file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graduated_at: Option<Timestamp>,
    /// When what was promised was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Timestamp>,
    /// What an agent said that it answers, where its own words do not tell what they speak of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    /// Patterns that bring it up: commands, file names, calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<String>,
    /// Of a command that failed: the later sessions in which it worked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worked_in: Vec<SessionId>,
    /// What another version of this program wrote here and this one does not know: kept as it is.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Memory {
    /// A new claim on probation or confirmed, as its source allows, with everything else at its default.
    pub fn new(
        id: MemoryId,
        scope: &Scope,
        kind: Kind,
        content: &str,
        authority: Authority,
        at: Timestamp,
    ) -> Self {
        Self {
            id,
            space: scope.space,
            session: scope.session.clone(),
            kind,
            content: content.to_owned(),
            fingerprint: Fingerprint::of(content),
            label: None,
            domain: None,
            importance: kind.importance(),
            slot: None,
            authority,
            confidence: 1.0,
            state: if authority.is_user() { State::Confirmed } else { State::Staged },
            previous: None,
            since: None,
            valid_from: None,
            valid_until: None,
            recorded_at: at,
            last_verified_at: None,
            unresolved: None,
            superseded_by: None,
            pinned: false,
            cold: false,
            graduated_at: None,
            done_at: None,
            answers: None,
            triggers: Vec::new(),
            worked_in: Vec::new(),
            extra: Extra::new(),
        }
    }

    /// Whether it holds only from a time on that lies ahead.
    pub fn begins_after(&self, now: Timestamp) -> bool {
        self.valid_from.is_some_and(|from| from > now)
    }

    /// Whether it was said ahead, and holds by now.
    pub fn has_begun(&self, now: Timestamp) -> bool {
        self.valid_from.is_some_and(|from| self.recorded_at < from && from <= now)
    }

    /// A failure after its command worked in a later session. `None` where that is known, or enough is.
    pub fn after_working(&self, session: &SessionId) -> Option<Self> {
        if self.is_outlived() || self.worked_in.contains(session) {
            return None;
        }
        let mut next = self.clone();
        next.worked_in.push(session.clone());
        Some(next)
    }

    /// A failure after its command failed once more: what worked before says nothing now.
    pub fn after_failing(&self) -> Option<Self> {
        let worked_in = Vec::new();
        (!self.worked_in.is_empty()).then(|| Self { worked_in, ..self.clone() })
    }

    /// Whether a failure is over: its command worked in enough later sessions. Nobody is warned of it any more, and
    /// whoever asks still finds it.
    pub fn is_outlived(&self) -> bool {
        const SESSIONS: usize = 2;
        self.worked_in.len() >= SESSIONS
    }

    /// Until when it held: as somebody said, or until something took its place.
    pub fn held_until(&self) -> Option<Timestamp> {
        let replaced_at = self.since.filter(|_| self.state == State::Superseded);
        self.valid_until.or(replaced_at)
    }

    /// Which layer it belongs to.
    pub fn layer(&self) -> Layer {
        self.kind.layer(self.pinned)
    }

    /// The given label, or the beginning of the content. The label of a line of a file is the heading above it, which
    /// it shares with others.
    pub fn title(&self) -> String {
        let own = self.label.as_ref().filter(|_| self.authority != Authority::File);
        own.cloned().unwrap_or_else(|| text::headline(&self.content, 60))
    }

    /// The key of its slot, if it has one.
    pub fn slot_key(&self) -> Option<String> {
        self.slot.as_ref().map(Slot::key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_read_from_three_or_four_parts() {
        let slot = Slot::parse("staging | runs | Postgres 16 | one").unwrap();
        assert_eq!(slot.key(), "staging|runs");
        assert_eq!(slot.value(), "postgres 16");
        assert_eq!(slot.cardinality, Cardinality::One);
        assert_eq!(Slot::parse("a|b|c").unwrap().cardinality, Cardinality::Many);
        for bad in ["", "a", "a|b", "a||c", "a|b|c|two", "a|b|c|one|d", " | | "] {
            assert!(Slot::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_preference_becomes_an_invariant_when_pinned() {
        assert_eq!(Kind::Preference.layer(false), Layer::Working);
        assert_eq!(Kind::Preference.layer(true), Layer::Invariant);
        assert_eq!(Kind::Fact.layer(true), Layer::Working);
    }

    #[test]
    fn what_must_not_be_forgotten_matters_most() {
        for kind in [Kind::Correction, Kind::Decision, Kind::Negative, Kind::Principle] {
            assert!(kind.importance() >= 0.8, "{kind}");
        }
        for kind in Kind::ALL {
            assert!((0.3..=1.0).contains(&kind.importance()), "{kind}");
        }
    }
}
