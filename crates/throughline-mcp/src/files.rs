//! The profile `memory-tool`: Anthropic's memory tool, a small file system under `/memories`, with
//! the answers of its reference implementation. Files lie on a shelf; no path ever reaches a disk.

mod path;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Value, json};
use throughline_core::{Authority, EntityKind};
use throughline_engine::{
    Context, Engine, Error, Result as Done, ShelfClaim, ShelfEntry, ShelfRules, Shelves,
};

use crate::answer::ToolFailure;
use crate::clean::clean_value;
use crate::desk::{CallerPlace, Desk};
use path::Path;

const FILE: &str = "file";
/// Lines of a file at most, and the width of their numbers.
const LINES_MAX: usize = 999_999;
const NUMBER_WIDTH: usize = 6;
/// Lines shown before and after a change.
const AROUND: usize = 2;

/// What the tool is asked to do.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
enum Command {
    View { path: String, view_range: Option<Vec<i64>> },
    Create { path: String, file_text: String },
    StrReplace { path: String, old_str: String, new_str: Option<String> },
    Insert { path: String, insert_line: i64, insert_text: String },
    Delete { path: String },
    Rename { old_path: String, new_path: String },
}

/// The one tool.
pub(crate) fn tool() -> Tool {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let schema = json!({
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "enum": ["view", "create", "str_replace", "insert", "delete", "rename"],
                "description": "What to do",
            },
            "path": text("File or directory under /memories; all commands but rename"),
            "view_range": {
                "type": "array",
                "items": { "type": "integer" },
                "description": "view: first and last line; -1 is the end",
            },
            "file_text": text("create: the text of the new file"),
            "old_str": text("str_replace: the text to replace; must occur once"),
            "new_str": text("str_replace: the new text"),
            "insert_line": { "type": "integer", "description": "insert: after this line; 0 is the top" },
            "insert_text": text("insert: the text"),
            "old_path": text("rename: from"),
            "new_path": text("rename: to"),
        },
        "required": ["command"],
    });
    let Value::Object(schema) = schema else { unreachable!("it is an object") };
    let about = "Files that outlive the session, under /memories. View /memories before you begin a task: earlier \
                 work may be noted there. Write down progress, decisions and what you learnt as you go; assume that \
                 you may be interrupted at any moment. Keep it tidy. No secrets.";
    let touch = ToolAnnotations::new().read_only(false).destructive(true).open_world(false);
    Tool::new("memory", about, std::sync::Arc::new(schema)).with_annotations(touch)
}

/// Calls the tool.
pub(crate) fn call(desk: &mut Desk, arguments: Option<JsonObject>) -> CallToolResult {
    let done = desk.context(&CallerPlace::default()).and_then(|context| {
        let given = Value::Object(arguments.unwrap_or_default());
        Ok(run(desk.engine()?, &context, given)?)
    });
    match done {
        Ok(text) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.is_error = None;
            result
        }
        Err(ToolFailure { message, .. }) => {
            CallToolResult::error(vec![ContentBlock::text(message)])
        }
    }
}

/// Runs one command of the memory tool, given as JSON, and returns the text for the model.
pub fn run(engine: &Engine, context: &Context, mut command: Value) -> Done<String> {
    clean_value(engine.home(), context.session.as_ref(), &mut command);
    let command: Command = serde_json::from_value(command)
        .map_err(|error| Error::BadInput(format!("this is not a memory command: {error}")))?;
    if let Command::View { path, view_range } = &command {
        let mut shelves = engine.keeping(context).shelves(&[FILE])?;
        return view(shelves.on(FILE), path, view_range.as_deref());
    }
    let keeping = ShelfRules { shelves: &[FILE], claims: &claim, authority: Authority::Observed };
    let shelved = engine.keeping(context).reshelve(keeping, |shelves| match &command {
        Command::View { .. } => unreachable!("it was answered"),
        Command::Create { path, file_text } => create(shelves, path, file_text),
        Command::StrReplace { path, old_str, new_str } => {
            let new = new_str.as_deref().unwrap_or_default();
            replace(shelves.on(FILE), path, old_str, new)
        }
        Command::Insert { path, insert_line, insert_text } => {
            insert(shelves.on(FILE), path, *insert_line, insert_text)
        }
        Command::Delete { path } => delete(shelves.on(FILE), path),
        Command::Rename { old_path, new_path } => rename(shelves.on(FILE), old_path, new_path),
    })?;
    Ok(shelved.outcome)
}

