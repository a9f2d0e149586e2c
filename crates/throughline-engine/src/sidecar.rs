//! Sidecars: what each session has in mind, in a file beside the store.
//!
//! They are a convenience and no truth: one that is damaged is set aside, and the session begins
//! with an empty mind. Written at once, so that a crash leaves the old one or the new one.

use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use throughline_attention::hot::{self, Hot};
use throughline_core::policy::ActivationPolicy;
use throughline_core::{NodeId, SessionId, Timestamp};

use crate::journal::file;

/// Bytes of one sidecar.
const SIDECAR_BYTES_MAX: usize = 1 << 20;
/// How the name of a note ends that lies beside a sidecar.
const BESIDE: &str = "told";

/// The sidecars under one home.
#[derive(Debug, Clone)]
pub struct Sidecars {
    folder: PathBuf,
}

/// What a session has in mind, as it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// What it has in mind; nothing where none was kept.
    pub hot: Hot,
    /// Why what was kept could not be used. It was set aside.
    pub damaged: Option<String>,
}

/// What the file holds.
#[derive(Serialize)]
struct WrittenMind<'a> {
    session: &'a SessionId,
    hot: &'a Hot,
}

/// The same, with as much of it as somebody wants to know.
#[derive(Deserialize)]
struct KeptMind<T> {
    session: SessionId,
    hot: T,
}

/// What every version begins with.
#[derive(Deserialize)]
struct SidecarVersion {
    v: u64,
}

impl Sidecars {
    /// The sidecars under `home`. Touches nothing.
    pub fn new(home: &Path) -> Self {
        Self { folder: home.join("hot") }
    }

