//! Settings: the environment, read once; the settings file; what the command line says.

mod file;
mod home;
mod model;
mod reach;
mod shell;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use etcetera::BaseStrategy as _;
use serde::Serialize;
use throughline_agents::{Shell, Surroundings};
use throughline_core::permission::Door;
use throughline_core::scope::Level;
use throughline_core::{Policy, SessionId, Timestamp};
use throughline_engine::{Clock, Context, Engine, Roots, clean_name};

use crate::args::Global;

pub(crate) use file::{ConfigFile, SETTINGS};
pub(crate) use model::{Models, asked_by_project};

/// What the environment says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    pub(crate) home: Option<PathBuf>,
    /// The server that holds the memory, instead of what the settings say.
    pub(crate) store_url: Option<String>,
    pub(crate) now: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) disabled: bool,
    /// An agent that we started ourselves is running us.
    pub(crate) inside: bool,
    /// Milliseconds that an agent waits for a hook at most, where the machine is slow.
    pub(crate) deadline_ms: Option<u64>,
    /// Where agents keep their settings.
    pub(crate) around: Surroundings,
    /// The project and the session of the Claude Code that started us.
    pub(crate) claude_project: Option<PathBuf>,
    pub(crate) claude_session: Option<String>,
    /// Where the official memory server keeps its graph.
    pub(crate) memory_file: Option<PathBuf>,
    /// The token of the server.
    #[cfg(feature = "server")]
    pub(crate) token: Option<String>,
    /// The agent whose shell runs us, if one does.
    pub(crate) shell: Option<Shell>,
}

impl Environment {
    /// A variable whose name the user's settings give.
    #[expect(clippy::disallowed_methods, reason = "this is where the environment is read")]
    fn variable(name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.trim().is_empty())
    }

    #[expect(clippy::disallowed_methods, reason = "this is where the environment is read")]
    pub(crate) fn read() -> Self {
        let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let folder =
            |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        Self {
            home: folder("THROUGHLINE_HOME"),
            store_url: text("THROUGHLINE_STORE_URL"),
            now: text("THROUGHLINE_NOW"),
            session: text("THROUGHLINE_SESSION"),
            disabled: text("THROUGHLINE_DISABLE").is_some_and(|value| value != "0"),
            inside: text("THROUGHLINE_INSIDE").is_some_and(|value| value != "0"),
            deadline_ms: text("THROUGHLINE_DEADLINE_MS").and_then(|value| value.parse().ok()),
            around: Surroundings {
                home: std::env::home_dir(),
                claude_config: folder("CLAUDE_CONFIG_DIR"),
                codex_home: folder("CODEX_HOME"),
                gemini_home: folder("GEMINI_CLI_HOME"),
                xdg_config: folder("XDG_CONFIG_HOME"),
                xdg_data: folder("XDG_DATA_HOME"),
                path: std::env::var_os("PATH")
                    .map(|path| std::env::split_paths(&path).collect())
                    .unwrap_or_default(),
            },
            claude_project: folder("CLAUDE_PROJECT_DIR"),
            claude_session: text("CLAUDE_CODE_SESSION_ID"),
            memory_file: folder("MEMORY_FILE_PATH"),
            #[cfg(feature = "server")]
            token: text("THROUGHLINE_TOKEN"),
            shell: Shell::around(text),
        }
    }
}

/// Memory is switched off.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Off {
    /// By what.
    pub(crate) why: String,
    /// What switches it on again.
    pub(crate) hint: String,
}

/// Everything a command needs to know before it starts.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) home: PathBuf,
    pub(crate) clock: Clock,
    pub(crate) policy: Policy,
    pub(crate) enabled: bool,
    /// Whether what agents tell is kept.
    pub(crate) journal: bool,
    /// Days for which the journal keeps what was taken in.
    pub(crate) journal_days: u32,
    /// How many automatic copies are kept.
    pub(crate) backup_keep: usize,
    /// Whether a new folder of a known project is joined without asking.
    joins: bool,
    /// Whether the home was named on the command line.
    home_named: bool,
    /// What the environment says.
    pub(crate) environment: Environment,
    /// Which services may be asked.
    pub(crate) models: Models,
    /// What is wrong with the settings file, if something is.
    pub(crate) problem: Option<String>,
    project: Option<PathBuf>,
    level: Option<Level>,
    session: Option<SessionId>,
}

impl Settings {
    /// Brings together what the command line, the environment and the settings file say.
    pub(crate) fn resolve(global: &Global, environment: &Environment) -> anyhow::Result<Self> {
        let home = match global.home.clone().or_else(|| environment.home.clone()) {
            Some(home) => home,
            None => etcetera::base_strategy::choose_native_strategy()
                .context("your home folder cannot be found; give --home DIR")?
                .data_dir()
                .join("throughline"),
        };
        let clock = match &environment.now {
            Some(now) => Clock::Fixed(now.parse().map_err(|error| {
                throughline_engine::Error::BadInput(format!("THROUGHLINE_NOW: {error}"))
            })?),
            None => Clock::System,
        };
        let session = global.session.clone().or_else(|| environment.session.clone());
        let (said, problem) = file::said(&home);
        throughline_engine::take_contacts(said.contacts);
        let address = environment.store_url.as_ref().unwrap_or(&said.store_url);
        throughline_engine::keep_memory_at(&home, Some(address));
        Ok(Self {
            policy: said.policy,
            enabled: said.enabled,
            journal: said.journal,
            journal_days: said.journal_days,
            backup_keep: said.backup_keep,
            joins: said.joins,
            home_named: global.home.is_some(),
            models: said.models,
            environment: environment.clone(),
            problem,
            home,
            clock,
            project: global.project.clone(),
            level: global.scope,
            session: session.map(|id| SessionId(clean_name(&id))),
        })
    }

