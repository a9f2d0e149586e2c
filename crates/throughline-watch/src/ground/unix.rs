//! Folders and files opened one below the other.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::{Obstacle, PlainFile};
use crate::content::Content;
use crate::stamp::FileMark;
use crate::{Deadline, FILE_BYTES_MAX, World, path};

/// How much is read between two looks at the clock.
const CHUNK_BYTES: usize = 256 << 10;

/// A folder is opened to reach what is in it, which must not take the right to list it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const REACH: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const REACH: OFlags = OFlags::RDONLY;

/// The project's folder, and the way to the folder last visited.
pub(crate) struct Ground<'w> {
    world: &'w World,
    root: PathBuf,
    folder: OwnedFd,
    way: Vec<(OsString, OwnedFd)>,
}

/// What a strict walk met.
enum Met {
    File(FileMark),
    /// A link, or something on the way that is not a folder.
    Detour,
    Obstacle(Obstacle),
}

impl<'w> Ground<'w> {
    pub(crate) fn open(world: &'w World) -> Result<Self, Obstacle> {
        let root = world.root.canonicalize().map_err(|_| Obstacle::Unreadable)?;
        let flags = REACH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(&root, flags, Mode::empty());
        let folder = folder.map_err(|_| Obstacle::Unreadable)?;
        Ok(Self { world, root, folder, way: Vec::new() })
    }

    /// The root without links.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Looks at a path without opening it, and follows links as long as they stay inside.
    pub(crate) fn find(&mut self, path: &Path) -> Result<PlainFile, Obstacle> {
        if path::is_own_data(path) {
            return Err(Obstacle::OwnData);
        }
        match self.meet(path) {
            Met::File(mark) => Ok(PlainFile { mark, path: path.to_path_buf() }),
            Met::Obstacle(obstacle) => Err(obstacle),
            Met::Detour => self.find_behind_links(path),
        }
    }

    /// Reads a file whole, and once more if it changed meanwhile.
    pub(crate) fn read(
        &mut self,
        found: &PlainFile,
        deadline: Deadline,
    ) -> Result<Content, Obstacle> {
        match self.read_once(&found.path, deadline) {
            Err(Obstacle::Restless) => self.read_once(&found.path, deadline),
            read => read,
        }
    }

    fn find_behind_links(&mut self, path: &Path) -> Result<PlainFile, Obstacle> {
        let real = self.root.join(path).canonicalize().map_err(|error| {
            let gone = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
            if gone { Obstacle::Gone } else { Obstacle::Unreadable }
        })?;
        let below = real.strip_prefix(&self.root).map_err(|_| Obstacle::Outside)?.to_path_buf();
        if path::is_own_data(&below) {
            return Err(Obstacle::OwnData);
        }
        match self.meet(&below) {
            Met::File(mark) => Ok(PlainFile { mark, path: below }),
            Met::Obstacle(obstacle) => Err(obstacle),
            Met::Detour => Err(Obstacle::Restless),
        }
    }

    fn read_once(&mut self, path: &Path, deadline: Deadline) -> Result<Content, Obstacle> {
        let name = path.file_name().ok_or(Obstacle::Folder)?;
        let folder = self.folder_of(path).map_err(obstacle)?;
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(folder, name, flags, Mode::empty()).map_err(obstacle)?;
        self.world.opened.fetch_add(1, Ordering::Relaxed);

        let mark = plain(&rustix::fs::fstat(&opened).map_err(obstacle)?)?;
        let mut file = File::from(opened);
        let bytes = read_to(&mut file, mark.size, deadline)?;

        let same_file = plain(&rustix::fs::fstat(&file).map_err(obstacle)?) == Ok(mark);
        let same_path = matches!(self.meet(path), Met::File(now) if now == mark);
        let whole = u64::try_from(bytes.len()) == Ok(mark.size);
        if !(same_file && same_path && whole) {
            return Err(Obstacle::Restless);
        }
        Ok(Content::new(mark, bytes))
    }

    fn meet(&mut self, path: &Path) -> Met {
        let Some(name) = path.file_name() else { return Met::Obstacle(Obstacle::Folder) };
        let folder = match self.folder_of(path) {
            Ok(folder) => folder,
            Err(Errno::LOOP | Errno::NOTDIR) => return Met::Detour,
            Err(error) => return Met::Obstacle(obstacle(error)),
        };
        match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => Met::Detour,
            Ok(stat) => plain(&stat).map_or_else(Met::Obstacle, Met::File),
            Err(error) => Met::Obstacle(obstacle(error)),
        }
    }

    /// Opens the folder of a path, from where the last way parts from this one.
    fn folder_of(&mut self, path: &Path) -> Result<BorrowedFd<'_>, Errno> {
        let parent = path.parent().unwrap_or_else(|| Path::new(""));
        let names: Vec<&OsStr> = parent.iter().collect();
        let shared = self.way.iter().zip(&names).take_while(|((on_way, _), name)| on_way == *name);
        let shared = shared.count();
        self.way.truncate(shared);
        for name in &names[shared..] {
            let above = self.way.last().map_or(&self.folder, |(_, folder)| folder);
            let flags = REACH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let folder = rustix::fs::openat(above, *name, flags, Mode::empty())?;
            self.way.push(((*name).to_owned(), folder));
        }
        Ok(self.way.last().map_or(&self.folder, |(_, folder)| folder).as_fd())
    }
}

fn read_to(file: &mut File, size: u64, deadline: Deadline) -> Result<Vec<u8>, Obstacle> {
    let expected = usize::try_from(size).map_err(|_| Obstacle::TooLarge)?;
    // One byte more than expected shows that it grows.
    let mut bytes = vec![0; expected + 1];
    let mut filled = 0;
    while filled < bytes.len() {
        if deadline.is_over() {
            return Err(Obstacle::Late);
        }
        let end = bytes.len().min(filled + CHUNK_BYTES);
        match file.read(&mut bytes[filled..end]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Err(Obstacle::Unreadable),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// The mark of a plain file that is not too large.
fn plain(stat: &Stat) -> Result<FileMark, Obstacle> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(Obstacle::Folder),
        FileType::Symlink
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => return Err(Obstacle::Special),
    }
    let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
    if size > FILE_BYTES_MAX {
        return Err(Obstacle::TooLarge);
    }
    let moment = |seconds: i128, nanoseconds: i128| seconds * 1_000_000_000 + nanoseconds;
    Ok(FileMark {
        size,
        modified_ns: moment(i128::from(stat.st_mtime), i128::from(stat.st_mtime_nsec)),
        changed_ns: moment(i128::from(stat.st_ctime), i128::from(stat.st_ctime_nsec)),
        inode: stat.st_ino,
    })
}

fn obstacle(error: Errno) -> Obstacle {
    match error {
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG | Errno::INVAL => Obstacle::Gone,
        // A link stands where a moment ago a file stood.
        Errno::LOOP => Obstacle::Restless,
        _ => Obstacle::Unreadable,
    }
}
