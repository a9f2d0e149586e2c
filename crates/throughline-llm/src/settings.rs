//! Settings: which service is asked, at which address, with which key. A key is never sent over an
//! unencrypted connection.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::{Error, Result};

/// Provider: the protocol by which a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Anthropic's Messages API.
    Anthropic,
    /// The chat completions API of `OpenAI`, which many other servers offer too.
    Openai,
    /// `OpenAI`'s responses API.
    OpenaiResponses,
    /// Ollama's own API.
    Ollama,
    /// A local program, such as `claude -p`: the prompt on its input, the answer on its output.
    Command,
}

impl Provider {
    /// Every provider, in declaration order.
    pub const ALL: &[Self] =
        &[Self::Anthropic, Self::Openai, Self::OpenaiResponses, Self::Ollama, Self::Command];

    /// The provider's name in the settings file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::OpenaiResponses => "openai-responses",
            Self::Ollama => "ollama",
            Self::Command => "command",
        }
    }

    /// The provider's usual base address, used where the settings name no other.
    pub fn usual_address(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::Openai | Self::OpenaiResponses => "https://api.openai.com",
            Self::Ollama => "http://127.0.0.1:11434",
            Self::Command => "",
        }
    }

    /// The environment variable that usually holds the provider's key, if it needs one.
    pub fn usual_key(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Openai | Self::OpenaiResponses => Some("OPENAI_API_KEY"),
            Self::Ollama | Self::Command => None,
        }
    }
}

impl FromStr for Provider {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let named = Self::ALL.iter().find(|one| one.as_str().eq_ignore_ascii_case(name.trim()));
        named.copied().ok_or_else(|| {
            let all: Vec<_> = Self::ALL.iter().map(|one| one.as_str()).collect();
            Error::Settings(format!("unknown provider {name:?} (choose: {})", all.join(", ")))
        })
    }
}

/// API key. It is never printed: not by `Debug`, and not in errors.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Reads a key from a text; `None` if the text is blank.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// An answer without it: a service that repeats what it was sent must not have us keep it.
    pub(crate) fn hidden_in(&self, bytes: Vec<u8>) -> Vec<u8> {
        let found = bytes.windows(self.0.len()).any(|part| part == self.0.as_bytes());
        if !found {
            return bytes;
        }
        String::from_utf8_lossy(&bytes).replace(&self.0, "[key]").into_bytes()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Model settings: everything a [`Client`](crate::Client) needs to know to ask one service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    /// The protocol.
    pub provider: Provider,
    /// The model's name at the service.
    pub model: String,
    /// The base address, without a slash at the end.
    pub base_url: String,
    /// The API key, if the service needs one.
    pub key: Option<Key>,
    /// The program and its arguments, for [`Provider::Command`].
    pub command: Vec<String>,
    /// The folder that the program runs in. It should be empty, so that the program finds no files
    /// that it would take for a project of its own.
    pub folder: Option<PathBuf>,
    /// Environment variables that the user allowed the program to see, beside those that every
    /// program gets.
    pub passed: Vec<String>,
    /// The longest time for connecting.
    pub connect: Duration,
    /// The longest time for one question, retries included.
    pub total: Duration,
    /// How many times one question is sent at most.
    pub attempts: u32,
    /// The pause before the second attempt; it doubles with each further one.
    pub pause: Duration,
}

impl ModelSettings {
    /// Makes settings for a service, at its usual address unless `base_url` is given. Refuses an
    /// address that is neither `https` nor this machine.
    pub fn new(
        provider: Provider,
        model: &str,
        base_url: Option<&str>,
        key: Option<Key>,
    ) -> Result<Self> {
        let base_url = base_url.map(str::trim).filter(|url| !url.is_empty());
        let base_url = base_url.unwrap_or_else(|| provider.usual_address()).trim_end_matches('/');
        if provider != Provider::Command {
            check_address(base_url)?;
            if model.trim().is_empty() {
                return Err(Error::Settings("no model is named".to_owned()));
            }
        }
        Ok(Self {
            provider,
            model: model.trim().to_owned(),
            base_url: base_url.to_owned(),
            key,
            command: Vec::new(),
            folder: None,
            passed: Vec::new(),
            connect: Duration::from_secs(10),
            total: Duration::from_secs(120),
            attempts: 3,
            pause: Duration::from_millis(500),
        })
    }

