//! Files, and lines and keys in them.

use std::path::Path;

use throughline_core::watermark::{Reading, Referent};

use crate::content::{Content, LinePlace, short};
use crate::ground::{Ground, Obstacle, PlainFile};
use crate::rename::{self, Gone};
use crate::stamp::{FileMark, FileStamp, KeyStamp, LinesBeside, SpanStamp};
use crate::{Binding, Deadline, FileRead, Look, Stamped, Unresolved, World, flag, path};

/// Notes what a file says, or lines of it.
pub(crate) fn stamp(
    world: &World,
    written: &str,
    span: Option<(u32, u32)>,
    deadline: Deadline,
) -> Result<Stamped, Unresolved> {
    let (path, content) = read(world, written, deadline)?;
    let has_twin = rename::has_twin(world, &path, &content, deadline);
    let (stamp, then) = match span {
        None => {
            let hash = content.hash();
            (FileStamp::write(hash, &content.mark, has_twin, None), short(hash).to_owned())
        }
        Some(span) => {
            stamp_span(&content, span, has_twin, deadline).ok_or(Unresolved::NoSuchLines)?
        }
    };
    Ok(Stamped { referent: Referent::File { path, span }, stamp, then })
}

fn stamp_span(
    content: &Content,
    (first, last): (u32, u32),
    has_twin: bool,
    deadline: Deadline,
) -> Option<(String, String)> {
    let lines = last.checked_sub(first)?.checked_add(1)?;
    let hash = content.hash_of_lines(first, lines)?;
    if content.is_blank(first, lines) {
        return None;
    }
    let trace = content.trace_of_line(first)?;
    let beside = content.beside(first, lines);
    let copies = content.copies(&hash, lines, trace, deadline)?;
    let around: Vec<LinesBeside> = copies.iter().map(|line| content.beside(*line, lines)).collect();
    let alike = around.iter().filter(|other| other.meets(beside)).count();
    let same = around.iter().filter(|other| **other == beside).count();
    let span = SpanStamp {
        hash: &hash,
        lines,
        first: trace,
        beside,
        copies: u32::try_from(copies.len()).ok()?,
        alike: u32::try_from(alike).ok()?,
        same: u32::try_from(same).ok()?,
    };
    let stamp = FileStamp::write(content.hash(), &content.mark, has_twin, Some(span));
    let then = content.shown_lines(first, lines).unwrap_or_else(|| short(&hash).to_owned());
    Some((stamp, then))
}

/// Reads a file as somebody named it, and says how it is called from the root.
pub(crate) fn read(
    world: &World,
    written: &str,
    deadline: Deadline,
) -> Result<(String, Content), Unresolved> {
    if path::is_own_data(Path::new(written)) {
        return Err(Unresolved::OwnData);
    }
    let path = path::of_file(world, written)?;
    let mut ground = Ground::open(world)?;
    let found = ground.find(Path::new(&path))?;
    let content = ground.read(&found, deadline)?;
    Ok((path, content))
}

/// The same with its bytes, and where it lies without links.
pub(crate) fn read_whole(
    world: &World,
    written: &str,
    deadline: Deadline,
) -> Result<FileRead, Unresolved> {
    let path = path::of_file(world, written)?;
    let mut ground = Ground::open(world)?;
    let found = ground.find(Path::new(&path))?;
    let bytes = ground.read(&found, deadline)?.into_bytes();
    Ok(FileRead { path, real: found.path, bytes })
}

/// Something to look at in a file.
struct Item<'a> {
    path: &'a str,
    /// Which of the bindings.
    at: usize,
    wants: Wants<'a>,
}

enum Wants<'a> {
    Whole(FileStamp<'a>),
    /// Lines, the first of which was there.
    Lines(FileStamp<'a>, SpanStamp<'a>, u32),
    Key(KeyStamp<'a>, &'a str),
}

/// Looks at all that is in files, and returns the files that are gone.
pub(crate) fn look<'a>(
    world: &World,
    bindings: &[Binding<'a>],
    deadline: Deadline,
    looks: &mut [Look],
) -> Vec<Gone<'a>> {
    let mut gone = Vec::new();
    let mut items: Vec<Item<'_>> = Vec::new();
    for (at, binding) in bindings.iter().enumerate() {
        match item(at, binding) {
            Sorted::InFile(item) => items.push(*item),
            Sorted::Elsewhere => {}
            Sorted::Senseless => looks[at] = Look::unknown("the stamp cannot be read"),
        }
    }
    if items.is_empty() {
        return gone;
    }
    let Ok(mut ground) = Ground::open(world) else {
        for item in items {
            looks[item.at] = Look::unknown("the project's folder cannot be read");
        }
        return gone;
    };
    // Neighbours after one another: each file once, each folder once.
    items.sort_unstable_by(|a, b| a.path.cmp(b.path));
    for group in items.chunk_by(|a, b| a.path == b.path) {
        if deadline.is_over() {
            break;
        }
        let mut file = FileNow::find(&mut ground, group[0].path, deadline);
        for item in group {
            looks[item.at] = file.judge(item, &mut gone);
        }
    }
    gone
}

enum Sorted<'a> {
    InFile(Box<Item<'a>>),
    Elsewhere,
    Senseless,
}

