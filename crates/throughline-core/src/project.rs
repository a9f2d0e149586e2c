//! What identifies a project: where its repository comes from, or where its folder lies.

use std::fmt;
use std::path::Path;

use crate::SpaceId;

/// What identifies a project. The two sorts are written differently, so that no origin can ever be
/// the key of a folder: a path is absolute or starts with `path:`, an origin does neither.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProjectKey {
    /// A git origin in its one form: `host/path`, `host:port/path`, or `file:` and a full path.
    /// It is what a repository says of itself, so it proves nothing.
    #[non_exhaustive]
    Origin(String),
    /// The root folder.
    #[non_exhaustive]
    Path(String),
}

/// How a path is marked that is not absolute, or not text.
const ODD_PATH: &str = "path:";
/// How an origin is marked that is a path of the machine.
const LOCAL: &str = "file:";

impl ProjectKey {
    /// The key of an origin as git's settings have it. `None` where it names no place that means
    /// the same from everywhere: empty, relative, or a helper program.
    pub fn of_origin(url: &str) -> Option<Self> {
        let url = url.trim();
        if url.is_empty() || url.chars().any(char::is_control) {
            return None;
        }
        if let Some((scheme, rest)) = url.split_once("://") {
            return of_url(&scheme.to_ascii_lowercase(), rest);
        }
        match url.split_once(':') {
            // A colon that comes after a slash is part of a path, as git has it.
            Some((place, _)) if place.contains('/') => of_local(url),
            Some((place, _)) if place.contains('[') => bracketed(url),
            Some((_, rest)) if rest.starts_with(':') => None,
            Some((place, path)) => of_short_form(place, path),
            None => of_local(url),
        }
    }

    /// The key of a folder.
    pub fn of_path(root: &Path) -> Self {
        match root.to_str() {
            Some(text) if root.is_absolute() => Self::Path(text.to_owned()),
            Some(text) => Self::Path(format!("{ODD_PATH}{text}")),
            // Bytes that are no text are written out, so that two such folders differ.
            None => Self::Path(format!("{ODD_PATH}{root:?}")),
        }
    }

    /// A key as it was written down.
    pub fn read(text: &str) -> Self {
        if Path::new(text).is_absolute()
            || text.starts_with(['/', '\\'])
            || text.starts_with(ODD_PATH)
        {
            Self::Path(text.to_owned())
        } else {
            Self::Origin(text.to_owned())
        }
    }

    /// The key under which an origin with a port was kept before ports counted.
    pub fn without_port(&self) -> Option<Self> {
        let Self::Origin(text) = self else { return None };
        let (host, path) = text.split_once('/')?;
        let (name, port) = host.rsplit_once(':')?;
        let is_port = !name.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        is_port.then(|| Self::Origin(format!("{name}/{path}")))
    }

    /// As it is written down.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Origin(text) | Self::Path(text) => text,
        }
    }

    /// Whether it is a folder's own.
    pub fn is_path(&self) -> bool {
        matches!(self, Self::Path(_))
    }

    /// What people call the project: the last part of the key.
    pub fn name(&self) -> &str {
        self.as_str().rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("root")
    }

    /// Whether it may be shown to an agent: an origin is somebody else's text.
    pub fn is_plain(&self) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-~/:+@%".contains(c);
        self.as_str().len() <= 200 && self.as_str().chars().all(plain)
    }

    /// Its space in the store.
    pub fn space(&self) -> SpaceId {
        SpaceId::of_project(self.as_str())
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `scheme://user@host:port/path`.
fn of_url(scheme: &str, rest: &str) -> Option<ProjectKey> {
    let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
    if scheme == "file" {
        let here = place.is_empty() || place.eq_ignore_ascii_case("localhost");
        return if here { of_local(&format!("/{path}")) } else { None };
    }
    let place = place.rsplit_once('@').map_or(place, |(_, host)| host);
    let (host, port) = match place.rsplit_once(':') {
        // The colons of an address in brackets are its own.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        Some(_) | None => (place, None),
    };
    remote(host, port.filter(|port| !port.is_empty() && Some(*port) != usual_port(scheme)), path)
}

/// `user@host:path`, as ssh has it.
fn of_short_form(place: &str, path: &str) -> Option<ProjectKey> {
    let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
    // One letter is a drive of Windows.
    if host.len() == 1 { None } else { remote(host, None, path) }
}

/// `user@[host:port]:path`.
fn bracketed(url: &str) -> Option<ProjectKey> {
    let (before, rest) = url.split_once('[')?;
    let (place, path) = rest.split_once("]:")?;
    if !(before.is_empty() || before.ends_with('@')) {
        return None;
    }
    match place.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => {
            remote(host, Some(port).filter(|port| *port != "22"), path)
        }
        Some(_) => remote(&format!("[{place}]"), None, path),
        None => remote(place, None, path),
    }
}

