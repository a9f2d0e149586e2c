//! What may be written after `review`.

use clap::{ArgGroup, Args};

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("decision").args(["accept", "reject", "keep_a", "keep_b", "both", "merge", "later"])),
    after_help = "Without an option it shows what waits, and each entry says how to decide it. A pending operation is\n\
                  a change that an agent or a model proposed and that was not applied; it stays until you decide.\n\
                  Name a contested pair by either memory, or by both: A/B. Decisions can be undone."
)]
pub(crate) struct Review {
    /// Apply a pending operation; of a question without an answer, with --text, the answer
    #[arg(long, value_name = "ID")]
    pub(crate) accept: Option<String>,
    /// Reject a pending operation, or leave a question without an answer
    #[arg(long, value_name = "ID")]
    pub(crate) reject: Option<String>,
    /// Why it is rejected
    #[arg(long, value_name = "TEXT", requires = "reject")]
    pub(crate) reason: Option<String>,
    /// Of a contested pair, keep the older memory (a); it replaces the other. Of a questioned memory: it stands
    #[arg(long, value_name = "ID")]
    pub(crate) keep_a: Option<String>,
    /// Of a contested pair, keep the newer memory (b); it replaces the other. Of a questioned memory: the later words do
    #[arg(long, value_name = "ID")]
    pub(crate) keep_b: Option<String>,
    /// Of a contested pair, keep both: they do not contradict each other
    #[arg(long, value_name = "ID")]
    pub(crate) both: Option<String>,
    /// Of a contested pair, replace both with --text
    #[arg(long, value_name = "ID", requires = "text")]
    pub(crate) merge: Option<String>,
    /// With --merge, the text that replaces both; with --accept, your wording of the change
    #[arg(long, value_name = "TEXT", requires = "decision", conflicts_with_all = ["reject", "keep_a", "keep_b", "both", "later"])]
    pub(crate) text: Option<String>,
    /// With --accept: the memory that the operation is about
    #[arg(long = "for", value_name = "ID", requires = "accept")]
    pub(crate) about: Option<String>,
    /// Go through contested and questioned memories one by one, each decided by one key
    #[arg(long, conflicts_with_all = ["decision", "text", "about", "reason"])]
    pub(crate) one_by_one: bool,
    /// Postpone a contested pair: the others are shown first
    #[arg(long, value_name = "ID")]
    pub(crate) later: Option<String>,
}
