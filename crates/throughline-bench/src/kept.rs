//! Kept: a home that is filled once and measured again and again, each time in a copy, so that two programs are held
//! against the same memory.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Where memory is filled, and the copy of it that is measured.
pub(crate) struct Kept {
    folder: PathBuf,
    scratch: tempfile::TempDir,
}

impl Kept {
    /// Takes `--keep FOLDER` out of the options; without it everything lies in a folder that goes with the process.
    pub(crate) fn read(words: &[String]) -> anyhow::Result<(Self, Vec<String>)> {
        let scratch = tempfile::tempdir()?;
        let (folder, words) = match words.iter().position(|word| word == "--keep") {
            None => (scratch.path().to_owned(), words.to_vec()),
            Some(at) => {
                let folder = PathBuf::from(words.get(at + 1).context("--keep needs a folder")?);
                (folder, [&words[..at], &words[at + 2..]].concat())
            }
        };
        std::fs::create_dir_all(&folder)?;
        Ok((Self { folder: folder.canonicalize()?, scratch }, words))
    }

    /// The folder of the project.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// A home to measure: `fill` makes it where none was kept.
    pub(crate) fn home(
        &self,
        fill: impl FnOnce(&Path) -> anyhow::Result<PathBuf>,
    ) -> anyhow::Result<PathBuf> {
        let (done, home) = (self.folder.join("filled"), self.folder.join("home"));
        if !done.exists() {
            let filled = fill(&self.folder)?;
            std::fs::write(&done, filled.display().to_string())?;
        }
        if self.folder.starts_with(self.scratch.path()) {
            return Ok(home);
        }
        let copy = self.scratch.path().join("home");
        copy_folder(&home, &copy)?;
        Ok(copy)
    }
}

pub(crate) fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
