//! What may be written after `entity`, `about` and `similar`.

use clap::{Args, Subcommand};
use throughline_core::EntityKind;

use super::at_least_one;

#[derive(Debug, Args)]
pub(crate) struct Entity {
    #[command(subcommand)]
    pub(crate) action: EntityAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EntityAction {
    /// List the people, projects, tools, files and concepts that memories mention
    List {
        /// Only this kind: person, project, concept, file, tool, tag, cluster, box
        #[arg(long = "kind", value_name = "KIND")]
        kinds: Vec<EntityKind>,
        /// How many to show, at least 1
        #[arg(long, value_name = "N", default_value = "50", value_parser = at_least_one)]
        limit: usize,
    },
    /// Show one entity: its names, and the memories that mention it
    Show {
        /// Any of its names
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Make two entities one; the first keeps its name
    Merge {
        /// The one that stays
        #[arg(value_name = "A")]
        keep: String,
        /// The one that becomes part of it
        #[arg(value_name = "B")]
        other: String,
    },
    /// Give an entity another name
    Alias {
        /// Any of its names
        #[arg(value_name = "NAME")]
        name: String,
        /// The other name
        #[arg(value_name = "ALIAS")]
        alias: String,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "`about me` shows what is known about you, `about my project` the project of this folder."
)]
pub(crate) struct About {
    /// A person, project, tool, file, tag or topic, by any of its names
    #[arg(value_name = "NAME", required = true)]
    pub(crate) name: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Similar {
    /// The memory
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// How many to show, at least 1
    #[arg(long, value_name = "N", default_value = "10", value_parser = at_least_one)]
    pub(crate) limit: usize,
}
