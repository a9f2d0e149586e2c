//! What may be written on the command line. Help texts are the manual's first page.

mod agents;
mod change;
mod health;
mod lately;
mod mcp;
mod model;
mod organise;
mod project;
mod recall;
mod review;
mod serve;
mod store;
mod truth;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use throughline_core::memory::{Kind, Slot};
use throughline_core::scope::Level;
use throughline_core::watermark::Referent;
use throughline_core::{Authority, State};

pub(crate) use agents::{Connect, Hook, Init, Patch, Which};
pub(crate) use change::{Correct, Edit, Link, Pair, Pin, Purge, Retire, Supersede, Tag, Unlink};
pub(crate) use health::{Backup, Boxes, Doctor, Graph, GraphFormat, Restore, Stats};
pub(crate) use lately::{Lately, Today};
pub(crate) use mcp::{ImportFormat, Mcp, Profile};
pub(crate) use model::{Llm, LlmAction, Work};
pub(crate) use organise::{About, Entity, EntityAction, Similar};
pub(crate) use project::{Project, ProjectAction};
pub(crate) use recall::{Expand, Feedback, Ingest, IngestFormat, Read, Recall, Told, WhyNot};
pub(crate) use review::Review;
pub(crate) use serve::{Demo, Serve};
#[cfg(feature = "server")]
pub(crate) use serve::{ServeAction, TokenAction};
pub(crate) use store::{Admitted, Store, StoreAction};
pub(crate) use truth::{Sleep, Verify};

/// The memory of AI coding agents: local, inspectable, and kept true.
#[derive(Debug, Parser)]
#[command(
    name = "throughline",
    version,
    after_help = "An id may be shortened to its last eight characters, as tables show it, or to a unique beginning of\n\
                  six or more. `throughline COMMAND --help` explains a command. New here? Run `throughline demo`."
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
    /// Where memories apply: global, project or session
    #[arg(long, global = true, value_name = "SCOPE", help_heading = "Global options")]
    pub(crate) scope: Option<Level>,
    /// The session, for memories that apply to one session only
    #[arg(long, global = true, value_name = "ID", help_heading = "Global options")]
    pub(crate) session: Option<String>,
    /// Answer with one JSON document
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// Print nothing but errors
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Connect your AI agents: add hooks and tools to their settings, keeping a copy
    Init(Connect),
    /// Disconnect agents and restore their settings
    #[command(mut_arg("here", |here| here.help("Use the settings of this project instead of your own").long_help(None)))]
    Uninstall(Init),
    /// Remember something; if it is known already, add the evidence
    Remember(Remember),
    /// Show the few memories that fit a question, as an agent would read them
    Recall(Recall),
    /// Explain why a memory does or does not come up for a question
    WhyNot(WhyNot),
    /// Show what would be kept of a text and what it would change; nothing is written
    Read(Read),
    /// Show the whole of a memory that recall only named, and what it is connected to
    Expand(Expand),
    /// Say whether a memory helped: changes how readily it comes up, never its trust
    Feedback(Feedback),
    /// Import past sessions from transcripts or JSON lines; safe to run again
    Ingest(Ingest),
    /// Find memories by their words
    Search(Search),
    /// List memories, newest first
    List(List),
    /// Show everything about a memory
    Show(Show),
    /// Show why a memory is believed: reasons, evidence, trust
    Why(Meant),
    /// Show how a memory changed over time
    History(Meant),
    /// Show what happened, latest first
    Log(Log),
    /// Show what agents were told: when, what and why; latest first
    Told(Told),
    /// Show what memory learned, replaced and left open today
    Today(Today),
    /// Undo the latest batch of changes, or the one you name
    Undo(Undo),
    /// Show what waits for your decision, and decide it
    Review(Review),
    /// Check whether the files and values that memories are tied to have changed
    Verify(Verify),
    /// Consolidate new memories: merge repetitions, connect, and tie them to files
    Sleep(Sleep),
    /// Change a memory's wording or properties; its history keeps the old version
    Edit(Edit),
    /// Confirm that a memory is true
    Confirm(Id),
    /// Correct a memory: the new text replaces the old one
    Correct(Correct),
    /// Say what holds everywhere for you in this project too, where others see it
    Promote(Id),
    /// Replace one memory with another
    Supersede(Supersede),
    /// Make a replaced memory current again
    Unsupersede(Id),
    /// Mark two memories as contradicting each other
    Contradict(Pair),
    /// Connect two memories
    Link(Link),
    /// Remove a connection
    Unlink(Unlink),
    /// Add labels to a memory, or remove them
    Tag(Tag),
    /// Pin a memory: it never expires, and only you can change it
    Pin(Pin),
    /// Put a memory away; `unarchive` brings it back
    Archive(Retire),
    /// Bring back a memory that was archived or has expired
    Unarchive(Id),
    /// Say that what a commitment promised was done
    Done(Id),
    /// Retract a memory (reversible; `purge` erases)
    Forget(Retire),
    /// Erase memories for good: their text, versions and log entries
    Purge(Purge),
    /// Write everything to a file: the log as JSONL, or current memories as Markdown
    Export(Export),
    /// Read an export
    Import(Import),
    /// Write a complete copy of the database
    Backup(Backup),
    /// Replace the database with a copy; the old one is kept beside it
    Restore(Restore),
    /// List projects and their folders, and join or separate a folder
    Project(Project),
    /// Copy memory to a server or back, and share a project's memory there
    Store(Store),
    /// Show where memory is kept and how much there is
    Status,
    /// Show what is in memory, in numbers
    Stats(Stats),
    /// Look for problems and say how to fix them
    Doctor(Doctor),
    /// Let the configured model read what waits and propose memories; ends when done
    Work(Work),
    /// Test the language model, or store its key
    Llm(Llm),
    /// Draw memories and their connections
    Graph(Graph),
    /// List, show, merge and rename the people and things that memories mention
    Entity(Entity),
    /// Show a page about a person, project, tool or topic
    About(About),
    /// Find memories that are similar in meaning to one
    Similar(Similar),
    /// List topics and their memories
    Topics,
    /// List stretches of work on one topic, and the memories that belong to each
    Boxes(Boxes),
    /// Show what a session has in mind: what is in focus, and what lies around it
    Focus,
    /// Called by an agent's hooks: reads what happened, prints what the agent should know
    #[command(hide = true)]
    Hook(Hook),
    /// Serve memory to an agent as an MCP server, over standard input and output
    Mcp(Mcp),
    /// Serve memory to your browser, to programs (REST) and to agents (MCP), on this machine
    Serve(Serve),
    /// Run one command of Anthropic's memory tool, read as JSON from standard input
    #[command(hide = true)]
    MemoryTool,
    /// Apply a patch of operations; what cannot be applied waits in `review`
    #[command(hide = true)]
    Patch(Patch),
    /// Show or change settings
    Config(Config),
    /// Write completions for a shell
    Completions(Completions),
    /// Print the manual page, or write a page for every command to a folder
    #[command(hide = true)]
    Man(Man),
    /// Watch a guided tour on a temporary memory (without `--json`)
    Demo(Demo),
}