fn item<'a>(at: usize, binding: &Binding<'a>) -> Sorted<'a> {
    let item = match binding.referent {
        Referent::File { path, span } => {
            let wants = FileStamp::read(binding.stamp).and_then(|stamp| match (span, stamp.span) {
                (None, None) => Some(Wants::Whole(stamp)),
                (Some((first, _)), Some(span)) => Some(Wants::Lines(stamp, span, *first)),
                (None, Some(_)) | (Some(_), None) => None,
            });
            wants.map(|wants| Item { path, at, wants })
        }
        Referent::Flag { name } => {
            let Some((path, key)) = flag::file_and_key(name) else { return Sorted::Elsewhere };
            let stamp = KeyStamp::read(binding.stamp).filter(|_| !path::is_secret(path));
            stamp.map(|stamp| Item { path, at, wants: Wants::Key(stamp, key) })
        }
        Referent::Git { .. } => return Sorted::Elsewhere,
    };
    let item = item.filter(|item| path::is_canonical(item.path));
    item.map_or(Sorted::Senseless, |item| Sorted::InFile(Box::new(item)))
}

/// A file as it is now, read when it has to be.
struct FileNow<'g, 'w> {
    ground: &'g mut Ground<'w>,
    found: Result<PlainFile, Obstacle>,
    content: Option<Result<Content, Obstacle>>,
    settled: Option<bool>,
    deadline: Deadline,
}

impl<'g, 'w> FileNow<'g, 'w> {
    fn find(ground: &'g mut Ground<'w>, path: &str, deadline: Deadline) -> Self {
        let found = ground.find(Path::new(path));
        Self { ground, found, content: None, settled: None, deadline }
    }

    fn judge<'a>(&mut self, item: &Item<'a>, gone: &mut Vec<Gone<'a>>) -> Look {
        let seen = match &item.wants {
            Wants::Whole(stamp) | Wants::Lines(stamp, ..) => stamp.seen,
            Wants::Key(stamp, _) => stamp.seen,
        };
        let deadline = self.deadline;
        match self.mark() {
            Ok(mark) if seen.vouches_for(&mark) => return Look::unchanged(),
            Ok(_) => {}
            Err(obstacle) => return judge_obstacle(item, obstacle, gone),
        }
        let content = match self.content() {
            Ok(content) => content,
            Err(obstacle) => return judge_obstacle(item, obstacle, gone),
        };
        let (mut look, fresher) = match item.wants {
            Wants::Whole(stamp) => judge_whole(content, stamp),
            Wants::Lines(stamp, span, first) => judge_lines(content, stamp, span, first, deadline),
            Wants::Key(stamp, key) => judge_key(content, stamp, item.path, key),
        };
        if look.reading == Reading::Unchanged && self.is_settled() {
            look.stamp = fresher;
        }
        look
    }

    fn mark(&self) -> Result<FileMark, Obstacle> {
        self.found.as_ref().map(|found| found.mark).map_err(|obstacle| *obstacle)
    }

    fn content(&mut self) -> Result<&Content, Obstacle> {
        let (ground, found, deadline) = (&mut *self.ground, &self.found, self.deadline);
        let read = self.content.get_or_insert_with(|| match found {
            Ok(found) => ground.read(found, deadline),
            Err(obstacle) => Err(*obstacle),
        });
        read.as_ref().map_err(|obstacle| *obstacle)
    }

    /// Whether a fresher stamp would save reading next time.
    fn is_settled(&mut self) -> bool {
        let mark = match &self.content {
            Some(Ok(content)) => content.mark,
            Some(Err(_)) | None => return false,
        };
        *self.settled.get_or_insert_with(|| mark.is_settled())
    }
}

fn judge_obstacle<'a>(item: &Item<'a>, obstacle: Obstacle, gone: &mut Vec<Gone<'a>>) -> Look {
    if !matches!(obstacle, Obstacle::Gone | Obstacle::Folder) {
        return Look::unknown(obstacle.words());
    }
    match item.wants {
        Wants::Whole(stamp) | Wants::Lines(stamp, ..) => {
            gone.push(Gone { at: item.at, path: item.path, stamp });
        }
        Wants::Key(..) => {}
    }
    Look::new(Reading::Missing, obstacle.words())
}

fn judge_whole(content: &Content, stamp: FileStamp<'_>) -> (Look, Option<String>) {
    let hash = content.hash();
    if hash == stamp.content {
        (Look::unchanged(), Some(FileStamp::write(hash, &content.mark, stamp.has_twin, None)))
    } else {
        (Look::new(Reading::Moved, short(hash)), None)
    }
}

fn judge_lines(
    content: &Content,
    stamp: FileStamp<'_>,
    span: SpanStamp<'_>,
    first: u32,
    deadline: Deadline,
) -> (Look, Option<String>) {
    if content.hash() == stamp.content {
        let fresher = FileStamp::write(stamp.content, &content.mark, stamp.has_twin, Some(span));
        return (Look::unchanged(), Some(fresher));
    }
    let look = match content.find(span, first, deadline) {
        LinePlace::Line(line) => {
            Look::new(Reading::FileChanged, format!("the same, from line {line}"))
        }
        LinePlace::Unknown => Look::unknown(Obstacle::Late.words()),
        LinePlace::Nowhere => {
            let hash = || content.hash_of_lines(first, span.lines);
            let now = content
                .shown_lines(first, span.lines)
                .or_else(|| hash().map(|hash| short(&hash).to_owned()));
            Look::new(Reading::Moved, now.unwrap_or_else(|| "the lines are gone".to_owned()))
        }
    };
    (look, None)
}

fn judge_key(
    content: &Content,
    stamp: KeyStamp<'_>,
    path: &str,
    key: &str,
) -> (Look, Option<String>) {
    let Some(manifest) = content.manifest(path) else {
        return (Look::unknown("the file cannot be parsed"), None);
    };
    let look = match manifest.value(key) {
        None => Look::new(Reading::Missing, "gone"),
        Some(value) if flag::hash(key, &value) == stamp.value => Look::unchanged(),
        Some(value) => Look::new(Reading::Moved, flag::shown(key, &value)),
    };
    (look, Some(KeyStamp::write(stamp.value, &content.mark)))
}
