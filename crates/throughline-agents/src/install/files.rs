//! Settings files: read with care, written whole or not at all, with a copy kept beside.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::{
    Record, RefusedInstall, SettingsChange, SettingsForm, SettingsPlace, add, installed, remove,
    restore,
};

/// The longest settings file that is touched, in bytes.
const BYTES_MAX: u64 = 16 << 20;

/// How open a new file is: one person's settings hold keys and are theirs alone; those of a project
/// are as open as other new files, within the umask.
const PRIVATE: u32 = 0o600;
const SHARED: u32 = 0o666;

/// How a file's copy from before our first change is called: this behind its own name.
const FIRST_COPY: &str = ".throughline-backup";

/// How its copy from before our latest change is called, where it is another.
const LATEST_COPY: &str = ".throughline-backup-latest";

/// Error: why a file was left as it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Its content cannot be changed by us.
    #[error("{path} was not changed")]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: RefusedInstall,
    },
    /// It is no readable text file: a folder, a pipe, a broken link, too long, or not text.
    #[error("{path} is not a settings file: {why}")]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is instead.
        why: String,
    },
    /// Another program wrote it at the same time; try again.
    #[error("{path} changed in the meantime")]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file operation failed.
    #[error("{path} cannot be read or written")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
}

/// Plans [`init`] without writing.
pub fn plan_init(place: &SettingsPlace, command: &str) -> Result<SettingsChange, Error> {
    let text = read(&place.path)?.unwrap_or_default();
    add(place.form, &text, command).map_err(|source| refused(&place.path, source))
}

/// Adds us to a settings file, which is created if it does not exist.
pub fn init(place: &SettingsPlace, command: &str) -> Result<SettingsChange, Error> {
    let path = &place.path;
    let before = read(path)?;
    let change = add(place.form, before.as_deref().unwrap_or_default(), command)
        .map_err(|source| refused(path, source))?;
    if !change.is_empty() {
        // A file of ours as a whole tells nothing that we do not know.
        if place.form != SettingsForm::Plugin {
            keep_copy(path, before.as_deref())?;
        }
        write_at(place, before.as_deref(), &change.after)?;
    }
    Ok(change)
}

/// Plans [`uninstall`] without writing.
pub fn plan_uninstall(place: &SettingsPlace) -> Result<SettingsChange, Error> {
    let path = &place.path;
    let failed = |source| refused(path, source);
    let Some(text) = read(path)? else { return remove(place.form, "").map_err(failed) };
    let mut change = remove(place.form, &text).map_err(failed)?;
    let copy = read(&beside(path, FIRST_COPY)).ok().flatten();
    let ours = installed(place.form, &text).map_err(failed)?;
    if let (Some(copy), Some((_, command))) = (copy, ours.into_iter().next())
        && let (Ok(again), Ok(without)) =
            (add(place.form, &copy, &command), remove(place.form, &copy))
    {
        // An older entry of ours in the copy goes as well.
        let record = Record { before: without.after, after: again.after };
        change.after = restore(place.form, &text, &record).map_err(failed)?;
    }
    Ok(change)
}

/// Removes us from a settings file. A file that we created is deleted, and so are our copies once
/// they hold nothing that the file does not.
pub fn uninstall(place: &SettingsPlace) -> Result<SettingsChange, Error> {
    let path = &place.path;
    let change = plan_uninstall(place)?;
    if change.is_empty() {
        return Ok(change);
    }
    let first = beside(path, FIRST_COPY);
    let copy = read(&first).ok().flatten();
    if copy.is_none() && change.after.trim().is_empty() {
        let target = target(path)?;
        fs::remove_file(&target).map_err(|source| io_error(path, source))?;
        if let Some(folder) = target.parent() {
            remove_folders(place, folder);
        }
        return Ok(change);
    }
    write_at(place, Some(&change.before), &change.after)?;
    let told = copy.and_then(|copy| remove(place.form, &copy).ok()).map(|copy| copy.after);
    if told.as_deref() == Some(change.after.as_str()) {
        for copy in [first, beside(path, LATEST_COPY)] {
            match fs::remove_file(&copy) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(io_error(&copy, error));
                }
                Ok(()) | Err(_) => {}
            }
        }
    }
    Ok(change)
}

