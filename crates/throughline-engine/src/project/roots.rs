//! Roots: which folders belong to which project, kept in the home.
//!
//! The list is of this machine: exports and backups leave it out. It is read without the database,
//! so that a hook knows where it stands even when that cannot be opened.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use throughline_core::scope::Level;
use throughline_core::{ProjectKey, Space, SpaceId, Timestamp};
use throughline_store::Backend;

use super::list::{RootEntry, RootList, RootState};
use super::{Project, RootStanding, git, key_of, standing_folder};
use crate::clean::clean_name;
use crate::engine::DATABASE;
use crate::journal::file;
use crate::{Context, Error, Result};

/// The list of a home, and who asks.
#[derive(Debug, Clone)]
pub struct Roots {
    home: PathBuf,
    auto: bool,
    person: bool,
}

/// A folder that was joined to a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// The project.
    pub key: ProjectKey,
    /// The folder.
    pub root: PathBuf,
    /// The other folders of the project.
    pub beside: Vec<String>,
}

/// A project that the home knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownProject {
    /// What identifies it.
    pub key: ProjectKey,
    /// The folders that belong to it.
    pub roots: Vec<String>,
    /// Its memories.
    pub memories: u64,
}

impl Roots {
    /// The list of a home, as an agent or a hook asks. Touches nothing.
    pub fn new(home: &Path) -> Self {
        Self { home: home.to_owned(), auto: false, person: false }
    }

    /// The same where a new folder of a known project is joined without asking.
    #[must_use]
    pub fn joining_by_itself(self, auto: bool) -> Self {
        Self { auto, ..self }
    }

    /// The same where a person asks by hand: a project that no folder belongs to yet, from an older
    /// version or a copy, is then theirs.
    #[must_use]
    pub fn for_person(self, person: bool) -> Self {
        Self { person, ..self }
    }

    /// The project of a folder.
    pub fn project(&self, folder: &Path) -> Result<Project> {
        let folder = folder
            .canonicalize()
            .map_err(|source| Error::NoFolder { path: folder.to_owned(), source })?;
        Ok(self.judge(&git::look(&folder)))
    }

    /// The project of a folder that may be gone: that of the repository it lay in, else one of its
    /// own, so that what was said there never ends up in another's.
    pub fn project_of(&self, folder: &Path) -> Project {
        standing_folder(folder)
            .and_then(|at| self.project(at).ok())
            .unwrap_or_else(|| Project::with_key(key_of(folder), folder))
    }

    fn judge(&self, look: &git::GitFolder) -> Project {
        let own = Project::own(look);
        // A list that cannot be read gives nothing away, and nothing is written to another project.
        let Ok(list) = self.read() else {
            return Project { standing: RootStanding::Unknown, ..own };
        };
        let with = |key: ProjectKey, standing: RootStanding| {
            let name = key.name().to_owned();
            Project { key, name, standing, ..own.clone() }
        };
        let claim = own.claim.as_ref();
        let held = list.find(&own.root, claim);
        match held.map(|one| (one.state, one.key.as_deref())) {
            Some((RootState::Joined, Some(key))) => {
                return with(ProjectKey::read(key), RootStanding::Settled);
            }
            Some((RootState::Apart, _)) => return own,
            Some(_) | None => {}
        }
        let waits = |key| Project { standing: RootStanding::Waits(key), ..own.clone() };
        let Some(claim) = claim else { return own };
        if let Some(key) = list.worktree_of(&own.root, claim) {
            return with(key, RootStanding::New);
        }
        if let Some(key) = list.key_claimed(claim) {
            return if self.auto { with(key, RootStanding::New) } else { waits(key) };
        }
        match self.held_without_roots(&list, claim) {
            // A folder that gets an origin keeps what it has; another repository in its place does not.
            Ok(None) if list.joined_before(&own.root).is_none() && self.holds(&own) => {
                with(own.key.clone(), RootStanding::New)
            }
            Ok(None) => with(claim.clone(), RootStanding::New),
            Ok(Some((key, since))) if self.auto || self.person || is_older(&own.root, since) => {
                with(key, RootStanding::New)
            }
            Ok(Some((key, _))) => waits(key),
            Err(_) => waits(claim.clone()),
        }
    }

