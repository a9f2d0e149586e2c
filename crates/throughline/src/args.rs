//! What may be written on the command line. Help texts are the manual's first page.

mod agents;
mod change;
mod health;
mod mcp;
mod model;
mod project;
mod recall;
mod review;
mod truth;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use throughline_core::memory::{Kind, Slot};
use throughline_core::scope::Level;
use throughline_core::watermark::Referent;
use throughline_core::{Authority, State};

pub(crate) use agents::{Hook, Init, Patch, Which};
pub(crate) use change::{Correct, Edit, Link, Pair, Pin, Purge, Retire, Supersede, Tag, Unlink};
pub(crate) use health::{Backup, Doctor, Graph, GraphFormat, Restore, Stats};
pub(crate) use mcp::{ImportFormat, Mcp, Profile};
pub(crate) use model::{Llm, LlmAction, Work};
pub(crate) use project::{Project, ProjectAction};
pub(crate) use recall::{Expand, Feedback, Ingest, IngestFormat, Read, Recall, Told, WhyNot};
pub(crate) use review::Review;
pub(crate) use truth::{Sleep, Verify};

/// The memory of AI agents: kept true, inspectable, and yours.
#[derive(Debug, Parser)]
#[command(
    name = "throughline",
    version,
    about,
    arg_required_else_help = true,
    after_help = "Ids may be shortened: to their last eight characters, as tables show them, or to a unique\n\
                  beginning of six or more. Start with `throughline demo`."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Global {
    /// Where memory is kept [default: your data folder, or `THROUGHLINE_HOME`]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub(crate) home: Option<PathBuf>,
    /// The project's folder [default: the project of the current folder]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub(crate) project: Option<PathBuf>,
    /// How far memories reach: global, project or session
    #[arg(long, global = true, value_name = "SCOPE", help_heading = "Global options")]
    pub(crate) scope: Option<Level>,
    /// The session, for what holds only within one
    #[arg(long, global = true, value_name = "ID", help_heading = "Global options")]
    pub(crate) session: Option<String>,
    /// Answer with one JSON document
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// Say nothing but errors
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Connect agents: hooks and tools go into their settings, and a copy is kept
    Init(Init),
    /// Take us out of the settings of agents again, and leave the rest as it was
    #[command(mut_arg("here", |here| here.help("Take us out of the settings of this project, instead of yours").long_help(None)))]
    Uninstall(Init),
    /// Remember something: add it, or recognise it and add evidence
    Remember(Remember),
    /// The few memories that fit a question, as an agent would read them
    Recall(Recall),
    /// Why a memory does or does not come up for a question
    WhyNot(WhyNot),
    /// What would be kept of a text, what it would change, and why; nothing is written
    Read(Read),
    /// Open what recall only named: the whole memory and what it is connected to
    Expand(Expand),
    /// Say whether a memory helped: moves how readily it comes up, never how true it is
    Feedback(Feedback),
    /// Take in past sessions: an agent's transcripts, or turns as JSON lines; twice is once
    Ingest(Ingest),
    /// Find memories by their words
    Search(Search),
    /// List memories, newest first
    List(List),
    /// Show everything about a memory
    Show(Show),
    /// Why a memory is believed: reasons, evidence, trust
    Why(Id),
    /// How a memory came to be what it is
    History(Id),
    /// What happened, latest first
    Log(Log),
    /// What was put before agents: when, to whom, what, why; latest first
    Told(Told),
    /// Undo a batch of changes: the latest, or the one named
    Undo(Undo),
    /// What waits for your decision: what could not be applied, contradictions, gaps
    Review(Review),
    /// Look again at what memories hang on, and say what a check showed
    Verify(Verify),
    /// Go over what came in since the last time: settle, put together, learn, bind
    Sleep(Sleep),
    /// Change a memory's wording or properties, keeping the old version in its history
    Edit(Edit),
    /// Vouch for a memory
    Confirm(Id),
    /// Say what is right: the new text takes the old memory's place
    Correct(Correct),
    /// Let one memory take another's place
    Supersede(Supersede),
    /// Make a replaced memory current again
    Unsupersede(Id),
    /// Mark two memories as saying different things
    Contradict(Pair),
    /// Connect two memories
    Link(Link),
    /// Take a connection away
    Unlink(Unlink),
    /// Put labels on a memory, or take them off
    Tag(Tag),
    /// Keep a memory in front
    Pin(Pin),
    /// Put a memory away
    Archive(Retire),
    /// Take a memory out again
    Unarchive(Id),
    /// Take a memory back (reversible; `purge` erases)
    Forget(Retire),
    /// Erase memories for good: text, words, versions, log
    Purge(Purge),
    /// Write everything to a file: the log as JSONL, or what is held as Markdown
    Export(Export),
    /// Read an export
    Import(Import),
    /// Write a complete copy of the database
    Backup(Backup),
    /// Put a copy in the place of the database; what was there is kept beside it
    Restore(Restore),
    /// Which folders belong to which project, and joining one
    Project(Project),
    /// Where memory is and how much there is
    Status,
    /// What memory is made of, in numbers
    Stats(Stats),
    /// Look for anything wrong, and say what to do
    Doctor(Doctor),
    /// Let the configured model read what waits, and propose; ends when nothing is left
    Work(Work),
    /// The language model: try it, or keep its key
    Llm(Llm),
    /// Draw memories and their connections
    Graph(Graph),
    /// What an agent's hooks call: reads what happened, says what the agent should know
    #[command(hide = true)]
    Hook(Hook),
    /// Serve memory to an agent as an MCP server, over standard input and output
    Mcp(Mcp),
    /// Carry out one command of Anthropic's memory tool, read as JSON from standard input
    #[command(hide = true)]
    MemoryTool,
    /// Apply a patch of operations, as probes write them; what cannot be applied waits in `review`
    #[command(hide = true)]
    Patch(Patch),
    /// Read or change settings
    Config(Config),
    /// Write completions for a shell
    Completions(Completions),
    /// A guided tour on a throwaway memory: a show for people, without `--json`
    Demo,
}

