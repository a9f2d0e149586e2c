//! Which project an agent in its shell reaches: the one that it works in, as it does by our tools. It does what it was
//! told to, and a page or a repository may have told it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use throughline_core::permission::{self, Act, Backing, Request, Verdict};
use throughline_core::scope::Level;
use throughline_core::{SessionId, SpaceId};
use throughline_engine::{Error, Minds, Project, Roots, clean_name};

use super::Settings;

impl Settings {
    /// The folder that a server of tools works in. In an agent's shell it is one that the agent reaches.
    pub(crate) fn served_folder(&self) -> anyhow::Result<PathBuf> {
        let folder = match self.folder() {
            Some(folder) => folder,
            None => here()?,
        };
        if !self.is_person() {
            let roots = self.roots();
            self.check_reach(&roots, &roots.project(&folder)?)?;
        }
        Ok(folder)
    }

    /// Goes on only where an agent reaches a project: from the folder it is in, and from the project of its session,
    /// where that is known. The folder is the agent's to choose, the session is not.
    pub(super) fn check_reach(&self, roots: &Roots, named: &Project) -> anyhow::Result<()> {
        let from_here = roots.project(&here()?)?.reaches(named);
        let from_session = match self.works_in() {
            Some(space) => is_within(roots, space, named)?,
            None => true,
        };
        if from_here && from_session {
            return Ok(());
        }
        self.demand(Act::Reach)
    }

    /// Goes on only where whoever named all projects may say something for them.
    pub(crate) fn check_spread(&self) -> anyhow::Result<()> {
        let asks = self.chosen_level() == Some(Level::Global);
        if asks { self.demand(Act::Spread) } else { Ok(()) }
    }

    fn demand(&self, act: Act) -> anyhow::Result<()> {
        let (door, backing) = (self.door(), Backing::Asserted);
        match permission::judge(Request { door, act, target: None, backing }) {
            Verdict::Allowed { .. } => Ok(()),
            Verdict::Waits(why) | Verdict::Refused(why) => {
                Err(Error::NotYours { why, by_hand: String::new() }.into())
            }
        }
    }

    /// The project of the session that runs this shell, as its hooks told.
    fn works_in(&self) -> Option<SpaceId> {
        let session = self.environment.shell.as_ref()?.session.as_deref()?;
        Minds::new(&self.home).space_of(&SessionId(clean_name(session)))
    }
}

fn here() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("the current folder cannot be read")
}

/// Whether a project is the one of a space, or a plain folder inside of it.
fn is_within(roots: &Roots, space: SpaceId, named: &Project) -> anyhow::Result<bool> {
    if named.space() == space {
        return Ok(true);
    }
    for folder in named.root.ancestors().skip(1).filter(|folder| *folder != Path::new("")) {
        let project = roots.project(folder)?;
        if project.space() == space {
            return Ok(project.reaches(named));
        }
    }
    Ok(false)
}