    /// The same settings for a throwaway memory.
    pub(crate) fn elsewhere(
        home: &Path,
        project: &Path,
        now: Timestamp,
        environment: &Environment,
    ) -> Self {
        // Of what is around only where programs are found.
        let around =
            Surroundings { path: environment.around.path.clone(), ..Surroundings::default() };
        Self {
            home: home.to_owned(),
            clock: Clock::Fixed(now),
            policy: Policy::default(),
            enabled: true,
            journal: true,
            journal_days: file::JOURNAL_DAYS,
            backup_keep: 0,
            joins: false,
            home_named: true,
            models: Models::default(),
            environment: Environment { around, ..Environment::default() },
            problem: None,
            project: Some(project.to_owned()),
            level: None,
            session: None,
        }
    }

    /// The same settings, as the settings file has them now.
    #[cfg(feature = "server")]
    pub(crate) fn again(&self) -> Self {
        let (said, problem) = file::said(&self.home);
        Self {
            policy: said.policy,
            enabled: said.enabled,
            journal: said.journal,
            journal_days: said.journal_days,
            backup_keep: said.backup_keep,
            joins: said.joins,
            models: said.models,
            problem,
            ..self.clone()
        }
    }

    /// The same settings for a project's folder, wherever the program's own folder is.
    #[cfg(feature = "server")]
    pub(crate) fn settled_in(&self, project: PathBuf) -> Self {
        Self { project: Some(project), ..self.clone() }
    }

    /// Opens the memory.
    pub(crate) fn engine(&self) -> anyhow::Result<Engine> {
        Ok(Engine::open(&self.home, self.clock)?.with_policy(self.policy))
    }

    /// Who asks, and from where.
    pub(crate) fn context(&self) -> anyhow::Result<Context> {
        let folder = match &self.project {
            Some(folder) => folder.clone(),
            None => std::env::current_dir().context("the current folder cannot be read")?,
        };
        if self.level == Some(Level::Session) && self.session.is_none() {
            let message = "--scope session needs a session: give --session ID".to_owned();
            return Err(throughline_engine::Error::BadInput(message).into());
        }
        let roots = self.roots().for_person(self.is_person());
        let project = roots.project(&folder)?;
        if !self.is_person() {
            self.check_reach(&roots, &project)?;
        }
        // What cannot be noted now is found again the next time.
        roots.keep_looked_at(&project, self.clock.now()).ok();
        Ok(Context {
            project,
            session: self.session.clone(),
            level: self.level.unwrap_or(Level::Project),
            door: self.door(),
            only_if: None,
        })
    }

    /// Which folders belong to which project, as a hook or a tool asks.
    pub(crate) fn roots(&self) -> Roots {
        Roots::new(&self.home).joining_by_itself(self.joins)
    }

    /// Whether memory is switched off, by the settings or for this call.
    pub(crate) fn is_off(&self) -> bool {
        self.environment.disabled || !self.enabled
    }

    /// What switched memory off, and how it is switched on again; `None` if it is on.
    pub(crate) fn off(&self) -> Option<Off> {
        let variable = "unsetting THROUGHLINE_DISABLE";
        let setting = "`throughline config set enabled true`";
        let (by, on) = match (self.environment.disabled, !self.enabled) {
            (false, false) => return None,
            (true, false) => ("THROUGHLINE_DISABLE", variable.to_owned()),
            (false, true) => ("the setting `enabled`", setting.to_owned()),
            (true, true) => (
                "THROUGHLINE_DISABLE and the setting `enabled`",
                format!("{setting} together with {variable}"),
            ),
        };
        Some(Off {
            why: format!(
                "memory is switched off by {by}: nothing is captured, and agents are told nothing"
            ),
            hint: format!("{on} switches it on"),
        })
    }

    /// Whether a person runs this command, and not an agent.
    pub(crate) fn is_person(&self) -> bool {
        self.door() == Door::Terminal
    }

    /// Whether a new folder of a known project is joined without asking.
    pub(crate) fn joins(&self) -> bool {
        self.joins
    }

    /// The folder of the project, as far as somebody named it: by hand, or the agent that started us.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.project.clone().or_else(|| self.environment.claude_project.clone())
    }

    /// The session, as far as somebody named it.
    pub(crate) fn session(&self) -> Option<SessionId> {
        let agent =
            || self.environment.claude_session.as_deref().map(|id| SessionId(clean_name(id)));
        self.session.clone().or_else(agent)
    }

    /// How far new memories reach, if somebody said.
    pub(crate) fn chosen_level(&self) -> Option<Level> {
        self.level
    }

    /// Reads a moment that a person wrote.
    pub(crate) fn moment(&self, text: Option<&str>) -> anyhow::Result<Option<Timestamp>> {
        text.map(|text| Timestamp::parse_human(text, self.clock.now()))
            .transpose()
            .map_err(|error| throughline_engine::Error::BadInput(error).into())
    }
}

/// Makes a folder for the user's eyes only, if it is not there.
fn private_folder(folder: &Path) -> anyhow::Result<()> {
    throughline_engine::private_folder(folder).with_context(|| folder.display().to_string())
}
