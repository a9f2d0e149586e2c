//! Roots and what their repositories claim.

use std::path::{Path, PathBuf};

use throughline_core::Timestamp;

use super::*;

const CONFIG: &str =
    "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:acme/app.git\n";

struct Disk {
    temp: tempfile::TempDir,
}

impl Disk {
    fn new() -> Self {
        Self { temp: tempfile::tempdir().unwrap() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join(name)
    }

    fn roots(&self) -> Roots {
        Roots::new(&self.at("home"))
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A clone of the app.
    fn clone(&self, name: &str) -> PathBuf {
        self.write(&format!("{name}/.git/config"), CONFIG);
        self.at(name)
    }

    /// A worktree, as git makes one: each side names the other.
    fn worktree(&self, of: &str, name: &str) -> PathBuf {
        let own = self.at(&format!("{of}/.git/worktrees/{name}"));
        self.write(&format!("{name}/.git"), &format!("gitdir: {}\n", own.display()));
        self.write(&format!("{of}/.git/worktrees/{name}/commondir"), "../..\n");
        let back = self.at(&format!("{name}/.git"));
        self.write(&format!("{of}/.git/worktrees/{name}/gitdir"), &format!("{}\n", back.display()));
        self.at(name)
    }

    fn visit(&self, root: &Path) -> Project {
        let project = self.roots().project(root).unwrap();
        self.roots().keep(&project, now()).unwrap();
        project
    }
}

fn now() -> Timestamp {
    Timestamp::from_millis(1_763_000_000_000)
}

fn key(project: &Project) -> &str {
    project.key.as_str()
}

#[test]
fn the_first_root_of_an_origin_is_the_project_and_the_next_one_waits() {
    let disk = Disk::new();
    let (one, two) = (disk.clone("one"), disk.clone("two"));
    std::fs::create_dir_all(one.join("src/deep")).unwrap();
    assert_eq!(key(&disk.visit(&one)), "github.com/acme/app");
    assert_eq!(key(&disk.visit(&one.join("src/deep"))), "github.com/acme/app");
    let waits = disk.visit(&two);
    assert_eq!(key(&waits), two.to_str().unwrap(), "a project of its own");
    assert_eq!(waits.waits_for().map(ProjectKey::as_str), Some("github.com/acme/app"));
    assert!(disk.roots().asks_now(&waits, now()).unwrap());
    assert!(!disk.roots().asks_now(&waits, now()).unwrap(), "once");
    let joined = disk.roots().join(&two, None, now()).unwrap();
    assert_eq!(joined.beside, [one.to_str().unwrap()]);
    assert_eq!(key(&disk.visit(&two)), "github.com/acme/app");
    disk.roots().leave(&two, now()).unwrap();
    let left = disk.visit(&two);
    assert_eq!((key(&left), left.waits_for()), (two.to_str().unwrap(), None));
    disk.roots().join(&two, None, now()).unwrap();
    assert_eq!(key(&disk.visit(&two)), "github.com/acme/app", "and back again");
}

#[test]
fn a_worktree_is_known_by_its_repository_from_either_side() {
    let disk = Disk::new();
    let (main, tree) = (disk.clone("main"), disk.worktree("main", "tree"));
    disk.visit(&main);
    assert_eq!(key(&disk.visit(&tree)), "github.com/acme/app");

    let disk = Disk::new();
    let (main, tree) = (disk.clone("main"), disk.worktree("main", "tree"));
    disk.visit(&tree);
    assert_eq!(key(&disk.visit(&main)), "github.com/acme/app");
}

#[test]
fn a_worktree_that_its_repository_does_not_list_waits() {
    let disk = Disk::new();
    let main = disk.clone("main");
    disk.worktree("main", "tree");
    disk.visit(&main);
    let own = disk.at("main/.git/worktrees/tree");
    // It points into the repository, which names another folder.
    disk.write("forged/.git", &format!("gitdir: {}\n", own.display()));
    // It points at the repository itself.
    disk.write("outright/.git", &format!("gitdir: {}\n", main.join(".git").display()));
    // It brings its own folder along, which names the repository as the shared one.
    let brought = disk.at("brought/git/worktrees/x");
    disk.write("brought/.git", &format!("gitdir: {}\n", brought.display()));
    disk.write("brought/git/worktrees/x/commondir", main.join(".git").to_str().unwrap());
    disk.write("brought/git/worktrees/x/gitdir", disk.at("brought/.git").to_str().unwrap());
    for name in ["forged", "outright", "brought"] {
        let found = disk.visit(&disk.at(name));
        assert_eq!(key(&found), disk.at(name).to_str().unwrap(), "{name}");
        assert!(found.waits_for().is_some(), "{name}");
    }
    #[cfg(unix)]
    {
        std::fs::create_dir(disk.at("linked")).unwrap();
        std::os::unix::fs::symlink(main.join(".git"), disk.at("linked/.git")).unwrap();
        assert!(disk.visit(&disk.at("linked")).waits_for().is_some());
    }
}

#[test]
fn another_origin_in_the_same_folder_is_another_project() {
    let disk = Disk::new();
    let root = disk.clone("one");
    disk.visit(&root);
    disk.write("one/.git/config", &CONFIG.replace("acme/app", "acme/other"));
    assert_eq!(key(&disk.visit(&root)), "github.com/acme/other");
    disk.write("one/.git/config", CONFIG);
    assert_eq!(key(&disk.visit(&root)), "github.com/acme/app");
}

#[test]
fn a_list_that_cannot_be_read_gives_nothing_away() {
    let disk = Disk::new();
    let root = disk.clone("one");
    disk.visit(&root);
    disk.write("home/projects.json", "{ torn");
    let found = disk.roots().project(&root).unwrap();
    assert_eq!(key(&found), "github.com/acme/app", "its copy is read");
    disk.write("home/projects.copy.json", "{ torn");
    let found = disk.roots().project(&root).unwrap();
    assert_eq!((key(&found), &found.standing), (root.to_str().unwrap(), &RootStanding::Unknown));
    assert!(disk.roots().join(&root, None, now()).is_err(), "and is not written over");
}

#[test]
fn joining_by_itself_is_a_choice() {
    let disk = Disk::new();
    let (one, two) = (disk.clone("one"), disk.clone("two"));
    disk.visit(&one);
    let auto = disk.roots().joining_by_itself(true).project(&two).unwrap();
    assert_eq!(key(&auto), "github.com/acme/app");
}

#[test]
fn a_folder_without_an_origin_is_joined_by_name() {
    let disk = Disk::new();
    disk.visit(&disk.clone("one"));
    std::fs::create_dir_all(disk.at("plain")).unwrap();
    let roots = disk.roots();
    assert!(matches!(roots.join(&disk.at("plain"), None, now()), Err(Error::BadInput(_))));
    let unknown = roots.join(&disk.at("plain"), Some("github.com/acme/none"), now());
    assert!(matches!(unknown, Err(Error::NotFound { .. })));
    roots.join(&disk.at("plain"), Some("github.com/acme/app"), now()).unwrap();
    assert_eq!(key(&disk.visit(&disk.at("plain"))), "github.com/acme/app");
}

#[test]
fn settings_are_read_as_git_writes_them() {
    let disk = Disk::new();
    for (number, (config, origin)) in [
        ("[remote \"origin\"]\nurl = \"https://github.com/acme/app\"\n", Some("acme/app")),
        ("[Remote \"origin\"]\n\tURL=https://github.com/acme/app ; mine\n", Some("acme/app")),
        ("[remote \"Origin\"]\n\turl = https://github.com/acme/app\n", None),
        ("[remote \"upstream\"]\n\turl = https://github.com/acme/app\n", None),
        ("[include]\n\tpath = /somewhere/config\n", None),
        ("[remote \"origin\"]\n\turl =\n", None),
        ("[remote \"origin\"]\n\turl = ../app.git\n", None),
    ]
    .into_iter()
    .enumerate()
    {
        disk.write(&format!("r{number}/.git/config"), config);
        let found = Project::at(&disk.at(&format!("r{number}"))).unwrap();
        let claim = found.claim.as_ref().map(|key| key.as_str().trim_start_matches("github.com/"));
        assert_eq!(claim, origin, "{config}");
    }
}

#[test]
fn a_folder_that_is_gone_belongs_to_its_repository_or_to_nobody_else() {
    let disk = Disk::new();
    std::fs::create_dir_all(disk.at("app/.git")).unwrap();
    let app = disk.roots().project(&disk.at("app")).unwrap();
    assert_eq!(disk.roots().project_of(&disk.at("app")), app);
    assert_eq!(disk.roots().project_of(&disk.at("app/trees/gone")), app);
    let of = |name: &str| disk.roots().project_of(&disk.at(name));
    let (one, other) = (of("one"), of("other"));
    assert_eq!((one.name.as_str(), one.root), ("one", disk.at("one")));
    assert_ne!(one.key, other.key);
    // What is no full path is never an origin.
    let odd = disk.roots().project_of(Path::new("github.com/acme/app"));
    assert_ne!(key(&odd), "github.com/acme/app");
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    assert!(matches!(Project::at(Path::new("/no/such/folder")), Err(Error::NoFolder { .. })));
}
