//! Our hooks in the settings of Claude Code: put in, found, and taken out again.
//!
//! Settings are text that belongs to somebody else. What is not ours keeps its bytes, and taking
//! out what was put in gives back the very same text. [`files`] does it to files.

pub mod diff;
mod edit;
mod entry;
pub mod files;
mod scan;

pub use diff::diff;

use edit::{Edit, Page};
use entry::{EVENTS, Ours};
use scan::{Kind, Node, scan};

/// Why settings were left as they are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The owner has to mend the file first.
    #[error("the settings are not JSON: line {line}: {why}")]
    NotJson {
        /// Where, from one.
        line: usize,
        /// What is wrong there.
        why: String,
    },
    /// The file is JSON, but `hooks` is not what Claude Code expects.
    #[error("the settings have another shape than we know: {what}")]
    Shape {
        /// What is not as expected.
        what: String,
    },
    /// We would not find ourselves again.
    #[error("{command} is not the full path of a program called throughline")]
    Command {
        /// What was handed in.
        command: String,
    },
}

/// Settings before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// As they were.
    pub before: String,
    /// As they are to be.
    pub after: String,
    /// The events that we are called at from now on, and were not before.
    pub added: Vec<String>,
    /// The events at which an older entry of ours is replaced.
    pub updated: Vec<String>,
    /// The events that we are no longer called at.
    pub removed: Vec<String>,
}

impl Change {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }
}

/// What an installation did, kept to be able to undo it exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The settings before it.
    pub before: String,
    /// The settings after it.
    pub after: String,
}

/// Puts us into settings: `command` is the full path of our program. Twice is once, and an entry of
/// ours with another path is updated where it stands.
pub fn add(settings: &str, command: &str) -> Result<Change, Refused> {
    if !entry::is_our_program(command) || !entry::is_full_path(command) {
        return Err(Refused::Command { command: command.to_owned() });
    }
    let document = scan(settings)?;
    let page = Page::new(settings, &document);
    let mut change = unchanged(settings);
    let edits = match &document.root {
        None => vec![blank(&page, command, &mut change)],
        Some(root) if root.kind != Kind::Object => return Err(shape("no object")),
        Some(root) => match root.member("hooks") {
            None => {
                change.added = names().collect();
                let hooks = all_hooks(&page, command, page.separator(root, 1), 1);
                page.append(root, &[hooks], 1)
            }
            Some(hooks) if hooks.kind != Kind::Object => {
                return Err(shape("`hooks` is no object"));
            }
            Some(hooks) => add_to_hooks(&page, hooks, command, &mut change)?,
        },
    };
    change.after = edit::apply(settings, edits);
    Ok(change)
}

/// Takes us out of settings. What [`add`] did is undone to the byte.
pub fn remove(settings: &str) -> Result<Change, Refused> {
    let document = scan(settings)?;
    let mut change = unchanged(settings);
    let Some(root) = &document.root else { return Ok(change) };
    let page = Page::new(settings, &document);
    let ours = entry::find(settings, root);
    for one in &ours {
        if !change.removed.contains(&one.event) {
            change.removed.push(one.event.clone());
        }
    }
    if let Some(first) = ours.first() {
        let was_blank = before_blank(&page, root, &first.command);
        change.after =
            was_blank.unwrap_or_else(|| edit::apply(settings, remove_from_root(&page, root)));
    }
    Ok(change)
}

/// Takes us out of settings, with the help of a record: if nobody has touched them since, they are
/// exactly what they were.
pub fn restore(current: &str, record: &Record) -> Result<String, Refused> {
    if current == record.after {
        return Ok(record.before.clone());
    }
    remove(current).map(|change| change.after)
}

/// The events at which we are called, each with the path of the program. None for settings that
/// cannot be read.
pub fn installed(settings: &str) -> Vec<(String, String)> {
    let Ok(document) = scan(settings) else { return Vec::new() };
    let ours = document.root.iter().flat_map(|root| entry::find(settings, root));
    ours.map(|ours| (ours.event, ours.command)).collect()
}

fn unchanged(settings: &str) -> Change {
    Change {
        before: settings.to_owned(),
        after: settings.to_owned(),
        added: Vec::new(),
        updated: Vec::new(),
        removed: Vec::new(),
    }
}

fn shape(what: &str) -> Refused {
    Refused::Shape { what: what.to_owned() }
}

fn names() -> impl Iterator<Item = String> {
    EVENTS.iter().map(|event| event.name.to_owned())
}

