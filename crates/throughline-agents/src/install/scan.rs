//! Where things stand in a settings file: JSON, with comments and trailing commas tolerated.
//!
//! Finds spans and changes nothing. What no reader of such files would take is refused.

use std::ops::Range;

use super::RefusedInstall;

/// How deep values may be nested.
const DEPTH_MAX: usize = 100;

/// A text with the places of its values.
#[derive(Debug)]
pub(super) struct Document {
    /// The value; `None` when there is only white space and comments.
    pub(super) root: Option<Node>,
    /// Every comment, in order. The line break after a comment is no part of it.
    comments: Vec<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonKind {
    Object,
    Array,
    Text,
    Other,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: JsonKind,
    /// With its brackets or quotation marks.
    pub(super) span: Range<usize>,
    /// What is in it, if it is an object or an array.
    pub(super) items: Vec<Item>,
}

/// A member of an object, or an element of an array.
#[derive(Debug)]
pub(super) struct Item {
    /// The name of a member.
    pub(super) name: Option<String>,
    /// With its name.
    pub(super) span: Range<usize>,
    pub(super) value: Node,
    /// Where the comma behind it stands.
    pub(super) comma: Option<usize>,
}

impl Item {
    /// Where it ends, with its comma.
    pub(super) fn full_end(&self) -> usize {
        self.comma.map_or(self.span.end, |comma| comma + 1)
    }
}

impl Node {
    /// The last member of that name: the one that counts for whoever reads the file.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        let named = |item: &&Item| item.name.as_deref() == Some(name);
        self.items.iter().rfind(named).map(|item| &item.value)
    }

    /// What a text says.
    pub(super) fn as_text(&self, text: &str) -> Option<String> {
        (self.kind == JsonKind::Text).then(|| decode(&text[self.span.clone()]))
    }

    /// Between the brackets.
    pub(super) fn inside(&self) -> Range<usize> {
        self.span.start + 1..self.span.end - 1
    }
}

impl Document {
    /// The comments between two places.
    pub(super) fn comments_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        let (start, end) = (range.start, range.end);
        self.comments.iter().filter(move |one| one.start >= start && one.end <= end)
    }

    /// The end of the last comment between two places, or the first of them.
    pub(super) fn after_comments(&self, range: &Range<usize>) -> usize {
        self.comments_in(range).last().map_or(range.start, |last| last.end)
    }
}

/// What a quoted text says; as it is written when it holds half a character.
fn decode(quoted: &str) -> String {
    serde_json::from_str(quoted).unwrap_or_else(|_| quoted[1..quoted.len() - 1].to_owned())
}

/// Finds everything in a text.
pub(super) fn scan(text: &str) -> Result<Document, RefusedInstall> {
    let mut scanner = Scanner { text, at: 0, comments: Vec::new() };
    if text.starts_with('\u{feff}') {
        scanner.at += '\u{feff}'.len_utf8();
    }
    scanner.trivia()?;
    let root = if scanner.at == text.len() { None } else { Some(scanner.value(0)?) };
    scanner.trivia()?;
    if scanner.at < text.len() {
        return Err(scanner.bad("there is text after the end"));
    }
    Ok(Document { root, comments: scanner.comments })
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    comments: Vec<Range<usize>>,
}

impl Scanner<'_> {
    fn bad(&self, why: &str) -> RefusedInstall {
        let before = &self.text.as_bytes()[..self.at.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        RefusedInstall::NotJson { line, why: why.to_owned() }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes over white space and comments.
    fn trivia(&mut self) -> Result<(), RefusedInstall> {
        while let Some(byte) = self.peek() {
            let rest = &self.text[self.at..];
            if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                self.at += 1;
            } else if rest.starts_with("//") {
                let line =
                    rest.split_once('\n').map(|(line, _)| line.strip_suffix('\r').unwrap_or(line));
                self.comment(line.unwrap_or(rest).len());
            } else if let Some(inside) = rest.strip_prefix("/*") {
                let end = inside.find("*/").ok_or_else(|| self.bad("a comment has no end"))?;
                self.comment(end + 4);
            } else {
                break;
            }
        }
        Ok(())
    }

    fn comment(&mut self, length: usize) {
        self.comments.push(self.at..self.at + length);
        self.at += length;
    }

    fn value(&mut self, depth: usize) -> Result<Node, RefusedInstall> {
        match self.peek() {
            Some(b'{') => self.container(JsonKind::Object, b'}', depth),
            Some(b'[') => self.container(JsonKind::Array, b']', depth),
            Some(b'"') => {
                let span = self.quoted()?;
                Ok(Node { kind: JsonKind::Text, span, items: Vec::new() })
            }
            Some(_) => self.word(),
            None => Err(self.bad("it ends too early")),
        }
    }

    fn container(
        &mut self,
        kind: JsonKind,
        closing: u8,
        depth: usize,
    ) -> Result<Node, RefusedInstall> {
        if depth >= DEPTH_MAX {
            return Err(self.bad("it is nested too deeply"));
        }
        let start = self.at;
        self.at += 1;
        let mut items: Vec<Item> = Vec::new();
        loop {
            self.trivia()?;
            if self.peek() == Some(closing) {
                self.at += 1;
                return Ok(Node { kind, span: start..self.at, items });
            }
            if items.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.bad("a comma or a closing bracket is missing"));
            }
            let mut item = self.item(kind, depth)?;
            self.trivia()?;
            if self.peek() == Some(b',') {
                item.comma = Some(self.at);
                self.at += 1;
            }
            items.push(item);
        }
    }

    fn item(&mut self, kind: JsonKind, depth: usize) -> Result<Item, RefusedInstall> {
        let start = self.at;
        let mut name = None;
        if kind == JsonKind::Object {
            if self.peek() != Some(b'"') {
                return Err(self.bad("a name in quotation marks is missing"));
            }
            let quoted = self.quoted()?;
            name = Some(decode(&self.text[quoted]));
            self.trivia()?;
            if self.peek() != Some(b':') {
                return Err(self.bad("a colon is missing"));
            }
            self.at += 1;
            self.trivia()?;
        }
        let value = self.value(depth + 1)?;
        Ok(Item { name, span: start..self.at, value, comma: None })
    }

    fn quoted(&mut self) -> Result<Range<usize>, RefusedInstall> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(start..self.at);
                }
                Some(b'\\') => self.escape()?,
                Some(0..=0x1f) => return Err(self.bad("a control character in a text")),
                Some(_) => self.at += 1,
                None => return Err(self.bad("a text has no end")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), RefusedInstall> {
        let rest = &self.text.as_bytes()[self.at + 1..];
        self.at += match rest.first() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') if rest.len() > 4 && rest[1..5].iter().all(u8::is_ascii_hexdigit) => 6,
            Some(_) | None => return Err(self.bad("an unexpected backslash")),
        };
        Ok(())
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Node, RefusedInstall> {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        let known = matches!(word, "true" | "false" | "null")
            || serde_json::from_str::<serde_json::Number>(word).is_ok();
        if !known {
            return Err(self.bad("something that is not a value"));
        }
        let span = self.at..self.at + word.len();
        self.at = span.end;
        Ok(Node { kind: JsonKind::Other, span, items: Vec::new() })
    }
}