#[derive(Debug, Args)]
pub(crate) struct Id {
    /// The memory
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

/// A memory that is only read, so that words may name it.
#[derive(Debug, Args)]
pub(crate) struct Meant {
    /// The memory: its id, or words that only it contains
    #[arg(value_name = "ID", required = true)]
    pub(crate) words: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Remember {
    /// What to remember, with or without quotes; `-` reads it from standard input
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    /// What sort of claim: fact, preference, principle, decision, commitment, procedure, negative,
    /// correction, event, lesson, gap [default: what the wording suggests, else fact]
    #[arg(long)]
    pub(crate) kind: Option<Kind>,
    /// A label; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Why: the id of a memory, or words that become one; may be given several times
    #[arg(long, value_name = "WHY")]
    pub(crate) because: Vec<String>,
    /// The claim in parts: "subject|predicate|object", with "|one" if only one object can be true
    #[arg(long, value_name = "SLOT", value_parser = Slot::parse)]
    pub(crate) slot: Option<Slot>,
    /// Whose word it is: `user_stated`, `measured`, `file`, `observed`, `inferred`, `external`, …
    #[arg(long, default_value = "user_stated")]
    pub(crate) authority: Authority,
    /// The area: relationship, project, technical, personal, or a word of your own
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
    /// Pin it: it never expires, and only you can change it
    #[arg(long)]
    pub(crate) pin: bool,
    /// A command, file or call before which an agent is reminded of it; may be given several times
    #[arg(long = "trigger", value_name = "PATTERN")]
    pub(crate) triggers: Vec<String>,
    /// A step of a procedure, whose name is TEXT; may be given several times. `Needs: …`, `Warning: …`
    /// and `When: …` are no steps
    #[arg(long = "step", value_name = "STEP")]
    pub(crate) steps: Vec<String>,
    /// What it is tied to: `file:PATH`, `file:PATH#L3-L9`, `git:PATH[,PATH…]` or `flag:NAME` (an
    /// environment variable, or `FILE#KEY`); may be given several times
    #[arg(long = "watch", value_name = "WHAT")]
    pub(crate) watch: Vec<Referent>,
    /// Remember it although it was erased before
    #[arg(long)]
    pub(crate) revive: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The words to look for, with or without quotes
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) query: Vec<String>,
    #[command(flatten)]
    pub(crate) filter: Filter,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) lately: Lately,
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
    /// What was believed at this time: 2026-11-15, 2026-11-15T09:30:00Z, or 2d (two days ago)
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
    #[command(flatten)]
    pub(crate) memory: Meant,
    /// As it was at this time: 2026-11-15, 2026-11-15T09:30:00Z, or 2d (two days ago)
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// How many batches to show
    #[arg(long, value_name = "N", default_value = "20", value_parser = at_least_one)]
    pub(crate) limit: usize,
    /// Only since this time
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
    /// Everything, with history; `import` reads it
    Jsonl,
    /// Current memories, for reading
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The format
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
    /// Trust the file: what it says counts as said here. Without this, an export from another
    /// machine or home ranks as external, and its rules and preferences wait in `review`
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

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Write all pages to this folder, such as `~/.local/share/man/man1`
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

/// Words as they were meant: written in quotes or one after the other.
pub(crate) fn joined(words: &[String]) -> String {
    words.join(" ")
}

/// A number of things to show.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| "write a whole number, 1 or more".to_owned())
}
