//! One line into a flat file, or out of it: exactly that, at once or not at all, with everything else as it was.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use throughline_core::row::Image;
use throughline_core::{Leaf, Row, Table, text};
use throughline_language::flat;
use throughline_watch::World;

use crate::seed::{FlatText, SHELF, TAKEN_OUT, WRITTEN, text_of};
use crate::{Error, Result};

/// Files that a line may be written into, the first one that is there.
const RIGHT_FILES: [&str; 4] = ["CLAUDE.md", "AGENTS.md", "GEMINI.md", "MEMORY.md"];
/// The file that is made where there is none: most agents read it.
const NEW_FILE: &str = "AGENTS.md";
/// Lines around a change that a difference shows.
const AROUND: usize = 2;

/// A change of one line in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FlatEdit<'a> {
    /// The file, from the root.
    pub(crate) file: &'a str,
    /// What to do.
    pub(crate) edit: LineEdit<'a>,
}

/// What to do with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEdit<'a> {
    /// It comes after the last line.
    Append {
        /// The whole line.
        line: &'a str,
    },
    /// It comes back to where it stood, or near.
    Insert {
        /// The whole line.
        line: &'a str,
        /// Its number, from one.
        at: u64,
    },
    /// The rule that says this goes.
    Remove {
        /// What the rule says, with or without its marks.
        line: &'a str,
    },
}

/// A change that was worked out and not written yet.
pub(crate) struct EditedFile {
    path: PathBuf,
    before: Option<String>,
    after: String,
    /// The change, for people.
    pub(crate) diff: String,
}

/// A change that was written.
pub(crate) struct WrittenFile {
    path: PathBuf,
    before: Option<String>,
    after: String,
}

/// The hash of a flat file as it is; empty where there is none. The error says why it is left alone.
pub(crate) fn seen(root: &Path, file: &str) -> std::result::Result<String, String> {
    let found = text_of(&World::at(root), root, file).map_err(|why| format!("{file}: {why}"))?;
    Ok(found.map_or_else(String::new, |found| text::sha256_hex(found.text.as_bytes())))
}

/// The file that a line of a project belongs into: the first of those that agents read, or the one that it imports.
pub(crate) fn right_file(root: &Path) -> String {
    let world = World::at(root);
    let there = |file: &str| text_of(&world, root, file).ok().flatten();
    for file in RIGHT_FILES {
        let Some(found) = there(file) else { continue };
        let imported = flat::read(&found.text).imports;
        let shared = RIGHT_FILES.iter().find(|one| imported.iter().any(|path| path == *one));
        return shared.filter(|one| there(one).is_some()).map_or(file, |one| *one).to_owned();
    }
    NEW_FILE.to_owned()
}

impl FlatEdit<'_> {
    /// Whether the file is already as it is to be: the very line stands there, or no longer does.
    pub(crate) fn is_done(&self, root: &Path) -> bool {
        let Ok(Some(found)) = text_of(&World::at(root), root, self.file) else { return false };
        match self.edit {
            LineEdit::Append { line } | LineEdit::Insert { line, .. } => {
                lines_of(&found.text).iter().any(|one| one.trim_end() == line)
            }
            LineEdit::Remove { line } => place_of(&found.text, line).is_none(),
        }
    }

    /// Works out what a file becomes. The error says why it is left alone.
    pub(crate) fn apply(&self, root: &Path) -> std::result::Result<EditedFile, String> {
        let found = text_of(&World::at(root), root, self.file);
        let found = found.map_err(|why| format!("{}: {why}", self.file))?;
        let before = found.as_ref().map_or("", |found| found.text.as_str());
        let lines = lines_of(before);
        let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
        let (at, after) = match self.edit {
            LineEdit::Append { line } => (lines.len(), insert(&lines, lines.len(), line, end)),
            LineEdit::Insert { line, at } => {
                let at = usize::try_from(at.saturating_sub(1)).unwrap_or(usize::MAX);
                let at = at.min(lines.len());
                (at, insert(&lines, at, line, end))
            }
            LineEdit::Remove { line } => {
                let missing = || format!("{}: the line is not there as it was", self.file);
                let (at, count) = place_of(before, line).ok_or_else(missing)?;
                (at, remove(&lines, at, count))
            }
        };
        if let LineEdit::Append { line } | LineEdit::Insert { line, .. } = self.edit
            && place_of(before, line).is_some()
        {
            return Err(format!("{}: the line is there already", self.file));
        }
        let diff = diff(self.file, found.is_some(), &lines, &lines_of(&after), at);
        let path = root.join(found.as_ref().map_or(Path::new(self.file), |found| &found.real));
        if is_read_only(&path) {
            return Err(format!("{} is read-only: make it writable first", self.file));
        }
        let before = found.map(|FlatText { text, .. }| text);
        Ok(EditedFile { path, before, after, diff })
    }
}

