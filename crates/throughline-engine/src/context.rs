//! Who asks, and from where. Every flow takes one; nothing is remembered between calls.

use throughline_core::permission::Door;
use throughline_core::scope::{Level, Reach, Scope};
use throughline_core::{Actor, SessionId, SpaceId};

use crate::{OnlyIf, Project};

/// Who asks, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// The project at hand.
    pub project: Project,
    /// The session, if there is one.
    pub session: Option<SessionId>,
    /// How far new memories reach.
    pub level: Level,
    /// The way by which they reach memory: it says who they are and what they may do.
    pub door: Door,
    /// What has to hold when their next change is written, if they say.
    pub only_if: Option<OnlyIf>,
}

impl Context {
    /// A person, by hand, in a project.
    pub fn user(project: Project) -> Self {
        Self { project, session: None, level: Level::Project, door: Door::Terminal, only_if: None }
    }

    /// In whose name changes are logged.
    pub fn actor(&self) -> Actor {
        self.door.actor()
    }

    /// Where this caller may look.
    pub fn reach(&self) -> Reach {
        match self.level {
            Level::Global => Reach::of(SpaceId::GLOBAL, self.session.clone()),
            Level::Project | Level::Session => {
                Reach::of(self.project.space(), self.session.clone())
            }
        }
    }

    /// Where something new is put.
    pub fn scope(&self) -> Scope {
        match self.level {
            Level::Global => Scope { space: SpaceId::GLOBAL, session: None },
            Level::Project => Scope { space: self.project.space(), session: None },
            Level::Session => Scope { space: self.project.space(), session: self.session.clone() },
        }
    }
}
