//! People: tokens that each belong to one person. Of a token only a digest is kept, so that whoever
//! reads the file can let nobody in; taken away, it is refused with the next request.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Problem;
use crate::token::{Token, digest, hex, same};

/// The file of these tokens within its home.
const FILE: &str = "server.people.json";
/// The file that is held while they are changed.
const LOCK: &str = "server.people.lock";
/// Bytes that are read of the file.
const BYTES_MAX: u64 = 4 << 20;
/// Characters of a name at most: those of a role on a server.
const NAME_CHARS_MAX: usize = 63;
/// Characters of the name of a token.
const ID_CHARS: usize = 8;

/// Person token: one token of one person, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonToken {
    /// Its name: enough to take it away, and nothing to come in by.
    pub id: String,
    /// Whose it is: a role of the database, where memory is on a server.
    pub person: String,
    /// When it was made.
    pub made_at: String,
    /// Digest of the token.
    token: String,
    /// Digest of what a browser keeps in its place.
    cookie: String,
}

/// People: those who have a token of a home.
#[derive(Debug, Clone)]
pub struct People {
    home: PathBuf,
}

impl People {
    /// The people of a home.
    pub fn of(home: &Path) -> Self {
        Self { home: home.to_owned() }
    }

    /// Every token, in the order in which they were made.
    pub fn tokens(&self) -> Result<Vec<PersonToken>, Problem> {
        let file = match File::open(self.path()) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.failed(&error)),
        };
        let mut text = String::new();
        file.take(BYTES_MAX).read_to_string(&mut text).map_err(|error| self.failed(&error))?;
        serde_json::from_str(&text).map_err(|error| {
            let detail = format!("{}: {error}", self.path().display());
            Problem::new(503, "file", detail)
                .with_hint("no token in it works; move the file away and make the tokens again")
        })
    }

    /// Makes a token for a person. It is told once and never again.
    pub fn add(&self, person: &str, now: &str) -> Result<(PersonToken, String), Problem> {
        check_name(person)?;
        let token = Token::make()?;
        let kept = PersonToken {
            id: hex(&digest("name", token.text()))[..ID_CHARS].to_owned(),
            person: person.to_owned(),
            made_at: now.to_owned(),
            token: hex(&digest("person", token.text())),
            cookie: hex(&digest("said", &token.cookie())),
        };
        self.change(|tokens| tokens.push(kept.clone()))?;
        Ok((kept, token.text().to_owned()))
    }

    /// Takes tokens away: the one with this name, or all of a person. Those that went.
    pub fn revoke(&self, whose: &str) -> Result<Vec<PersonToken>, Problem> {
        let mut gone = Vec::new();
        self.change(|tokens| {
            let named = |one: &PersonToken| one.id == whose || one.person == whose;
            gone = tokens.iter().filter(|one| named(one)).cloned().collect();
            tokens.retain(|one| !named(one));
        })?;
        if gone.is_empty() {
            return Err(Problem::not_found(format!("there is no token and no person {whose:?}"))
                .with_hint("`throughline serve token list` shows them"));
        }
        Ok(gone)
    }

    /// The person whose token somebody knows. Read anew each time, so that one that was taken away lets
    /// nobody in.
    pub(crate) fn by_token(&self, said: &str) -> Option<String> {
        self.find(&hex(&digest("person", said)), |one| &one.token)
    }

    /// The person whose browser this is.
    pub(crate) fn by_cookie(&self, said: &str) -> Option<String> {
        self.find(&hex(&digest("said", said)), |one| &one.cookie)
    }

    fn find(&self, wanted: &str, of: impl Fn(&PersonToken) -> &String) -> Option<String> {
        let tokens = self.tokens().ok()?;
        let is_it = |one: &&PersonToken| same(&digest("", wanted), &digest("", of(one)));
        tokens.iter().find(is_it).map(|one| one.person.clone())
    }

    /// Changes the file, one process at a time, and all of it at once.
    fn change(&self, how: impl FnOnce(&mut Vec<PersonToken>)) -> Result<(), Problem> {
        let failed = |error: &std::io::Error| self.failed(error);
        throughline_engine::private_folder(&self.home).map_err(|error| failed(&error))?;
        let lock = private().open(self.home.join(LOCK)).map_err(|error| failed(&error))?;
        lock.lock().map_err(|error| failed(&error))?;
        let mut tokens = self.tokens()?;
        how(&mut tokens);
        let text = serde_json::to_string_pretty(&tokens).unwrap_or_default();
        let new = self.home.join(format!("{FILE}.new"));
        let written = private().truncate(true).open(&new).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        written.and_then(|()| std::fs::rename(&new, self.path())).map_err(|error| failed(&error))
    }

    fn path(&self) -> PathBuf {
        self.home.join(FILE)
    }

    fn failed(&self, error: &std::io::Error) -> Problem {
        let why = throughline_engine::in_plain_words(error);
        Problem::new(503, "file", format!("{}: {why}", self.path().display()))
    }
}

/// A file for the user's eyes only.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A name that a role can have and that no line breaks on.
fn check_name(person: &str) -> Result<(), Problem> {
    let usable = !person.is_empty()
        && person.chars().count() <= NAME_CHARS_MAX
        && person.chars().all(|c| c.is_alphanumeric() || "_-.@".contains(c))
        && person.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if usable {
        return Ok(());
    }
    let detail = format!(
        "{person:?} cannot be the name of a person: use up to {NAME_CHARS_MAX} letters, digits or any of _ - . @"
    );
    Err(Problem::bad_input(detail))
}
