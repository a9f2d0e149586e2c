//! Reading: what a trained reader judges of the pieces of a turn, as data.
//!
//! The reader only notices. What is kept of a piece, and as what, is decided by rules about memory.

mod effect;

use std::ops::Range;

pub use effect::{Effect, met};

use crate::Kind;
use crate::meet::Beside;

closed_set! {
    /// What a piece of a turn does.
    pub enum Role ("role") {
        /// Asks the agent to do something now.
        Request = "request",
        /// Asks for an answer.
        Question = "question",
        /// Thanks, greets, reacts.
        Chatter = "chatter",
        /// Tells what just happened, of passing interest.
        Report = "report",
        /// A log, code, a document.
        Paste = "paste",
        /// Says how something is.
        Fact = "fact",
        /// Says what was settled.
        Decision = "decision",
        /// Says how this person likes things done.
        Preference = "preference",
        /// Says what must always or never be done.
        Rule = "rule",
        /// Says what was tried and did not work.
        Failure = "failure",
        /// Says how something is done.
        Procedure = "procedure",
        /// Says what somebody will do.
        Commitment = "commitment",
        /// Gives something known another value.
        Change = "change",
        /// Says that something known no longer holds.
        Withdrawal = "withdrawal",
        /// Says that something known still holds.
        Confirm = "confirm",
    }
}

closed_set! {
    /// Why a piece must not be taken at its word.
    pub enum Caution ("caution") {
        /// Nothing stands against it.
        None = "none",
        /// It supposes.
        Hypothetical = "hypothetical",
        /// Somebody else's words.
        Quoted = "quoted",
        /// It is about another company or project.
        ThirdParty = "third_party",
        /// It holds somewhere else than it seems.
        OtherEnv = "other_env",
        /// It was so, and is no more.
        Past = "past",
        /// The opposite is meant.
        Sarcasm = "sarcasm",
        /// A guess.
        Uncertain = "uncertain",
        /// Only for this task, or for today.
        Temporary = "temporary",
    }
}

closed_set! {
    /// What a later message does to what a memory says.
    pub enum Bearing ("bearing") {
        /// Gives the same thing another value.
        Replaces = "replaces",
        /// Says that it no longer holds.
        Withdraws = "withdraws",
        /// Says the same in other words.
        Same = "same",
        /// Adds to it; both hold.
        Refines = "refines",
        /// Is about something else.
        Other = "other",
        /// May touch it or not.
        Unclear = "unclear",
    }
}

/// A piece of a turn and what the reader makes of it. Shares add up to one.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Its bytes in the turn.
    pub span: Range<usize>,
    /// How likely a careful colleague would write it down for the next session.
    pub lasting: f32,
    /// What it does, in the order of [`Role::ALL`].
    pub roles: [f32; Role::ALL.len()],
    /// What stands against it, in the order of [`Caution::ALL`].
    pub cautions: [f32; Caution::ALL.len()],
}

impl Piece {
    /// What it most likely does.
    pub fn role(&self) -> Role {
        likeliest(Role::ALL, &self.roles)
    }

    /// What most likely stands against it.
    pub fn caution(&self) -> Caution {
        likeliest(Caution::ALL, &self.cautions)
    }

    /// How likely it does this.
    pub fn share(&self, role: Role) -> f32 {
        self.roles[role as usize]
    }

    /// How likely nothing stands against it.
    pub fn plain(&self) -> f32 {
        self.cautions[Caution::None as usize]
    }

    /// How likely it changes or withdraws something known.
    pub fn changes(&self) -> f32 {
        self.share(Role::Change) + self.share(Role::Withdrawal)
    }

    /// Notes that it gives something that is held another value, which its own words did not tell.
    pub fn is_change(&mut self, likely: f32) {
        self.lasting = self.lasting.max(likely);
        self.roles = [0.0; Role::ALL.len()];
        self.roles[Role::Change as usize] = 1.0;
    }

    /// Notes that it does so although it looks like a mere request or report, which may have been meant as
    /// no more than that.
    pub fn presupposes_a_change(&mut self, likely: f32) {
        self.is_change(likely);
        self.cautions = [0.0; Caution::ALL.len()];
        self.cautions[Caution::None as usize] = 0.5;
        self.cautions[Caution::Uncertain as usize] = 0.5;
    }

    /// Notes that by its form it is a rule: it permits something on a condition.
    pub fn is_rule(&mut self, likely: f32) {
        self.lasting = self.lasting.max(likely);
        self.roles = [0.0; Role::ALL.len()];
        self.roles[Role::Rule as usize] = 1.0;
    }

