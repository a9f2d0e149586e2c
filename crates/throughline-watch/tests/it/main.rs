//! What a project looks like, what is done to it, and what a look shows: the promises of this crate.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod files;
mod flags;
mod git;
mod history;
mod hostile;
mod many;
mod renames;
mod spans;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;
use throughline_core::watermark::{Reading, Referent};
use throughline_watch::{Binding, Look, Stamped, Unresolved, World};

/// A folder to play in.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("root")).unwrap();
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// Beside the root.
    fn outside(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn remove(&self, path: &str) {
        std::fs::remove_file(self.path(path)).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        std::fs::create_dir_all(self.path(to).parent().unwrap()).unwrap();
        std::fs::rename(self.path(from), self.path(to)).unwrap();
    }

    fn link(&self, at: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.path(at)).unwrap();
    }

    /// With time enough for a busy machine, and an empty environment.
    fn world(&self) -> World {
        World::at(&self.root())
            .with_environment(BTreeMap::new())
            .with_budget(Duration::from_secs(60))
    }

    fn stamp(&self, referent: &Referent) -> Stamped {
        self.world().stamp(referent).unwrap()
    }

    fn refusal(&self, referent: &Referent) -> Unresolved {
        self.world().stamp(referent).unwrap_err()
    }

    fn look(&self, stamped: &Stamped) -> Look {
        look(&self.world(), stamped)
    }

    fn reading(&self, stamped: &Stamped) -> Reading {
        self.look(stamped).reading
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(&self.root(), arguments)
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
}

fn look(world: &World, stamped: &Stamped) -> Look {
    let binding = Binding { referent: &stamped.referent, stamp: &stamped.stamp };
    world.look(&[binding]).pop().unwrap()
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let settings = [
        "user.name=Ada",
        "user.email=ada@example.org",
        "init.defaultBranch=main",
        "commit.gpgSign=false",
        "protocol.file.allow=always",
    ];
    let output = Command::new("git")
        .args(settings.iter().flat_map(|setting| ["-c", setting]))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn file(path: &str) -> Referent {
    Referent::File { path: path.to_owned(), span: None }
}

fn lines(path: &str, first: u32, last: u32) -> Referent {
    Referent::File { path: path.to_owned(), span: Some((first, last)) }
}

fn tracked(paths: &[&str]) -> Referent {
    Referent::Git { paths: paths.iter().map(|path| (*path).to_owned()).collect() }
}

fn flag(name: &str) -> Referent {
    Referent::Flag { name: name.to_owned() }
}

/// Until a file written before is old enough to be told by its mark.
fn settle() {
    std::thread::sleep(Duration::from_millis(2100));
}
