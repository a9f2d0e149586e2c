//! The command lines that connect agents.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use throughline_agents::Host;

/// One agent, or all that are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    One(Host),
    All,
}

impl FromStr for Which {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            name => name
                .parse()
                .map(Self::One)
                .map_err(|why: String| format!("{}, all)", why.trim_end_matches(')'))),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The event, by the agent's name for it: `SessionStart`, `UserPromptSubmit`, …
    #[arg(value_name = "EVENT")]
    pub(crate) event: String,
    /// The agent that calls
    #[arg(long, value_name = "AGENT", default_value = "claude-code")]
    pub(crate) agent: Host,
}

#[derive(Debug, Args)]
pub(crate) struct Connect {
    #[command(flatten)]
    pub(crate) which: Init,
    /// Let an agent's own model propose memories: claude, codex or gemini. What is said is sent to it, on your own plan or
    /// key [default: nothing is sent]
    #[arg(long, value_name = "PROGRAM", conflicts_with = "dry_run")]
    pub(crate) read_along: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// claude-code, codex, gemini, opencode, cursor (untested), or all that are installed here
    /// [default: all]
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<Which>,
    /// Write to the settings of this project, which everybody who works on it shares, instead of
    /// your own
    #[arg(long)]
    pub(crate) here: bool,
    /// Show what would change without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The agent's settings folder [default: where the agent keeps it]; without --agent, Claude
    /// Code's
    #[arg(long, value_name = "DIR")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Patch {
    /// A file with a patch, `{"version":1,"operations":[…]}`; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Who says what is in it: user, assistant or tool
    #[arg(long, default_value = "assistant")]
    pub(crate) voice: throughline_core::Speaker,
}
