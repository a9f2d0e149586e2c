//! What may be written after `recall` and its kin, and after `ingest`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Recall {
    /// The question or prompt, with or without quotes
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) query: Vec<String>,
    /// How many tokens the answer may take
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// How many memories at most
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    pub(crate) limit: Option<usize>,
    /// Also quote what was said in past sessions
    #[arg(long)]
    pub(crate) episodes: bool,
    /// Also show memories that were replaced
    #[arg(long)]
    pub(crate) include_superseded: bool,
    /// What was believed at this time: 2026-11-15, 2026-11-15T09:30:00Z, or 2d (two days ago)
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    /// Let the configured model choose which memories help, and leave out the rest
    #[arg(long, conflicts_with = "as_of")]
    pub(crate) verify: bool,
    /// How often the model is asked, each time in another order; a memory chosen once stays
    #[arg(long, value_name = "N", default_value_t = 1, requires = "verify", value_parser = votes)]
    pub(crate) votes: u8,
    /// Show every candidate with its scores, how it was found, and why it was left out
    #[arg(long)]
    pub(crate) explain: bool,
}

#[derive(Debug, Args)]
#[command(after_help = READ_HELP)]
pub(crate) struct Read {
    /// The text, as you would write it to an agent; `-` reads it from standard input
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    /// The agent's message that the text answers
    #[arg(long, value_name = "MESSAGE")]
    pub(crate) before: Option<String>,
}

const READ_HELP: &str = "\
A text is read in pieces. For each piece you see what it is read as and how sure that is (from .00 to
1.0), whether it is lasting, and whether anything speaks against taking it literally; then what would
be kept, or why nothing is, and which memories it touches and what would happen to them.
Nothing is written.

Example, with a memory that says sessions are kept in Redis:
  throughline read \"Sessions moved from Redis to Postgres for good. Thanks!\"

  “Sessions moved from Redis to Postgres for good.”
    read as  a change .54 or a fact .32 · lasting .77 · nothing against it .93
       kept  as stated: fact “Sessions moved from Redis to Postgres for good”
   replaces  d0d56eb0 Sessions are kept in Redis (another value .87)
  “Thanks!”
    read as  small talk .98 · lasting .02 · nothing against it .98
   not kept  small talk

A short answer is read together with what it answers:
  throughline read \"no, on 9090\" --before \"Does the api listen on port 8080?\"";

#[derive(Debug, Args)]
pub(crate) struct WhyNot {
    /// The memory
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// The question or prompt, with or without quotes
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) query: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Expand {
    /// The memory, or the turn that a quote came from
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
    /// It did not help
    #[arg(long)]
    pub(crate) unhelpful: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Ingest {
    /// Transcripts of an agent, or files of turns with one JSON object per line: session, at,
    /// speaker, text, and an optional id
    #[arg(value_name = "FILE", required_unless_present = "past")]
    pub(crate) files: Vec<PathBuf>,
    /// Every past session of this project that agents have recorded
    #[arg(long, conflicts_with = "files")]
    pub(crate) past: bool,
    /// The agent whose past sessions are imported [default: all]
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<throughline_agents::Host>,
    /// The agent's folder of settings [default: where the agent keeps it]; without --agent it is
    /// Claude Code's
    #[arg(long, value_name = "DIR")]
    pub(crate) config: Option<PathBuf>,
    /// The format of the files
    #[arg(long, default_value = "auto")]
    pub(crate) format: IngestFormat,
    /// Only show what would be imported
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IngestFormat {
    /// Recognise the format from the file
    Auto,
    /// One turn per line
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
    /// Show this one, with the reason for each line
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Only this session; the beginning of its id is enough
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Only since then
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// How many at most
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    pub(crate) limit: Option<usize>,
    /// Every project, not only this one
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
