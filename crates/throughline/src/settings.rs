//! Settings: the environment, read once; the settings file; what the command line says.

mod model;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use etcetera::BaseStrategy as _;
use throughline_agents::Surroundings;
use throughline_core::scope::Level;
use throughline_core::{Actor, Policy, SessionId, Timestamp};
use throughline_engine::{Clock, Context, Engine, Project};
use toml_edit::{DocumentMut, Item, TableLike, Value};

use crate::args::Global;

pub(crate) use model::{Models, asked_by_project};

/// What the environment says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    pub(crate) home: Option<PathBuf>,
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
        }
    }
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
            Some(now) => Clock::Fixed(now.parse().map_err(|e| anyhow!("THROUGHLINE_NOW: {e}"))?),
            None => Clock::System,
        };
        let file = ConfigFile::read(&home)?;
        let session = global.session.clone().or_else(|| environment.session.clone());
        let (said, problem) = match file.said() {
            Ok(said) => (said, None),
            Err(error) => (Said::default(), Some(error.to_string())),
        };
        Ok(Self {
            policy: said.policy,
            enabled: said.enabled,
            journal: said.journal,
            journal_days: said.journal_days,
            models: said.models,
            environment: environment.clone(),
            problem,
            home,
            clock,
            project: global.project.clone(),
            level: global.scope,
            session: session.map(SessionId),
        })
    }

    /// The same settings for a throwaway memory.
    pub(crate) fn elsewhere(home: &Path, project: &Path, now: Timestamp) -> Self {
        Self {
            home: home.to_owned(),
            clock: Clock::Fixed(now),
            policy: Policy::default(),
            enabled: true,
            journal: true,
            journal_days: JOURNAL_DAYS,
            models: Models::default(),
            environment: Environment::default(),
            problem: None,
            project: Some(project.to_owned()),
            level: None,
            session: None,
        }
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
        Ok(Context {
            project: Project::at(&folder)?,
            session: self.session.clone(),
            level: self.level.unwrap_or(Level::Project),
            actor: Actor::User,
        })
    }

    /// The folder of the project, as far as somebody named it: by hand, or the agent that started us.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.project.clone().or_else(|| self.environment.claude_project.clone())
    }

    /// The session, as far as somebody named it.
    pub(crate) fn session(&self) -> Option<SessionId> {
        let agent = || self.environment.claude_session.clone().map(SessionId);
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

/// Days for which the journal keeps what was taken in, unless somebody says otherwise.
const JOURNAL_DAYS: u32 = 30;

/// What the settings file says.
struct Said {
    enabled: bool,
    journal: bool,
    journal_days: u32,
    models: Models,
    policy: Policy,
}

impl Default for Said {
    fn default() -> Self {
        let policy = Policy::default();
        let models = Models::default();
        Self { enabled: true, journal: true, journal_days: JOURNAL_DAYS, models, policy }
    }
}

/// A setting that can be changed.
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) about: &'static str,
    default: fn() -> Value,
}