    /// What a session has in mind. Fails only where the folder cannot be read.
    pub fn load(&self, session: &SessionId) -> io::Result<Loaded> {
        let path = self.path(session);
        let why = match read(&path) {
            Ok(bytes) => match parse(&bytes, session) {
                Ok(hot) => return Ok(Loaded { hot, damaged: None }),
                Err(why) => why,
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Loaded { hot: Hot::default(), damaged: None });
            }
            // A disk that fails to answer says nothing about what is written on it.
            Err(error) if !is_damage(&error) => return Err(error),
            Err(error) => error.to_string(),
        };
        // The one before it gives way: one is enough to see what went wrong.
        std::fs::rename(&path, path.with_extension("damaged")).ok();
        Ok(Loaded { hot: Hot::default(), damaged: Some(why) })
    }

    /// Keeps what a session has in mind, in place of what was kept before.
    pub fn save(&self, session: &SessionId, hot: &Hot) -> io::Result<()> {
        let bytes = serde_json::to_vec(&WrittenMind { session, hot })?;
        if bytes.len() > SIDECAR_BYTES_MAX {
            let size = format!("a sidecar of {} bytes is too large", bytes.len());
            return Err(io::Error::new(ErrorKind::InvalidInput, size));
        }
        file::replace(&self.path(session), &bytes)
    }

    /// Keeps a note beside what a session has in mind, in place of the note before it. Needs no turn.
    pub(crate) fn put_beside(&self, session: &SessionId, bytes: &[u8]) -> io::Result<()> {
        file::replace_lightly(&self.beside_path(session), bytes)
    }

    /// The note beside what a session has in mind.
    pub(crate) fn beside(&self, session: &SessionId) -> Option<Vec<u8>> {
        read(&self.beside_path(session)).ok()
    }

    /// Removes that note.
    pub(crate) fn remove_beside(&self, session: &SessionId) -> io::Result<()> {
        file::remove(&self.beside_path(session)).map(drop)
    }

    fn beside_path(&self, session: &SessionId) -> PathBuf {
        self.path(session).with_extension(BESIDE)
    }

    /// Changes what a session has in mind. Hooks that run at the same time take turns, so that none
    /// undoes what another did; if nobody's turn comes soon, that is an error and nothing changed.
    pub fn update<T>(
        &self,
        session: &SessionId,
        change: impl FnOnce(&mut Hot) -> T,
    ) -> io::Result<(T, Option<String>)> {
        let _turn = file::lock_file(&self.path(session).with_extension("lock"))?;
        let Loaded { mut hot, damaged } = self.load(session)?;
        let answer = change(&mut hot);
        self.save(session, &hot)?;
        Ok((answer, damaged))
    }

    /// Removes what is kept of a session. Says whether there was anything.
    pub fn remove(&self, session: &SessionId) -> io::Result<bool> {
        let path = self.path(session);
        let _turn =
            if path.exists() { Some(file::lock_file(&path.with_extension("lock"))?) } else { None };
        file::remove(&path.with_extension("damaged"))?;
        file::remove(&path.with_extension(BESIDE))?;
        let was = file::remove(&path)?;
        file::remove(&path.with_extension("lock"))?;
        Ok(was)
    }

    /// The sessions that have something in mind, by name.
    pub fn sessions(&self) -> io::Result<Vec<SessionId>> {
        let mut sessions: Vec<SessionId> = file::with_extension(&self.folder, "json")?
            .iter()
            .filter_map(|path| {
                let bytes = read(path).ok()?;
                let kept: KeptMind<IgnoredAny> = serde_json::from_slice(&bytes).ok()?;
                (self.path(&kept.session) == *path).then_some(kept.session)
            })
            .collect();
        sessions.sort();
        Ok(sessions)
    }

    /// Removes what was not written to for `keep_days`: sidecars, and what belongs to them. Settle
    /// them before.
    pub fn sweep(&self, keep_days: u32, now: Timestamp) -> io::Result<usize> {
        let old = |path: &Path| {
            let data = path.symlink_metadata();
            data.is_ok_and(|data| data.is_file() && file::is_older(&data, keep_days, now))
        };
        let mut removed = 0;
        for path in file::with_extension(&self.folder, "json")? {
            if old(&path) {
                let Ok(_turn) = file::lock_file(&path.with_extension("lock")) else { continue };
                // Somebody may have written while the lock was waited for.
                removed += usize::from(old(&path) && file::remove(&path)?);
            }
        }
        for extension in ["damaged", "tmp", BESIDE, "lock"] {
            for path in file::with_extension(&self.folder, extension)? {
                // A lock is never written to; it is of use as long as there is something to lock.
                if old(&path) && !(extension == "lock" && path.with_extension("json").exists()) {
                    file::remove(&path)?;
                }
            }
        }
        Ok(removed)
    }

    /// Drops a node from every session's mind, and everything that was set aside: what is erased
    /// must not be readable anywhere. Returns how many sessions knew it.
    pub fn forget(&self, node: NodeId) -> io::Result<usize> {
        let mut knew = 0;
        for session in self.sessions()? {
            let hot = self.load(&session)?.hot;
            let mut without = hot.clone();
            without.forget(node);
            if without != hot {
                self.update(&session, |hot| hot.forget(node))?;
                knew += 1;
            }
        }
        self.clear_aside()?;
        Ok(knew)
    }

    /// Keeps a copy of a sidecar of which a part was not understood: the next one is without it.
    pub(crate) fn copy_aside(&self, session: &SessionId) {
        let path = self.path(session);
        if let Ok(bytes) = read(&path) {
            // A convenience: where it cannot be kept, the session goes on all the same.
            file::replace_lightly(&path.with_extension("damaged"), &bytes).ok();
        }
    }

    /// Removes everything that was set aside or only half written.
    pub(crate) fn clear_aside(&self) -> io::Result<()> {
        for extension in ["damaged", "tmp"] {
            for path in file::with_extension(&self.folder, extension)? {
                file::remove(&path)?;
            }
        }
        Ok(())
    }

    /// The turn to change a session's mind, until it is dropped. Waits a little for others.
    pub(crate) fn turn(
        &self,
        session: &SessionId,
        wait: Option<Duration>,
    ) -> io::Result<std::fs::File> {
        let lock = self.path(session).with_extension("lock");
        match wait {
            Some(wait) => file::lock_file_within(&lock, wait),
            None => file::lock_file(&lock),
        }
    }

    /// The sessions whose minds changed last, the latest first.
    pub(crate) fn newest(&self, most: usize) -> io::Result<Vec<SessionId>> {
        let mut paths = file::with_extension(&self.folder, "json")?;
        paths.sort_by_cached_key(|path| {
            std::cmp::Reverse(path.metadata().and_then(|data| data.modified()).ok())
        });
        paths.truncate(most);
        let session = |path: &PathBuf| -> Option<SessionId> {
            let kept: KeptMind<IgnoredAny> = serde_json::from_slice(&read(path).ok()?).ok()?;
            Some(kept.session)
        };
        Ok(paths.iter().filter_map(session).collect())
    }

    pub(crate) fn path(&self, session: &SessionId) -> PathBuf {
        self.folder.join(format!("{}.json", file::safe_name(&session.0)))
    }
}