    /// The project that a folder belonged to while its repository said something else: it has a new
    /// address, or another repository lies in its place. A person knows which.
    pub fn before(&self, project: &Project) -> Option<ProjectKey> {
        let before = self.read().ok()?.joined_before(&project.root)?;
        (before != project.key).then_some(before)
    }

    /// Whether there are memories of a project.
    fn holds(&self, project: &Project) -> bool {
        let spaces = self.spaces().unwrap_or_default();
        spaces.iter().any(|one| one.space == project.space())
    }

    /// The key of memories that no folder belongs to, and since when there are any: an older version
    /// kept no list, and a copy brings none along.
    fn held_without_roots(
        &self,
        list: &RootList,
        claim: &ProjectKey,
    ) -> Result<Option<(ProjectKey, Timestamp)>> {
        let spaces = self.spaces()?;
        let since = |key: &ProjectKey| {
            let held = spaces.iter().find(|one| one.space == key.space())?;
            Some((key.clone(), held.created_at))
        };
        let before = || claim.without_port().filter(|key| list.key_claimed(key).is_none());
        Ok(since(claim).or_else(|| since(&before()?)))
    }

    /// Refuses to write where nobody can say which project the folder belongs to. What agents tell
    /// waits in the journal.
    pub(crate) fn check(&self, context: &Context) -> Result<()> {
        if context.level == Level::Global || context.project.standing != RootStanding::Unknown {
            return Ok(());
        }
        // It may have been put right since; then the next command, which asks anew, writes.
        self.damage()?;
        Err(Error::NotPossible("the list of folders could not be read; try again".to_owned()))
    }

    /// A root that is written from for the first time is put on the list of its project. Where that
    /// fails, the next write tries again.
    pub(crate) fn keep_of(&self, context: &Context, now: Timestamp) -> Result<()> {
        match context.level {
            Level::Global => Ok(()),
            Level::Project | Level::Session => self.keep(&context.project, now),
        }
    }

    /// Puts a root on the list whose project was written to.
    pub(crate) fn keep(&self, project: &Project, now: Timestamp) -> Result<()> {
        let Some(claim) = project.claim.as_ref().filter(|_| project.standing == RootStanding::New)
        else {
            return Ok(());
        };
        if self
            .read()?
            .find(&project.root, Some(claim))
            .is_some_and(|one| one.state == RootState::Joined)
        {
            return Ok(());
        }
        self.put(&project.root, Some(claim), RootState::Joined, Some(&project.key), now)
    }

    /// The same for one that a person looked at: what is theirs is theirs from now on.
    pub fn keep_looked_at(&self, project: &Project, now: Timestamp) -> Result<()> {
        let is_held =
            || self.spaces().map(|all| all.iter().any(|one| one.space == project.space()));
        if project.standing == RootStanding::New && is_held()? {
            self.keep(project, now)?;
        }
        Ok(())
    }

    /// Whether this root waits and nobody was told so yet. From now on somebody was.
    pub fn asks_now(&self, project: &Project, now: Timestamp) -> Result<bool> {
        if project.waits_for().is_none() {
            return Ok(false);
        }
        let asked = self.read()?.find(&project.root, project.claim.as_ref()).is_some();
        if !asked {
            self.put(&project.root, project.claim.as_ref(), RootState::Asked, None, now)?;
        }
        Ok(!asked)
    }

