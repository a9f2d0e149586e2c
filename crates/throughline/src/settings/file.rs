//! The settings file: what can be set, and what it says.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use throughline_core::Policy;
use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::{Models, private_folder};

/// Its name within the home.
pub(super) const FILE: &str = "config.toml";

/// Days for which the journal keeps what was taken in, unless somebody says otherwise.
pub(super) const JOURNAL_DAYS: u32 = 30;
/// Automatic copies that are kept, unless somebody says otherwise.
const BACKUP_KEEP: usize = 5;

/// What the settings file says.
pub(super) struct FileSettings {
    pub(super) enabled: bool,
    pub(super) journal: bool,
    pub(super) journal_days: u32,
    pub(super) backup_keep: usize,
    pub(super) joins: bool,
    /// Whether e-mail addresses and telephone numbers are taken out.
    pub(super) contacts: bool,
    pub(super) models: Models,
    pub(super) policy: Policy,
    /// The server that holds the memory; empty where it is in the home.
    pub(super) store_url: String,
}

impl Default for FileSettings {
    fn default() -> Self {
        let policy = Policy::default();
        let models = Models::default();
        let (journal_days, backup_keep) = (JOURNAL_DAYS, BACKUP_KEEP);
        let (enabled, journal, joins, contacts) = (true, true, false, false);
        let store_url = String::new();
        Self {
            enabled,
            journal,
            journal_days,
            backup_keep,
            joins,
            contacts,
            models,
            policy,
            store_url,
        }
    }
}

/// A setting that can be changed.
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) about: &'static str,
    default: fn() -> Value,
}

/// More rounds change nothing any more.
const PAGERANK_ROUNDS_MAX: u32 = 64;