/// Removes the folders that a file of ours stood in, where nothing else is in them: that of plugins,
/// and in a project those of the agent.
fn remove_folders(place: &SettingsPlace, folder: &Path) {
    match &place.shared_by {
        None if place.form == SettingsForm::Plugin => drop(fs::remove_dir(folder)),
        None => {}
        Some(root) => {
            let within = folder.ancestors().take_while(|at| *at != root && at.starts_with(root));
            // A folder that holds something stays, and so do those around it.
            within.map(fs::remove_dir).find(Result::is_err);
        }
    }
}

/// Existing copies that we made of a settings file.
pub fn copies(path: &Path) -> Vec<PathBuf> {
    let copies = [FIRST_COPY, LATEST_COPY].map(|end| beside(path, end));
    copies.into_iter().filter(|copy| copy.is_file()).collect()
}

/// Reads a settings file; `None` if it does not exist.
pub fn read(path: &Path) -> Result<Option<String>, Error> {
    let target = target(path)?;
    let found = match fs::metadata(&target) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error(path, error)),
    };
    let not = |why: &str| Error::NotAFile { path: path.to_owned(), why: why.to_owned() };
    if !found.is_file() {
        return Err(not(if found.is_dir() { "a folder" } else { "not a plain file" }));
    }
    if found.len() > BYTES_MAX {
        return Err(not("too long"));
    }
    let mut bytes = Vec::new();
    File::open(&target)
        .and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes))
        .map_err(|source| io_error(path, source))?;
    String::from_utf8(bytes).map(Some).map_err(|_| not("not UTF-8 text"))
}

/// Replaces a settings file of one person as a whole, if it still holds `before`.
pub fn write(path: &Path, before: Option<&str>, after: &str) -> Result<(), Error> {
    replace(path, PRIVATE, before, after)
}

fn write_at(place: &SettingsPlace, before: Option<&str>, after: &str) -> Result<(), Error> {
    let mode = if place.shared_by.is_some() { SHARED } else { PRIVATE };
    replace(&place.path, mode, before, after)
}

fn replace(path: &Path, mode: u32, before: Option<&str>, after: &str) -> Result<(), Error> {
    let target = target(path)?;
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|source| io_error(path, source))?;

    let new = beside(&target, &format!(".throughline-{}", std::process::id()));
    let written = write_new(&new, &target, mode, after).map_err(|source| io_error(path, source));
    let replaced = written.and_then(|()| {
        if read(path)?.as_deref() != before {
            return Err(Error::Changed { path: path.to_owned() });
        }
        fs::rename(&new, &target).map_err(|source| io_error(path, source))
    });
    if replaced.is_err() {
        // The first error is the one to tell; a file that is left over harms nobody.
        fs::remove_file(&new).ok();
        return replaced;
    }
    sync_folder(folder);
    Ok(())
}

/// Writes a file that is not there yet, with the permissions of another one from the start.
fn write_new(path: &Path, like: &Path, mode: u32, text: &str) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // One that is there stays as open as it is.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = options.open(path)?;
    match fs::metadata(like) {
        Ok(found) => file.set_permissions(found.permissions())?,
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Makes a rename last. Not every system can do that to a folder, so it may fail.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().ok();
    }
}

/// Keeps what stands in a file beside it. The first copy is never written over.
fn keep_copy(path: &Path, text: Option<&str>) -> Result<(), Error> {
    let Some(text) = text else { return Ok(()) };
    let first = beside(path, FIRST_COPY);
    let copy = match read(&first)? {
        None => first,
        Some(kept) if kept == text => return Ok(()),
        Some(_) => beside(path, LATEST_COPY),
    };
    write_new(&copy, &target(path)?, PRIVATE, text).map_err(|source| io_error(&copy, source))
}

/// The file itself, where a path is a link to it.
fn target(path: &Path) -> Result<PathBuf, Error> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => fs::canonicalize(path).map_err(|error| {
            let why = format!("a link that leads nowhere: {error}");
            Error::NotAFile { path: path.to_owned(), why }
        }),
        Ok(_) => Ok(path.to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(io_error(path, error)),
    }
}

/// A file in the same folder whose name goes on like this.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn refused(path: &Path, source: RefusedInstall) -> Error {
    Error::Refused { path: path.to_owned(), source }
}

fn io_error(path: &Path, source: io::Error) -> Error {
    Error::Io { path: path.to_owned(), source }
}
