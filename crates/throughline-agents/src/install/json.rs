//! Settings in JSON: sections are put in and taken out, item by item.

use super::edit::{self, Edit, SettingsPage};
use super::form::SettingsSection;
use super::scan::{JsonKind, Node, scan};
use super::{Installed, RefusedInstall, SettingsChange, entry, server};

pub(super) fn add(
    sections: &'static [SettingsSection],
    settings: &str,
    command: &str,
) -> Result<SettingsChange, RefusedInstall> {
    let document = scan(settings)?;
    let page = SettingsPage::new(settings, &document);
    let mut change = SettingsChange::none(settings);
    let edits = match &document.root {
        None => vec![blank(&page, sections, command, &mut change)],
        Some(root) if root.kind != JsonKind::Object => return Err(shape("not an object")),
        Some(root) => add_to_root(&page, root, sections, command, &mut change)?,
    };
    change.after = edit::apply(settings, edits);
    Ok(change)
}

fn add_to_root(
    page: &SettingsPage<'_>,
    root: &Node,
    sections: &[SettingsSection],
    command: &str,
    change: &mut SettingsChange,
) -> Result<Vec<Edit>, RefusedInstall> {
    let (mut edits, mut new) = (Vec::new(), Vec::new());
    for section in sections {
        match (section, root.member(section.name())) {
            // What a file must hold from the start, one that is there has or does without.
            (SettingsSection::Fixed(..), _) => {}
            (SettingsSection::Hooks(_) | SettingsSection::Servers(_), None) => {
                change.added.extend(section.names());
                new.push(member(page, section, command, page.separator(root, 1), 1));
            }
            (SettingsSection::Hooks(_) | SettingsSection::Servers(_), Some(node))
                if node.kind != JsonKind::Object =>
            {
                return Err(shape(&format!("`{}` is not an object", section.name())));
            }
            (SettingsSection::Hooks(hooks), Some(node)) => {
                edits.extend(entry::add(page, hooks, node, command, change)?);
            }
            (SettingsSection::Servers(servers), Some(node)) => {
                edits.extend(server::add(page, servers, node, command, change)?);
            }
        }
    }
    if !new.is_empty() {
        edits.extend(page.append(root, &new, 1));
    }
    Ok(edits)
}

pub(super) fn remove(
    sections: &'static [SettingsSection],
    settings: &str,
) -> Result<SettingsChange, RefusedInstall> {
    let document = scan(settings)?;
    let mut change = SettingsChange::none(settings);
    let Some(root) = &document.root else { return Ok(change) };
    let page = SettingsPage::new(settings, &document);
    let ours = find(sections, settings, root);
    for (event, _) in &ours {
        if !change.removed.contains(event) {
            change.removed.push(event.clone());
        }
    }
    if let Some((_, command)) = ours.first() {
        let was_blank = before_blank(&page, root, sections, command);
        change.after = was_blank
            .unwrap_or_else(|| edit::apply(settings, remove_from_root(&page, root, sections)));
    }
    Ok(change)
}

pub(super) fn installed(
    sections: &'static [SettingsSection],
    settings: &str,
) -> Result<Vec<Installed>, RefusedInstall> {
    let document = scan(settings)?;
    Ok(document.root.iter().flat_map(|root| find(sections, settings, root)).collect())
}

/// Every entry of ours, wherever it stands.
fn find(sections: &[SettingsSection], text: &str, root: &Node) -> Vec<Installed> {
    let mut found = Vec::new();
    for section in sections {
        let named = root.items.iter().filter(|item| item.name.as_deref() == Some(section.name()));
        for item in named {
            match section {
                SettingsSection::Hooks(hooks) => {
                    found.extend(entry::find(text, hooks, &item.value));
                }
                SettingsSection::Servers(_) => found.extend(server::find(text, &item.value)),
                SettingsSection::Fixed(..) => {}
            }
        }
    }
    found
}

