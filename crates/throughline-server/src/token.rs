//! The token: made once, kept for the user's eyes only, and compared without telling how much of it fits.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::Problem;

/// The file of the token within its home.
const FILE: &str = "server.token";
/// The file of the token that is good once.
const ONCE_FILE: &str = "server.once";
/// Letters that a token has at least.
const LETTERS_MIN: usize = 16;
/// Letters that are read of the file.
const LETTERS_MAX: u64 = 256;

/// How long the link holds that a browser is started with.
const ONCE_FOR: Duration = Duration::from_secs(60);

/// Token: whoever has it is the user.
#[derive(Clone)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// Where a home keeps its token.
    pub fn path(home: &Path) -> PathBuf {
        home.join(FILE)
    }

    /// The token of a home, made if there is none yet.
    pub fn of(home: &Path) -> Result<Self, Problem> {
        let path = Self::path(home);
        match File::open(&path) {
            Ok(file) => {
                let mut text = String::new();
                private(&file)
                    .and_then(|()| file.take(LETTERS_MAX).read_to_string(&mut text))
                    .map_err(|error| failed(&path, &error))?;
                Self::given(text.trim())
                    .map_err(|problem| problem.with_hint(format!("{} holds it", path.display())))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let token = Self::make()?;
                token.write(&path).map_err(|error| failed(&path, &error))?;
                Ok(token)
            }
            Err(error) => Err(failed(&path, &error)),
        }
    }

    /// A token that somebody chose.
    pub fn given(text: &str) -> Result<Self, Problem> {
        let usable = text.len() >= LETTERS_MIN
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~".contains(c));
        if !usable {
            let detail = format!(
                "a token has at least {LETTERS_MIN} letters, digits or signs of - _ . ~, and this one does not"
            );
            return Err(Problem::bad_input(detail));
        }
        Ok(Self(text.to_owned()))
    }

    /// A token that is good once and for a minute, left in the home for whoever serves it. A browser is started with that one,
    /// because what a program is started with can be seen by other users of the machine.
    pub fn leave_once(home: &Path) -> Result<Self, Problem> {
        let path = home.join(ONCE_FILE);
        // The one before is good no longer, used or not.
        std::fs::remove_file(&path).ok();
        let token = Self::make()?;
        token.write(&path).map_err(|error| failed(&path, &error))?;
        Ok(token)
    }

    /// Whether somebody knows the token that was left, the first time and in time.
    pub(crate) fn take_once(home: &Path, said: &str) -> bool {
        let path = home.join(ONCE_FILE);
        let Ok(file) = File::open(&path) else { return false };
        let age = file.metadata().and_then(|data| data.modified());
        let age = age.ok().and_then(|left_at| left_at.elapsed().ok());
        let mut text = String::new();
        file.take(LETTERS_MAX).read_to_string(&mut text).ok();
        let known = Self::given(text.trim()).is_ok_and(|token| token.is(said));
        // Of two who come at once only one can remove it.
        known && std::fs::remove_file(&path).is_ok() && age.is_some_and(|age| age < ONCE_FOR)
    }

    /// Writes it to a file of its own that only the user may read.
    fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        writeln!(file, "{}", self.0)?;
        file.sync_all()
    }

    pub(crate) fn make() -> Result<Self, Problem> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| {
            Problem::new(500, "failed", format!("the system gives no random numbers: {error}"))
        })?;
        Ok(Self(hex(&bytes)))
    }

    /// The words of it, for whoever may know them.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether somebody knows it.
    pub(crate) fn is(&self, said: &str) -> bool {
        same(&digest("token", said), &digest("token", &self.0))
    }

    /// What a browser keeps in its place: it gives nothing of the token away.
    pub(crate) fn cookie(&self) -> String {
        hex(&digest("cookie", &self.0))
    }

    /// Whether a browser was given that.
    pub(crate) fn is_cookie(&self, said: &str) -> bool {
        same(&digest("said", said), &digest("said", &self.cookie()))
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Problem {
    let why = throughline_engine::in_plain_words(error);
    Problem::new(503, "file", format!("{}: {why}", path.display()))
}

/// Only the user may read a token, also one whose file was made readable for others.
fn private(file: &File) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

pub(crate) fn digest(what: &str, text: &str) -> [u8; 32] {
    Sha256::new().chain_update(what).chain_update([0]).chain_update(text).finalize().into()
}

/// Compares in the same time whatever differs.
pub(crate) fn same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    a.iter().zip(b).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a String cannot fail");
        text
    })
}
