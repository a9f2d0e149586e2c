//! Which project a folder belongs to, found by reading files. No program is run: a repository's
//! settings could make `git` run somebody else's.

use std::path::{Path, PathBuf};

use throughline_core::SpaceId;

use crate::{Error, Result};

/// A project: what identifies it, and what people call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The normalised git origin, or the root path if there is none.
    pub key: String,
    /// The last part of the key.
    pub name: String,
    /// Its root folder.
    pub root: PathBuf,
}

/// Larger settings files are not read.
const CONFIG_BYTES_MAX: u64 = 1 << 20;

impl Project {
    /// The project of a folder. Clones and worktrees of one origin are one project.
    pub fn at(folder: &Path) -> Result<Self> {
        let folder = folder
            .canonicalize()
            .map_err(|source| Error::NoFolder { path: folder.to_owned(), source })?;
        let (root, git) = match folder.ancestors().find_map(|at| Some((at, git_folder(at)?))) {
            Some((root, git)) => (root.to_owned(), Some(git)),
            None => (folder, None),
        };
        let key = git
            .and_then(|git| origin(&git))
            .map_or_else(|| root.to_string_lossy().into_owned(), |url| normalise_origin(&url));
        let name = key.rsplit('/').find(|part| !part.is_empty()).unwrap_or("root").to_owned();
        Ok(Self { key, name, root })
    }

    /// The project of a folder that may be gone: that of the repository it lay in, else one of its
    /// own, so that what was said there never ends up in another's.
    pub fn of(folder: &Path) -> Self {
        let there = folder
            .ancestors()
            .find(|at| at.exists())
            .filter(|at| *at == folder || at.ancestors().any(|above| git_folder(above).is_some()));
        if let Some(project) = there.and_then(|at| Self::at(at).ok()) {
            return project;
        }
        let key = folder.to_string_lossy().into_owned();
        let name = key.rsplit('/').find(|part| !part.is_empty()).unwrap_or("root").to_owned();
        Self { key, name, root: folder.to_owned() }
    }

    /// Its space in the store.
    pub fn space(&self) -> SpaceId {
        SpaceId::of_project(&self.key)
    }
}

/// The folder with the repository's settings. In a worktree `.git` is a file that points to a
/// folder that names the shared one.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let pointer = read_small(&git)?;
    let own = root.join(pointer.trim().strip_prefix("gitdir:")?.trim());
    let shared = read_small(&own.join("commondir"))
        .map_or_else(|| own.clone(), |shared| own.join(shared.trim()));
    shared.is_dir().then_some(shared)
}

fn read_small(path: &Path) -> Option<String> {
    let data = std::fs::metadata(path).ok()?;
    (data.is_file() && data.len() <= CONFIG_BYTES_MAX)
        .then(|| std::fs::read_to_string(path).ok())?
}

/// The address of the remote called origin.
fn origin(git: &Path) -> Option<String> {
    let config = read_small(&git.join("config"))?;
    let mut in_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            in_origin = line.replace(' ', "") == "[remote\"origin\"]";
        } else if in_origin
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == "url"
        {
            return Some(value.trim().to_owned());
        }
    }
    None
}

/// One form for the many ways to write an origin: host and path, without user, port or `.git`.
fn normalise_origin(url: &str) -> String {
    let url = url.trim().trim_end_matches('/').trim_end_matches(".git");
    let (rest, has_scheme) = match url.split_once("://") {
        Some((_, rest)) => (rest, true),
        None => (url, false),
    };
    if !has_scheme && !rest.contains(':') {
        return rest.to_owned(); // a path on this machine
    }
    let rest =
        rest.split_once('@').filter(|(user, _)| !user.contains('/')).map_or(rest, |(_, r)| r);
    let (host, path) = if has_scheme {
        rest.split_once('/').unwrap_or((rest, ""))
    } else {
        rest.split_once(':').unwrap_or((rest, ""))
    };
    let host = host.split(':').next().unwrap_or(host).to_lowercase();
    format!("{host}/{}", path.trim_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_one_form_however_it_is_written() {
        for url in [
            "https://github.com/acme/app.git",
            "https://user:secret@github.com/acme/app",
            "ssh://git@github.com:22/acme/app.git",
            "git@GitHub.com:acme/app.git",
            "git://github.com/acme/app/",
        ] {
            assert_eq!(normalise_origin(url), "github.com/acme/app", "{url}");
        }
        assert_eq!(normalise_origin("/srv/git/app.git"), "/srv/git/app");
    }

    #[test]
    fn a_folder_that_is_gone_belongs_to_its_repository_or_to_nobody_else() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("app/.git")).unwrap();
        let app = Project::at(&root.join("app")).unwrap();
        assert_eq!(Project::of(&root.join("app")), app);
        assert_eq!(Project::of(&root.join("app/trees/gone")), app);
        let (one, other) = (Project::of(&root.join("one")), Project::of(&root.join("other")));
        assert_eq!((one.name.as_str(), one.root), ("one", root.join("one")));
        assert_ne!(one.key, other.key);
    }

    #[test]
    fn clones_worktrees_and_subfolders_are_one_project() {
        let temp = tempfile::tempdir().unwrap();
        let clone = |name: &str| {
            let root = temp.path().join(name);
            std::fs::create_dir_all(root.join(".git")).unwrap();
            let config = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:acme/app.git\n";
            std::fs::write(root.join(".git/config"), config).unwrap();
            root
        };
        let (one, two) = (clone("one"), clone("two"));
        std::fs::create_dir_all(one.join("src/deep")).unwrap();

        let tree = temp.path().join("tree");
        let own = one.join(".git/worktrees/tree");
        std::fs::create_dir_all(&tree).unwrap();
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("commondir"), "../..\n").unwrap();
        std::fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();

        let key = |folder: &Path| Project::at(folder).unwrap().key;
        assert_eq!(key(&one), "github.com/acme/app");
        assert_eq!(key(&two), key(&one));
        assert_eq!(key(&one.join("src/deep")), key(&one));
        assert_eq!(key(&tree), key(&one));
        assert_ne!(key(temp.path()), key(&one));
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        assert!(matches!(Project::at(Path::new("/no/such/folder")), Err(Error::NoFolder { .. })));
    }
}
