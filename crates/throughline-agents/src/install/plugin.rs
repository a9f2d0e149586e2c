//! A file that is ours as a whole: the plugin of opencode, with the path of our program in it.

use super::entry::quoted;
use super::{Installed, RefusedInstall, SettingsChange};
use crate::opencode::PLUGIN;

/// How the file begins, in every version.
const MARK: &str = "// Throughline for opencode";
/// The line that names our program.
const LINE: &str = "const PROGRAM = ";

pub(super) fn add(settings: &str, command: &str) -> Result<SettingsChange, RefusedInstall> {
    let mut change = SettingsChange::none(settings);
    let whole = with(command);
    if settings.trim().is_empty() {
        change.added.push("plugin".to_owned());
    } else if !is_ours(settings) {
        return Err(RefusedInstall::Taken { what: "the plugin that stands there".to_owned() });
    } else if settings != whole {
        change.updated.push("plugin".to_owned());
    }
    change.after = whole;
    Ok(change)
}

pub(super) fn remove(settings: &str) -> SettingsChange {
    let mut change = SettingsChange::none(settings);
    if is_ours(settings) {
        change.removed.push("plugin".to_owned());
        change.after = String::new();
    }
    change
}

pub(super) fn installed(settings: &str) -> Vec<Installed> {
    let named = settings.lines().find_map(|line| line.strip_prefix(LINE));
    let program = named.and_then(|quoted| serde_json::from_str::<String>(quoted.trim()).ok());
    program
        .filter(|_| is_ours(settings))
        .map(|program| ("plugin".to_owned(), program))
        .into_iter()
        .collect()
}

fn is_ours(settings: &str) -> bool {
    settings.starts_with(MARK)
}

fn with(command: &str) -> String {
    let mut whole = String::with_capacity(PLUGIN.len() + command.len());
    for line in PLUGIN.split_inclusive('\n') {
        if line.starts_with(LINE) {
            whole.push_str(&format!("{LINE}{}\n", quoted(command)));
        } else {
            whole.push_str(line);
        }
    }
    whole
}
