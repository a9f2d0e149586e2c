//! Our entry among servers of tools, in JSON.

use super::edit::{Edit, SettingsPage};
use super::entry::{is_our_program, quoted};
use super::form::{Servers, Shape};
use super::json::{Fate, settle};
use super::scan::{JsonKind, Node};
use super::{Installed, RefusedInstall, SERVER, SettingsChange};

/// What our server is called.
pub(super) const NAME: &str = "throughline";

impl Servers {
    /// The entry with its name.
    pub(super) fn member(&self, command: &str) -> String {
        let command = quoted(command);
        match self.shape {
            Shape::Plain => {
                format!(r#""{NAME}": {{ "command": {command}, "args": ["mcp"] }}"#)
            }
            Shape::Typed => {
                format!(r#""{NAME}": {{ "type": "stdio", "command": {command}, "args": ["mcp"] }}"#)
            }
            Shape::List => format!(
                r#""{NAME}": {{ "type": "local", "command": [{command}, "mcp"], "enabled": true }}"#
            ),
        }
    }
}

/// Puts us among the servers that are there. What somebody added to our entry stays.
pub(super) fn add(
    page: &SettingsPage<'_>,
    servers: &Servers,
    node: &Node,
    command: &str,
    change: &mut SettingsChange,
) -> Result<Vec<Edit>, RefusedInstall> {
    let Some(entry) = node.member(NAME) else {
        change.added.push(SERVER.to_owned());
        return Ok(page.append(node, &[servers.member(command)], 2));
    };
    let Some((path, known)) = program(page.text, entry) else {
        let what = format!("the server `{}.{NAME}`", servers.section);
        return Err(RefusedInstall::Taken { what });
    };
    if known == command {
        return Ok(Vec::new());
    }
    change.updated.push(SERVER.to_owned());
    Ok(vec![Edit { range: path.span.clone(), with: quoted(command) }])
}

pub(super) fn find(text: &str, node: &Node) -> Option<Installed> {
    let (_, command) = program(text, node.member(NAME)?)?;
    Some((SERVER.to_owned(), command))
}

pub(super) fn remove(page: &SettingsPage<'_>, node: &Node) -> Fate {
    let fates = node.items.iter().map(|item| {
        let ours = item.name.as_deref() == Some(NAME) && program(page.text, &item.value).is_some();
        if ours { Fate::Goes } else { Fate::Stays(Vec::new()) }
    });
    settle(page, node, fates.collect())
}

/// The program of an entry that is ours: called throughline, with `mcp` for an argument.
fn program<'a>(text: &str, entry: &'a Node) -> Option<(&'a Node, String)> {
    let command = entry.member("command")?;
    let (path, first) = match command.kind {
        JsonKind::Array => (&command.items.first()?.value, &command.items.get(1)?.value),
        JsonKind::Text => (command, &entry.member("args")?.items.first()?.value),
        JsonKind::Object | JsonKind::Other => return None,
    };
    let program = path.as_text(text).filter(|program| is_our_program(program))?;
    (first.as_text(text).as_deref() == Some("mcp")).then_some((path, program))
}
