//! Our entries among hooks: what they look like, and how to tell them from those of others.

use super::edit::{Edit, SettingsPage};
use super::form::{Hooks, Registered, Style};
use super::json::{Fate, settle, shape};
use super::scan::{JsonKind, Node};
use super::{Installed, RefusedInstall, SettingsChange};

impl Hooks {
    /// The members of all events, for settings that have none.
    pub(super) fn members(&self, command: &str) -> Vec<String> {
        self.events.iter().map(|event| self.member(event, command)).collect()
    }

    /// The member of an event that has no list yet.
    fn member(&self, event: &Registered, command: &str) -> String {
        format!(r#""{}": [{}]"#, event.name, self.group(event, command))
    }

    /// One element of the list of an event.
    fn group(&self, event: &Registered, command: &str) -> String {
        let handler = self.handler(event, command);
        if self.style == Style::Flat {
            return handler;
        }
        let matcher = event.matcher.map(|which| format!(r#""matcher": "{which}", "#));
        format!(r#"{{ {}"hooks": [{handler}] }}"#, matcher.unwrap_or_default())
    }

    fn handler(&self, event: &Registered, command: &str) -> String {
        let (name, timeout) = (event.name, event.timeout);
        let called = quoted(&self.called(event, command));
        match self.style {
            Style::Program => format!(
                r#"{{ "type": "command", "command": {called}, "args": ["hook", "{name}", "--agent", "{}"], "timeout": {timeout} }}"#,
                self.host
            ),
            Style::Line => {
                format!(r#"{{ "type": "command", "command": {called}, "timeout": {timeout} }}"#)
            }
            Style::NamedLine => format!(
                r#"{{ "name": "throughline", "type": "command", "command": {called}, "timeout": {timeout} }}"#
            ),
            Style::Flat => format!(r#"{{ "command": {called}, "timeout": {timeout} }}"#),
        }
    }

    /// What the field `command` says.
    fn called(&self, event: &Registered, command: &str) -> String {
        match self.style {
            Style::Program => command.to_owned(),
            Style::Line | Style::NamedLine | Style::Flat => {
                format!("{} hook {} --agent {}", shell_word(command), event.name, self.host)
            }
        }
    }

    /// Brings an entry of ours up to date, if it is not.
    fn update(
        &self,
        event: &Registered,
        text: &str,
        ours: &Ours<'_>,
        command: &str,
    ) -> Option<Edit> {
        let span = |node: &Node| &text[node.span.clone()];
        let timeout = ours.handler.member("timeout").map(span);
        let same_timeout = timeout == Some(event.timeout.to_string().as_str());
        let expected = ["hook", event.name, "--agent", self.host];
        let same_arguments = ours.arguments.iter().eq(expected.iter());
        match (same_arguments && same_timeout, ours.command == command) {
            (true, true) => None,
            (true, false) => {
                let path = ours.handler.member("command")?;
                let with = quoted(&self.called(event, command));
                Some(Edit { range: path.span.clone(), with })
            }
            (false, _) => {
                let with = self.handler(event, command);
                Some(Edit { range: ours.handler.span.clone(), with })
            }
        }
    }

    /// The handlers in the list of one event.
    fn handlers<'a>(&self, groups: &'a Node) -> Vec<&'a Node> {
        if self.style == Style::Flat {
            return groups.items.iter().map(|item| &item.value).collect();
        }
        let lists = groups.items.iter().filter_map(|group| group.value.member("hooks"));
        lists.flat_map(|list| &list.items).map(|item| &item.value).collect()
    }

    /// Entries of ours in the list of one event.
    fn ours_in<'a>(&self, text: &str, groups: &'a Node) -> Vec<Ours<'a>> {
        self.handlers(groups).into_iter().filter_map(|one| self.ours(text, one)).collect()
    }

    /// Tells whether a handler is ours: a program called throughline, with our arguments.
    fn ours<'a>(&self, text: &str, handler: &'a Node) -> Option<Ours<'a>> {
        let field = |name: &str| handler.member(name)?.as_text(text);
        let called = field("command")?;
        let (command, arguments) = if self.style == Style::Program {
            let list = handler.member("args").filter(|args| args.kind == JsonKind::Array)?;
            let arguments: Option<Vec<String>> =
                list.items.iter().map(|item| item.value.as_text(text)).collect();
            (called, arguments?)
        } else {
            split_line(&called)?
        };
        let typed = self.style == Style::Flat || field("type").as_deref() == Some("command");
        let is_ours = typed
            && is_our_program(&command)
            && arguments.first().is_some_and(|first| first == "hook")
            && arguments.windows(2).any(|pair| pair[0] == "--agent" && pair[1] == self.host);
        is_ours.then_some(Ours { command, arguments, handler })
    }
}

/// An entry of ours.
struct Ours<'a> {
    command: String,
    arguments: Vec<String>,
    handler: &'a Node,
}

