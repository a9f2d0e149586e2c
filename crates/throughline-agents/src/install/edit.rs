//! Putting items into a container, and taking them out, without touching anything else.
//!
//! What is put in can be told from what was there before, so that it can be taken out exactly: in a
//! container that was empty it stands behind one space, or right behind the bracket when there was
//! white space; in a container that we made it stands on lines of its own, or fills it completely.

use std::ops::Range;

use super::scan::{Document, Item, Node};

/// A range of a text, and what comes in its place.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) with: String,
}

impl Edit {
    pub(super) fn insert(at: usize, with: impl Into<String>) -> Self {
        Self { range: at..at, with: with.into() }
    }

    pub(super) fn delete(range: Range<usize>) -> Self {
        Self { range, with: String::new() }
    }
}

/// A text after its edits, which do not overlap.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut after = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        after.push_str(&text[at..edit.range.start]);
        after.push_str(&edit.with);
        at = edit.range.end;
    }
    after.push_str(&text[at..]);
    after
}

/// A settings file and the habits of whoever wrote it.
pub(super) struct SettingsPage<'a> {
    pub(super) text: &'a str,
    pub(super) document: &'a Document,
    /// How lines end.
    pub(super) eol: &'static str,
    /// One step of indentation.
    pub(super) unit: String,
    /// Whether everything stands on one line.
    pub(super) one_line: bool,
}

impl<'a> SettingsPage<'a> {
    pub(super) fn new(text: &'a str, document: &'a Document) -> Self {
        let mut page = Self {
            text,
            document,
            eol: if text.contains("\r\n") { "\r\n" } else { "\n" },
            unit: "  ".to_owned(),
            one_line: false,
        };
        if let Some(root) = &document.root
            && let Some(first) = root.items.first()
        {
            page.one_line = !text[root.span.clone()].contains('\n');
            let indent = page.indent(root, 0).filter(|indent| !indent.is_empty());
            page.unit = indent.unwrap_or(page.unit);
            debug_assert!(first.span.start > root.span.start, "an item is inside");
        }
        page
    }

    /// What stands before the lines of a container's items, if they have lines of their own.
    fn indent(&self, container: &Node, index: usize) -> Option<String> {
        let before = self.floor(container, index)..container.items.get(index)?.span.start;
        let (_, indent) = self.text[before].rsplit_once('\n')?;
        Some(indent.to_owned())
    }

    /// Behind whatever stands before an item: a bracket, a comma, a comment.
    fn floor(&self, container: &Node, index: usize) -> usize {
        let start = match index.checked_sub(1).and_then(|before| container.items.get(before)) {
            Some(before) => before.full_end(),
            None => container.inside().start,
        };
        self.document.after_comments(&(start..container.items[index].span.start))
    }

    /// What to put between the items of a container at this depth, when it has none to go by.
    pub(super) fn line_break(&self, depth: usize) -> String {
        if self.one_line {
            " ".to_owned()
        } else {
            format!("{}{}", self.eol, self.unit.repeat(depth))
        }
    }

    /// What stands between the items of a container.
    pub(super) fn separator(&self, container: &Node, depth: usize) -> String {
        match container.items.len().checked_sub(1).map(|last| self.indent(container, last)) {
            Some(Some(indent)) => format!("{}{indent}", self.eol),
            Some(None) => " ".to_owned(),
            None => self.line_break(depth),
        }
    }

    /// Puts items behind the ones that are there. `depth` is how deep they will stand.
    pub(super) fn append(&self, container: &Node, new: &[String], depth: usize) -> Vec<Edit> {
        let mut separator = self.separator(container, depth);
        let Some(last) = container.items.last() else {
            let items = new.join(&format!(",{separator}"));
            let inside = container.inside();
            let items = if inside.is_empty() { format!(" {items} ") } else { items };
            return vec![Edit::insert(inside.start, items)];
        };
        let tail = last.full_end()..container.inside().end;
        let at = self.document.after_comments(&tail);
        let behind_a_line = self
            .document
            .comments_in(&tail)
            .last()
            .is_some_and(|comment| self.text[comment.clone()].starts_with("//"));
        if behind_a_line && !separator.contains('\n') {
            separator = format!("{}{}", self.eol, self.unit.repeat(depth));
        }
        let mut edits = Vec::new();
        let mut items = String::new();
        if last.comma.is_none() {
            edits.push(Edit::insert(last.span.end, ","));
            items = format!("{separator}{}", new.join(&format!(",{separator}")));
        } else {
            for item in new {
                items.push_str(&format!("{separator}{item},"));
            }
        }
        edits.push(Edit::insert(at, items));
        edits
    }

    /// Takes items out of a container.
    pub(super) fn drop_items(&self, container: &Node, gone: &[bool]) -> Vec<Edit> {
        let mut edits = Vec::new();
        let items = || container.items.iter().zip(gone);
        for (index, (item, _)) in items().enumerate().filter(|(_, (_, gone))| **gone) {
            edits.push(Edit::delete(self.floor(container, index)..item.span.end));
            edits.extend(item.comma.map(delete_byte));
        }
        // Where no comma stood at the end, none is left there.
        let last_goes =
            items().next_back().is_some_and(|(item, gone)| *gone && item.comma.is_none());
        if last_goes {
            let stays = items().rfind(|(_, gone)| !**gone).and_then(|(item, _)| item.comma);
            edits.extend(stays.map(delete_byte));
        }
        edits
    }

    /// Takes everything out of a container. `None` when it was put there by us, or stands so that
    /// it might have been: then it goes as well.
    pub(super) fn empty(&self, container: &Node) -> Option<Vec<Edit>> {
        let (first, last) = (container.items.first()?, container.items.last()?);
        let inside = container.inside();
        if self.has_own_comments(container) && first.span.start > inside.start {
            return Some(self.drop_items(container, &vec![true; container.items.len()]));
        }
        let lead = &self.text[inside.start..first.span.start];
        let trail = &self.text[last.full_end()..inside.end];
        match (lead, trail) {
            ("", "") => None,
            ("", _) => Some(vec![Edit::delete(inside.start..last.full_end())]),
            (" ", " ") => Some(vec![Edit::delete(inside)]),
            _ => None,
        }
    }

    /// Whether comments stand between its items.
    fn has_own_comments(&self, container: &Node) -> bool {
        let within = |item: &Item, comment: &Range<usize>| {
            item.span.start <= comment.start && comment.end <= item.span.end
        };
        self.document
            .comments_in(&container.inside())
            .any(|comment| !container.items.iter().any(|item| within(item, comment)))
    }
}

fn delete_byte(at: usize) -> Edit {
    Edit::delete(at..at + 1)
}
