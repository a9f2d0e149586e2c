//! Whether a home may be used. Its settings can name a program to run, and its memories are told to
//! agents as the user's own: it must be this user's, and not part of what they work on.

use std::path::{Path, PathBuf};

use throughline_engine::Error;

use super::Settings;

impl Settings {
    /// Why this home must not be used for work in some folders; `None` if it may. Reads only.
    pub(crate) fn refuses_home(&self, folders: &[PathBuf]) -> Option<String> {
        let home = resolved(&self.home);
        if let Some(why) = others(&self.home) {
            return Some(why);
        }
        let within = folders.iter().find_map(|folder| self.tree_around(&home, folder))?;
        // A scratch folder and a home in it, named by hand, with nothing in its settings that
        // could be run or asked.
        let is_scratch = self.home_named && !within.is_repository && !self.models.any();
        (!is_scratch || self.problem.is_some()).then(|| {
            format!(
                "the home {} lies inside the project {}, so whoever wrote the project could have \
                 written its memory and its settings; use a folder outside of the project",
                self.home.display(),
                within.root.display()
            )
        })
    }

    /// The same as an error.
    pub(crate) fn check_home(&self, folders: &[PathBuf]) -> anyhow::Result<()> {
        match self.refuses_home(folders) {
            Some(why) => Err(Error::UnsafeHome(why).into()),
            None => Ok(()),
        }
    }

    /// The folders that a command works in.
    pub(crate) fn work_folders(&self) -> Vec<PathBuf> {
        let named = self.project.clone().or_else(|| std::env::current_dir().ok());
        named.into_iter().chain(self.environment.claude_project.clone()).collect()
    }

    /// The work tree or folder that is worked in and that a home lies in. One that holds the user's
    /// own folder is none: whatever lies there is theirs.
    fn tree_around(&self, home: &Path, folder: &Path) -> Option<Tree> {
        let folder = resolved(folder);
        let user = self.environment.around.home.as_deref().map(resolved);
        let holds_user = |root: &Path| user.as_ref().is_some_and(|user| user.starts_with(root));
        let around = |root: &Path| home.starts_with(root) && !holds_user(root);
        let repository =
            |root: &&Path| around(root) && root.join(".git").symlink_metadata().is_ok();
        if let Some(root) = folder.ancestors().find(repository) {
            return Some(Tree { root: root.to_owned(), is_repository: true });
        }
        around(&folder).then_some(Tree { root: folder, is_repository: false })
    }
}

struct Tree {
    root: PathBuf,
    is_repository: bool,
}

/// A path without links, as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = path.ancestors().find_map(|at| Some((at, at.canonicalize().ok()?)));
    match there {
        Some((at, real)) => match path.strip_prefix(at) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            Ok(_) | Err(_) => real,
        },
        None => path,
    }
}

/// Why a home is not this user's alone to write.
#[cfg(unix)]
fn others(home: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid().as_raw();
    for path in [home.to_owned(), home.join(super::file::FILE)] {
        let Ok(found) = std::fs::metadata(&path) else { continue };
        let name = path.display();
        if found.uid() != user {
            return Some(format!(
                "{name} belongs to another user (uid {}, yours is {user}); use a home of your own",
                found.uid()
            ));
        }
        if found.mode() & 0o022 != 0 {
            return Some(format!(
                "other users can write to {name}; `chmod go-w {name}` stops that"
            ));
        }
    }
    None
}

#[cfg(not(unix))]
fn others(_: &Path) -> Option<String> {
    None
}
