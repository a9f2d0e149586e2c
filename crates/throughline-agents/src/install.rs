//! Installation: adds us to the settings of hosts, finds us there, and removes us again.
//!
//! Settings belong to the user. Everything that is not ours keeps its bytes, and removing what was
//! added gives back exactly the same text. [`places`](places()) names the files of a host,
//! [`files`] changes them.

pub mod diff;
mod edit;
mod entry;
pub mod files;
mod form;
mod json;
mod places;
mod plugin;
mod scan;
mod server;
mod toml;

pub use diff::diff;
pub use form::SettingsForm;
pub use places::{SettingsPlace, places, project_places};

/// Refused installation: why settings were left as they are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedInstall {
    /// The file is not valid JSON; the user has to repair it first.
    #[error("the settings are not JSON: line {line}: {why}")]
    NotJson {
        /// Where, from one.
        line: usize,
        /// What is wrong there.
        why: String,
    },
    /// The file is not valid TOML; the user has to repair it first.
    #[error("the settings are not TOML: line {line}: {why}")]
    NotToml {
        /// Where, from one.
        line: usize,
        /// What is wrong there.
        why: String,
    },
    /// The file can be read, but does not have the structure that its host expects.
    #[error("the settings do not have the expected form: {what}")]
    Shape {
        /// What is not as expected.
        what: String,
    },
    /// Another program uses our name.
    #[error("{what} was not written by Throughline; rename it first")]
    Taken {
        /// What stands there.
        what: String,
    },
    /// The path of our program could not be recognised in the settings later.
    #[error("{command} is neither `throughline` nor the full path of a program with that name")]
    Command {
        /// What was handed in.
        command: String,
    },
}

/// Settings change: a settings text before and after, and what differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsChange {
    /// The text as it was.
    pub before: String,
    /// The text as it is to be.
    pub after: String,
    /// Events that we are newly called at; `mcp` stands for our server.
    pub added: Vec<String>,
    /// Events at which an older entry of ours is replaced.
    pub updated: Vec<String>,
    /// Events that we are no longer called at.
    pub removed: Vec<String>,
}

impl SettingsChange {
    fn none(settings: &str) -> Self {
        Self {
            before: settings.to_owned(),
            after: settings.to_owned(),
            added: Vec::new(),
            updated: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }
}

/// Record of an installation, kept to undo it exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The settings before the installation.
    pub before: String,
    /// The settings after the installation.
    pub after: String,
}

/// Installed entry: the event, or `mcp`, and the path of the program.
pub type Installed = (String, String);

/// Name of our program without a path, for settings that are shared between machines: everybody who
/// uses them has it on their PATH.
pub const BARE: &str = "throughline";

/// What our server is called among events.
pub(crate) const SERVER: &str = "mcp";

/// Adds us to settings: `command` is the full path of our program, or [`BARE`]. Adding twice
/// changes nothing more, and an entry of ours with another path is updated in place.
pub fn add(
    form: SettingsForm,
    settings: &str,
    command: &str,
) -> Result<SettingsChange, RefusedInstall> {
    let is_full = entry::is_our_program(command) && entry::is_full_path(command);
    if !is_full && command != BARE {
        return Err(RefusedInstall::Command { command: command.to_owned() });
    }
    match form {
        SettingsForm::Json(sections) => json::add(sections, settings, command),
        SettingsForm::Toml => toml::add(settings, command),
        SettingsForm::Plugin => plugin::add(settings, command),
    }
}

/// Removes us from settings. What [`add`] did is undone to the byte.
pub fn remove(form: SettingsForm, settings: &str) -> Result<SettingsChange, RefusedInstall> {
    match form {
        SettingsForm::Json(sections) => json::remove(sections, settings),
        SettingsForm::Toml => toml::remove(settings),
        SettingsForm::Plugin => Ok(plugin::remove(settings)),
    }
}

/// Removes us from settings with the help of a record: if they were not changed since, they are
/// restored exactly.
pub fn restore(
    form: SettingsForm,
    current: &str,
    record: &Record,
) -> Result<String, RefusedInstall> {
    if current == record.after {
        return Ok(record.before.clone());
    }
    remove(form, current).map(|change| change.after)
}

/// Finds our entries in settings: the events at which we are called, each with the path of the
/// program.
pub fn installed(form: SettingsForm, settings: &str) -> Result<Vec<Installed>, RefusedInstall> {
    match form {
        SettingsForm::Json(sections) => json::installed(sections, settings),
        SettingsForm::Toml => toml::installed(settings),
        SettingsForm::Plugin => Ok(plugin::installed(settings)),
    }
}
