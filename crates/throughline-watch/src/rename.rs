//! Files that are gone, and may have gone elsewhere.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::FileType;
use std::path::{Path, PathBuf};

use throughline_core::watermark::Reading;

use crate::content::Content;
use crate::ground::{Ground, Obstacle};
use crate::stamp::{FileMark, FileStamp};
use crate::{Deadline, Look, World};

/// The most entries of folders that are looked at.
const ENTRIES_MAX: usize = 20_000;

/// The most files beside one that are looked at.
const SIBLINGS_MAX: usize = 1_000;

/// A shorter file says too little to be known again.
const BYTES_MIN: u64 = 16;

/// Folders that hold copies of what others made.
const SKIPPED: [&str; 2] = ["node_modules", "target"];

/// A file that is not where it was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gone<'a> {
    /// Which of the bindings.
    pub(crate) at: usize,
    pub(crate) path: &'a str,
    pub(crate) stamp: FileStamp<'a>,
}

/// Files with the content that somebody misses.
type Twins = BTreeMap<String, Vec<(String, FileMark)>>;

/// Looks for them all in one walk. A file is known by all it says; if several say that, by its name.
pub(crate) fn look(world: &World, gone: &[Gone<'_>], deadline: Deadline, looks: &mut [Look]) {
    let known: Vec<&Gone<'_>> =
        gone.iter().filter(|gone| gone.stamp.seen.size >= BYTES_MIN).collect();
    if known.is_empty() {
        return;
    }
    let Ok(mut ground) = Ground::open(world) else { return };
    let sizes: BTreeSet<u64> = known.iter().map(|gone| gone.stamp.seen.size).collect();
    let twins = match search(&mut ground, &sizes, deadline) {
        Ok(twins) => twins,
        Err(late) => {
            for gone in known {
                looks[gone.at] = Look::unknown(late.words());
            }
            return;
        }
    };
    for gone in known {
        let found = twins.get(gone.stamp.content).and_then(|twins| twin(gone, twins));
        if let Some((path, mark)) = found {
            let stamp = FileStamp::write(gone.stamp.content, mark, false, gone.stamp.span);
            looks[gone.at] = Look {
                reading: Reading::Unchanged,
                now: String::new(),
                renamed: Some(path.clone()),
                stamp: Some(stamp),
            };
        }
    }
}

/// Whether a file beside this one says the same.
pub(crate) fn has_twin(world: &World, path: &str, content: &Content, deadline: Deadline) -> bool {
    let Ok(mut ground) = Ground::open(world) else { return false };
    let path = Path::new(path);
    let folder = path.parent().unwrap_or(Path::new(""));
    let sizes = BTreeSet::from([content.mark.size]);
    let beside = list(&ground.root().join(folder), SIBLINGS_MAX).into_iter();
    let others = beside.filter(|(_, sort)| sort.is_file()).map(|(name, _)| folder.join(name));
    others.filter(|other| other != path).any(|other| {
        let found = read(&mut ground, &other, &sizes, deadline);
        found.is_ok_and(|found| found.is_some_and(|(hash, ..)| hash == content.hash()))
    })
}

/// The only one, or the only one of that name, of those that came there since: what stood beside the
/// file before says the same, and is another.
fn twin<'t>(gone: &Gone<'_>, twins: &'t [(String, FileMark)]) -> Option<&'t (String, FileMark)> {
    let came: Vec<&(String, FileMark)> =
        twins.iter().filter(|(_, mark)| gone.stamp.may_be(mark)).collect();
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let mut namesakes = came.iter().filter(|(other, _)| name(other) == name(gone.path));
    match (came.as_slice(), namesakes.next(), namesakes.next()) {
        ([only], _, _) => Some(only),
        (_, Some(only), None) => Some(only),
        _ => None,
    }
}

/// Reads every file of one of these sizes.
fn search(
    ground: &mut Ground<'_>,
    sizes: &BTreeSet<u64>,
    deadline: Deadline,
) -> Result<Twins, Obstacle> {
    let mut twins = Twins::new();
    let mut folders = VecDeque::from([PathBuf::new()]);
    let mut entries = 0;
    while let Some(folder) = folders.pop_front() {
        for (name, sort) in list(&ground.root().join(&folder), ENTRIES_MAX - entries) {
            entries += 1;
            if deadline.is_over() {
                return Err(Obstacle::Late);
            }
            let path = folder.join(&name);
            if sort.is_dir() && !is_skipped(&name) {
                folders.push_back(path);
            } else if sort.is_file()
                && let Some((content, path, mark)) = read(ground, &path, sizes, deadline)?
            {
                twins.entry(content).or_default().push((path, mark));
            }
        }
    }
    Ok(twins)
}

/// The names in a folder that can be written as text, in order.
fn list(folder: &Path, most: usize) -> Vec<(String, FileType)> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let entries = entries.take(most).filter_map(|entry| {
        let entry = entry.ok()?;
        Some((entry.file_name().into_string().ok()?, entry.file_type().ok()?))
    });
    let mut entries: Vec<_> = entries.collect();
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    entries
}

fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || SKIPPED.contains(&name)
}

fn read(
    ground: &mut Ground<'_>,
    path: &Path,
    sizes: &BTreeSet<u64>,
    deadline: Deadline,
) -> Result<Option<(String, String, FileMark)>, Obstacle> {
    let Ok(found) = ground.find(path) else { return Ok(None) };
    if !sizes.contains(&found.mark.size) {
        return Ok(None);
    }
    let content = match ground.read(&found, deadline) {
        Ok(content) => content,
        Err(Obstacle::Late) => return Err(Obstacle::Late),
        Err(_) => return Ok(None),
    };
    let path = path.to_str().map(str::to_owned);
    Ok(path.map(|path| (content.hash().to_owned(), path, content.mark)))
}
