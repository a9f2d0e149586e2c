//! The token: made once, kept for the user's eyes only, and compared without telling how much of it fits.

use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::Problem;

/// The file of the token within its home.
const FILE: &str = "server.token";
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
        let failed = |error: &std::io::Error| {
            let why = throughline_engine::in_plain_words(error);
            Problem::new(503, "file", format!("{}: {why}", path.display()))
        };
        match std::fs::File::open(&path) {
            Ok(file) => {
                private(&file).map_err(|error| failed(&error))?;
                let mut text = String::new();
                file.take(LETTERS_MAX).read_to_string(&mut text).map_err(|error| failed(&error))?;
                Self::given(text.trim())
                    .map_err(|problem| problem.with_hint(format!("{} holds it", path.display())))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let token = Self::make()?;
                let mut options = std::fs::OpenOptions::new();
                options.write(true).create_new(true);
                #[cfg(unix)]
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
                let mut file = options.open(&path).map_err(|error| failed(&error))?;
                writeln!(file, "{}", token.0)
                    .and_then(|()| file.sync_all())
                    .map_err(|error| failed(&error))?;
                Ok(token)
            }
            Err(error) => Err(failed(&error)),
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

/// Once token: lets one browser in, soon after the start.
pub(crate) struct OnceToken {
    token: Token,
    made: Instant,
    used: AtomicBool,
}

impl OnceToken {
    pub(crate) fn make() -> Result<Self, Problem> {
        Ok(Self { token: Token::make()?, made: Instant::now(), used: AtomicBool::new(false) })
    }

    pub(crate) fn text(&self) -> &str {
        self.token.text()
    }

    /// Whether somebody knows it, the first time and in time.
    pub(crate) fn redeem(&self, said: &str) -> bool {
        self.token.is(said)
            && self.made.elapsed() < ONCE_FOR
            && !self.used.swap(true, Ordering::AcqRel)
    }
}

/// Only the user may read a token, also one whose file was made readable for others.
fn private(file: &std::fs::File) -> std::io::Result<()> {
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