/// The member `hooks` with all of our entries, for settings that have none.
fn all_hooks(page: &Page<'_>, command: &str, line: String, depth: usize) -> String {
    let members: Vec<String> = EVENTS.iter().map(|event| event.member(command)).collect();
    if page.one_line {
        return format!(r#""hooks": {{{}}}"#, members.join(", "));
    }
    let line =
        if line.contains('\n') { line } else { format!("{}{}", page.eol, page.unit.repeat(depth)) };
    let inner = format!("{line}{}", page.unit);
    format!(r#""hooks": {{{inner}{}{line}}}"#, members.join(&format!(",{inner}")))
}

/// A whole object for settings without anything in them. Behind a comment that the end of the file
/// cuts short it starts on a new line, and ends without one.
fn blank(page: &Page<'_>, command: &str, change: &mut Change) -> Edit {
    change.added = names().collect();
    let text = page.text;
    let eol = page.eol;
    let hooks = all_hooks(page, command, page.line_break(1), 1);
    let object = format!("{{{eol}{}{hooks}{eol}}}", page.unit);
    let last = page.document.comments_in(&(0..text.len())).last();
    let in_a_comment =
        last.is_some_and(|last| last.end == text.len() && text[last.clone()].starts_with("//"));
    let object = if in_a_comment { format!("{eol}{object}") } else { format!("{object}{eol}") };
    Edit::insert(text.len(), object)
}

/// What settings were before [`blank`], if that is where they come from.
fn before_blank(page: &Page<'_>, root: &Node, command: &str) -> Option<String> {
    let before = &page.text[..root.span.start];
    let candidates = [Some(before), before.strip_suffix("\r\n"), before.strip_suffix('\n')];
    candidates
        .into_iter()
        .flatten()
        .find(|candidate| {
            let is_blank = scan(candidate).is_ok_and(|document| document.root.is_none());
            is_blank && add(candidate, command).is_ok_and(|change| change.after == page.text)
        })
        .map(str::to_owned)
}

fn add_to_hooks(
    page: &Page<'_>,
    hooks: &Node,
    command: &str,
    change: &mut Change,
) -> Result<Vec<Edit>, Refused> {
    let mut edits = Vec::new();
    let mut members = Vec::new();
    for event in EVENTS {
        let Some(groups) = hooks.member(event.name) else {
            change.added.push(event.name.to_owned());
            members.push(event.member(command));
            continue;
        };
        if groups.kind != Kind::Array {
            return Err(shape(&format!("`hooks.{}` is no list", event.name)));
        }
        let ours: Vec<Ours<'_>> = entry::in_groups(page.text, event.name, groups).collect();
        if ours.is_empty() {
            change.added.push(event.name.to_owned());
            edits.extend(page.append(groups, &[event.group(command)], 3));
            continue;
        }
        let updates: Vec<Edit> =
            ours.iter().filter_map(|ours| event.update(page.text, ours, command)).collect();
        if !updates.is_empty() {
            change.updated.push(event.name.to_owned());
            edits.extend(updates);
        }
    }
    if !members.is_empty() {
        edits.extend(page.append(hooks, &members, 2));
    }
    Ok(edits)
}

/// What becomes of a value when we are taken out of it.
enum Fate {
    /// It stays, with these edits.
    Stays(Vec<Edit>),
    /// There was nothing but us in it.
    Goes,
}

fn remove_from_root(page: &Page<'_>, root: &Node) -> Vec<Edit> {
    let fates = root.items.iter().map(|item| match item.name.as_deref() {
        Some("hooks") if item.value.kind == Kind::Object => remove_from_hooks(page, &item.value),
        Some(_) | None => Fate::Stays(Vec::new()),
    });
    match settle(page, root, fates.collect()) {
        Fate::Stays(edits) => edits,
        Fate::Goes => page.drop_items(root, &vec![true; root.items.len()]),
    }
}

fn remove_from_hooks(page: &Page<'_>, hooks: &Node) -> Fate {
    let fates = hooks.items.iter().map(|item| match item.value.kind {
        Kind::Array => remove_from_groups(page, item.name.as_deref(), &item.value),
        Kind::Object | Kind::Text | Kind::Other => Fate::Stays(Vec::new()),
    });
    settle(page, hooks, fates.collect())
}

fn remove_from_groups(page: &Page<'_>, event: Option<&str>, groups: &Node) -> Fate {
    let event = event.unwrap_or_default();
    let fates = groups.items.iter().map(|group| {
        let Some(handlers) = group.value.member("hooks") else { return Fate::Stays(Vec::new()) };
        let is_ours = |handler: &Node| entry::ours(page.text, event, handler).is_some();
        let gone: Vec<bool> = handlers.items.iter().map(|item| is_ours(&item.value)).collect();
        if gone.contains(&true) && !gone.contains(&false) {
            return Fate::Goes;
        }
        Fate::Stays(page.drop_items(handlers, &gone))
    });
    settle(page, groups, fates.collect())
}

/// What becomes of a container whose items meet these fates.
fn settle(page: &Page<'_>, container: &Node, fates: Vec<Fate>) -> Fate {
    let gone: Vec<bool> = fates.iter().map(|fate| matches!(fate, Fate::Goes)).collect();
    if gone.contains(&true) && !gone.contains(&false) {
        return page.empty(container).map_or(Fate::Goes, Fate::Stays);
    }
    let mut edits = page.drop_items(container, &gone);
    for fate in fates {
        if let Fate::Stays(more) = fate {
            edits.extend(more);
        }
    }
    Fate::Stays(edits)
}
