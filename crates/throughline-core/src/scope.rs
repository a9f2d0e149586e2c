//! Scope: session within project within global. A wall, not a filter.

use serde::{Deserialize, Serialize};

use crate::{Memory, SessionId, SpaceId, Timestamp, sleep};

closed_set! {
    /// How far a memory reaches.
    pub enum Level ("scope") {
        /// Everywhere.
        Global = "global",
        /// In one project.
        Project = "project",
        /// In one session of one project.
        Session = "session",
    }
}

/// A space as the store knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// Its number.
    pub space: SpaceId,
    /// What identifies it: `global`, a normalised git origin, or a root path.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// When it was first written to.
    pub created_at: Timestamp,
    /// Up to where sleep has gone over what came in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slept: Option<sleep::SleepMark>,
}

/// Where something new is put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Which space.
    pub space: SpaceId,
    /// Set when it is to hold only within this session.
    pub session: Option<SessionId>,
}

/// Where a reader may look: one project, what is global, and its own session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// The spaces, nearest first.
    pub spaces: Vec<SpaceId>,
    /// The reader's session, if it has one.
    pub session: Option<SessionId>,
}

impl Reach {
    /// A project and what is global.
    pub fn of(project: SpaceId, session: Option<SessionId>) -> Self {
        let spaces =
            if project == SpaceId::GLOBAL { vec![project] } else { vec![project, SpaceId::GLOBAL] };
        Self { spaces, session }
    }

    /// Whether this reader may see the memory at all.
    pub fn sees(&self, memory: &Memory) -> bool {
        self.spaces.contains(&memory.space) && self.sees_session(memory.session.as_ref())
    }

    /// Whether something bound to `session` (or to none) is within reach.
    pub fn sees_session(&self, session: Option<&SessionId>) -> bool {
        session.is_none() || session == self.session.as_ref()
    }
}

/// How far a memory reaches.
pub fn level(memory: &Memory) -> Level {
    match (&memory.session, memory.space) {
        (Some(_), _) => Level::Session,
        (None, SpaceId::GLOBAL) => Level::Global,
        (None, _) => Level::Project,
    }
}
