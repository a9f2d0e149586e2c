//! Us in the settings of hosts: put in, found, and taken out again.
//!
//! Settings are text that belongs to somebody else. What is not ours keeps its bytes, and taking
//! out what was put in gives back the very same text. [`places`](places()) names the files of a
//! host, [`files`] changes them.

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

/// Why settings were left as they are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedInstall {
    /// The owner has to mend the file first.
    #[error("the settings are not JSON: line {line}: {why}")]
    NotJson {
        /// Where, from one.
        line: usize,
        /// What is wrong there.
        why: String,
    },
    /// The owner has to mend the file first.
    #[error("the settings are not TOML: line {line}: {why}")]
    NotToml {
        /// Where, from one.
        line: usize,
        /// What is wrong there.
        why: String,
    },
    /// The file can be read, but holds something else than its host expects.
    #[error("the settings do not have the expected form: {what}")]
    Shape {
        /// What is not as expected.
        what: String,
    },
    /// Somebody else has our name.
    #[error("{what} was not written by Throughline; rename it first")]
    Taken {
        /// What stands there.
        what: String,
    },
    /// We would not find ourselves again.
    #[error("{command} is neither `throughline` nor the full path of a program with that name")]
    Command {
        /// What was handed in.
        command: String,
    },
}

/// Settings before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsChange {
    /// As they were.
    pub before: String,
    /// As they are to be.
    pub after: String,
    /// The events that we are called at from now on, and were not before; `mcp` is our server.
    pub added: Vec<String>,
    /// The events at which an older entry of ours is replaced.
    pub updated: Vec<String>,
    /// The events that we are no longer called at.
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

/// An entry of ours: the event, or `mcp`, and the path of the program.
pub type Installed = (String, String);

/// Our program by its name, as files have it that are shared between machines: whoever uses them has
/// it on their PATH.
pub const BARE: &str = "throughline";

/// What our server is called among events.
pub(crate) const SERVER: &str = "mcp";

/// Puts us into settings: `command` is the full path of our program, or [`BARE`]. Twice is once, and an entry of
/// ours with another path is updated where it stands.
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

/// Takes us out of settings. What [`add`] did is undone to the byte.
pub fn remove(form: SettingsForm, settings: &str) -> Result<SettingsChange, RefusedInstall> {
    match form {
        SettingsForm::Json(sections) => json::remove(sections, settings),
        SettingsForm::Toml => toml::remove(settings),
        SettingsForm::Plugin => Ok(plugin::remove(settings)),
    }
}

/// Takes us out of settings, with the help of a record: if nobody has touched them since, they are
/// exactly what they were.
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

/// The events at which we are called, each with the path of the program.
pub fn installed(form: SettingsForm, settings: &str) -> Result<Vec<Installed>, RefusedInstall> {
    match form {
        SettingsForm::Json(sections) => json::installed(sections, settings),
        SettingsForm::Toml => toml::installed(settings),
        SettingsForm::Plugin => Ok(plugin::installed(settings)),
    }
}
