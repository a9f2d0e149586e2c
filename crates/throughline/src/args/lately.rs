//! What may be written after `today`, and how `list` looks back.

use clap::{ArgGroup, Args};

#[derive(Debug, Args)]
pub(crate) struct Today {
    /// How many days to look back, today among them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=366))]
    pub(crate) days: u32,
}

/// How far `list` looks back.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("lately").args(["today", "week", "month"])))]
pub(crate) struct Lately {
    /// What came in today, in full
    #[arg(long)]
    pub(crate) today: bool,
    /// What came in this week: today in full, the days before as lines
    #[arg(long)]
    pub(crate) week: bool,
    /// What came in this month: of the weeks before, only what stands out
    #[arg(long)]
    pub(crate) month: bool,
}

impl Lately {
    /// How many days to look back, if that was asked for.
    pub(crate) fn days(&self) -> Option<u32> {
        match (self.today, self.week, self.month) {
            (true, ..) => Some(1),
            (_, true, _) => Some(7),
            (_, _, true) => Some(30),
            _ => None,
        }
    }
}