/// Every setting there is.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "enabled",
        about: "whether memory is used at all",
        default: || Value::from(true),
    },
    Setting {
        key: "journal.enabled",
        about: "whether conversations with agents are captured",
        default: || Value::from(true),
    },
    Setting {
        key: "journal.keep_days",
        about: "days that the journal keeps what was processed",
        default: || Value::from(i64::from(JOURNAL_DAYS)),
    },
    Setting {
        key: "backup.keep",
        about: "how many automatic copies of the last days and weeks are kept; 0 makes none",
        default: || number(BACKUP_KEEP),
    },
    Setting {
        key: "project.join",
        about: "what happens in a new folder of a known project: ask, or auto to join it unasked \
            (less safe)",
        default: || Value::from("ask"),
    },
    Setting {
        key: "privacy.contacts",
        about: "what becomes of e-mail addresses and telephone numbers: keep, or remove; payment cards, bank \
            accounts and secrets are always removed",
        default: || Value::from("keep"),
    },
    Setting {
        key: "files.read",
        about: "whether a project's files for agents (CLAUDE.md, AGENTS.md and their like) are read \
            as memories",
        default: || Value::from(true),
    },
    Setting {
        key: "lifecycle.enabled",
        about: "whether memories that nobody needs leave view by themselves; `undo` brings them back",
        default: || Value::from(true),
    },
    Setting {
        key: "store.url",
        about: "the PostgreSQL server that holds the memory instead of the home, such as \
            postgresql://anna@db.example.com/memory; see docs/team.md",
        default: || Value::from(""),
    },
    Setting {
        key: "recall.budget_tokens",
        about: "how many tokens an agent is told at most for one prompt",
        default: || number(Policy::default().recall.budget_tokens),
    },
    Setting {
        key: "recall.items_max",
        about: "how many memories an agent is told at most for one prompt",
        default: || number(Policy::default().recall.items_max),
    },
    Setting {
        key: "recall.pagerank_rounds",
        about: "rounds in which connections score again what was found, at most 64; 0 leaves that out, which \
            was no worse where it was measured",
        default: || Value::from(i64::from(Policy::default().frontier.pagerank_rounds)),
    },
    Setting {
        key: "agent.ask",
        about: "whether an agent with our tools is asked to keep what Throughline cannot read: \
            other languages, unclear wording",
        default: || Value::from(true),
    },
    Setting {
        key: "llm.provider",
        about: "the model service that proposes memories: none, anthropic, openai, \
            openai-responses, ollama or command",
        default: || Value::from("none"),
    },
    Setting {
        key: "llm.model",
        about: "the name of the model, as the provider calls it",
        default: || Value::from(""),
    },
    Setting {
        key: "llm.base_url",
        about: "its address, if not the usual one: https, or http on this machine",
        default: || Value::from(""),
    },
    Setting {
        key: "llm.api_key_env",
        about: "the environment variable with its key, if not the usual one; `llm key` stores \
            one instead",
        default: || Value::from(""),
    },
    Setting {
        key: "llm.command",
        about: "for the provider command: a program and its arguments, such as `claude -p`; no \
            shell reads it",
        default: || Value::from(""),
    },
    Setting {
        key: "llm.pass_env",
        about: "for the provider command: further environment variables that it may see, \
            separated by commas",
        default: || Value::from(""),
    },
    Setting {
        key: "llm.timeout_secs",
        about: "how many seconds one question may take",
        default: || Value::from(120),
    },
    Setting {
        key: "llm.calls_per_session",
        about: "how many questions about one session are asked; the rest waits",
        default: || Value::from(20),
    },
    Setting {
        key: "llm.tokens_per_day",
        about: "how many tokens a day are read and written; the rest waits",
        default: || Value::from(200_000),
    },
    Setting {
        key: "embed.provider",
        about: "who makes vectors: builtin alone, or also openai or ollama; hooks use the \
            built-in model only",
        default: || Value::from("builtin"),
    },
    Setting {
        key: "embed.model",
        about: "the name of the embedding model, as the provider calls it",
        default: || Value::from(""),
    },
    Setting {
        key: "embed.base_url",
        about: "its address, if not the usual one: https, or http on this machine",
        default: || Value::from(""),
    },
    Setting {
        key: "embed.api_key_env",
        about: "the environment variable with its key, if not the usual one",
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
    /// Where the settings of a home stand.
    pub(crate) fn path(home: &Path) -> PathBuf {
        home.join(FILE)
    }

    pub(crate) fn read(home: &Path) -> anyhow::Result<Self> {
        let path = Self::path(home);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Vec::new(),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        let parsed = match std::str::from_utf8(&bytes) {
            Ok(text) => text.parse::<DocumentMut>().map_err(|error| {
                let at = error.span().map_or(0, |span| span.start);
                (at, error.message().to_owned())
            }),
            Err(error) => Err((error.valid_up_to(), "it is not UTF-8".to_owned())),
        };
        match parsed {
            Ok(document) => Ok(Self { path, document }),
            Err((at, why)) => {
                let before = bytes.iter().take(at).filter(|byte| **byte == b'\n').count();
                bail!(
                    "{}, line {}: {why}; correct or remove that line with an editor, or move the \
                     file away to start with the defaults",
                    path.display(),
                    before + 1
                )
            }
        }
    }

    /// A text, empty where none is set.
    pub(super) fn text(&self, key: &str) -> anyhow::Result<String> {
        Ok(self.get(key)?.0.as_str().unwrap_or_default().to_owned())
    }

    /// A whole number.
    pub(super) fn whole(&self, key: &str) -> anyhow::Result<u64> {
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

    /// Everything that it says, and what of it cannot be used: that keeps its default. Where
    /// anything is wrong no service is asked, for what was meant is not known.
    fn said(&self) -> (FileSettings, Option<String>) {
        let mut wrong = None;
        let mut or_default = |key: &str| match self.get(key) {
            Ok((value, _)) => value,
            Err(error) => {
                wrong.get_or_insert(error.to_string());
                (known(key).expect("the key is in the table").default)()
            }
        };
        let mut yes = |key: &str| or_default(key).as_bool().unwrap_or(true);
        let (enabled, journal, asks) = (yes("enabled"), yes("journal.enabled"), yes("agent.ask"));
        let (reads_files, fades) = (yes("files.read"), yes("lifecycle.enabled"));
        let mut whole = |key: &str| or_default(key).as_integer().unwrap_or(0);
        let (days, copies) = (whole("journal.keep_days"), whole("backup.keep"));
        let mut policy = Policy::default();
        let at_most = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        policy.recall.budget_tokens = at_most(whole("recall.budget_tokens"));
        policy.recall.items_max = at_most(whole("recall.items_max"));
        let rounds = u32::try_from(whole("recall.pagerank_rounds")).unwrap_or(0);
        policy.frontier.pagerank_rounds = rounds.min(PAGERANK_ROUNDS_MAX);
        policy.recall.asks_agent = asks;
        (policy.lifecycle.reads_files, policy.lifecycle.enabled) = (reads_files, fades);
        let joins = or_default("project.join").as_str() == Some("auto");
        let contacts = or_default("privacy.contacts").as_str() == Some("remove");
        let store_url = or_default("store.url").as_str().unwrap_or_default().to_owned();
        let models = Models::read(self).unwrap_or_else(|error| {
            wrong.get_or_insert(error.to_string());
            Models::default()
        });
        let models = if wrong.is_some() { Models::default() } else { models };
        let journal_days = u32::try_from(days).unwrap_or(u32::MAX);
        let backup_keep = at_most(copies);
        let said = FileSettings {
            enabled,
            journal,
            journal_days,
            backup_keep,
            joins,
            contacts,
            models,
            policy,
            store_url,
        };
        (said, wrong)
    }

    /// Settings that are in the file and that nobody knows.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let mut unknown = Vec::new();
        for (name, item) in self.document.iter() {
            match item.as_table_like() {
                Some(table) => {
                    let names = table.iter().map(|(inner, _)| format!("{name}.{inner}"));
                    unknown.extend(names.filter(|key| known(key).is_err()));
                }
                None if known(name).is_err() => unknown.push(name.to_owned()),
                None => {}
            }
        }
        unknown
    }
}