/// Puts us into the hooks that are there.
pub(super) fn add(
    page: &SettingsPage<'_>,
    hooks: &Hooks,
    node: &Node,
    command: &str,
    change: &mut SettingsChange,
) -> Result<Vec<Edit>, RefusedInstall> {
    let mut edits = Vec::new();
    let mut members = Vec::new();
    for event in hooks.events {
        let Some(groups) = node.member(event.name) else {
            change.added.push(event.name.to_owned());
            members.push(hooks.member(event, command));
            continue;
        };
        if groups.kind != JsonKind::Array {
            return Err(shape(&format!("`hooks.{}` is not a list", event.name)));
        }
        let ours = hooks.ours_in(page.text, groups);
        if ours.is_empty() {
            change.added.push(event.name.to_owned());
            edits.extend(page.append(groups, &[hooks.group(event, command)], 3));
            continue;
        }
        let updates: Vec<Edit> =
            ours.iter().filter_map(|ours| hooks.update(event, page.text, ours, command)).collect();
        if !updates.is_empty() {
            change.updated.push(event.name.to_owned());
            edits.extend(updates);
        }
    }
    if !members.is_empty() {
        edits.extend(page.append(node, &members, 2));
    }
    Ok(edits)
}

/// Every entry of ours among hooks.
pub(super) fn find(text: &str, hooks: &Hooks, node: &Node) -> Vec<Installed> {
    let lists = node.items.iter().filter(|event| event.value.kind == JsonKind::Array);
    lists
        .flat_map(|event| {
            let name = event.name.clone().unwrap_or_default();
            let ours = hooks.ours_in(text, &event.value);
            ours.into_iter().map(move |ours| (name.clone(), ours.command))
        })
        .collect()
}

/// Takes us out of hooks.
pub(super) fn remove(page: &SettingsPage<'_>, hooks: &Hooks, node: &Node) -> Fate {
    let fates = node.items.iter().map(|item| match item.value.kind {
        JsonKind::Array => remove_from_groups(page, hooks, &item.value),
        JsonKind::Object | JsonKind::Text | JsonKind::Other => Fate::Stays(Vec::new()),
    });
    settle(page, node, fates.collect())
}

fn remove_from_groups(page: &SettingsPage<'_>, hooks: &Hooks, groups: &Node) -> Fate {
    let is_ours = |handler: &Node| hooks.ours(page.text, handler).is_some();
    let fates = groups.items.iter().map(|group| {
        if hooks.style == Style::Flat {
            return if is_ours(&group.value) { Fate::Goes } else { Fate::Stays(Vec::new()) };
        }
        let Some(handlers) = group.value.member("hooks") else { return Fate::Stays(Vec::new()) };
        let gone: Vec<bool> = handlers.items.iter().map(|item| is_ours(&item.value)).collect();
        if gone.contains(&true) && !gone.contains(&false) {
            return Fate::Goes;
        }
        Fate::Stays(page.drop_items(handlers, &gone))
    });
    settle(page, groups, fates.collect())
}

pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A path as one word of a command line.
fn shell_word(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/\\:._-+@".contains(c);
    if path.chars().all(plain) {
        return path.to_owned();
    }
    let mut word = String::from("\"");
    for c in path.chars() {
        // Where backslashes part folders, they stand for themselves.
        if matches!(c, '"' | '$' | '`') || (c == '\\' && path.starts_with('/')) {
            word.push('\\');
        }
        word.push(c);
    }
    word.push('"');
    word
}

/// The program of a command line that we wrote, and its arguments.
fn split_line(line: &str) -> Option<(String, Vec<String>)> {
    let words = |rest: &str| rest.split_whitespace().map(str::to_owned).collect();
    let Some(quoted) = line.strip_prefix('"') else {
        let (program, rest) = line.split_once(' ')?;
        return Some((program.to_owned(), words(rest)));
    };
    let mut program = String::new();
    let mut rest = quoted.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match (c, rest.peek()) {
            ('"', _) => return Some((program, words(&quoted[at + 1..]))),
            ('\\', Some((_, next @ ('"' | '$' | '`' | '\\')))) => {
                program.push(*next);
                rest.next();
            }
            (c, _) => program.push(c),
        }
    }
    None
}

/// Whether a path ends with a program of ours: `throughline`, `throughline.exe`, `throughline-dev`.
pub(super) fn is_our_program(command: &str) -> bool {
    command.rsplit(['/', '\\']).next().is_some_and(|name| name.starts_with("throughline"))
}

/// Whether a path stands for itself, whatever folder the host runs us in.
pub(super) fn is_full_path(command: &str) -> bool {
    let drive = command.get(1..3).is_some_and(|rest| matches!(rest, ":\\" | ":/"));
    command.starts_with('/') || command.starts_with("\\\\") || drive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_comes_back_out_of_its_command_line() {
        for path in [
            "/usr/local/bin/throughline",
            "/Users/A B/bin/throughline",
            "/odd/$HOME/`x`/\"q\"/b\\s/throughline",
            "C:\\Program Files\\throughline.exe",
            "C:\\bin\\throughline.exe",
        ] {
            let line = format!("{} hook Stop --agent codex", shell_word(path));
            let (program, arguments) = split_line(&line).unwrap();
            assert_eq!(program, path);
            assert_eq!(arguments, ["hook", "Stop", "--agent", "codex"]);
        }
        assert_eq!(split_line("\"no end"), None);
        assert_eq!(split_line("alone"), None);
    }
}
