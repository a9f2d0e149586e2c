//! What the engine can be asked to do: one flow each, with what it needs for one run.
//!
//! A flow borrows the engine, and most know who asks and from where. Their methods stand in the files of their module,
//! in the order in which they are called.

use crate::{Context, Engine};

/// Declares flows for somebody who asks, and how the engine hands them out.
macro_rules! flows {
    ($( $(#[$meta:meta])* $name:ident by $getter:ident, )+) => {
        $(
            $(#[$meta])*
            #[derive(Debug)]
            pub struct $name<'a> {
                pub(crate) engine: &'a Engine,
                pub(crate) context: &'a Context,
            }
        )+

        impl Engine {
            $(
                $(#[$meta])*
                pub fn $getter<'a>(&'a self, context: &'a Context) -> $name<'a> {
                    $name { engine: self, context }
                }
            )+
        }
    };
}

flows! {
    /// Listening: an event of an agent comes in, and a few lines may go back.
    Listening by listening,
    /// Capturing: turns become episodes, and what will matter of them becomes memories.
    Capturing by capturing,
    /// Recalling: the few memories that fit a prompt.
    Recalling by recalling,
    /// Briefing: what matters when a session begins.
    Briefing by briefing,
    /// Watching: what memories are tied to, whether it moved, and what a check showed.
    Watching by watching,
    /// Keeping: memories are added, corrected, connected, put away, brought back.
    Keeping by keeping,
    /// Reviewing: what waits for a person's decision.
    Reviewing by reviewing,
    /// Looking: memories are searched, listed, shown and explained.
    Looking by looking,
    /// Sleeping: what came in is gone over when nobody waits.
    Sleeping by sleeping,
    /// Working: a language model reads what waits, and proposes.
    Working by working,
}

/// Erasing: what a person wants gone is removed for good.
#[derive(Debug)]
pub struct Erasing<'a> {
    pub(crate) engine: &'a Engine,
}

/// Vectors: what texts mean in numbers, made after they were written.
#[derive(Debug)]
pub struct Vectors<'a> {
    pub(crate) engine: &'a Engine,
}

/// Copying: memory is exported, imported, backed up and restored.
#[derive(Debug)]
pub struct Copying<'a> {
    pub(crate) engine: &'a Engine,
}

/// Checking: anything that is wrong is found.
#[derive(Debug)]
pub struct Checking<'a> {
    pub(crate) engine: &'a Engine,
}

impl Engine {
    /// Erasing: what a person wants gone is removed for good.
    pub fn erasing(&self) -> Erasing<'_> {
        Erasing { engine: self }
    }

    /// Vectors: what texts mean in numbers, made after they were written.
    pub fn vectors(&self) -> Vectors<'_> {
        Vectors { engine: self }
    }

    /// Copying: memory is exported, imported, backed up and restored.
    pub fn copying(&self) -> Copying<'_> {
        Copying { engine: self }
    }

    /// Checking: anything that is wrong is found.
    pub fn checking(&self) -> Checking<'_> {
        Checking { engine: self }
    }
}
