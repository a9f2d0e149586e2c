//! Kept index: the columns of an index in a file of the home, which a process that has just started maps
//! instead of reading every block from the store.
//!
//! It is a copy of what the store has and never a source of truth: whatever does not fit is passed over,
//! and blocks that changed since are read from the store. It holds vectors, so an erasure removes it. That of a
//! server belongs to one role, and whoever maps it asks the server in the same breath whether it still holds.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use throughline_core::{BatchId, SpaceId, text};
use throughline_embed::MODEL;
use throughline_embed::nearest::{self, Bits, BitsIn, Rows};
use throughline_store::{BLOCK, RECORD, Reader, Shelf, TextOf};
use uuid::Uuid;

use super::column::Column;
use super::dense::{Counts, Index, SESSION};
use super::place::PLACE;
use crate::Result;
use crate::journal::file;

/// Changes whenever the meaning of a byte in the file does.
const FORMAT: &[u8; 8] = b"tlindex2";
const HEADER: usize = 128;
/// Sections begin at such offsets.
const PAGE: usize = 4_096;
/// Room for documents that come later: at least so many, or this share of what is there.
const ROOM: usize = 4_096;
const ROOM_SHARE: usize = 8;
/// How long an erasure waits for somebody who is writing a file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Sign bits of vectors as they stand in the file, with the mean they are relative to.
#[derive(Debug, Clone)]
pub(super) struct KeptSigns {
    bytes: Column,
}

impl KeptSigns {
    /// The bits where they lie; `None` where the file holds something else.
    pub(super) fn bits(&self) -> Option<BitsIn<'_>> {
        BitsIn::read(self.bytes.bytes())
    }

    /// Brings the bits of documents that changed up to date, in this process' memory only.
    pub(super) fn refresh(&mut self, rows: &Rows<'_>, changed: &[usize]) {
        nearest::refresh_in(self.bytes.bytes_mut(), rows, changed);
    }
}

/// Where sections lie in a file with so many documents.
struct Layout {
    places: usize,
    sessions: usize,
    records: usize,
    signs: usize,
    end: usize,
}

impl Layout {
    fn of(documents: usize) -> Self {
        let next = |at: usize, length: usize| (at + length).next_multiple_of(PAGE);
        let places = PAGE;
        let sessions = next(places, documents * PLACE);
        let records = next(sessions, documents * SESSION);
        let signs = next(records, documents * RECORD);
        Self { places, sessions, records, signs, end: signs + Bits::bytes_of(documents) }
    }
}

/// What the first bytes of a file say.
#[derive(Debug, Clone, PartialEq)]
struct IndexHeader {
    space: SpaceId,
    of: TextOf,
    shelf: Shelf,
    documents: usize,
    counts: Counts,
    /// A batch of the log that the file was written after: a database without it has another history. None of a
    /// server, whose shelves say themselves where they were counted.
    after: BatchId,
    /// Whose memory on which server; 0 where it is in a file.
    whose: u64,
}

impl IndexHeader {
    /// The bytes of a header, ending with a digest of themselves.
    fn bytes(&self) -> Vec<u8> {
        let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX).to_le_bytes();
        let mut bytes = FORMAT.to_vec();
        bytes.extend(&text::sha256_hex(MODEL.as_bytes()).as_bytes()[..8]);
        bytes.extend(self.space.0.to_le_bytes());
        bytes.extend(self.shelf.stamp.to_le_bytes());
        bytes.extend(number(self.documents));
        bytes.extend(number(self.counts.documents));
        bytes.extend(number(self.counts.sessions));
        bytes.extend(self.counts.terms.to_le_bytes());
        bytes.extend(self.after.0.as_bytes());
        let of = match self.of {
            TextOf::Memories => 0,
            TextOf::Episodes => 1,
        };
        bytes.extend([of, u8::from(self.shelf.model.is_some()), self.shelf.model.unwrap_or(0), 0]);
        bytes.extend(self.shelf.origin.to_le_bytes());
        bytes.extend(self.whose.to_le_bytes());
        let digest = text::sha256_hex(&bytes);
        bytes.extend(&digest.as_bytes()[..HEADER - bytes.len()]);
        bytes
    }

    fn read(bytes: &[u8; HEADER]) -> Option<Self> {
        let eight = |at: usize| bytes[at..at + 8].try_into().map(u64::from_le_bytes).ok();
        let number = |at: usize| usize::try_from(eight(at)?).ok();
        let of = if bytes[80] == 0 { TextOf::Memories } else { TextOf::Episodes };
        let header = Self {
            space: SpaceId(eight(16)?.cast_signed()),
            of,
            shelf: Shelf {
                stamp: eight(24)?,
                model: (bytes[81] == 1).then_some(bytes[82]),
                origin: eight(84)?.cast_signed(),
            },
            documents: number(32)?,
            counts: Counts { documents: number(40)?, sessions: number(48)?, terms: eight(56)? },
            after: BatchId(Uuid::from_slice(&bytes[64..80]).ok()?),
            whose: eight(92)?,
        };
        // Also tells another format, another model and damage apart.
        (header.bytes() == bytes).then_some(header)
    }
}