impl EditedFile {
    /// Writes it: beside the file first, so that it is there whole or not at all, with the permissions it had.
    pub(crate) fn write(&self) -> std::result::Result<WrittenFile, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.path.display());
        replace(&self.path, self.before.as_deref(), &self.after).map_err(failed)?;
        let (path, before, after) = (self.path.clone(), self.before.clone(), self.after.clone());
        Ok(WrittenFile { path, before, after })
    }
}

impl WrittenFile {
    /// Puts the file back as it was, unless somebody has changed it since.
    pub(crate) fn take_back(self) {
        match self.before {
            Some(before) => {
                replace(&self.path, Some(&self.after), &before).ok();
            }
            None if fs::read(&self.path).is_ok_and(|held| held == self.after.as_bytes()) => {
                fs::remove_file(&self.path).ok();
            }
            None => {}
        }
    }
}

/// Whether nobody may write to a file.
fn is_read_only(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.permissions().readonly())
}

/// Puts a new text in the place of the one that is there.
fn replace(path: &Path, before: Option<&str>, after: &str) -> std::io::Result<()> {
    let permissions = match before {
        Some(_) => Some(fs::metadata(path)?.permissions()),
        None => None,
    };
    clear_working(path);
    let working = path.with_file_name(format!(
        "{}{:016x}{WORKING_END}",
        working_begin(path).ok_or(ErrorKind::InvalidInput)?,
        fastrand::u64(..)
    ));
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&working)?;
        file.write_all(after.as_bytes())?;
        if let Some(permissions) = &permissions {
            file.set_permissions(permissions.clone())?;
        }
        file.sync_all()?;
        let Some(before) = before else {
            return put_new(&working, path);
        };
        // Whoever wrote meanwhile keeps what they wrote.
        if fs::read(path)? != before.as_bytes() {
            return Err(std::io::Error::new(ErrorKind::InvalidData, "it was changed meanwhile"));
        }
        fs::rename(&working, path)
    };
    let written = write();
    if written.is_err() {
        fs::remove_file(&working).ok();
    }
    written
}

/// Gives a file its name, unless somebody made one of that name meanwhile: that is theirs.
fn put_new(working: &Path, path: &Path) -> std::io::Result<()> {
    match fs::hard_link(working, path) {
        Ok(()) => fs::remove_file(working),
        // Not every disk knows links.
        Err(error) if error.kind() != ErrorKind::AlreadyExists && !path.exists() => {
            fs::rename(working, path)
        }
        Err(error) => Err(error),
    }
}

/// How the file that is written beside another one is named, before and after a number.
fn working_begin(path: &Path) -> Option<String> {
    Some(format!(".{}.throughline-", path.file_name()?.to_str()?))
}
const WORKING_END: &str = ".tmp";
/// A file beside another one that is older than this was left by somebody who was cut off.
const WORKING_MAX: Duration = Duration::from_secs(60);

/// Removes what somebody who was cut off left beside a file.
pub(crate) fn clear_working(path: &Path) {
    let (Some(folder), Some(begin)) = (path.parent(), working_begin(path)) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| {
            name.strip_prefix(&begin).and_then(|rest| rest.strip_suffix(WORKING_END)).is_some_and(
                |number| number.len() == 16 && number.bytes().all(|one| one.is_ascii_hexdigit()),
            )
        });
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if ours && age().is_some_and(|age| age > WORKING_MAX) {
            fs::remove_file(entry.path()).ok();
        }
    }
}

