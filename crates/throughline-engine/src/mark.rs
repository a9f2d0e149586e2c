//! The mark of a home: written into its exports, so that they are recognised when they come back.
//!
//! It is made from where the home lies, whose it is and which machine that is, so that it is the same
//! after the home was wiped. It is no signature: whoever was given an export can read it there.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use throughline_core::text;

use crate::flows::Copying;
use crate::{Error, Result};

/// The file under the home that keeps it.
const FILE: &str = "mark";
/// Characters of a mark.
const CHARS: usize = 32;

impl Copying<'_> {
    /// The mark of this home. One that cannot be written down is made again the next time.
    pub(crate) fn mark(&self) -> String {
        let kept = std::fs::read_to_string(self.engine.home.join(FILE)).unwrap_or_default();
        let kept = kept.trim();
        if is_mark(kept) {
            return kept.to_owned();
        }
        let made = made(&self.engine.home);
        self.keep_mark(&made).ok();
        made
    }

    /// Takes the mark of an export that fills an empty home, so that it goes on as the same.
    pub(crate) fn keep_mark(&self, mark: &str) -> Result<()> {
        let path = self.engine.home.join(FILE);
        if !is_mark(mark) {
            return Ok(());
        }
        let failed = |source| Error::File { path: path.clone(), source };
        let mut file = options().open(&path).map_err(failed)?;
        file.write_all(mark.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)
    }
}

fn options() -> std::fs::OpenOptions {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn is_mark(text: &str) -> bool {
    text.len() == CHARS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The mark of a home that has none yet.
fn made(home: &Path) -> String {
    let place = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    let machine = ["/etc/machine-id", "/var/lib/dbus/machine-id"]
        .iter()
        .find_map(|file| std::fs::read_to_string(PathBuf::from(file)).ok())
        .unwrap_or_default();
    let said = format!("{}\n{}\n{}", machine.trim(), owner(home), place.display());
    text::sha256_hex(said.as_bytes())[..CHARS].to_owned()
}

#[cfg(unix)]
fn owner(home: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(home).map_or(0, |data| data.uid())
}

#[cfg(not(unix))]
fn owner(_: &Path) -> u32 {
    0
}