    /// Joins a folder's root to a project: the one it claims to be, or the one that is named.
    pub fn join(&self, folder: &Path, named: Option<&str>, now: Timestamp) -> Result<Joined> {
        let project = self.project(folder)?;
        let key = match (named, &project.standing, &project.claim) {
            (Some(named), ..) => self.known_key(named)?,
            (None, RootStanding::Waits(key), _) => key.clone(),
            // On the list as a project of its own, by a person's wish that is now another.
            (None, RootStanding::Settled, Some(claim)) if project.key != *claim => {
                self.read()?.key_claimed(claim).unwrap_or_else(|| claim.clone())
            }
            (None, ..) if project.claim.is_some() => project.key.clone(),
            (None, ..) => {
                return Err(Error::BadInput(format!(
                    "{} has no git origin, so it is a project of its own; `--key KEY` joins it \
                     to one that `project list` shows",
                    project.root.display()
                )));
            }
        };
        self.put(&project.root, project.claim.as_ref(), RootState::Joined, Some(&key), now)?;
        let root = clean_name(&project.root.to_string_lossy());
        let mut beside = self.read()?.roots_of(&key);
        let own = key.as_str().to_owned();
        if key.is_path() && !beside.contains(&own) {
            // The folder of a path's own project belongs to it without being listed.
            beside.insert(0, own);
        }
        beside.retain(|other| *other != root);
        Ok(Joined { key, root: project.root, beside })
    }

    /// Makes a folder's root a project of its own, and stops asking about it.
    pub fn leave(&self, folder: &Path, now: Timestamp) -> Result<Joined> {
        let project = self.project(folder)?;
        self.put(&project.root, project.claim.as_ref(), RootState::Apart, None, now)?;
        let key = key_of(&project.root);
        Ok(Joined { key, root: project.root, beside: Vec::new() })
    }

    /// The projects that the home knows, by key.
    pub fn all(&self) -> Result<Vec<KnownProject>> {
        let list = self.read()?;
        let mut all: BTreeMap<ProjectKey, KnownProject> = BTreeMap::new();
        let known = |key: ProjectKey, roots, memories| KnownProject { key, roots, memories };
        if let Some(store) = self.store()? {
            let reader = store.read()?;
            for space in reader.spaces()?.iter().filter(|one| one.space != SpaceId::GLOBAL) {
                let counts = reader.counts(&[space.space])?;
                let memories = counts.get("memory").copied().unwrap_or(0);
                let key = ProjectKey::read(&space.key);
                all.insert(key.clone(), known(key, Vec::new(), memories));
            }
        }
        for one in list.roots.iter().filter(|one| one.state == RootState::Joined) {
            let Some(key) = one.key.as_deref().map(ProjectKey::read) else { continue };
            let held = all.entry(key.clone()).or_insert_with(|| known(key, Vec::new(), 0));
            if !held.roots.contains(&one.root) {
                held.roots.push(one.root.clone());
            }
        }
        for held in all.values_mut() {
            // The folder of a path's own project belongs to it without being listed.
            let path = held.key.as_str().to_owned();
            if held.key.is_path() && !held.roots.contains(&path) {
                held.roots.insert(0, path);
            }
        }
        Ok(all.into_values().collect())
    }

    /// Whether the list itself can be read, whatever the database says. What is wrong with its file is
    /// told where its copy is read instead.
    pub fn damage(&self) -> Result<Option<String>> {
        Ok(self.read()?.damage)
    }

    /// Writes the list anew where its file is damaged and its copy is not.
    pub fn mend(&self) -> Result<()> {
        if self.damage()?.is_none() {
            return Ok(());
        }
        let _turn = self.lock()?;
        let list = self.read()?;
        if list.damage.is_some() { list.write(&self.home) } else { Ok(()) }
    }

    /// The store, if there is one: nothing is made to look.
    fn store(&self) -> Result<Option<Backend>> {
        let database = self.home.join(DATABASE);
        Ok(if Backend::is_there(&database) { Some(Backend::open(&database)?) } else { None })
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        let Some(store) = self.store()? else { return Ok(Vec::new()) };
        let spaces = store.read()?.spaces()?;
        Ok(spaces)
    }