/// Every setting there is.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "enabled",
        about: "whether memory is used at all",
        default: || Value::from(true),
    },
    Setting {
        key: "journal.enabled",
        about: "whether what agents tell is kept: without it nothing is captured",
        default: || Value::from(true),
    },
    Setting {
        key: "journal.keep_days",
        about: "days for which the journal keeps what was taken in",
        default: || Value::from(i64::from(JOURNAL_DAYS)),
    },
    Setting {
        key: "recall.budget_tokens",
        about: "tokens put in front of an agent for one prompt",
        default: || number(Policy::default().recall.budget_tokens),
    },
    Setting {
        key: "recall.items_max",
        about: "memories put in front of an agent for one prompt",
        default: || number(Policy::default().recall.items_max),
    },
    Setting {
        key: "llm.provider",
        about: "who reads along and proposes: none, anthropic, openai, openai-responses, ollama or command",
        default: || Value::from("none"),
    },
    Setting {
        key: "llm.model",
        about: "the name of the model, as the provider calls it",
        default: || Value::from(""),
    },
    Setting {
        key: "llm.base_url",
        about: "where it is, if not in the usual place: https, or http on this machine",
        default: || Value::from(""),
    },
    Setting {
        key: "llm.api_key_env",
        about: "the environment variable that holds the key, if not the usual one; `llm key` keeps one instead",
        default: || Value::from(""),
    },
    Setting {
        key: "llm.command",
        about: "for the provider command: a program and its arguments, such as `claude -p`; no shell reads it",
        default: || Value::from(""),
    },
    Setting {
        key: "llm.timeout_secs",
        about: "seconds that one question may take",
        default: || Value::from(120),
    },
    Setting {
        key: "llm.calls_per_session",
        about: "questions about one session; what is beyond waits",
        default: || Value::from(20),
    },
    Setting {
        key: "llm.tokens_per_day",
        about: "tokens of one day, read and written; what is beyond waits",
        default: || Value::from(200_000),
    },
    Setting {
        key: "embed.provider",
        about: "who makes further vectors beside the built-in model: builtin, openai or ollama; never in a hook",
        default: || Value::from("builtin"),
    },
    Setting {
        key: "embed.model",
        about: "the name of the embedding model, as the provider calls it",
        default: || Value::from(""),
    },
    Setting {
        key: "embed.base_url",
        about: "where it is, if not in the usual place: https, or http on this machine",
        default: || Value::from(""),
    },
    Setting {
        key: "embed.api_key_env",
        about: "the environment variable that holds its key, if not the usual one",
        default: || Value::from(""),
    },
];

fn number(value: usize) -> Value {
    Value::from(i64::try_from(value).unwrap_or(i64::MAX))
}

/// The settings file. Comments and order survive changes.
pub(crate) struct ConfigFile {
    path: PathBuf,
    document: DocumentMut,
}

impl ConfigFile {
    pub(crate) fn read(home: &Path) -> anyhow::Result<Self> {
        let path = home.join("config.toml");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => String::new(),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        let document =
            text.parse().with_context(|| format!("{} is not a settings file", path.display()))?;
        Ok(Self { path, document })
    }

    /// A text, empty where none is set.
    fn text(&self, key: &str) -> anyhow::Result<String> {
        Ok(self.get(key)?.0.as_str().unwrap_or_default().to_owned())
    }

    /// A whole number.
    fn whole(&self, key: &str) -> anyhow::Result<u64> {
        Ok(u64::try_from(self.get(key)?.0.as_integer().unwrap_or(0))?)
    }

    fn item(&self, key: &str) -> Option<&Value> {
        key.split('.').try_fold(self.document.as_item(), |at, part| at.get(part))?.as_value()
    }

    /// A setting's value: from the file, else its default. `true` if it is from the file.
    pub(crate) fn get(&self, key: &str) -> anyhow::Result<(Value, bool)> {
        let setting = known(key)?;
        match self.item(key) {
            Some(value) => Ok((check(setting, value.clone())?, true)),
            None => Ok(((setting.default)(), false)),
        }
    }

    /// Changes a setting and writes the file.
    pub(crate) fn set(&mut self, key: &str, text: &str) -> anyhow::Result<Value> {
        let setting = known(key)?;
        let is_text = (setting.default)().is_str();
        let value: Value = match text.parse() {
            Ok(value) if !is_text => value,
            Ok(Value::String(value)) => Value::String(value),
            _ => Value::from(text),
        };
        let mut value = check(setting, value)?;
        value.decor_mut().clear();
        let (table, last) = self.section(key)?;
        match table.get_mut(last).and_then(Item::as_value_mut) {
            // What stands around the old value stays: comments above it and beside it.
            Some(held) => {
                let decor = held.decor().clone();
                *held = value.clone();
                *held.decor_mut() = decor;
            }
            None => {
                table.insert(last, Item::Value(value.clone()));
            }
        }
        self.write()?;
        Ok(value)
    }