/// Too large, or no regular file.
fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput)
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file::open_to_read(path)?.take(SIDECAR_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > SIDECAR_BYTES_MAX {
        return Err(io::Error::new(ErrorKind::InvalidData, "it is too large"));
    }
    Ok(bytes)
}

fn parse(bytes: &[u8], session: &SessionId) -> Result<Hot, String> {
    let version: KeptMind<SidecarVersion> =
        serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if version.hot.v != u64::from(hot::VERSION) {
        return Err(format!("it is written in version {}", version.hot.v));
    }
    if version.session != *session {
        return Err("it belongs to another session".to_owned());
    }
    let kept: KeptMind<Hot> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut hot = kept.hot;
    hot.trim(&ActivationPolicy::default());
    Ok(hot)
}

#[cfg(test)]
mod tests {
    use throughline_attention::activation::Touch;
    use throughline_core::MemoryId;

    use super::*;

    fn session(name: &str) -> SessionId {
        SessionId(name.to_owned())
    }

    fn home() -> (tempfile::TempDir, Sidecars) {
        let folder = tempfile::tempdir().unwrap();
        let sidecars = Sidecars::new(folder.path());
        (folder, sidecars)
    }

    fn node(number: u128) -> NodeId {
        NodeId::Memory(MemoryId(uuid::Uuid::from_u128(number)))
    }

    fn speak_of(hot: &mut Hot, number: u128) {
        hot.touch(node(number), "the queue is Kafka", Touch::Mention, &ActivationPolicy::default());
    }

    #[test]
    fn a_session_finds_again_what_it_had_in_mind() {
        let (_home, sidecars) = home();
        let [one, other] = [session("../../etc/passwd"), session("b")];
        assert_eq!(sidecars.load(&one).unwrap(), Loaded { hot: Hot::default(), damaged: None });
        assert!(sidecars.sessions().unwrap().is_empty());
        sidecars.update(&one, |hot| speak_of(hot, 1)).unwrap();
        sidecars.update(&one, |hot| speak_of(hot, 2)).unwrap();
        assert_eq!(sidecars.load(&one).unwrap().hot.nodes.len(), 2);
        assert!(sidecars.load(&other).unwrap().hot.nodes.is_empty());
        assert_eq!(sidecars.sessions().unwrap(), std::slice::from_ref(&one));
        assert!(sidecars.remove(&one).unwrap());
        assert!(!sidecars.remove(&one).unwrap());
        assert!(sidecars.load(&one).unwrap().hot.nodes.is_empty());
        assert_eq!(std::fs::read_dir(&sidecars.folder).unwrap().count(), 0, "nothing is left");
    }

