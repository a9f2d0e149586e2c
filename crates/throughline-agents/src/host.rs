//! The table of hosts: one row for each agent that we speak the dialect of.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Value;
use throughline_core::event::Event;

use crate::claude_code;
use crate::transcript::{Line, Memory};

/// An agent that we plug into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// Claude Code.
    ClaudeCode,
}

/// How a host speaks. Everything that differs from host to host is in here.
pub(crate) struct Dialect {
    /// The written name.
    pub(crate) name: &'static str,
    /// Makes an event of a payload, which is an object.
    pub(crate) read: fn(event: &str, payload: &Value) -> Event,
    /// Whether the host listens at this event.
    pub(crate) can_inject: fn(event: &str) -> bool,
    /// What to print so that a text reaches the model.
    pub(crate) answer: fn(event: &str, text: &str) -> String,
    /// How long such a text may be, in UTF-16 units.
    pub(crate) answer_units_max: usize,
    /// Makes lines of one record of a transcript, which is an object.
    pub(crate) lines: fn(memory: &mut Memory, record: &Value) -> Vec<Line>,
    /// Lists the transcripts of a project.
    pub(crate) transcripts: fn(config_dir: &Path, project_root: &Path) -> Vec<PathBuf>,
}

impl Host {
    /// Every host, in declaration order.
    pub const ALL: &'static [Self] = &[Self::ClaudeCode];

    pub(crate) const fn dialect(self) -> &'static Dialect {
        match self {
            Self::ClaudeCode => &claude_code::DIALECT,
        }
    }

    /// The written name.
    pub const fn as_str(self) -> &'static str {
        self.dialect().name
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Host {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.iter().copied().find(|host| host.as_str() == text).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|host| host.as_str()).collect();
            format!("{text} is no agent that we know; known: {}", known.join(", "))
        })
    }
}