    /// A key that a person named, if there is such a project.
    pub fn known_key(&self, named: &str) -> Result<ProjectKey> {
        let found = self.all()?.into_iter().find(|one| one.key.as_str() == named);
        found
            .map(|one| one.key)
            .ok_or_else(|| Error::NotFound { what: "project", handle: named.to_owned() })
    }

    fn read(&self) -> Result<RootList> {
        RootList::read(&self.home)
    }

    fn put(
        &self,
        root: &Path,
        claim: Option<&ProjectKey>,
        state: RootState,
        key: Option<&ProjectKey>,
        at: Timestamp,
    ) -> Result<()> {
        let _turn = self.lock()?;
        let mut list = self.read()?;
        let root = root.to_str().ok_or_else(|| {
            Error::BadInput(format!("{} is not UTF-8, so it cannot be joined", root.display()))
        })?;
        let text = |key: Option<&ProjectKey>| key.map(|key| key.as_str().to_owned());
        let entry =
            RootEntry { root: clean_name(root), claim: text(claim), state, key: text(key), at };
        list.roots.retain(|one| !(one.root == entry.root && one.claim == entry.claim));
        list.roots.push(entry);
        list.write(&self.home)
    }

    /// Makes sure that nobody else changes the list for as long as this is held.
    fn lock(&self) -> Result<std::fs::File> {
        let failed = |source| Error::File { path: self.home.clone(), source };
        if !self.home.exists() {
            file::private_folder(&self.home).map_err(failed)?;
        }
        RootList::lock(&self.home).map_err(failed)
    }
}

impl RootList {
    fn find(&self, root: &Path, claim: Option<&ProjectKey>) -> Option<&RootEntry> {
        let (root, claim) = (clean_name(root.to_str()?), claim.map(ProjectKey::as_str));
        self.roots.iter().find(|one| one.root == root && one.claim.as_deref() == claim)
    }

    /// The project that a root was joined to under whatever it claimed, the last one first.
    fn joined_before(&self, root: &Path) -> Option<ProjectKey> {
        let root = clean_name(root.to_str()?);
        self.joined().filter(|(one, _)| one.root == root).last().map(|(_, key)| key)
    }

    fn joined(&self) -> impl Iterator<Item = (&RootEntry, ProjectKey)> {
        self.roots.iter().filter(|one| one.state == RootState::Joined).filter_map(|one| {
            let key = one.key.as_deref().map(ProjectKey::read)?;
            Some((one, key))
        })
    }

    /// The project that other folders with the same claim belong to.
    fn key_claimed(&self, claim: &ProjectKey) -> Option<ProjectKey> {
        let same = |one: &RootEntry| one.claim.as_deref() == Some(claim.as_str());
        let mut joined = self.joined().filter(|(one, key)| same(one) || key == claim);
        joined.next().map(|(_, key)| key)
    }

    /// The project of a root that is another work tree of it.
    fn worktree_of(&self, root: &Path, claim: &ProjectKey) -> Option<ProjectKey> {
        let mut others = self
            .joined()
            .filter(|(one, _)| one.claim.as_deref() == Some(claim.as_str()))
            .peekable();
        others.peek()?;
        let shared = git::proven_repository(root)?;
        let same = |one: &RootEntry| {
            git::proven_repository(Path::new(&one.root)).as_ref() == Some(&shared)
        };
        others.find(|(one, _)| same(one)).map(|(_, key)| key)
    }

    fn roots_of(&self, key: &ProjectKey) -> Vec<String> {
        self.joined().filter(|(_, of)| of == key).map(|(one, _)| one.root.clone()).collect()
    }
}

/// Whether a root's repository was there before the first memory of a project: an archive that was
/// unpacked later was not.
fn is_older(root: &Path, since: Timestamp) -> bool {
    let made = git::made_at(root).and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let millis = made.and_then(|made| i64::try_from(made.as_millis()).ok());
    millis.is_some_and(|at| Timestamp::from_millis(at) <= since)
}
