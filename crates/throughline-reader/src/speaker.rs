//! Whose words are read.

use std::fmt;

/// Whose words a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// A person.
    User,
    /// An agent.
    Agent,
    /// The output of a tool.
    Tool,
}

impl Speaker {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::User, Self::Agent, Self::Tool];

    /// The word that stands for it in what the model is given.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::Tool => "tool",
        }
    }
}

impl fmt::Display for Speaker {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