/// The file of an index.
fn path(folder: &Path, space: SpaceId, of: TextOf) -> PathBuf {
    let of = match of {
        TextOf::Memories => "memories",
        TextOf::Episodes => "episodes",
    };
    folder.join(format!("{:016x}-{of}.idx", space.0.cast_unsigned()))
}

fn lock(folder: &Path) -> PathBuf {
    folder.join("writing.lock")
}

/// The file of an index and what its first bytes say, where both fit.
fn opened(kept: &KeptFolder, space: SpaceId, of: TextOf) -> Option<(File, IndexHeader)> {
    let mut file = file::open_to_read(&path(&kept.folder, space, of)).ok()?;
    let mut header = [0; HEADER];
    file.read_exact(&mut header).ok()?;
    let header = IndexHeader::read(&header)?;
    let fits = header.space == space
        && header.of == of
        && header.whose == kept.whose
        && header.documents.is_multiple_of(BLOCK)
        && file.metadata().ok()?.len() == Layout::of(header.documents).end as u64;
    fits.then_some((file, header))
}

/// The index as it was kept, if there is one that belongs to this database. Whether that of a server still holds is
/// seen by where its stamp was counted, when it is brought up to date.
pub(super) fn load(
    kept: &KeptFolder,
    reader: &dyn Reader,
    space: SpaceId,
    of: TextOf,
) -> Option<Index> {
    let (file, header) = opened(kept, space, of)?;
    if !kept.is_of_server() && reader.headers(&[header.after]).ok()?.is_empty() {
        return None;
    }
    mapped(&file, &header).ok()
}

/// The same of a server, without asking it.
pub(super) fn load_unasked(kept: &KeptFolder, space: SpaceId, of: TextOf) -> Option<Index> {
    let (file, header) = opened(kept, space, of).filter(|_| kept.is_of_server())?;
    mapped(&file, &header).ok()
}

fn mapped(file: &File, header: &IndexHeader) -> io::Result<Index> {
    let (at, count) = (Layout::of(header.documents), header.documents);
    let map = |at: usize, length: usize| Column::map(file, at as u64, length);
    let mut index = Index {
        shelf: header.shelf,
        records: map(at.records, count * RECORD)?,
        places: map(at.places, count * PLACE)?,
        session_lengths: map(at.sessions, count * SESSION)?,
        signs: Some(KeptSigns { bytes: map(at.signs, Bits::bytes_of(count))? }),
        counts: header.counts,
        ..Index::new(header.of)
    };
    index.average();
    Ok(index)
}

/// Where copies are kept, and of what.
#[derive(Debug)]
pub(crate) struct KeptFolder {
    folder: PathBuf,
    /// Fewer documents are read from the store about as quickly.
    worth_keeping: usize,
    /// So many blocks read beside the file make it worth writing anew.
    outdated: usize,
    /// Whose memory on which server; 0 where it is in a file.
    whose: u64,
}

