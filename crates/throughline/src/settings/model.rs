//! Which services may be asked. Only the user's own settings and environment say so: a project that
//! could name an address could have a key sent to it.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use throughline_engine::llm::{Client, Key, ModelSettings, Provider};
use throughline_engine::{Engine, Error, Llm};

use super::{ConfigFile, Environment, Settings, private_folder};

/// The longest that one question may take, whatever the settings say.
const TIMEOUT_SECS_MAX: u64 = 3_600;
/// Bytes of a key.
const KEY_BYTES_MAX: u64 = 4_096;

/// What the settings say about services.
#[derive(Debug, Clone, Default)]
pub(crate) struct Models {
    llm: ServiceSettings,
    command: String,
    pass_env: String,
    timeout_secs: u64,
    pub(crate) calls_per_session: u64,
    pub(crate) tokens_per_day: u64,
    embed: ServiceSettings,
}

/// One service, as it was written.
#[derive(Debug, Clone, Default)]
struct ServiceSettings {
    provider: Option<String>,
    model: String,
    base_url: String,
    api_key_env: String,
}

impl ServiceSettings {
    fn read(file: &ConfigFile, section: &str, nobody: &str) -> anyhow::Result<Self> {
        let text = |name: &str| file.text(&format!("{section}.{name}"));
        let provider = Some(text("provider")?).filter(|name| name != nobody && !name.is_empty());
        Ok(Self {
            provider,
            model: text("model")?,
            base_url: text("base_url")?,
            api_key_env: text("api_key_env")?,
        })
    }
}

impl Models {
    pub(super) fn read(file: &ConfigFile) -> anyhow::Result<Self> {
        Ok(Self {
            llm: ServiceSettings::read(file, "llm", "none")?,
            command: file.text("llm.command")?,
            pass_env: file.text("llm.pass_env")?,
            timeout_secs: file.whole("llm.timeout_secs")?,
            calls_per_session: file.whole("llm.calls_per_session")?,
            tokens_per_day: file.whole("llm.tokens_per_day")?,
            embed: ServiceSettings::read(file, "embed", "builtin")?,
        })
    }

    /// Whether any service is configured.
    pub(crate) fn any(&self) -> bool {
        self.llm.provider.is_some() || self.embed.provider.is_some()
    }

    /// Who reads along, in a word or two; `None` if nobody does.
    pub(crate) fn llm_name(&self) -> Option<String> {
        let provider = self.llm.provider.as_ref()?;
        let what = if provider == "command" { &self.command } else { &self.llm.model };
        Some(format!("{provider} {what}").trim().to_owned())
    }

    /// The variables that a program gets beyond what any program needs: its key, and what the user
    /// names.
    fn passed(&self) -> Vec<String> {
        let named = self.pass_env.split([',', ' ']).chain([self.llm.api_key_env.as_str()]);
        named.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// Who makes vectors beside the built-in model.
    pub(crate) fn embed_name(&self) -> Option<String> {
        Some(format!("{} {}", self.embed.provider.as_ref()?, self.embed.model).trim().to_owned())
    }
}

impl Settings {
    /// The language model; `None` if none is configured.
    pub(crate) fn llm(&self) -> anyhow::Result<Option<Llm>> {
        let Models { llm, command, timeout_secs, calls_per_session, tokens_per_day, .. } =
            &self.models;
        let Some(provider) = &llm.provider else { return Ok(None) };
        let mut service = if provider == "command" {
            let words = command.split_whitespace().map(str::to_owned).collect();
            let folder = self.home.join("nowhere");
            private_folder(&folder)?;
            let named = ModelSettings::program(words).map_err(|_| missing("llm.command"))?;
            ModelSettings { folder: Some(folder), passed: self.models.passed(), ..named }
        } else {
            self.service(llm, "llm")?
        };
        service.total = Duration::from_secs((*timeout_secs).clamp(1, TIMEOUT_SECS_MAX));
        let client = Client::new(service).map_err(|error| bad(&error.to_string()))?;
        let (calls_per_session, tokens_per_day) = (*calls_per_session, *tokens_per_day);
        Ok(Some(Llm { client, calls_per_session, tokens_per_day }))
    }

    /// The memory, with the service that makes vectors if one is configured. Not for hooks.
    pub(crate) fn engine_with_services(&self) -> anyhow::Result<Engine> {
        let engine = self.engine()?;
        if self.models.embed.provider.is_none() {
            return Ok(engine);
        }
        let service = self.service(&self.models.embed, "embed")?;
        let client = Client::new(service).map_err(|error| bad(&error.to_string()))?;
        Ok(engine.with_embeddings(client))
    }

