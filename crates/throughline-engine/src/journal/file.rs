//! Files that outlive a crash, and that nobody can trip us with.
//!
//! Only regular files are opened, never through a link, never waiting; locks are waited for only
//! briefly, because an agent waits for us.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use throughline_core::{Timestamp, text};
pub(crate) use throughline_store::{private_folder, sync_folder};

/// How long a lock is waited for.
const LOCK_WAIT: Duration = Duration::from_millis(150);
/// Readable characters of a safe name.
const NAME_CHARS_MAX: usize = 24;
/// How often a file is opened again that was removed while its lock was waited for.
const REOPEN_MAX: usize = 8;

/// How a file is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    Shared,
    Exclusive,
}

/// A short file name for any text: what is readable of it, and a hash that tells it from all
/// others. Holds no separator, no dot and no letter case that a file system might fold.
pub(crate) fn safe_name(any: &str) -> String {
    let readable: String = any
        .chars()
        .filter_map(|c| match c {
            'a'..='z' | '0'..='9' | '-' => Some(c),
            'A'..='Z' => Some(c.to_ascii_lowercase()),
            _ => None,
        })
        .take(NAME_CHARS_MAX)
        .collect();
    format!("s{readable}-{}", &text::sha256_hex(any.as_bytes())[..20])
}

/// Opens a file to read it.
pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    open_regular(path, OpenOptions::new().read(true))
}

/// Opens and locks a file to append to, with its folder where that is missing. Says whether the
/// file is new.
pub(crate) fn open_to_append(path: &Path) -> io::Result<(File, bool)> {
    open_to_append_within(path, LOCK_WAIT)
}

fn open_to_append_within(path: &Path, wait: Duration) -> io::Result<(File, bool)> {
    let append = || OpenOptions::new().read(true).append(true).clone();
    match open_and_lock(path, &mut append(), Hold::Exclusive, wait) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        opened => return Ok((opened?, false)),
    }
    if let Some(folder) = path.parent() {
        private_folder(folder)?;
    }
    let file = open_and_lock(path, append().create(true), Hold::Exclusive, wait)?;
    Ok((file, true))
}

/// Opens and locks a file that is there.
pub(crate) fn open_locked(path: &Path, hold: Hold) -> io::Result<File> {
    open_and_lock(path, OpenOptions::new().read(true), hold, LOCK_WAIT)
}

/// Opens and locks a file whose content does not matter.
pub(crate) fn lock_file(path: &Path) -> io::Result<File> {
    lock_file_within(path, LOCK_WAIT)
}

/// The same for whoever has less time.
pub(crate) fn lock_file_within(path: &Path, wait: Duration) -> io::Result<File> {
    open_to_append_within(path, wait).map(|(file, _)| file)
}

/// Puts `content` in the place of a file at once: a reader finds the old or the new, whole.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_with(path, content, true)
}

/// The same for what may be lost when the machine stops.
pub(crate) fn replace_lightly(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_with(path, content, false)
}

fn replace_with(path: &Path, content: &[u8], lasting: bool) -> io::Result<()> {
    replace_by(path, lasting, &|file| file.write_all(content))
}

/// The same for what is written part by part.
pub(crate) fn replace_by(
    path: &Path,
    lasting: bool,
    fill: &dyn Fn(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let working = path.with_extension(format!("{:016x}.tmp", fastrand::u64(..)));
    let write = |working: &Path| {
        let mut file = open_regular(working, OpenOptions::new().write(true).create_new(true))?;
        fill(&mut file)?;
        if lasting {
            file.sync_data()?;
        }
        fs::rename(working, path)
    };
    let mut written = write(&working);
    if written.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound)
        && let Some(folder) = path.parent()
    {
        private_folder(folder)?;
        written = write(&working);
    }
    if written.is_err() {
        fs::remove_file(&working).ok();
    }
    written
}

/// Removes a file, if it is there.
pub(crate) fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a file was last written to more than `days` before `now`.
pub(crate) fn is_older(data: &Metadata, days: u32, now: Timestamp) -> bool {
    let since = data.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let millis = since.and_then(|since| i64::try_from(since.as_millis()).ok());
    millis.is_some_and(|at| now.days_since(Timestamp::from_millis(at)) > f64::from(days))
}