/// The lines of a text, each with its end.
fn lines_of(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A text with one more line. A last line without an end keeps being without one.
fn insert(lines: &[&str], at: usize, line: &str, end: &str) -> String {
    let mut after = lines[..at].concat();
    let ended = after.is_empty() || after.ends_with('\n');
    if ended {
        after.push_str(line);
        after.push_str(end);
    } else {
        after.push_str(end);
        after.push_str(line);
    }
    after.push_str(&lines[at..].concat());
    after
}

/// A text without some lines. Where the last one goes, the one before it ends as the text did.
fn remove(lines: &[&str], at: usize, count: usize) -> String {
    let mut after = lines[..at].concat();
    let rest = lines[at + count..].concat();
    let unended = lines.last().is_some_and(|line| !line.ends_with('\n'));
    if rest.is_empty() && unended {
        let kept = after.trim_end_matches('\n').trim_end_matches('\r').len();
        after.truncate(kept);
    }
    after.push_str(&rest);
    after
}

/// Where the lines of a rule are: the first, from nought, and how many.
fn place_of(text: &str, line: &str) -> Option<(usize, usize)> {
    let wanted = flat::read(line).rules.into_iter().next().map(|rule| rule.text);
    let wanted = wanted.as_deref().unwrap_or(line);
    let rules = flat::read(text).rules;
    let rule = rules.iter().find(|rule| rule.text == wanted)?;
    let count = rule.last.saturating_sub(rule.first) as usize + 1;
    Some(((rule.first as usize).saturating_sub(1), count))
}

/// The difference of two texts that differ in one place, as `diff -u` writes it.
fn diff(file: &str, was_there: bool, before: &[&str], after: &[&str], at: usize) -> String {
    let (removed, added) =
        (before.len().saturating_sub(after.len()), after.len().saturating_sub(before.len()));
    // A last line without an end gets one when another comes after it; that is no difference to people.
    let first = at.saturating_sub(AROUND);
    let last = (at + removed + AROUND).min(before.len());
    let plain = |line: &str| line.trim_end_matches(['\r', '\n']).to_owned();
    let from = if was_there { file } else { "/dev/null" };
    let mut page = format!(
        "--- {from}\n+++ {file}\n@@ -{},{} +{},{} @@\n",
        if last > first { first + 1 } else { first },
        last - first,
        first + 1,
        last - first - removed + added
    );
    let mut push = |mark: char, line: &str| page.push_str(&format!("{mark}{}\n", plain(line)));
    before[first..at].iter().for_each(|line| push(' ', line));
    before[at..at + removed].iter().for_each(|line| push('-', line));
    after[at..at + added].iter().for_each(|line| push('+', line));
    before[at + removed..last].iter().for_each(|line| push(' ', line));
    page
}

/// Follows an undo into the files: a line that was written goes, one that was taken out comes back, and the other way
/// round where an undo is undone. `rows` are as they will be, `now` as they are.
pub(crate) fn undo_lines(
    root: &Path,
    rows: &[Image],
    now: &[Option<Row>],
    told: &mut Vec<String>,
) -> Result<()> {
    for (image, now) in rows.iter().zip(now) {
        if image.key.table != Table::Leaf {
            continue;
        }
        let leaf = |row: &Option<Row>| row.as_ref().and_then(Row::as_leaf).cloned();
        let (now, then) = (leaf(now), leaf(&image.row));
        let Some(any) = now.as_ref().or(then.as_ref()).filter(|leaf| leaf.shelf == SHELF) else {
            continue;
        };
        let (file, written) = (any.name.as_str(), line_written(any));
        let edit = match (stands(now.as_ref()), stands(then.as_ref())) {
            (true, false) => LineEdit::Remove { line: &written },
            (false, true) if any.notes.iter().any(|note| note == WRITTEN) => {
                LineEdit::Append { line: &written }
            }
            (false, true) => LineEdit::Insert { line: &written, at: any.order },
            (true, true) | (false, false) => continue,
        };
        let touched = [now.as_ref(), then.as_ref()].into_iter().flatten().any(is_ours);
        if !touched {
            continue;
        }
        let done = match (FlatEdit { file, edit }).apply(root) {
            Ok(edited) => edited,
            // Somebody has changed it since: the file is theirs.
            Err(why) if why.ends_with("as it was") || why.ends_with("already") => {
                told.push(format!("{why}; the file was left as it is"));
                continue;
            }
            Err(why) => return Err(Error::NotPossible(why)),
        };
        done.write().map_err(Error::NotPossible)?;
        told.push(format!("{file} was changed back"));
    }
    Ok(())
}

/// Whether a line was written or taken out because a person said so.
fn is_ours(leaf: &Leaf) -> bool {
    leaf.notes.iter().any(|note| note == WRITTEN || note == TAKEN_OUT)
}

/// Whether a line stands in its file.
fn stands(leaf: Option<&Leaf>) -> bool {
    leaf.is_some_and(crate::seed::is_in_file)
}

/// The whole line of a leaf.
pub(crate) fn line_written(leaf: &Leaf) -> String {
    let written = leaf.notes.iter().any(|note| note == WRITTEN);
    if written {
        flat::line_of(&leaf.text, &leaf.memory.handle())
    } else {
        format!("- {}", leaf.text)
    }
}