    /// Removes a setting and writes the file.
    pub(crate) fn unset(&mut self, key: &str) -> anyhow::Result<Value> {
        let setting = known(key)?;
        if self.item(key).is_some() {
            let (table, last) = self.section(key)?;
            table.remove(last);
            self.write()?;
        }
        Ok((setting.default)())
    }

    /// The section that holds a setting, made if it is not there, and the setting's name within it.
    fn section<'k>(&mut self, key: &'k str) -> anyhow::Result<(&mut dyn TableLike, &'k str)> {
        let (parents, last) = key.rsplit_once('.').map_or((None, key), |(p, l)| (Some(p), l));
        let mut at: &mut Item = self.document.as_item_mut();
        for part in parents.into_iter().flat_map(|parents| parents.split('.')) {
            let table = at.as_table_like_mut().ok_or_else(|| not_a_section(&self.path, part))?;
            at = table.entry(part).or_insert(toml_edit::table());
        }
        let name = parents.unwrap_or("the file");
        let table = at.as_table_like_mut().ok_or_else(|| not_a_section(&self.path, name))?;
        Ok((table, last))
    }

    /// Writes beside the file and renames, so that a full disk leaves the old one whole.
    fn write(&self) -> anyhow::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        private_folder(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)
            .with_context(|| format!("cannot write to {}", folder.display()))?;
        file.write_all(self.document.to_string().as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&self.path).with_context(|| self.path.display().to_string())?;
        Ok(())
    }

    /// Everything that it says.
    fn said(&self) -> anyhow::Result<Said> {
        let yes =
            |key: &str| -> anyhow::Result<bool> { Ok(self.get(key)?.0.as_bool().unwrap_or(true)) };
        let days = self.get("journal.keep_days")?.0.as_integer().unwrap_or(0);
        Ok(Said {
            enabled: yes("enabled")?,
            journal: yes("journal.enabled")?,
            journal_days: u32::try_from(days).unwrap_or(u32::MAX),
            models: Models::read(self)?,
            policy: self.policy()?,
        })
    }

    fn policy(&self) -> anyhow::Result<Policy> {
        let whole = |key: &str| -> anyhow::Result<usize> {
            let value = self.get(key)?.0.as_integer().unwrap_or(0);
            Ok(usize::try_from(value)?)
        };
        let mut policy = Policy::default();
        policy.recall.budget_tokens = whole("recall.budget_tokens")?;
        policy.recall.items_max = whole("recall.items_max")?;
        Ok(policy)
    }
}

/// Makes a folder for the user's eyes only, if it is not there.
fn private_folder(folder: &Path) -> anyhow::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).with_context(|| folder.display().to_string())
}

fn not_a_section(path: &Path, name: &str) -> anyhow::Error {
    let message = format!("{}: {name} is not a section; remove that line", path.display());
    throughline_engine::Error::BadInput(message).into()
}

fn known(key: &str) -> anyhow::Result<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key).ok_or_else(|| {
        let names: Vec<_> = SETTINGS.iter().map(|setting| setting.key).collect();
        let message = format!("there is no setting {key}; there are {}", names.join(", "));
        throughline_engine::Error::BadInput(message).into()
    })
}

/// A value must be of the sort its default is, and numbers must not be negative.
fn check(setting: &Setting, value: Value) -> anyhow::Result<Value> {
    let default = (setting.default)();
    let fits = match (&default, &value) {
        (Value::Boolean(_), Value::Boolean(_)) => true,
        (Value::Integer(_), Value::Integer(number)) => *number.value() >= 0,
        (Value::String(_), Value::String(text)) => {
            model::check(setting.key, text.value())?;
            true
        }
        _ => false,
    };
    if !fits {
        let wanted = match (default.is_bool(), default.is_str()) {
            (true, _) => "true or false",
            (_, true) => "a text",
            (false, false) => "a whole number",
        };
        bail!(throughline_engine::Error::BadInput(format!(
            "{} is {}: give {wanted}, not {}",
            setting.key,
            setting.about,
            value.to_string().trim()
        )));
    }
    Ok(value)
}
