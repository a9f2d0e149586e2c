//! What waits for a person, and what a check showed.

use serde::Serialize;
use throughline_core::Watermark;
use throughline_engine::{Card, Graduation, Review, Showed, ToCheck, Undecided, Verified, Woken};
use utoipa::ToSchema;

use crate::memory::WireMemory;

/// What a look at everything that memories are tied to showed.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireVerify {
    pub checked: usize,
    pub unchanged: usize,
    pub moved: Vec<WireBinding>,
    pub missing: Vec<WireBinding>,
    pub unknown: Vec<WireBinding>,
    pub queue: Vec<WireToCheck>,
    /// What is tied to nothing observable and has not been confirmed for long.
    pub reconfirm: Vec<WireMemory>,
}

/// A tie to something that changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireBinding {
    pub memory: String,
    pub target: String,
    pub then: String,
    pub now: String,
}

/// A memory to check, as `review` shows it too.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireToCheck {
    pub memory: WireMemory,
    pub then: String,
    pub now: String,
    pub message: String,
}

/// What a check of one memory came to.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireVerified {
    pub memory: WireMemory,
    pub outcome: &'static str,
    /// Only a person takes back what a person said: it waits in `review`.
    pub waits: bool,
    pub lesson: Option<String>,
}

impl From<&Watermark> for WireBinding {
    fn from(mark: &Watermark) -> Self {
        Self {
            memory: mark.memory.to_string(),
            target: mark.referent.to_string(),
            then: mark.then.clone(),
            now: mark.now.clone(),
        }
    }
}

impl From<&ToCheck> for WireToCheck {
    fn from(one: &ToCheck) -> Self {
        Self {
            memory: (&one.card).into(),
            then: one.then.clone(),
            now: one.now.clone(),
            message: one.message.clone(),
        }
    }
}

/// What waits for a person.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireReview {
    pub verify: Vec<WireToCheck>,
    pub contested: Vec<WirePair>,
    /// Memories with later words (`later`) that may bear on them.
    pub questioned: Vec<WireMemory>,
    pub graduation: Vec<WireGraduation>,
    /// What should be confirmed again.
    pub reconfirm: Vec<WireMemory>,
    pub pending: Vec<WirePending>,
    pub gaps: Vec<WireMemory>,
    pub decided: Option<WireDecided>,
}

/// Two memories that contradict each other.
#[derive(Debug, Serialize, ToSchema)]
pub struct WirePair {
    pub a: WireMemory,
    pub b: WireMemory,
}

/// A line that is proposed for a file, or for leaving one.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireGraduation {
    pub id: String,
    pub memory: WireMemory,
    pub file: String,
    pub diff: String,
    pub takes_out: bool,
    /// A model worded the line; the memory keeps its own words.
    pub worded: bool,
    pub why: String,
    /// What keeps it from being accepted as it stands.
    pub stuck: Option<String>,
}

impl From<&Graduation> for WireGraduation {
    fn from(one: &Graduation) -> Self {
        Self {
            id: one.id.to_string(),
            memory: (&one.card).into(),
            file: one.file.clone(),
            diff: one.diff.clone(),
            takes_out: one.takes_out,
            worded: one.worded,
            why: one.why.clone(),
            stuck: one.stuck.clone(),
        }
    }
}

/// A change that waits for a person.
#[derive(Debug, Serialize, ToSchema)]
pub struct WirePending {
    pub id: String,
    pub at: String,
    pub session: Option<String>,
    pub why: String,
    /// What it would do, in words.
    pub says: String,
    /// What keeps `--accept` from working as it stands.
    pub stuck: Option<String>,
    pub operation: String,
    pub authority: &'static str,
}

/// What this call decided; the lists show what is left.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireDecided {
    pub ids: Vec<String>,
    pub ruling: &'static str,
}

impl WireReview {
    /// What waits, and what was just decided.
    pub fn new(review: &Review, decided: Option<WireDecided>) -> Self {
        let pair = |(a, b): &(Card, Card)| WirePair { a: a.into(), b: b.into() };
        Self {
            verify: review.to_check.iter().map(WireToCheck::from).collect(),
            contested: review.contested.iter().map(pair).collect(),
            questioned: review.questioned.iter().map(WireMemory::from).collect(),
            graduation: review.graduation.iter().map(WireGraduation::from).collect(),
            reconfirm: review.reconfirm.iter().map(WireMemory::from).collect(),
            pending: review.pending.iter().map(WirePending::from).collect(),
            gaps: review.gaps.iter().map(WireMemory::from).collect(),
            decided,
        }
    }
}

impl From<&Undecided> for WirePending {
    fn from(waiting: &Undecided) -> Self {
        let pending = &waiting.pending;
        Self {
            says: waiting.says.clone(),
            stuck: waiting.stuck.as_ref().map(|stuck| stuck.why.clone()),
            id: pending.id.to_string(),
            at: pending.at.to_string(),
            session: pending.session.as_ref().map(ToString::to_string),
            why: pending.why.clone(),
            operation: pending.operation.clone(),
            authority: pending.authority.as_str(),
        }
    }
}

impl WireVerify {
    /// What a look showed, and what is to be checked.
    pub fn new(woken: &Woken, queue: &[ToCheck], old: &[Card]) -> Self {
        let bindings = |marks: &[Watermark]| marks.iter().map(WireBinding::from).collect();
        Self {
            checked: woken.checked,
            unchanged: woken.unchanged,
            moved: bindings(&woken.moved),
            missing: bindings(&woken.missing),
            unknown: bindings(&woken.unknown),
            queue: queue.iter().map(WireToCheck::from).collect(),
            reconfirm: old.iter().map(WireMemory::from).collect(),
        }
    }
}

impl WireVerified {
    /// What a check of one memory came to.
    pub fn new(showed: Showed, verified: &Verified) -> Self {
        Self {
            memory: (&verified.card).into(),
            outcome: match showed {
                Showed::Confirmed => "confirmed",
                Showed::Refuted => "refuted",
            },
            waits: verified.waits,
            lesson: verified.lesson.map(|id| id.to_string()),
        }
    }
}
