//! What may be written after the commands that change one memory.

use clap::Args;
use throughline_core::Relation;
use throughline_core::memory::{Kind, Slot};

#[derive(Debug, Args)]
pub(crate) struct Edit {
    /// The memory
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Its new wording, with or without quotes; `-` reads it from standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// Its kind: fact, preference, principle, decision, …
    #[arg(long)]
    pub(crate) kind: Option<Kind>,
    /// A short title; empty removes it
    #[arg(long)]
    pub(crate) label: Option<String>,
    /// The area; empty removes it
    #[arg(long)]
    pub(crate) domain: Option<String>,
    /// How much it matters, from 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub(crate) importance: Option<f64>,
    /// The claim in parts: "subject|predicate|object[|one]"
    #[arg(long, value_name = "SLOT", value_parser = Slot::parse)]
    pub(crate) slot: Option<Slot>,
    /// When it became true
    #[arg(long, value_name = "TIME")]
    pub(crate) valid_from: Option<String>,
    /// When it stopped or stops being true
    #[arg(long, value_name = "TIME")]
    pub(crate) valid_until: Option<String>,
    /// A command, file or call before which an agent is reminded; replaces the ones it has
    #[arg(long = "trigger", value_name = "PATTERN")]
    pub(crate) triggers: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Correct {
    /// The memory that is wrong
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// What is right, with or without quotes; `-` reads it from standard input
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    /// The correction in parts: "subject|predicate|object[|one]"
    #[arg(long, value_name = "SLOT", value_parser = Slot::parse)]
    pub(crate) slot: Option<Slot>,
}

#[derive(Debug, Args)]
pub(crate) struct Supersede {
    /// The memory that no longer holds
    #[arg(value_name = "OLD")]
    pub(crate) old: String,
    /// The memory that replaces it
    #[arg(value_name = "NEW")]
    pub(crate) new: String,
}

#[derive(Debug, Args)]
pub(crate) struct Pair {
    /// One memory
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The other memory, which says something else
    #[arg(value_name = "B")]
    pub(crate) b: String,
}

#[derive(Debug, Args)]
pub(crate) struct Link {
    /// From this memory
    #[arg(value_name = "A")]
    pub(crate) from: String,
    /// One of `because`, `evidenced_by`, `derived_from`, `depends_on`, `blocks`, `informs`,
    /// `extends`, `contradicts`, `relates_to`, …
    #[arg(value_name = "RELATION")]
    pub(crate) relation: Relation,
    /// To this memory
    #[arg(value_name = "B")]
    pub(crate) to: String,
    /// Why, in your own words
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Unlink {
    /// From this memory
    #[arg(value_name = "A")]
    pub(crate) from: String,
    /// The connection: `because`, `evidenced_by`, `derived_from`, `depends_on`, `blocks`, `informs`,
    /// `extends`, `contradicts`, `relates_to`, …
    #[arg(value_name = "RELATION")]
    pub(crate) relation: Relation,
    /// To this memory
    #[arg(value_name = "B")]
    pub(crate) to: String,
    /// Why it is removed, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Tag {
    /// The memory
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Labels to add
    #[arg(value_name = "TAG")]
    pub(crate) add: Vec<String>,
    /// A label to remove; may be given several times
    #[arg(long = "remove", value_name = "TAG")]
    pub(crate) remove: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Pin {
    /// The memory
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Unpin it
    #[arg(long)]
    pub(crate) off: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Retire {
    /// The memory
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Why, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Purge {
    /// The memories to erase, together with the turns they were said in; or turns
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    /// Also erase everything they replaced and were replaced by
    #[arg(long)]
    pub(crate) chain: bool,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
}