/// What in a folder ends in `.extension`. Nothing where there is no folder.
pub(crate) fn with_extension(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// Opens a file that must be a regular one. New ones are for the user's eyes only.
pub(crate) fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Opening a pipe can wake or block somebody, so even that is not tried.
    if fs::symlink_metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(not_regular(path));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600).custom_flags(NO_FOLLOW | NO_WAIT);
    }
    let file = options.open(path)?;
    // It may have been exchanged since it was looked at.
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular(path)) }
}

/// Opens a file to read a few bytes of it, where there are thousands. A link is not followed and a
/// pipe not waited for, as far as the system knows how; what is read is checked by whoever reads.
pub(crate) fn open_lightly(path: &Path) -> io::Result<File> {
    if !KNOWS_FLAGS {
        return open_to_read(path);
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, NO_FOLLOW | NO_WAIT);
    options.open(path)
}

fn not_regular(path: &Path) -> io::Error {
    let name = path.display();
    io::Error::new(ErrorKind::InvalidInput, format!("{name} is not a regular file"))
}

/// Opens and locks a file, and makes sure that it is still the one of that name.
fn open_and_lock(
    path: &Path,
    options: &mut OpenOptions,
    hold: Hold,
    wait: Duration,
) -> io::Result<File> {
    for _ in 0..REOPEN_MAX {
        let file = open_regular(path, options)?;
        lock(&file, hold, wait).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
        if is_at(&file, path) {
            return Ok(file);
        }
    }
    Err(io::Error::new(ErrorKind::WouldBlock, format!("{} keeps changing", path.display())))
}

fn lock(file: &File, hold: Hold, wait: Duration) -> io::Result<()> {
    let since = Instant::now();
    let mut nap_us = 100;
    loop {
        let tried = match hold {
            Hold::Shared => file.try_lock_shared(),
            Hold::Exclusive => file.try_lock(),
        };
        match tried {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Interrupted => {
                return Err(error);
            }
            Err(_) => {}
        }
        if since.elapsed() >= wait {
            return Err(io::Error::new(ErrorKind::WouldBlock, "held by somebody else"));
        }
        // Uneven naps, so that those who wait do not wake together.
        std::thread::sleep(Duration::from_micros(fastrand::u64(nap_us / 2..=nap_us)));
        nap_us = (nap_us * 2).min(3_000);
    }
}

/// Whether an open file is the one that a path names now.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (Ok(opened), Ok(named)) = (file.metadata(), fs::symlink_metadata(path)) else {
        return false;
    };
    (opened.dev(), opened.ino()) == (named.dev(), named.ino())
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Whether two open files are one.
#[cfg(unix)]
pub(crate) fn is_same(one: &File, other: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (Ok(one), Ok(other)) = (one.metadata(), other.metadata()) else { return false };
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Elsewhere an open file cannot be exchanged.
#[cfg(not(unix))]
pub(crate) fn is_same(_: &File, _: &File) -> bool {
    true
}

// Two flags of open(2), which std does not name. Where they are not known, looking before opening
// must do.
#[cfg(unix)]
const LINUX: bool = cfg!(any(target_os = "linux", target_os = "android"));
#[cfg(unix)]
const BSD: bool = cfg!(any(
    target_vendor = "apple",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd"
));
#[cfg(unix)]
const ARM: bool = cfg!(any(target_arch = "arm", target_arch = "aarch64"));
#[cfg(unix)]
const USUAL: bool = cfg!(any(
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "riscv64",
    target_arch = "s390x"
));
#[cfg(unix)]
const KNOWS_FLAGS: bool = NO_FOLLOW != 0 && NO_WAIT != 0;
#[cfg(not(unix))]
const KNOWS_FLAGS: bool = false;
/// `O_NOFOLLOW`: the name must not be a link.
#[cfg(unix)]
const NO_FOLLOW: i32 = match (LINUX, BSD, ARM, USUAL) {
    (true, _, true, _) => 0o100_000,
    (true, _, _, true) => 0o400_000,
    (_, true, ..) => 0x100,
    _ => 0,
};
/// `O_NONBLOCK`: opening a pipe does not wait for its other end.
#[cfg(unix)]
const NO_WAIT: i32 = match (LINUX, BSD, ARM || USUAL) {
    (true, _, true) => 0o4_000,
    (_, true, _) => 0x4,
    _ => 0,
};
