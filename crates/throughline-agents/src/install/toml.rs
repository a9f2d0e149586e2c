//! Settings in TOML: our server as a section of its own at the end, everything else untouched.
//!
//! The text is only read by a library: writing it back would change line endings.

use std::ops::Range;

use toml_edit::{Document, Item, TomlError};

use super::entry::{is_our_program, quoted};
use super::server::NAME;
use super::{Installed, RefusedInstall, SERVER, SettingsChange};

const SECTION: &str = "mcp_servers";

/// Codex hands nothing of its environment on that is not named: where memory is kept is.
const PASSED: &str = "env_vars = [\"THROUGHLINE_HOME\", \"XDG_DATA_HOME\"]";

pub(super) fn add(settings: &str, command: &str) -> Result<SettingsChange, RefusedInstall> {
    let document = parse(settings)?;
    let mut change = SettingsChange::none(settings);
    let servers = document.get(SECTION);
    if let Some(entry) = servers.and_then(|servers| servers.get(NAME)) {
        let Some((span, known)) = program(entry) else {
            return Err(RefusedInstall::Taken { what: format!("the server `{SECTION}.{NAME}`") });
        };
        if known != command {
            change.updated.push(SERVER.to_owned());
            let (before, after) = (&settings[..span.start], &settings[span.end..]);
            change.after = format!("{before}{}{after}", quoted(command));
        }
        return Ok(change);
    }
    if servers.is_some_and(|servers| !servers.is_table()) {
        let what = format!("`{SECTION}` is not a section; write `[{SECTION}.NAME]` instead");
        return Err(RefusedInstall::Shape { what });
    }
    let eol = if settings.contains("\r\n") { "\r\n" } else { "\n" };
    let lines = [
        format!("[{SECTION}.{NAME}]"),
        format!("command = {}", quoted(command)),
        "args = [\"mcp\"]".to_owned(),
        PASSED.to_owned(),
    ];
    let entry = lines.join(eol);
    let bare = settings.trim_start_matches('\u{feff}');
    change.after = match bare {
        "" => format!("{settings}{entry}{eol}"),
        // A file without an end keeps having none.
        _ if !bare.ends_with('\n') => format!("{settings}{eol}{eol}{entry}"),
        _ => format!("{settings}{eol}{entry}{eol}"),
    };
    // What the section does not fit behind is the owner's to sort out.
    parse(&change.after)?;
    change.added.push(SERVER.to_owned());
    Ok(change)
}

pub(super) fn remove(settings: &str) -> Result<SettingsChange, RefusedInstall> {
    let mut change = SettingsChange::none(settings);
    if installed(settings)?.is_empty() {
        return Ok(change);
    }
    let document = parse(settings)?;
    change.removed.push(SERVER.to_owned());
    let mut cuts = Vec::new();
    if let Some(entry) = document.get(SECTION).and_then(|servers| servers.get(NAME)) {
        collect(entry, &mut cuts);
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut after = settings.to_owned();
    for cut in cuts.into_iter().rev() {
        after.replace_range(lines(&after, cut), "");
    }
    change.after = after;
    Ok(change)
}

pub(super) fn installed(settings: &str) -> Result<Vec<Installed>, RefusedInstall> {
    let document = parse(settings)?;
    let entry = document.get(SECTION).and_then(|servers| servers.get(NAME));
    let ours = entry.and_then(program);
    Ok(ours.map(|(_, command)| (SERVER.to_owned(), command)).into_iter().collect())
}

fn parse(settings: &str) -> Result<Document<&str>, RefusedInstall> {
    Document::parse(settings).map_err(|error: TomlError| {
        let at = error.span().map_or(0, |span| span.start.min(settings.len()));
        let line = settings.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        RefusedInstall::NotToml { line, why: error.message().to_owned() }
    })
}

/// The program of an entry that is ours, and where it stands.
fn program(entry: &Item) -> Option<(Range<usize>, String)> {
    let command = entry.get("command")?;
    let first = entry.get("args")?.as_array()?.get(0)?.as_str()?;
    let program = command.as_str().filter(|program| is_our_program(program))?;
    (first == "mcp").then_some((command.span()?, program.to_owned()))
}

/// Where our section and the sections below it stand.
fn collect(item: &Item, cuts: &mut Vec<Range<usize>>) {
    let Some(table) = item.as_table() else { return };
    let inside =
        table.iter().filter(|(_, item)| !item.is_table()).filter_map(|(_, item)| item.span());
    if let Some(header) = table.span() {
        let end = inside.map(|span| span.end).max().unwrap_or(header.end);
        cuts.push(header.start..end.max(header.end));
    }
    for (_, below) in table.iter().filter(|(_, item)| item.is_table()) {
        collect(below, cuts);
    }
}

/// The whole lines of a section, with the empty line that we put before it. At the end of a file
/// without an end, the line break before it goes as well.
fn lines(text: &str, cut: Range<usize>) -> Range<usize> {
    let rest = &text[cut.end..];
    let end = rest.find('\n').map_or(text.len(), |at| cut.end + at + 1);
    let mut start = cut.start;
    let steps = if rest.contains('\n') { 1 } else { 2 };
    for _ in 0..steps {
        let before = &text[..start];
        let shorter = before.strip_suffix("\r\n").or_else(|| before.strip_suffix('\n'));
        match shorter {
            Some(shorter) if steps == 2 || shorter.is_empty() || shorter.ends_with('\n') => {
                start = shorter.len();
            }
            Some(_) | None => break,
        }
    }
    start..end
}