impl KeptFolder {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, worth_keeping: 4_096, outdated: 16, whose: 0 }
    }

    /// The same for somebody's memory on a server. However few documents there are: whoever lacks one index has to
    /// ask the server for all.
    pub(crate) fn of_server(folder: PathBuf, server: &str, role: &str) -> Self {
        let digest = text::sha256_hex(format!("{role}\n{server}").as_bytes());
        let whose = u64::from_str_radix(&digest[..16], 16).unwrap_or_default().max(1);
        Self { worth_keeping: 0, whose, ..Self::new(folder) }
    }

    /// The same for few documents.
    #[cfg(test)]
    pub(super) fn of_few(folder: PathBuf) -> Self {
        Self { worth_keeping: 8, outdated: 1, ..Self::new(folder) }
    }

    pub(super) fn is_of_server(&self) -> bool {
        self.whose != 0
    }

    /// Whether an index has a file that fits.
    pub(super) fn has(&self, space: SpaceId, of: TextOf) -> bool {
        opened(self, space, of).is_some()
    }

    /// Whether an index is worth a file, or a newer one.
    pub(super) fn wants(&self, space: SpaceId, index: &Index) -> bool {
        let lacks = || self.is_of_server() && !self.has(space, index.of);
        index.documents() >= self.worth_keeping && (index.read_blocks >= self.outdated || lacks())
    }

    /// Removes the file of an index that is known to hold no longer.
    pub(super) fn remove(&self, space: SpaceId, of: TextOf) {
        file::remove(&path(&self.folder, space, of)).ok();
    }

    /// Removes every kept index. Says which could not be removed.
    pub(super) fn forget(&self) -> Vec<PathBuf> {
        let folder = &self.folder;
        if !folder.exists() {
            return Vec::new();
        }
        let held = file::lock_file_within(&lock(folder), PATIENCE);
        let all = ["idx", "tmp"].map(|end| file::with_extension(folder, end).unwrap_or_default());
        let all = all.into_iter().flatten();
        let mut left: Vec<PathBuf> = all.filter(|path| file::remove(path).is_err()).collect();
        if held.is_err() {
            left.push(folder.to_owned());
        }
        left
    }
}

/// Writes what `index` says at this moment. Nobody erases meanwhile: whoever does waits for the lock, and
/// then removes the file.
pub(super) fn save(
    kept: &KeptFolder,
    space: SpaceId,
    of: TextOf,
    index: impl FnOnce() -> Result<(std::sync::Arc<Index>, Option<BatchId>)>,
) -> Result<()> {
    let folder = &kept.folder;
    // Where others hold it they write the same, or erase.
    let Ok(_held) = file::lock_file(&lock(folder)) else { return Ok(()) };
    // Nobody else writes, so that these are of somebody who was cut off.
    for left in file::with_extension(folder, "tmp").unwrap_or_default() {
        file::remove(&left).ok();
    }
    let (index, Some(after)) = index()? else { return Ok(()) };
    let (shelf, counts) = (index.shelf, index.counts);
    let used = index.len();
    let documents = (used + ROOM.max(used / ROOM_SHARE)).next_multiple_of(BLOCK);
    let header = IndexHeader { space, of, shelf, documents, counts, after, whose: kept.whose };
    let at = Layout::of(documents);
    let (header, signs) = (header.bytes(), Bits::of(&index.rows()).bytes());
    let sections: [(usize, &[u8]); 5] = [
        (0, &header),
        (at.places, index.places.bytes()),
        (at.sessions, index.session_lengths.bytes()),
        (at.records, index.records.bytes()),
        (at.signs, &signs),
    ];
    // Part by part: put together first, a large index would be in memory twice.
    let fill = |file: &mut File| {
        for (at, bytes) in sections {
            file.seek(SeekFrom::Start(at as u64))?;
            file.write_all(bytes)?;
        }
        file.set_len(at.end as u64)
    };
    file::replace_by(&path(folder, space, of), true, &fill).ok();
    Ok(())
}

/// The batch that a file is written after.
pub(super) fn written_after(kept: &KeptFolder, reader: &dyn Reader) -> Result<Option<BatchId>> {
    if kept.is_of_server() {
        return Ok(Some(BatchId(Uuid::nil())));
    }
    Ok(reader.latest()?.map(|(_, batch)| batch))
}