    /// Makes settings for a local program.
    pub fn program(command: Vec<String>) -> Result<Self> {
        if command.first().is_none_or(|program| program.trim().is_empty()) {
            return Err(Error::Settings("no program is named".to_owned()));
        }
        Ok(Self { command, ..Self::new(Provider::Command, "", None, None)? })
    }

    /// The address of something at the service. A base that ends in its version needs no second.
    pub(crate) fn url(&self, path: &str) -> String {
        let base = self.base_url.strip_suffix("/v1").filter(|_| path.starts_with("/v1/"));
        format!("{}{path}", base.unwrap_or(&self.base_url))
    }

    /// Whether the service runs on this machine.
    pub(crate) fn is_here(&self) -> bool {
        host_of(&self.base_url).is_some_and(|(_, host)| is_loopback(&host))
    }
}

/// Says whether an address may be asked: `https`, or this machine. Private, link-local and odd
/// spellings of numbers are names like any other and need `https`; what hands out a machine's own
/// credentials is never asked.
fn check_address(url: &str) -> Result<()> {
    let no = |why: &str| Err(Error::Settings(format!("base_url {url:?} {why}")));
    let Some((scheme, host)) = host_of(url) else {
        return no("is not an address such as https://host or http://127.0.0.1:11434");
    };
    if host.parse::<IpAddr>().is_ok_and(is_link_local) {
        return no("is a link-local address, which is never asked");
    }
    match scheme.as_str() {
        "https" => Ok(()),
        "http" if is_loopback(&host) => Ok(()),
        "http" => no("is not on this machine: use https, so that nobody else can read it"),
        _ => no("is neither https nor http"),
    }
}

/// The scheme and the host of an address without a user in it.
fn host_of(url: &str) -> Option<(String, String)> {
    let uri: ureq::http::Uri = url.parse().ok()?;
    let authority = uri.authority()?;
    if authority.as_str().contains('@') || uri.query().is_some() {
        return None;
    }
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let host = (!host.is_empty()).then(|| host.to_ascii_lowercase())?;
    Some((uri.scheme_str()?.to_ascii_lowercase(), host))
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => {
            v6.is_unicast_link_local() || v6.to_ipv4_mapped().is_some_and(|v4| v4.is_link_local())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_this_machine_may_be_asked() {
        let fine = |url| ModelSettings::new(Provider::Openai, "m", Some(url), None).is_ok();
        for url in [
            "https://api.example.com",
            "https://api.example.com/v1/",
            "http://127.0.0.1:8080",
            "http://127.9.9.9",
            "http://localhost:11434",
            "http://[::1]:8080/v1",
            "https://10.0.0.7",
        ] {
            assert!(fine(url), "{url}");
        }
        for url in [
            "http://api.example.com",
            "http://10.0.0.7",
            "http://127.0.0.1.nip.io",
            "http://0x7f000001",
            "http://2130706433",
            "http://127.0.0.1@evil.example",
            "https://user:pass@evil.example",
            "http://169.254.169.254",
            "https://169.254.169.254",
            "https://[::ffff:169.254.169.254]",
            "http://[::ffff:127.0.0.1]",
            "file:///etc/passwd",
            "ftp://127.0.0.1",
            "127.0.0.1:80",
            "https://",
            "nonsense",
        ] {
            assert!(!fine(url), "{url}");
        }
    }

    #[test]
    fn a_base_may_end_in_its_version() {
        let url = |base| {
            let settings = ModelSettings::new(Provider::Openai, "m", Some(base), None).unwrap();
            settings.url("/v1/chat/completions")
        };
        assert_eq!(url("https://a.example/v1/"), "https://a.example/v1/chat/completions");
        assert_eq!(url("https://a.example/x"), "https://a.example/x/v1/chat/completions");
    }

    #[test]
    fn a_key_is_never_printed() {
        let key = Key::new(" sk-verysecret\n").unwrap();
        assert!(!format!("{key:?}").contains("secret"));
        let hidden = |text: &[u8]| key.hidden_in(text.to_vec());
        assert_eq!(hidden(b"bad key sk-verysecret!"), b"bad key [key]!");
        assert_eq!(hidden(b"\xff fine"), b"\xff fine");
        assert_eq!(Key::new(" \n"), None);
    }
}
