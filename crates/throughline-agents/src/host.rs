//! Table of hosts: one row for each agent that we support.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Value;
use throughline_core::event::Event;

use crate::transcript::{TranscriptLine, TranscriptMemory};
use crate::{claude_code, codex, cursor, gemini, opencode};

/// Host: an agent that we can be installed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// Cursor, written from its documentation only.
    Cursor,
}

/// Dialect: the functions and limits of one host. Everything that differs from host to host is in
/// here.
pub(crate) struct Dialect {
    /// The written name.
    pub(crate) name: &'static str,
    /// What people call it.
    pub(crate) called: &'static str,
    /// The event that ends a session.
    pub(crate) last_event: &'static str,
    /// Whether it hears us only after a tool has run, not before.
    pub(crate) warns_late: bool,
    /// Makes an event of a payload, which is an object.
    pub(crate) read: fn(event: &str, payload: &Value) -> Event,
    /// Whether the host has such an event, as far as we know.
    pub(crate) knows: fn(event: &str) -> bool,
    /// Whether the host listens at this event.
    pub(crate) can_inject: fn(event: &str) -> bool,
    /// What to print so that a text reaches the model.
    pub(crate) answer: fn(event: &str, text: &str) -> String,
    /// How long such a text may be, in UTF-16 units.
    pub(crate) answer_units_max: usize,
    /// Makes lines of one record of a transcript, which is an object.
    pub(crate) lines: fn(memory: &mut TranscriptMemory, record: &Value) -> Vec<TranscriptLine>,
    /// Lists the transcripts of a project.
    pub(crate) transcripts: fn(folders: &Folders, project_root: &Path) -> Vec<PathBuf>,
    /// Whether a transcript shows that the conversation was made shorter, and that nothing of ours
    /// is left in it. `None` where the host says so itself.
    pub(crate) lost: Option<fn(transcript: &Path) -> bool>,
}

/// Folders of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// Folder of its settings.
    pub config: PathBuf,
    /// Folder of its transcripts and other data.
    pub data: PathBuf,
    /// Whether the user named this folder, so that it is not the usual place.
    pub named: bool,
}

/// Surroundings: the parts of the environment that say where hosts keep their files.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The home folder.
    pub home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude_config: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub codex_home: Option<PathBuf>,
    /// `GEMINI_CLI_HOME`, which replaces the home folder.
    pub gemini_home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub xdg_config: Option<PathBuf>,
    /// `XDG_DATA_HOME`.
    pub xdg_data: Option<PathBuf>,
    /// The folders of `PATH`.
    pub path: Vec<PathBuf>,
}

impl Host {
    /// Every host, in declaration order.
    pub const ALL: &'static [Self] =
        &[Self::ClaudeCode, Self::Codex, Self::Gemini, Self::Opencode, Self::Cursor];

    pub(crate) const fn dialect(self) -> &'static Dialect {
        match self {
            Self::ClaudeCode => &claude_code::DIALECT,
            Self::Codex => &codex::DIALECT,
            Self::Gemini => &gemini::DIALECT,
            Self::Opencode => &opencode::DIALECT,
            Self::Cursor => &cursor::DIALECT,
        }
    }

    /// The name in settings and on the command line.
    pub const fn as_str(self) -> &'static str {
        self.dialect().name
    }

    /// The name for people.
    pub const fn called(self) -> &'static str {
        self.dialect().called
    }

    /// The programs that it is installed as.
    const fn programs(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["claude"],
            Self::Codex => &["codex"],
            Self::Gemini => &["gemini"],
            Self::Opencode => &["opencode"],
            Self::Cursor => &["cursor", "cursor-agent"],
        }
    }

    /// The folders of the host. `given` is the folder that the user named, if any; it takes
    /// precedence.
    pub fn folders(self, around: &Surroundings, given: Option<&Path>) -> Option<Folders> {
        let in_home = |name: &str| around.home.as_ref().map(|home| home.join(name));
        let (own, usual) = match self {
            Self::ClaudeCode => (around.claude_config.clone(), in_home(".claude")),
            Self::Codex => (around.codex_home.clone(), in_home(".codex")),
            Self::Gemini => {
                let own = around.gemini_home.as_ref().map(|home| home.join(".gemini"));
                (own, in_home(".gemini"))
            }
            Self::Opencode => {
                let own = around.xdg_config.as_ref().map(|folder| folder.join("opencode"));
                (own, in_home(".config/opencode"))
            }
            Self::Cursor => (None, in_home(".cursor")),
        };
        let named = given.map(Path::to_owned).or(own);
        let config = named.clone().or(usual)?;
        let data = match self {
            Self::Opencode => around
                .xdg_data
                .as_ref()
                .map(|folder| folder.join("opencode"))
                .or_else(|| in_home(".local/share/opencode")),
            Self::ClaudeCode | Self::Codex | Self::Gemini | Self::Cursor => None,
        };
        let data = data.unwrap_or_else(|| config.clone());
        Some(Folders { config, data, named: named.is_some() })
    }

    /// Whether the host seems to be installed: its folder exists, or its program is on the PATH.
    pub fn is_here(self, around: &Surroundings) -> bool {
        let has_folder = self.folders(around, None).is_some_and(|one| one.config.is_dir());
        has_folder
            || around.path.iter().any(|folder| {
                let names = self.programs().iter();
                names.clone().any(|name| folder.join(name).is_file())
                    || names.clone().any(|name| {
                        ["exe", "cmd"]
                            .iter()
                            .any(|end| folder.join(format!("{name}.{end}")).is_file())
                    })
            })
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
            format!("unknown agent {text:?} (choose: {})", known.join(", "))
        })
    }
}
