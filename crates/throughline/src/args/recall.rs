//! What may be written after `recall` and its kin, and after `ingest`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Recall {
    /// The question or prompt
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
    /// Tokens to spend
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// Memories at most
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Also what was said in past sessions, quoted
    #[arg(long)]
    pub(crate) episodes: bool,
    /// Also what was replaced, as itself
    #[arg(long)]
    pub(crate) include_superseded: bool,
    /// As it was believed then
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    /// Let the configured model say which of it helps, and leave out the rest
    #[arg(long, conflicts_with = "as_of")]
    pub(crate) verify: bool,
    /// How often it is asked, in another order each time; what helps once stays
    #[arg(long, value_name = "N", default_value_t = 1, requires = "verify", value_parser = votes)]
    pub(crate) votes: u8,
    /// Show every candidate with its scores, the way it was reached, and why it was cut
    #[arg(long)]
    pub(crate) explain: bool,
}

#[derive(Debug, Args)]
#[command(after_help = READ_HELP)]
pub(crate) struct Read {
    /// The text, as you would write it to an agent; `-` reads it from standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
    /// The agent's message that it answers
    #[arg(long, value_name = "MESSAGE")]
    pub(crate) before: Option<String>,
}

const READ_HELP: &str = "\
A text is read in pieces. Of each piece it says what it is taken for and how sure that is (from .00 to
1.0), whether it lasts, and what stands against taking it at its word. What would be kept follows, or
why nothing is; and the memories that it meets, with what would happen to them. Nothing is written.

Example, where it is held that sessions are kept in Redis:
  throughline read \"Sessions moved from Redis to Postgres for good. Thanks!\"

  “Sessions moved from Redis to Postgres for good.”
           read as  a change .54 or a fact .32 · lasting .77 · nothing against it .93
              kept  as stated: fact “Sessions moved from Redis to Postgres for good”
          replaces  d0d56eb0 Sessions are kept in Redis (another value .87)
  “Thanks!”
           read as  small talk .98 · lasting .02 · nothing against it .98
          not kept  small talk

A short answer is read with what it answers:
  throughline read \"no, on 9090\" --before \"Does the api listen on port 8080?\"";

#[derive(Debug, Args)]
pub(crate) struct WhyNot {
    /// The memory
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// The question or prompt
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
}

#[derive(Debug, Args)]
pub(crate) struct Expand {
    /// The memory, or the turn of a quote
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("outcome").required(true).args(["helpful", "unhelpful"])))]
pub(crate) struct Feedback {
    /// The memory
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// It helped
    #[arg(long)]
    pub(crate) helpful: bool,
    /// It did not
    #[arg(long)]
    pub(crate) unhelpful: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Ingest {
    /// Transcripts of an agent, or files of turns, one JSON object a line: session, at, speaker,
    /// text, and id if you have one
    #[arg(value_name = "FILE", required_unless_present = "past")]
    pub(crate) files: Vec<PathBuf>,
    /// Every past session of this project that agents wrote down
    #[arg(long, conflicts_with = "files")]
    pub(crate) past: bool,
    /// The agent whose past sessions are taken in [default: all]
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<throughline_agents::Host>,
    /// The agent's folder of settings [default: where the agent keeps it]; without --agent it is
    /// Claude Code's
    #[arg(long, value_name = "DIR")]
    pub(crate) config: Option<PathBuf>,
    /// How the files are written
    #[arg(long, default_value = "auto")]
    pub(crate) format: IngestFormat,
    /// Only say what would come in
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IngestFormat {
    /// Find out by looking
    Auto,
    /// One turn a line
    Jsonl,
    /// A transcript of Claude Code
    ClaudeCode,
    /// A rollout of Codex
    Codex,
    /// A chat of Gemini CLI
    Gemini,
    /// The database of opencode
    Opencode,
}

#[derive(Debug, Args)]
pub(crate) struct Told {
    /// One of them, with why each line is in it
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Only what this session was told; the beginning of its id is enough
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Only since then
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// How many at most
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// In every project, not only in this one
    #[arg(long)]
    pub(crate) all: bool,
}

fn votes(text: &str) -> Result<u8, String> {
    match text {
        "1" => Ok(1),
        "2" => Ok(2),
        _ => Err("write 1 or 2".to_owned()),
    }
}