    #[test]
    fn a_damaged_sidecar_is_set_aside_and_the_session_goes_on() {
        let (_home, sidecars) = home();
        let one = session("a");
        sidecars.update(&one, |hot| speak_of(hot, 1)).unwrap();
        let path = sidecars.path(&one);
        let whole = std::fs::read(&path).unwrap();
        let text = String::from_utf8(whole.clone()).unwrap();
        let other = text.replace("\"session\":\"a\"", "\"session\":\"b\"");
        for bad in [
            &whole[..whole.len() / 2],
            b"",
            b"\0\0\0\0",
            b"[]",
            text.replace("\"v\":1", "\"v\":900").as_bytes(),
            other.as_bytes(),
            &vec![b' '; SIDECAR_BYTES_MAX + 1],
        ] {
            std::fs::write(&path, bad).unwrap();
            let loaded = sidecars.load(&one).unwrap();
            assert_eq!(loaded.hot, Hot::default());
            assert!(
                loaded.damaged.is_some(),
                "{}",
                String::from_utf8_lossy(&bad[..bad.len().min(80)])
            );
            assert_eq!(std::fs::read(path.with_extension("damaged")).unwrap(), bad);
            assert_eq!(sidecars.load(&one).unwrap().damaged, None, "told once");
        }
        let (turn, damaged) = sidecars.update(&one, |hot| hot.turn).unwrap();
        assert_eq!((turn, damaged), (0, None));
    }

    #[test]
    fn hooks_that_run_at_the_same_time_do_not_undo_each_other() {
        let (_home, sidecars) = home();
        std::thread::scope(|scope| {
            for thread in 0..4_u128 {
                let sidecars = &sidecars;
                scope.spawn(move || {
                    for step in 0..10 {
                        let number = thread * 100 + step;
                        // A turn that does not come soon is an error; a hook would let it go.
                        while sidecars.update(&session("a"), |hot| speak_of(hot, number)).is_err() {
                        }
                    }
                });
            }
        });
        assert_eq!(sidecars.load(&session("a")).unwrap().hot.nodes.len(), 40);
    }

    #[test]
    fn what_is_too_large_is_refused_and_the_old_one_stays() {
        let (_home, sidecars) = home();
        let one = session("a");
        sidecars.update(&one, |hot| speak_of(hot, 1)).unwrap();
        let large = sidecars.update(&one, |hot| {
            hot.gate = serde_json::json!("x".repeat(SIDECAR_BYTES_MAX));
        });
        assert!(large.is_err());
        let loaded = sidecars.load(&one).unwrap();
        assert_eq!((loaded.hot.nodes.len(), loaded.damaged), (1, None));
    }

    #[test]
    fn what_is_erased_is_in_no_sidecar() {
        let (home, sidecars) = home();
        for name in ["a", "b", "c"] {
            sidecars.update(&session(name), |hot| speak_of(hot, 1)).unwrap();
        }
        sidecars.update(&session("c"), |hot| hot.forget(node(1))).unwrap();
        std::fs::write(sidecars.path(&session("b")).with_extension("damaged"), "Kafka").unwrap();
        assert_eq!(sidecars.forget(node(1)).unwrap(), 2);
        for entry in std::fs::read_dir(home.path().join("hot")).unwrap() {
            let written = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            assert!(!written.contains("Kafka"), "{written}");
        }
    }

    #[test]
    fn old_sidecars_are_swept_away() {
        let (_home, sidecars) = home();
        sidecars.update(&session("a"), |hot| speak_of(hot, 1)).unwrap();
        let now = crate::Clock::System.now();
        assert_eq!(sidecars.sweep(7, now).unwrap(), 0);
        let later = now.plus_days(8.0);
        assert_eq!(sidecars.sweep(7, later).unwrap(), 1);
        assert_eq!(std::fs::read_dir(&sidecars.folder).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_it_and_a_link_is_not_followed() {
        use std::os::unix::fs::PermissionsExt as _;
        let (home, sidecars) = home();
        let one = session("a");
        sidecars.update(&one, |hot| speak_of(hot, 1)).unwrap();
        let path = sidecars.path(&one);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&sidecars.folder)), (0o600, 0o700));

        let elsewhere = home.path().join("elsewhere");
        std::fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        let loaded = sidecars.load(&one).unwrap();
        assert!(loaded.hot.nodes.is_empty() && loaded.damaged.is_some());
        sidecars.save(&one, &Hot::default()).unwrap();
        assert!(std::fs::read_to_string(&elsewhere).unwrap().contains("Kafka"), "left untouched");
    }
}