/// A place on another machine.
fn remote(host: &str, port: Option<&str>, path: &str) -> Option<ProjectKey> {
    let path = without_suffix(path).trim_matches('/');
    let sound = |c: char| c.is_alphanumeric() || "._-[]:%".contains(c);
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    if host.is_empty() || path.is_empty() || !host.chars().all(sound) || !port.is_none_or(is_port) {
        return None;
    }
    let host = host.to_lowercase();
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Some(ProjectKey::Origin(format!("{host}{port}/{path}")))
}

/// A place on this machine, if it is a full path.
fn of_local(path: &str) -> Option<ProjectKey> {
    let path = without_suffix(path);
    (path.starts_with('/') && path.len() > 1).then(|| ProjectKey::Origin(format!("{LOCAL}{path}")))
}

fn without_suffix(path: &str) -> &str {
    path.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/')
}

fn usual_port(scheme: &str) -> Option<&'static str> {
    match scheme {
        "ssh" | "git+ssh" | "ssh+git" => Some("22"),
        "https" => Some("443"),
        "http" => Some("80"),
        "git" => Some("9418"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(url: &str) -> Option<String> {
        ProjectKey::of_origin(url).map(|key| {
            assert!(matches!(key, ProjectKey::Origin(_)), "{url}");
            assert_eq!(ProjectKey::read(key.as_str()), key, "{url}");
            key.as_str().to_owned()
        })
    }

    #[test]
    fn an_origin_has_one_form_however_it_is_written() {
        for url in [
            "https://github.com/acme/app.git",
            "https://user:secret@github.com/acme/app",
            "https://me@example.org:secret@github.com/acme/app",
            "ssh://git@github.com:22/acme/app.git",
            "https://github.com:443/acme/app.git/",
            "git@GitHub.com:acme/app.git",
            "[github.com]:acme/app",
            "git@[github.com:22]:acme/app",
            "git://github.com/acme/app/",
        ] {
            assert_eq!(key(url).as_deref(), Some("github.com/acme/app"), "{url}");
        }
    }

    #[test]
    fn another_port_is_another_project() {
        for url in ["ssh://git@git.acme.test:2222/acme/app", "git@[git.acme.test:2222]:acme/app"] {
            let found = ProjectKey::of_origin(url).unwrap();
            assert_eq!(found.as_str(), "git.acme.test:2222/acme/app");
            assert_eq!(found.without_port(), ProjectKey::of_origin("git@git.acme.test:acme/app"));
        }
        assert_ne!(key("https://acme.test:8443/a/b"), key("https://acme.test/a/b"));
        assert_eq!(key("https://[::1]:8443/a/b").as_deref(), Some("[::1]:8443/a/b"));
        assert_eq!(key("https://[::1]/a/b").as_deref(), Some("[::1]/a/b"));
        assert_eq!(ProjectKey::of_origin("git@github.com:a/b").unwrap().without_port(), None);
    }

    #[test]
    fn what_means_something_else_in_every_folder_is_no_origin() {
        for url in [
            "",
            " ",
            "/",
            ".",
            "..",
            "../app.git",
            "./app",
            "app.git",
            "a/b",
            "~/app",
            "C:\\app",
            "ext::sh -c true",
            "file://",
            "file://elsewhere/app",
            "https://",
            "https://host",
            "https://host/",
            "https:///acme/app",
            ":acme/app",
            "host:",
            "https://host:x/acme/app",
            "https://a b/acme/app",
            "git@host:a\nb",
        ] {
            assert_eq!(key(url), None, "{url:?}");
        }
    }

    #[test]
    fn an_origin_is_never_the_key_of_a_folder() {
        let local = key("/srv/git/app.git").unwrap();
        assert_eq!(local, "file:/srv/git/app");
        assert_eq!(key("file:///srv/git/app.git").as_deref(), Some(local.as_str()));
        let folder = ProjectKey::of_path(Path::new("/srv/git/app"));
        assert_eq!(folder.as_str(), "/srv/git/app", "as in every database so far");
        assert_ne!(folder.space(), SpaceId::of_project(&local));
        let odd = ProjectKey::of_path(Path::new("github.com/acme/app"));
        assert_ne!(odd.as_str(), "github.com/acme/app");
        assert_eq!(ProjectKey::read(odd.as_str()), odd);
        assert!(matches!(ProjectKey::read("/srv/git/app"), ProjectKey::Path(_)));
    }

    #[cfg(unix)]
    #[test]
    fn folders_whose_names_are_no_text_differ() {
        use std::os::unix::ffi::OsStrExt as _;
        let odd = |bytes: &[u8]| ProjectKey::of_path(Path::new(std::ffi::OsStr::from_bytes(bytes)));
        assert_ne!(odd(b"/home/\xff"), odd(b"/home/\xfe"));
        assert_ne!(odd(b"/home/\xff"), odd("/home/\u{fffd}".as_bytes()));
    }
}