/// What a file claims: what stands in it.
fn claim(_: &str, entry: &ShelfEntry) -> ShelfClaim {
    ShelfClaim {
        content: format!("{}:\n{}", entry.name, entry.text.trim_end()),
        about: Some((EntityKind::File, entry.name.clone())),
    }
}

fn refuse<T>(message: String) -> Done<T> {
    Err(Error::BadInput(message))
}

fn missing<T>(path: &str) -> Done<T> {
    refuse(format!("The path {path} does not exist. Please provide a valid path."))
}

fn view(files: &[ShelfEntry], written: &str, range: Option<&[i64]>) -> Done<String> {
    let path = Path::read(written)?;
    if let Some(file) = files.iter().find(|file| path.is(&file.name)) {
        let lines: Vec<&str> = file.text.split('\n').collect();
        if lines.len() > LINES_MAX {
            return refuse(format!("File {written} exceeds maximum line limit of 999,999 lines."));
        }
        let (first, last) = within(range, lines.len());
        let shown: Vec<String> = lines[first..last]
            .iter()
            .enumerate()
            .map(|(at, line)| numbered(first + at + 1, line))
            .collect();
        let shown = shown.join("\n");
        return Ok(format!("Here's the content of {written} with line numbers:\n{shown}"));
    }
    if !path.is_root() && !files.iter().any(|file| path.holds(&file.name)) {
        return missing(written);
    }
    let mut lines = vec![format!("4K\t{written}")];
    lines.extend(
        path.listing(files).into_iter().map(|(size, name)| format!("{size}\t{written}/{name}")),
    );
    Ok(format!(
        "Here're the files and directories up to 2 levels deep in {written}, excluding hidden \
         items:\n{}",
        lines.join("\n")
    ))
}

/// The lines from and to which a range means, as a slice of Python would.
fn within(range: Option<&[i64]>, lines: usize) -> (usize, usize) {
    let Some(&[first, last]) = range else { return (0, lines) };
    let whole = i64::try_from(lines).unwrap_or(i64::MAX);
    let last = match last {
        -1 => whole,
        ..0 => (whole + last).max(0),
        _ => last.min(whole),
    };
    let first = (first.max(1) - 1).min(whole);
    let place = |at: i64| usize::try_from(at).unwrap_or(0);
    (place(first), place(last).max(place(first)))
}

fn numbered(number: usize, line: &str) -> String {
    format!("{number:>NUMBER_WIDTH$}\t{line}")
}

fn create(shelves: &mut Shelves, written: &str, text: &str) -> Done<String> {
    let path = Path::read(written)?;
    let files = shelves.on(FILE);
    if path.is_root() || files.iter().any(|file| path.is(&file.name) || path.holds(&file.name)) {
        return refuse(format!("File {written} already exists"));
    }
    under_a_file(files, &path, written)?;
    let entry = shelves.entry(&path.to_string(), text);
    shelves.on(FILE).push(entry);
    Ok(format!("File created successfully at: {written}"))
}

fn under_a_file(files: &[ShelfEntry], path: &Path, written: &str) -> Done<()> {
    let above = files.iter().find(|file| Path::known(&file.name).holds(&path.to_string()));
    above
        .map_or(Ok(()), |file| refuse(format!("{written} cannot be made: {} is a file", file.name)))
}

