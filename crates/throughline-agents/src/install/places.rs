//! Places: which settings files of a host we change, a person's own or a project's.

use std::path::{Path, PathBuf};

use super::form::{
    CLAUDE_SERVERS, CLAUDE_SETTINGS, CODEX_HOOKS, CURSOR_HOOKS, CURSOR_SERVERS, GEMINI_SETTINGS,
    OPENCODE_CONFIG, SettingsForm,
};
use crate::{Folders, Host};

/// Settings place: a settings file and its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsPlace {
    /// Path of the file.
    pub path: PathBuf,
    /// Format of the file, and which parts of it are ours.
    pub form: SettingsForm,
    /// Root of the project that shares it; `None` for a person's own file.
    pub shared_by: Option<PathBuf>,
}

fn place(path: PathBuf, form: SettingsForm) -> SettingsPlace {
    SettingsPlace { path, form, shared_by: None }
}

/// Settings files of one person.
pub fn places(host: Host, folders: &Folders) -> Vec<SettingsPlace> {
    let config = &folders.config;
    match host {
        Host::ClaudeCode => {
            // Its servers stand in the home folder, unless its folder was named.
            let beside = config.parent().filter(|_| !folders.named).unwrap_or(config);
            vec![
                place(config.join("settings.json"), SettingsForm::Json(CLAUDE_SETTINGS)),
                place(beside.join(".claude.json"), SettingsForm::Json(CLAUDE_SERVERS)),
            ]
        }
        Host::Codex => codex(config),
        Host::Gemini => {
            vec![place(config.join("settings.json"), SettingsForm::Json(GEMINI_SETTINGS))]
        }
        Host::Opencode => opencode(config, config),
        Host::Cursor => cursor(config),
    }
}

/// Settings files of one project, shared by all who work on it.
pub fn project_places(host: Host, root: &Path) -> Vec<SettingsPlace> {
    let mut places = match host {
        Host::ClaudeCode => vec![
            place(root.join(".claude").join("settings.json"), SettingsForm::Json(CLAUDE_SETTINGS)),
            place(root.join(".mcp.json"), SettingsForm::Json(CLAUDE_SERVERS)),
        ],
        Host::Codex => codex(&root.join(".codex")),
        Host::Gemini => {
            let path = root.join(".gemini").join("settings.json");
            vec![place(path, SettingsForm::Json(GEMINI_SETTINGS))]
        }
        Host::Opencode => opencode(root, &root.join(".opencode")),
        Host::Cursor => cursor(&root.join(".cursor")),
    };
    for place in &mut places {
        place.shared_by = Some(root.to_owned());
    }
    places
}

fn codex(config: &Path) -> Vec<SettingsPlace> {
    vec![
        place(config.join("hooks.json"), SettingsForm::Json(CODEX_HOOKS)),
        place(config.join("config.toml"), SettingsForm::Toml),
    ]
}

fn cursor(config: &Path) -> Vec<SettingsPlace> {
    vec![
        place(config.join("hooks.json"), SettingsForm::Json(CURSOR_HOOKS)),
        place(config.join("mcp.json"), SettingsForm::Json(CURSOR_SERVERS)),
    ]
}

fn opencode(config: &Path, plugins: &Path) -> Vec<SettingsPlace> {
    let names = ["opencode.jsonc", "opencode.json"].map(|name| config.join(name));
    // It reads both; the one that we stand in already goes before the other.
    let ours = |path: &&PathBuf| {
        std::fs::read_to_string(path).is_ok_and(|text| text.contains("\"throughline\""))
    };
    let written = names.iter().find(ours).or_else(|| names.iter().find(|path| path.exists()));
    let written = written.unwrap_or(&names[1]);
    vec![
        place(written.clone(), SettingsForm::Json(OPENCODE_CONFIG)),
        place(plugins.join("plugin").join("throughline.js"), SettingsForm::Plugin),
    ]
}
