//! A real git repository, and the program that remembers things about it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::claim::VARIABLES;
use super::model::Tree;

/// A repository with memories about it.
#[derive(Debug)]
pub(crate) struct Project {
    folder: tempfile::TempDir,
    binary: PathBuf,
    /// Seconds that git's clock has run.
    ticks: std::cell::Cell<u32>,
}

/// The environment variables of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variables {
    AsStated,
    Changed,
    Unset,
}

impl Project {
    pub(crate) fn new(binary: &Path) -> anyhow::Result<Self> {
        // In memory where the machine allows it: this is not about disks.
        let shared = Path::new("/dev/shm");
        let folder = if shared.is_dir() {
            tempfile::tempdir_in(shared).or_else(|_| tempfile::tempdir())?
        } else {
            tempfile::tempdir()?
        };
        std::fs::create_dir(folder.path().join("repository"))?;
        let project = Self { folder, binary: binary.to_owned(), ticks: std::cell::Cell::new(0) };
        project.git(&["init", "-q", "-b", "main"])?;
        Ok(project)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let tick = self.ticks.replace(self.ticks.get() + 1);
        let date = format!("{} +0000", 1_772_442_000 + tick * 60);
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=Depot", "-c", "user.email=depot@example.org"])
            .args(["-c", "core.autocrlf=false", "-c", "gc.auto=0", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(self.root())
            .env("GIT_CONFIG_GLOBAL", self.folder.path().join("no-config"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .env("GIT_EDITOR", "true")
            .env("GIT_SEQUENCE_EDITOR", "true")
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .stdin(Stdio::null());
        let output = command.output().context("git is needed for this")?;
        let problem = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "git {}: {problem}", arguments.join(" "));
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Writes what differs. A file with another path is moved, as `git mv` does.
    pub(crate) fn write(&self, from: &Tree, to: &Tree) -> anyhow::Result<()> {
        let root = self.root();
        for (at, old) in from.files.iter().enumerate().filter(|(_, file)| file.is_there) {
            let new = to.files.get(at).filter(|file| file.is_there);
            match new {
                None => std::fs::remove_file(root.join(&old.path))?,
                Some(new) if new.path != old.path => {
                    let target = root.join(&new.path);
                    std::fs::create_dir_all(target.parent().context("a folder")?)?;
                    std::fs::rename(root.join(&old.path), target)?;
                }
                Some(_) => {}
            }
        }
        for (at, new) in to.files.iter().enumerate().filter(|(_, file)| file.is_there) {
            let held = from.files.get(at).filter(|file| file.is_there).map(|_| from.content(at));
            let content = to.content(at);
            if held.as_ref() != Some(&content) {
                let target = root.join(&new.path);
                std::fs::create_dir_all(target.parent().context("a folder")?)?;
                std::fs::write(target, content)?;
            }
        }
        Ok(())
    }

    pub(crate) fn commit(&self, message: &str) -> anyhow::Result<()> {
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "--allow-empty", "-m", message]).map(drop)
    }

    /// Runs the program.
    pub(crate) fn run(&self, variables: Variables, arguments: &[&str]) -> anyhow::Result<Value> {
        let mut command = Command::new(&self.binary);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("THROUGHLINE_") {
                command.env_remove(name);
            }
        }
        for (name, stated, later) in VARIABLES {
            match variables {
                Variables::AsStated => command.env(name, stated),
                Variables::Changed => command.env(name, later),
                Variables::Unset => command.env_remove(name),
            };
        }
        let output = command
            .env("THROUGHLINE_HOME", self.folder.path().join("home"))
            .env("CLAUDE_CONFIG_DIR", self.folder.path().join("no-agent"))
            .args(["--json", "--project"])
            .arg(self.root())
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .with_context(|| self.binary.display().to_string())?;
        let problem = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "{}: {problem}", arguments.join(" "));
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}
