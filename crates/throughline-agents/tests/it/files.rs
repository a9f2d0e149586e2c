//! Settings files: written whole, copied first, and left alone when they are something else.

use std::fs;
use std::path::{Path, PathBuf};

use throughline_agents::Host;
use throughline_agents::install::files::{self, Error, read, write};
use throughline_agents::install::{SettingsChange, SettingsPlace, project_places};

const PROGRAM: &str = "/usr/local/bin/throughline";
const SETTINGS: &str = "{\n  \"model\": \"opus\"\n}\n";

/// A file with the hooks of Claude Code in it.
fn place(path: &Path) -> SettingsPlace {
    let form = project_places(Host::ClaudeCode, Path::new("/"))[0].form;
    SettingsPlace { path: path.to_owned(), form, shared_by: None }
}

fn plan_init(path: &Path, command: &str) -> Result<SettingsChange, Error> {
    files::plan_init(&place(path), command)
}

fn init(path: &Path, command: &str) -> Result<SettingsChange, Error> {
    files::init(&place(path), command)
}

fn plan_uninstall(path: &Path) -> Result<SettingsChange, Error> {
    files::plan_uninstall(&place(path))
}

fn uninstall(path: &Path) -> Result<SettingsChange, Error> {
    files::uninstall(&place(path))
}

fn user_settings(folder: &Path) -> PathBuf {
    folder.join("settings.json")
}

fn project_settings(root: &Path) -> PathBuf {
    project_places(Host::ClaudeCode, root)[0].path.clone()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_settings_file_that_we_made_goes_with_us() {
    let home = tempfile::tempdir().unwrap();
    let path = project_settings(home.path());
    assert!(plan_init(&path, PROGRAM).unwrap().after.contains(PROGRAM));
    assert!(!path.exists(), "a plan changes nothing");

    assert_eq!(init(&path, PROGRAM).unwrap().added.len(), 10);
    assert_eq!(names(path.parent().unwrap()), ["settings.json"]);
    assert!(init(&path, PROGRAM).unwrap().is_empty());
    uninstall(&path).unwrap();
    assert!(names(path.parent().unwrap()).is_empty());
    assert!(uninstall(&path).unwrap().is_empty());
}

#[test]
fn a_settings_file_gets_its_bytes_back() {
    for settings in [SETTINGS, "", "{}", "\u{feff}{ }\r\n"] {
        let home = tempfile::tempdir().unwrap();
        let path = user_settings(home.path());
        fs::write(&path, settings).unwrap();
        init(&path, PROGRAM).unwrap();
        assert_eq!(names(home.path()), ["settings.json", "settings.json.throughline-backup"]);
        assert_eq!(plan_uninstall(&path).unwrap().after, settings);
        uninstall(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), settings);
        assert_eq!(names(home.path()), ["settings.json"], "copies that tell nothing new go");
    }
}

#[test]
fn the_first_copy_is_never_written_over() {
    let home = tempfile::tempdir().unwrap();
    let path = user_settings(home.path());
    let copy = home.path().join("settings.json.throughline-backup");
    fs::write(&path, SETTINGS).unwrap();
    init(&path, PROGRAM).unwrap();
    for model in ["haiku", "sonnet"] {
        let edited = fs::read_to_string(&path).unwrap().replace("opus", model);
        fs::write(&path, &edited).unwrap();
        init(&path, &format!("/opt/{model}/throughline")).unwrap();
        assert_eq!(fs::read_to_string(&copy).unwrap(), SETTINGS);
        let latest = home.path().join("settings.json.throughline-backup-latest");
        assert_eq!(fs::read_to_string(latest).unwrap(), edited);
        fs::write(&path, edited.replace(model, "opus")).unwrap();
    }
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("opus", "haiku")).unwrap();
    uninstall(&path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), SETTINGS.replace("opus", "haiku"));
    assert!(copy.exists(), "it tells something that is nowhere else");
}

#[test]
fn settings_that_cannot_be_understood_are_not_touched() {
    let home = tempfile::tempdir().unwrap();
    let path = user_settings(home.path());
    for bytes in [&b"{ broken"[..], b"\xff\xfe{}"] {
        fs::write(&path, bytes).unwrap();
        assert!(init(&path, PROGRAM).is_err());
        assert!(uninstall(&path).is_err());
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert_eq!(names(home.path()), ["settings.json"]);
    }
}

#[test]
fn a_folder_is_no_settings_file() {
    let home = tempfile::tempdir().unwrap();
    let path = user_settings(home.path());
    fs::create_dir(&path).unwrap();
    assert!(matches!(init(&path, PROGRAM), Err(Error::NotAFile { .. })));
}

#[test]
fn what_somebody_else_wrote_meanwhile_is_not_lost() {
    let home = tempfile::tempdir().unwrap();
    let path = user_settings(home.path());
    fs::write(&path, "{}").unwrap();
    let result = write(&path, Some(SETTINGS), "{ }");
    assert!(matches!(result, Err(Error::Changed { .. })));
    assert_eq!(read(&path).unwrap().as_deref(), Some("{}"));
    assert_eq!(names(home.path()), ["settings.json"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::process::Command;

    use super::*;

    #[test]
    fn permissions_and_links_survive() {
        let home = tempfile::tempdir().unwrap();
        let real = home.path().join("dotfiles.json");
        let path = user_settings(home.path());
        fs::write(&real, SETTINGS).unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("dotfiles.json", &path).unwrap();

        init(&path, PROGRAM).unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
        assert!(fs::read_to_string(&real).unwrap().contains(PROGRAM));
        let copy = home.path().join("settings.json.throughline-backup");
        for file in [&real, &copy] {
            assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        uninstall(&path).unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), SETTINGS);
    }

    #[test]
    fn a_new_settings_file_is_its_owners_alone_and_an_old_one_stays_as_open_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        let path = user_settings(home.path());
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        init(&path, PROGRAM).unwrap();
        assert_eq!(mode(), 0o600);
        fs::remove_file(&path).unwrap();
        fs::write(&path, SETTINGS).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        init(&path, PROGRAM).unwrap();
        assert_eq!(mode(), 0o644);
    }

    #[test]
    fn a_pipe_or_a_link_to_nothing_is_refused_without_waiting() {
        let home = tempfile::tempdir().unwrap();
        let path = user_settings(home.path());
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(matches!(init(&path, PROGRAM), Err(Error::NotAFile { .. })));
        fs::remove_file(&path).unwrap();
        symlink("nowhere", &path).unwrap();
        assert!(matches!(init(&path, PROGRAM), Err(Error::NotAFile { .. })));
    }
}