    fn service(&self, said: &ServiceSettings, section: &str) -> anyhow::Result<ModelSettings> {
        let provider = said.provider.as_deref().unwrap_or_default();
        let provider: Provider =
            provider.parse().map_err(|error| bad(&format!("{section}.provider: {error}")))?;
        if said.model.is_empty() {
            return Err(missing(&format!("{section}.model")));
        }
        let named = Some(said.api_key_env.as_str()).filter(|name| !name.is_empty());
        let key = match named.or(provider.usual_key()).and_then(Environment::variable) {
            Some(key) => Key::new(&key),
            None => read_key(&key_file(&self.home, section))?,
        };
        let base_url = Some(said.base_url.as_str());
        ModelSettings::new(provider, &said.model, base_url, key)
            .map_err(|error| bad(&format!("{section}: {error}")))
    }

    /// Keeps a key for a service, for the user's eyes only. Returns where.
    pub(crate) fn keep_key(&self, section: &str, key: &str) -> anyhow::Result<PathBuf> {
        if Key::new(key).is_none() || key.trim().contains(char::is_whitespace) {
            bail!(bad("this is not a key: give it on standard input, on one line"));
        }
        let path = key_file(&self.home, section);
        private_folder(&self.home)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.home)
            .with_context(|| format!("cannot write to {}", self.home.display()))?;
        file.write_all(key.trim().as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&path).with_context(|| path.display().to_string())?;
        Ok(path)
    }
}

fn key_file(home: &Path, section: &str) -> PathBuf {
    home.join(format!("{section}.key"))
}

/// The key that a file holds. One that others can read is no secret.
fn read_key(path: &Path) -> anyhow::Result<Option<Key>> {
    let Ok(data) = std::fs::symlink_metadata(path) else { return Ok(None) };
    let name = path.display().to_string();
    if !data.is_file() {
        bail!(bad(&format!("{name} is not a regular file")));
    }
    let file = std::fs::File::open(path).with_context(|| name.clone())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            bail!(bad(&format!(
                "{name} can be read by other users; run `chmod 600` on it, or use `llm key`"
            )));
        }
    }
    let mut text = String::new();
    file.take(KEY_BYTES_MAX).read_to_string(&mut text).with_context(|| name.clone())?;
    match Key::new(&text) {
        Some(key) => Ok(Some(key)),
        None => bail!(bad(&format!("{name} is empty; `llm key` writes it, or remove it"))),
    }
}

/// Says what is wrong with a text for a setting.
pub(super) fn check(key: &str, text: &str) -> anyhow::Result<()> {
    let name = text.trim();
    match key {
        "llm.provider" if name != "none" => {
            name.parse::<Provider>().map_err(|error| {
                let choices = error.to_string();
                bad(&format!("{key}: {}, none)", choices.trim_end_matches(')')))
            })?;
        }
        "embed.provider" if !["builtin", "openai", "ollama"].contains(&name) => {
            bail!(bad(&format!(
                "{key}: {text:?} makes no vectors (choose: builtin, openai, ollama)"
            )));
        }
        "llm.base_url" | "embed.base_url" if !name.is_empty() => {
            let tried = ModelSettings::new(Provider::Openai, "any", Some(name), None);
            tried.map_err(|error| bad(&format!("{key}: {error}")))?;
        }
        "llm.pass_env" if !name.is_empty() => {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_, ".contains(c);
            if !name.chars().all(plain) {
                bail!(bad(&format!("{key} takes names of variables, separated by commas")));
            }
        }
        "llm.api_key_env" | "embed.api_key_env" if !name.is_empty() => {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if !name.chars().all(plain) || name.len() > 64 {
                bail!(bad(&format!("{key} takes the name of a variable, not the key itself")));
            }
        }
        _ => {}
    }
    Ok(())
}

fn missing(key: &str) -> anyhow::Error {
    bad(&format!("{key} is not set: `throughline config set {key} …`"))
}

fn bad(message: &str) -> anyhow::Error {
    Error::BadInput(message.to_owned()).into()
}

/// Files of a project that look like settings and name a service or a key. They are not read.
pub(crate) fn asked_by_project(root: &Path) -> Vec<PathBuf> {
    const NAMES: [&str; 3] = ["throughline.toml", ".throughline.toml", ".throughline/config.toml"];
    const FILE_BYTES_MAX: u64 = 1 << 20;
    let speaks_of_services = |path: &PathBuf| {
        let data = std::fs::symlink_metadata(path).ok();
        let small = data.is_some_and(|data| data.is_file() && data.len() <= FILE_BYTES_MAX);
        let text = small.then(|| std::fs::read_to_string(path).ok()).flatten().unwrap_or_default();
        let document: toml_edit::DocumentMut = text.parse().unwrap_or_default();
        ["llm", "embed"].iter().any(|section| document.contains_key(section))
    };
    NAMES.iter().map(|name| root.join(name)).filter(speaks_of_services).collect()
}