pub(super) fn shape(what: &str) -> RefusedInstall {
    RefusedInstall::Shape { what: what.to_owned() }
}

/// A section with all of our entries, for settings that have none.
fn member(
    page: &SettingsPage<'_>,
    section: &SettingsSection,
    command: &str,
    line: String,
    depth: usize,
) -> String {
    let name = section.name();
    let members = match section {
        SettingsSection::Fixed(_, value) => return format!(r#""{name}": {value}"#),
        SettingsSection::Hooks(hooks) => hooks.members(command),
        SettingsSection::Servers(servers) => vec![servers.member(command)],
    };
    if page.one_line {
        return format!(r#""{name}": {{{}}}"#, members.join(", "));
    }
    let line =
        if line.contains('\n') { line } else { format!("{}{}", page.eol, page.unit.repeat(depth)) };
    let inner = format!("{line}{}", page.unit);
    format!(r#""{name}": {{{inner}{}{line}}}"#, members.join(&format!(",{inner}")))
}

/// A whole object for settings without anything in them. Behind a comment that the end of the file
/// cuts short it starts on a new line, and ends without one.
fn blank(
    page: &SettingsPage<'_>,
    sections: &[SettingsSection],
    command: &str,
    change: &mut SettingsChange,
) -> Edit {
    change.added = sections.iter().flat_map(SettingsSection::names).collect();
    let text = page.text;
    let eol = page.eol;
    let members = sections.iter().map(|one| member(page, one, command, page.line_break(1), 1));
    let members: Vec<String> = members.collect();
    let members = members.join(&format!(",{eol}{}", page.unit));
    let object = format!("{{{eol}{}{members}{eol}}}", page.unit);
    let last = page.document.comments_in(&(0..text.len())).last();
    let in_a_comment =
        last.is_some_and(|last| last.end == text.len() && text[last.clone()].starts_with("//"));
    let object = if in_a_comment { format!("{eol}{object}") } else { format!("{object}{eol}") };
    Edit::insert(text.len(), object)
}

/// What settings were before [`blank`], if that is where they come from.
fn before_blank(
    page: &SettingsPage<'_>,
    root: &Node,
    sections: &'static [SettingsSection],
    command: &str,
) -> Option<String> {
    let before = &page.text[..root.span.start];
    let candidates = [Some(before), before.strip_suffix("\r\n"), before.strip_suffix('\n')];
    candidates
        .into_iter()
        .flatten()
        .find(|candidate| {
            let is_blank = scan(candidate).is_ok_and(|document| document.root.is_none());
            is_blank
                && add(sections, candidate, command).is_ok_and(|change| change.after == page.text)
        })
        .map(str::to_owned)
}

/// What becomes of a value when we are taken out of it.
pub(super) enum Fate {
    /// It stays, with these edits.
    Stays(Vec<Edit>),
    /// There was nothing but us in it.
    Goes,
}

fn remove_from_root(
    page: &SettingsPage<'_>,
    root: &Node,
    sections: &[SettingsSection],
) -> Vec<Edit> {
    let fates = root.items.iter().map(|item| {
        let section = sections.iter().find(|one| item.name.as_deref() == Some(one.name()));
        match section {
            Some(SettingsSection::Hooks(hooks)) if item.value.kind == JsonKind::Object => {
                entry::remove(page, hooks, &item.value)
            }
            Some(SettingsSection::Servers(_)) if item.value.kind == JsonKind::Object => {
                server::remove(page, &item.value)
            }
            Some(_) | None => Fate::Stays(Vec::new()),
        }
    });
    match settle(page, root, fates.collect()) {
        Fate::Stays(edits) => edits,
        Fate::Goes => page.drop_items(root, &vec![true; root.items.len()]),
    }
}

/// What becomes of a container whose items meet these fates.
pub(super) fn settle(page: &SettingsPage<'_>, container: &Node, fates: Vec<Fate>) -> Fate {
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
