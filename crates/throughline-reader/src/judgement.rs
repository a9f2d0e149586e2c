//! What the reader answers with: pieces of a turn, and relations, each with probabilities.

use std::fmt;
use std::ops::Range;

/// A closed set in the order of the outputs of its head, with a name for each.
macro_rules! outputs {
    ($(#[$about:meta])* $set:ident { $($(#[$what:meta])* $one:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $set {
            $($(#[$what])* $one,)+
        }

        impl $set {
            /// All of them, in the order of the probabilities.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$one),+];

            /// Its name in files and messages.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$one => $name,)+
                }
            }
        }

        impl fmt::Display for $set {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.name())
            }
        }
    };
}

outputs! {
    /// Whose words a turn is.
    Speaker {
        /// The person.
        User = "user",
        /// An agent.
        Agent = "agent",
        /// The output of a tool.
        Tool = "tool",
    }
}

outputs! {
    /// What a piece does in its turn.
    Role {
        /// Asks for work.
        Request = "request",
        /// Asks for an answer.
        Question = "question",
        /// Thanks, greetings, thinking aloud.
        Chatter = "chatter",
        /// Says what was done or seen.
        Report = "report",
        /// Code, a log, or another text that was put in.
        Paste = "paste",
        /// States how something is.
        Fact = "fact",
        /// Settles how something will be.
        Decision = "decision",
        /// Says what somebody likes better.
        Preference = "preference",
        /// Says what always or never is to be done.
        Rule = "rule",
        /// Says what did not work.
        Failure = "failure",
        /// Says how something is done, in steps.
        Procedure = "procedure",
        /// Promises to do something.
        Commitment = "commitment",
        /// Says that something is different from now on.
        Change = "change",
        /// Takes something back.
        Withdrawal = "withdrawal",
        /// Agrees to what was said before.
        Confirm = "confirm",
    }
}

outputs! {
    /// Why a piece is not to be taken at its word.
    Guard {
        /// Nothing speaks against it.
        None = "none",
        /// It is said of a case that is not.
        Hypothetical = "hypothetical",
        /// Somebody's words are repeated.
        Quoted = "quoted",
        /// It is about somebody else's.
        ThirdParty = "third_party",
        /// It holds in another environment only.
        OtherEnv = "other_env",
        /// It was so, and is no longer.
        Past = "past",
        /// It means the opposite.
        Sarcasm = "sarcasm",
        /// The speaker is not sure.
        Uncertain = "uncertain",
        /// It holds for a short while.
        Temporary = "temporary",
    }
}

outputs! {
    /// What a message does to a memory.
    Relation {
        /// Another value takes its place.
        Replaces = "replaces",
        /// It is taken back.
        Withdraws = "withdraws",
        /// It is said again.
        Same = "same",
        /// Something is added to it.
        Refines = "refines",
        /// The message is about something else.
        Other = "other",
        /// It cannot be told.
        Unclear = "unclear",
    }
}

/// A part of a turn that says one thing. Probabilities are from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The bytes of the turn it is, without white space around them.
    pub range: Range<usize>,
    /// The probability that it holds beyond the conversation.
    pub lasting: f32,
    /// The probability of each role, in the order of [`Role::ALL`]; together one.
    pub roles: [f32; Role::ALL.len()],
    /// The probability of each guard, in the order of [`Guard::ALL`]; together one.
    pub guards: [f32; Guard::ALL.len()],
}

impl Piece {
    /// The likeliest role.
    pub fn role(&self) -> Role {
        Role::ALL[likeliest(&self.roles)]
    }

    /// The probability of one role.
    pub fn role_share(&self, role: Role) -> f32 {
        self.roles[role as usize]
    }

    /// The likeliest guard.
    pub fn guard(&self) -> Guard {
        Guard::ALL[likeliest(&self.guards)]
    }

    /// The probability of one guard.
    pub fn guard_share(&self, guard: Guard) -> f32 {
        self.guards[guard as usize]
    }
}

/// What a message does to a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The probability of each relation, in the order of [`Relation::ALL`]; together one.
    pub relations: [f32; Relation::ALL.len()],
}

impl Judged {
    /// The likeliest relation.
    pub fn likeliest(&self) -> Relation {
        Relation::ALL[likeliest(&self.relations)]
    }

    /// The probability of one relation.
    pub fn share(&self, relation: Relation) -> f32 {
        self.relations[relation as usize]
    }

    /// The probability that the memory does not stand after the message.
    pub fn touches(&self) -> f32 {
        self.share(Relation::Replaces) + self.share(Relation::Withdraws)
    }
}

/// Where the largest share is; of equal ones the first.
fn likeliest(shares: &[f32]) -> usize {
    let mut best = 0;
    for (at, share) in shares.iter().enumerate() {
        if *share > shares[best] {
            best = at;
        }
    }
    best
}