#[derive(Debug, Args)]
pub(crate) struct Id {
    /// The memory
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct Remember {
    /// What to remember; `-` reads it from standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
    /// What sort of claim: fact, preference, principle, decision, commitment, procedure, negative,
    /// correction, event, lesson, gap; without it, what its form says, else a fact
    #[arg(long)]
    pub(crate) kind: Option<Kind>,
    /// A label; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Why: the id of a memory, or words that become one; may be given several times
    #[arg(long, value_name = "WHY")]
    pub(crate) because: Vec<String>,
    /// The claim in parts: "subject|predicate|object", with "|one" if there can only be one
    #[arg(long, value_name = "SLOT", value_parser = Slot::parse)]
    pub(crate) slot: Option<Slot>,
    /// Who says so
    #[arg(long, default_value = "user_stated")]
    pub(crate) authority: Authority,
    /// The area: relationship, project, technical, personal or a word of yours
    #[arg(long)]
    pub(crate) domain: Option<String>,
    /// A short title
    #[arg(long)]
    pub(crate) label: Option<String>,
    /// How much it matters, from 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub(crate) importance: Option<f64>,
    /// How sure the source is, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    pub(crate) confidence: f64,
    /// Keep it in front
    #[arg(long)]
    pub(crate) pin: bool,
    /// What brings it up before a tool runs: a command, a file, a call; may be given several times
    #[arg(long = "trigger", value_name = "PATTERN")]
    pub(crate) triggers: Vec<String>,
    /// What it hangs on: `file:PATH`, `file:PATH#L3-L9`, `git:PATH[,PATH…]` or `flag:NAME` (an
    /// environment variable, or `FILE#KEY`); may be given several times
    #[arg(long = "watch", value_name = "WHAT")]
    pub(crate) watch: Vec<Referent>,
    /// Take it in although it was erased before
    #[arg(long)]
    pub(crate) revive: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The words to look for
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) filter: Filter,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) filter: Filter,
}

#[derive(Debug, Args)]
pub(crate) struct Filter {
    /// Only this state; may be given several times
    #[arg(long = "state", value_name = "STATE")]
    pub(crate) states: Vec<State>,
    /// Only this kind; may be given several times
    #[arg(long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<Kind>,
    /// Only with this label
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Only in this area
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: Option<String>,
    /// Every state: also superseded, retracted, expired, archived
    #[arg(long)]
    pub(crate) all: bool,
    /// As it was believed then: 2026-11-15, 2026-11-15T09:30:00Z, 2d
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    /// How many to show, at least 1
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: Option<usize>,
    /// How many to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The memory
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// As it was then
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// How many batches
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Only since then
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// The batch, as `log` shows it [default: the latest that is not undone yet]
    #[arg(value_name = "BATCH")]
    pub(crate) batch: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Everything, with history: can be imported
    Jsonl,
    /// What is held, for reading
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// What to write
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,
    /// Where to write it [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The export
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What the file is
    #[arg(long, value_enum, default_value_t = ImportFormat::Auto)]
    pub(crate) format: ImportFormat,
    /// Vouch for it: what it says counts as said here. Without this, an export of another home ranks
    /// as external, and its rules and preferences wait in `review`
    #[arg(long)]
    pub(crate) trust: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) action: Option<ConfigAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Read one setting
    Get {
        /// Its name
        key: String,
    },
    /// Change one setting
    Set {
        /// Its name
        key: String,
        /// Its value
        value: String,
    },
    /// Go back to the default
    Unset {
        /// Its name
        key: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// A number of things to show.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| "write a number from 1 on".to_owned())
}
