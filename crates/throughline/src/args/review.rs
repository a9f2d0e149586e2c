//! What may be written after `review`.

use clap::{ArgGroup, Args};

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("decision").args(["accept", "reject", "keep_a", "keep_b", "both", "merge", "later"])),
    after_help = "Without an option it shows what waits; each entry says how to decide it. A pending operation is\n\
                  something an agent or a model proposed that could not be applied: it stays until you decide.\n\
                  A contested pair is named by either memory, or by both: A/B. What you decide can be undone."
)]
pub(crate) struct Review {
    /// Apply a pending operation after all
    #[arg(long, value_name = "ID")]
    pub(crate) accept: Option<String>,
    /// Turn a pending operation down
    #[arg(long, value_name = "ID")]
    pub(crate) reject: Option<String>,
    /// Why it is turned down
    #[arg(long, value_name = "TEXT", requires = "reject")]
    pub(crate) reason: Option<String>,
    /// Of a contested pair, the older one (a) holds and takes the other's place
    #[arg(long, value_name = "ID")]
    pub(crate) keep_a: Option<String>,
    /// Of a contested pair, the newer one (b) holds and takes the other's place
    #[arg(long, value_name = "ID")]
    pub(crate) keep_b: Option<String>,
    /// Of a contested pair, both hold: they do not contradict each other
    #[arg(long, value_name = "ID")]
    pub(crate) both: Option<String>,
    /// Of a contested pair, neither holds as it stands: --text takes the place of both
    #[arg(long, value_name = "ID", requires = "text")]
    pub(crate) merge: Option<String>,
    /// With --merge: what holds instead of both. With --accept: what holds, in your words
    #[arg(long, value_name = "TEXT", requires = "decision", conflicts_with_all = ["reject", "keep_a", "keep_b", "both", "later"])]
    pub(crate) text: Option<String>,
    /// With --accept: the memory that the operation speaks of
    #[arg(long = "for", value_name = "ID", requires = "accept")]
    pub(crate) about: Option<String>,
    /// Decide about a contested pair another time: the others come first
    #[arg(long, value_name = "ID")]
    pub(crate) later: Option<String>,
}
