//! Where our own program is, as agents are to call it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use throughline_agents::Surroundings;
use throughline_engine::Check;

/// Our program.
pub(super) struct InstalledProgram {
    /// The full path that agents call.
    pub(super) path: PathBuf,
    /// Whether it can be called by its name as well.
    pub(super) on_path: bool,
}

/// Finds us. A link on the PATH that leads here goes before the file itself: packages put such
/// links, and change where they lead when they are upgraded.
pub(super) fn own(around: &Surroundings) -> anyhow::Result<InstalledProgram> {
    let file = std::env::current_exe().context("the path of this program cannot be found")?;
    let named = named(around, &file);
    let mine = named.iter().find(|path| is_same(path, &file));
    let path = mine.cloned().unwrap_or(file);
    Ok(InstalledProgram { path, on_path: mine.is_some() })
}

/// The programs on the PATH that have our name.
fn named(around: &Surroundings, file: &Path) -> Vec<PathBuf> {
    let Some(name) = file.file_name() else { return Vec::new() };
    let full = around.path.iter().filter(|folder| folder.is_absolute());
    full.map(|folder| folder.join(name)).filter(|path| path.is_file()).collect()
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The same for `doctor`.
pub(in crate::commands) fn check(around: &Surroundings) -> Check {
    let Ok(file) = std::env::current_exe() else {
        let hint = "agents call it by its full path";
        return Check::note("program", "the path of this program cannot be found", hint);
    };
    let at = file.display();
    match named(around, &file).first() {
        Some(first) if is_same(first, &file) => Check::fine("program", first.display().to_string()),
        Some(first) => Check::note(
            "program",
            format!("{at}, but the name `throughline` runs {}", first.display()),
            "keep only one of them on your PATH; plugins and skills call it by its name",
        ),
        None => Check::note(
            "program",
            format!("{at}, which is not on your PATH"),
            "agents connected by `init` work; plugins, skills and you call it by its name",
        ),
    }
}