/// What the settings file of a home says, as far as it can be read, and what is wrong with it.
pub(super) fn said(home: &Path) -> (FileSettings, Option<String>) {
    match ConfigFile::read(home) {
        Ok(file) => {
            let (said, wrong) = file.said();
            (said, wrong.map(|wrong| format!("{}: {wrong}", file.path.display())))
        }
        Err(error) => {
            let bytes = std::fs::read(home.join(FILE)).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let (enabled, journal) = (!switches_off(&text, ""), !switches_off(&text, "journal"));
            (
                FileSettings { enabled, journal, ..FileSettings::default() },
                Some(format!("{error:#}")),
            )
        }
    }
}

/// Whether a file that cannot be read as a whole has the line that switches something off. What is
/// off stays off.
fn switches_off(text: &str, section: &str) -> bool {
    let whole =
        if section.is_empty() { "enabled".to_owned() } else { format!("{section}.enabled") };
    let mut within = String::new();
    text.lines().any(|line| {
        let line: String = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut within);
        }
        let Some(key) = line.strip_suffix("=false") else { return false };
        (within.is_empty() && key == whole) || (within == section && key == "enabled")
    })
}

fn not_a_section(path: &Path, name: &str) -> anyhow::Error {
    let message = format!("{}: {name} is not a section; remove that line", path.display());
    throughline_engine::Error::BadInput(message).into()
}

fn known(key: &str) -> anyhow::Result<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key).ok_or_else(|| {
        let names: Vec<_> = SETTINGS.iter().map(|setting| setting.key).collect();
        let message = format!("unknown setting {key:?} (choose: {})", names.join(", "));
        throughline_engine::Error::BadInput(message).into()
    })
}

/// Settings with two values to choose from.
const CHOICES: &[(&str, &str, &str)] =
    &[("project.join", "ask", "auto"), ("privacy.contacts", "keep", "remove")];

/// A value must be of the sort its default is, and numbers must not be negative.
fn check(setting: &Setting, value: Value) -> anyhow::Result<Value> {
    let default = (setting.default)();
    let fits = match (&default, &value) {
        (Value::Boolean(_), Value::Boolean(_)) => true,
        (Value::Integer(_), Value::Integer(number)) => *number.value() >= 0,
        (Value::String(_), Value::String(text)) => {
            super::model::check(setting.key, text.value())?;
            for (key, one, other) in CHOICES {
                if setting.key == *key && ![*one, *other].contains(&text.value().as_str()) {
                    bail!(throughline_engine::Error::BadInput(format!(
                        "{key} is {one} or {other}, not {:?}",
                        text.value()
                    )));
                }
            }
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