fn file<'a>(files: &'a mut [ShelfEntry], written: &str) -> Done<&'a mut ShelfEntry> {
    let path = Path::read(written)?;
    let directory = path.is_root() || files.iter().any(|file| path.holds(&file.name));
    match files.iter_mut().find(|file| path.is(&file.name)) {
        Some(file) => Ok(file),
        None if directory => refuse(format!("The path {written} is not a file.")),
        None => missing(written),
    }
}

fn replace(files: &mut [ShelfEntry], written: &str, old: &str, new: &str) -> Done<String> {
    let file = file(files, written)?;
    let line_of = |at: usize| file.text[..at].matches('\n').count();
    let count = if old.is_empty() { 0 } else { file.text.matches(old).count() };
    if count == 0 {
        return refuse(format!(
            "No replacement was performed, old_str `{old}` did not appear verbatim in {written}."
        ));
    }
    if count > 1 {
        let places = file.text.char_indices().filter(|(at, _)| file.text[*at..].starts_with(old));
        let lines: Vec<String> = places.map(|(at, _)| (line_of(at) + 1).to_string()).collect();
        return refuse(format!(
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. \
             Please ensure it is unique",
            lines.join(", ")
        ));
    }
    let changed = file.text.find(old).map_or(0, line_of);
    file.text = file.text.replacen(old, new, 1);
    let lines: Vec<&str> = file.text.split('\n').collect();
    let shown: Vec<String> = (changed.saturating_sub(AROUND)
        ..lines.len().min(changed + AROUND + 1))
        .map(|at| numbered(at + 1, lines[at]))
        .collect();
    Ok(format!(
        "The memory file has been edited. Here is the snippet showing the change (with line \
         numbers):\n{}",
        shown.join("\n")
    ))
}

fn insert(files: &mut [ShelfEntry], written: &str, after: i64, text: &str) -> Done<String> {
    let file = file(files, written)?;
    let mut lines: Vec<&str> = file.text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let place = usize::try_from(after).ok().filter(|at| *at <= lines.len());
    let Some(place) = place else {
        return refuse(format!(
            "Invalid `insert_line` parameter: {after}. It should be within the range [0, {}].",
            lines.len()
        ));
    };
    lines.insert(place, text.trim_end_matches('\n'));
    let mut whole = lines.join("\n");
    if !whole.ends_with('\n') {
        whole.push('\n');
    }
    file.text = whole;
    Ok(format!("The file {written} has been edited."))
}

fn delete(files: &mut Vec<ShelfEntry>, written: &str) -> Done<String> {
    let path = Path::read(written)?;
    if path.is_root() {
        return refuse("Cannot delete the /memories directory itself".to_owned());
    }
    let before = files.len();
    files.retain(|file| !path.is(&file.name) && !path.holds(&file.name));
    if files.len() == before {
        return refuse(format!("The path {written} does not exist"));
    }
    Ok(format!("Successfully deleted {written}"))
}

fn rename(files: &mut [ShelfEntry], old: &str, new: &str) -> Done<String> {
    let (from, to) = (Path::read(old)?, Path::read(new)?);
    if from.is_root() {
        return refuse("Cannot rename the /memories directory itself".to_owned());
    }
    if to.is_root() || files.iter().any(|file| to.is(&file.name) || to.holds(&file.name)) {
        return refuse(format!("The destination {new} already exists"));
    }
    if from.holds(&to.to_string()) {
        return refuse(format!("{old} cannot be moved into itself"));
    }
    under_a_file(files, &to, new)?;
    let mut moved = false;
    for file in files.iter_mut().filter(|file| from.is(&file.name) || from.holds(&file.name)) {
        let rest = &file.name[from.to_string().len()..];
        file.name = format!("{to}{rest}");
        moved = true;
    }
    if !moved {
        return refuse(format!("The path {old} does not exist"));
    }
    Ok(format!("Successfully renamed {old} to {new}"))
}
