//! `config`: reading and changing settings.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::json;
use toml_edit::Value;

use crate::args::{self, ConfigAction};
use crate::settings::{ConfigFile, SETTINGS, Settings};
use crate::ui::{BOLD, DIM, GOOD, Ui, paint, safe};

pub(super) fn config(
    args: &args::Config,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let mut file = ConfigFile::read(&settings.home)?;
    let (key, value, done) = match &args.action {
        None => return list(&file, ui),
        Some(ConfigAction::Get { key }) => (key, file.get(key)?.0, None),
        Some(ConfigAction::Set { key, value }) => (key, file.set(key, value)?, Some("Set")),
        Some(ConfigAction::Unset { key }) => (key, file.unset(key)?, Some("Back to the default")),
    };
    let shown = safe(value.to_string().trim());
    if done.is_none() && !ui.json && !ui.quiet {
        // A script may read it: never wrapped.
        ui.print(&shown)?;
        return Ok(ExitCode::SUCCESS);
    }
    ui.answer(&json!({ "key": key, "value": plain(&value) }), || {
        format!("{}: {} = {shown}", paint(GOOD, done.unwrap_or_default()), safe(key))
    })
}

fn list(file: &ConfigFile, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let mut all = BTreeMap::new();
    let mut page = String::new();
    for setting in SETTINGS {
        let (value, set) = file.get(setting.key)?;
        all.insert(setting.key, plain(&value));
        let note = if set { "" } else { " (default)" };
        writeln!(
            page,
            "{} = {}{}\n    {}",
            paint(BOLD, setting.key),
            safe(value.to_string().trim()),
            paint(DIM, note),
            paint(DIM, setting.about)
        )?;
    }
    ui.answer(&all, || page)
}

/// A setting's value as JSON.
fn plain(value: &Value) -> serde_json::Value {
    match (value.as_bool(), value.as_integer(), value.as_str()) {
        (Some(yes), ..) => json!(yes),
        (_, Some(number), _) => json!(number),
        (.., Some(text)) => json!(text),
        _ => json!(value.to_string().trim()),
    }
}
