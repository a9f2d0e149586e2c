//! Whether agents are connected, and how that can be told.

use std::path::{Path, PathBuf};

use serde::Serialize;
use throughline_agents::install::{BARE, files, installed, places, project_places};
use throughline_agents::{Host, Surroundings};
use throughline_engine::{Check, last_fired};

use crate::settings::Settings;

/// How one agent stands to us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Connection {
    pub(crate) agent: &'static str,
    pub(crate) state: ConnectionState,
    /// The file that says so, or the program that is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<String>,
    /// How many entries are ours.
    pub(crate) entries: usize,
    /// Whether we are told what happens, by hooks or a plugin.
    pub(crate) hooks: bool,
    /// Whether our tools can be called.
    pub(crate) tools: bool,
    /// What of ours is in which file.
    #[serde(skip)]
    parts: Vec<String>,
    /// When a hook of it was last called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_hook: Option<String>,
}

/// The same in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ConnectionState {
    Connected,
    NotConnected,
    /// Its settings cannot be read, so nobody knows.
    CannotRead,
    /// Our program is not where its settings say.
    ProgramGone,
    NotInstalled,
}

/// How every agent stands to us.
pub(crate) fn connections(settings: &Settings) -> Vec<Connection> {
    Host::ALL.iter().map(|host| connection(*host, settings)).collect()
}

/// What a file of settings says of us.
enum SettingsSay {
    Nothing,
    Unreadable(PathBuf, String),
    Entries(PathBuf, Vec<(String, String)>),
}

fn connection(host: Host, settings: &Settings) -> Connection {
    let around = &settings.environment.around;
    let own = host.folders(around, None).map(|folders| places(host, &folders)).unwrap_or_default();
    let project = settings.context().ok().map(|one| project_places(host, &one.project.root));
    let mut connection = Connection {
        agent: host.as_str(),
        state: if host.is_here(around) {
            ConnectionState::NotConnected
        } else {
            ConnectionState::NotInstalled
        },
        at: None,
        entries: 0,
        hooks: false,
        tools: false,
        parts: Vec::new(),
        last_hook: last_hook(host, &settings.home),
    };
    for place in own.into_iter().chain(project.unwrap_or_default()) {
        let said = match files::read(&place.path) {
            Ok(None) => SettingsSay::Nothing,
            Err(error) => SettingsSay::Unreadable(place.path.clone(), error.to_string()),
            Ok(Some(text)) => match installed(place.form, &text) {
                Ok(found) if found.is_empty() => SettingsSay::Nothing,
                Ok(found) => SettingsSay::Entries(place.path.clone(), found),
                Err(why) => SettingsSay::Unreadable(place.path.clone(), why.to_string()),
            },
        };
        connection.hear(said, around);
    }
    connection
}

impl Connection {
    fn hear(&mut self, said: SettingsSay, around: &Surroundings) {
        match said {
            SettingsSay::Nothing => {}
            SettingsSay::Unreadable(path, why) => {
                self.state = ConnectionState::CannotRead;
                self.at = Some(format!("{} ({why})", path.display()));
            }
            SettingsSay::Entries(path, found) => {
                self.entries += found.len();
                let events: Vec<String> = found.iter().map(|(event, _)| event.clone()).collect();
                self.tools |= events.iter().any(|event| event == super::SERVER);
                self.hooks |= events.iter().any(|event| event != super::SERVER);
                self.parts.push(format!("{} in {}", super::parts_of(&events), path.display()));
                let gone = found.iter().find(|(_, command)| !is_there(command, around));
                match (gone, self.state) {
                    (_, ConnectionState::CannotRead | ConnectionState::ProgramGone) => {}
                    (Some((_, command)), _) => {
                        self.state = ConnectionState::ProgramGone;
                        self.at = Some(command.clone());
                    }
                    (None, ConnectionState::Connected) => {}
                    (None, ConnectionState::NotConnected | ConnectionState::NotInstalled) => {
                        self.state = ConnectionState::Connected;
                        self.at = Some(path.display().to_string());
                    }
                }
            }
        }
    }

    /// The same for `doctor`.
    pub(crate) fn check(&self) -> Check {
        let (name, at) = (self.agent, self.at.as_deref().unwrap_or_default());
        match self.state {
            ConnectionState::Connected if !(self.hooks && self.tools) => {
                let missing = if self.hooks { "the MCP server is" } else { "hooks are" };
                let detail = format!("{}; {missing} missing", self.connected());
                Check::note(name, detail, "`throughline init` adds what is missing")
            }
            ConnectionState::Connected
                if self.last_hook.is_none() && name == Host::Codex.as_str() =>
            {
                Check::note(
                    name,
                    self.connected(),
                    "trust the hooks in its TUI: start `codex`, open /hooks",
                )
            }
            ConnectionState::Connected => Check::fine(name, self.connected()),
            ConnectionState::NotConnected => {
                Check::note(name, "not connected", "`throughline init` connects it")
            }
            ConnectionState::CannotRead => Check::note(
                name,
                format!("cannot read {at}"),
                "repair the file; until then it is unknown whether the agent is connected",
            ),
            ConnectionState::ProgramGone => Check::note(
                name,
                format!("its settings call {at}, which no longer exists"),
                "`throughline init` writes the right path; settings of a project call \
                 `throughline`, which must be on the PATH",
            ),
            ConnectionState::NotInstalled => Check::fine(name, "not installed here"),
        }
    }

    fn connected(&self) -> String {
        let last = match &self.last_hook {
            Some(at) => format!("; last called at {at}"),
            None => "; none of its hooks was called yet".to_owned(),
        };
        format!("connected: {}{last}", self.parts.join(", "))
    }

    /// The same in a few words.
    pub(crate) fn words(&self) -> String {
        match self.state {
            ConnectionState::Connected => format!("{} connected", self.agent),
            ConnectionState::NotConnected => format!("{} not connected", self.agent),
            ConnectionState::CannotRead => {
                let at = self.at.as_deref().unwrap_or_default();
                format!("{} cannot read {at}", self.agent)
            }
            ConnectionState::ProgramGone => {
                format!("{} calls a program that no longer exists", self.agent)
            }
            ConnectionState::NotInstalled => format!("{} not installed", self.agent),
        }
    }
}

/// Whether a program can be called: by its full path, or by its name.
fn is_there(command: &str, around: &Surroundings) -> bool {
    if command != BARE {
        return Path::new(command).exists();
    }
    let name = format!("{BARE}{}", std::env::consts::EXE_SUFFIX);
    around.path.iter().any(|folder| folder.join(&name).is_file())
}

/// The moment of an agent's latest hook. Those of Claude Code have no agent in their name.
fn last_hook(host: Host, home: &Path) -> Option<String> {
    let fired = last_fired(home);
    let prefix = format!("{}-", host.as_str());
    let of_others = |name: &str| {
        Host::ALL.iter().any(|other| name.starts_with(&format!("{}-", other.as_str())))
    };
    let mine = fired.iter().filter(|(name, _)| match host {
        Host::ClaudeCode => !of_others(name),
        Host::Codex | Host::Gemini | Host::Opencode | Host::Cursor => name.starts_with(&prefix),
    });
    mine.map(|(_, at)| *at).max().map(|at| at.to_string())
}