    /// How likely it asks for something, asks, or only talks.
    pub fn passes(&self) -> f32 {
        self.share(Role::Request) + self.share(Role::Question) + self.share(Role::Chatter)
    }

    /// What sort of claim it most likely makes.
    pub fn kind(&self) -> Kind {
        let kinds = Role::ALL.iter().filter_map(|role| Some((self.share(*role), role.kind()?)));
        kinds.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(Kind::Fact, |(_, kind)| kind)
    }
}

impl Role {
    /// Whether such a piece says something that may hold beyond its moment.
    pub fn claims(self) -> bool {
        match self {
            Self::Request | Self::Question | Self::Chatter | Self::Report | Self::Paste => false,
            Self::Fact
            | Self::Decision
            | Self::Preference
            | Self::Rule
            | Self::Failure
            | Self::Procedure
            | Self::Commitment
            | Self::Change
            | Self::Withdrawal
            | Self::Confirm => true,
        }
    }

    /// What such a piece is, in plain words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Request => "a request",
            Self::Question => "a question",
            Self::Chatter => "small talk",
            Self::Report => "a report of the moment",
            Self::Paste => "pasted text",
            Self::Fact => "a fact",
            Self::Decision => "a decision",
            Self::Preference => "a preference",
            Self::Rule => "a rule",
            Self::Failure => "a failure",
            Self::Procedure => "a procedure",
            Self::Commitment => "a commitment",
            Self::Change => "a change",
            Self::Withdrawal => "a withdrawal",
            Self::Confirm => "a confirmation",
        }
    }

    /// The sort of claim that it makes.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Self::Fact | Self::Change | Self::Withdrawal | Self::Confirm => Some(Kind::Fact),
            Self::Decision => Some(Kind::Decision),
            Self::Preference => Some(Kind::Preference),
            Self::Rule => Some(Kind::Principle),
            Self::Failure => Some(Kind::Negative),
            Self::Procedure => Some(Kind::Procedure),
            Self::Commitment => Some(Kind::Commitment),
            Self::Request | Self::Question | Self::Chatter | Self::Report | Self::Paste => None,
        }
    }
}

impl Caution {
    /// What stands against a piece, in plain words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::None => "nothing against it",
            Self::Hypothetical => "hypothetical",
            Self::Quoted => "somebody else's words",
            Self::ThirdParty => "about another company or project",
            Self::OtherEnv => "holds somewhere else",
            Self::Past => "was so, and is no more",
            Self::Sarcasm => "not meant as it is said",
            Self::Uncertain => "a guess",
            Self::Temporary => "only for now",
        }
    }
}

/// How a later message bears on a memory. Shares add up to one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// In the order of [`Bearing::ALL`].
    pub shares: [f32; Bearing::ALL.len()],
}

impl Judged {
    /// It is about something else.
    pub fn other() -> Self {
        let mut shares = [0.0; Bearing::ALL.len()];
        shares[Bearing::Other as usize] = 1.0;
        Self { shares }
    }

    /// How likely it bears on it so.
    pub fn share(&self, bearing: Bearing) -> f32 {
        self.shares[bearing as usize]
    }

    /// How it most likely bears on it.
    pub fn likeliest(&self) -> Bearing {
        likeliest(Bearing::ALL, &self.shares)
    }

    /// The same where the words stand beside the memory by their form. What comes on top is no other value,
    /// but may still be a withdrawal; what is about another one of several alike does nothing to this one.
    pub fn beside(self, why: Beside) -> Self {
        let adds = matches!(why, Beside::Addition | Beside::Exception);
        if !adds {
            return if self.touches() > 0.0 { Self::other() } else { self };
        }
        if self.share(Bearing::Withdraws) > self.share(Bearing::Replaces) {
            return self;
        }
        let mut shares = self.shares;
        shares[Bearing::Refines as usize] += self.touches();
        shares[Bearing::Replaces as usize] = 0.0;
        shares[Bearing::Withdraws as usize] = 0.0;
        Self { shares }
    }

    /// How likely the memory does not hold any more as it stands.
    pub fn touches(&self) -> f32 {
        self.share(Bearing::Replaces) + self.share(Bearing::Withdraws)
    }
}

/// Whether a word is the mark of a list: `-`, `*`, `•`, `3.`, `3)`.
pub fn marks_list(word: &str) -> bool {
    let number = word.strip_suffix(['.', ')']).unwrap_or_default();
    matches!(word, "-" | "*" | "•")
        || (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

fn likeliest<T: Copy>(of: &[T], shares: &[f32]) -> T {
    let best = shares.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    of[best.map_or(0, |(at, _)| at)]
}
