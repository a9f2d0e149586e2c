//! `project`: which folders belong to which project.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use serde::Serialize;
use throughline_core::text::plural;
use throughline_engine::{Check, Joined};
use throughline_view::{WireProject, WireProjects};

use crate::args::{self, ProjectAction};
use crate::layout;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, GOOD, Ui, paint, safe};

#[derive(Debug, Serialize)]
struct WireJoined {
    key: String,
    root: String,
    /// The other folders of the project.
    beside: Vec<String>,
}

impl From<Joined> for WireJoined {
    fn from(joined: Joined) -> Self {
        let root = joined.root.display().to_string();
        Self { key: joined.key.to_string(), root, beside: joined.beside }
    }
}

pub(super) fn project(
    args: &args::Project,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    match &args.action {
        ProjectAction::List => list(settings, ui),
        ProjectAction::Join { dir, key } => {
            let folder = folder(dir.as_ref(), settings)?;
            let joined = settings.roots().join(&folder, key.as_deref(), settings.clock.now())?;
            let wire = WireJoined::from(joined);
            ui.answer(&wire, || {
                let mut page = format!(
                    "{} {} is a folder of {} now.",
                    paint(GOOD, "Joined."),
                    safe(&wire.root),
                    paint(BOLD, safe(&wire.key))
                );
                for other in &wire.beside {
                    write!(page, "\n{} {}", paint(DIM, "It shares its memory with"), safe(other))
                        .expect("writing to a String cannot fail");
                }
                page
            })
        }
        ProjectAction::Leave { dir } => {
            let folder = folder(dir.as_ref(), settings)?;
            let wire = WireJoined::from(settings.roots().leave(&folder, settings.clock.now())?);
            ui.answer(&wire, || {
                let done = paint(GOOD, "Left.");
                format!("{done} {} is a project of its own now.", safe(&wire.root))
            })
        }
    }
}

fn list(settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let items = settings.roots().all()?.into_iter().map(WireProject::from);
    let wire = WireProjects { items: items.collect() };
    ui.answer(&wire, || {
        if wire.items.is_empty() {
            return paint(DIM, "no project is known yet");
        }
        let keys: Vec<String> = wire.items.iter().map(|one| safe(&one.key)).collect();
        let widest = keys.iter().map(|key| layout::width(key)).max().unwrap_or_default();
        let mut page = String::new();
        for (one, key) in wire.items.iter().zip(&keys) {
            let gap = " ".repeat(widest - layout::width(key));
            let memories = plural(one.memories, "memory");
            writeln!(page, "{}{gap}  {memories}", paint(BOLD, key))
                .expect("writing to a String cannot fail");
            if one.roots.is_empty() {
                writeln!(page, "  {}", paint(DIM, "no folder of it is known yet"))
                    .expect("writing to a String cannot fail");
            }
            for root in &one.roots {
                writeln!(page, "  {}", safe(root)).expect("writing to a String cannot fail");
            }
        }
        page
    })
}

/// What is said where a folder is not joined to what its repository says it is.
pub(super) fn waiting(key: &str) -> String {
    format!(
        "its git origin is {}, which is known from another folder; `throughline project join` \
         shares that memory, `project leave` keeps the two apart",
        safe(key)
    )
}

/// What is said where a folder belonged to another project while its repository said something else.
pub(super) fn moved(before: &str) -> String {
    format!(
        "this folder was {} before its origin changed; `throughline project join --key KEY` \
         continues with that memory",
        safe(before)
    )
}

/// The same for `doctor`.
pub(super) fn check(settings: &Settings) -> Option<Check> {
    match settings.roots().damage() {
        Ok(None) => {}
        Ok(Some(damage)) => {
            let hint = "nothing is lost; `doctor --mend` rewrites the file";
            return Some(Check::note("project", damage, hint));
        }
        Err(error) => {
            let hint = error.hint().unwrap_or_default();
            return Some(Check::wrong("project", error.to_string(), &hint));
        }
    }
    let project = settings.context().ok()?.project;
    let Some(key) = project.waits_for() else {
        let hint = "if another repository is in its place now, there is nothing to do";
        let before = settings.roots().before(&project);
        return before.map(|key| Check::note("project", moved(key.as_str()), hint));
    };
    let detail = format!("{} is not joined to {key}, its git origin", project.root.display());
    let hint = "`throughline project join` shares that memory, `project leave` keeps the two apart";
    Some(Check::note("project", detail, hint))
}

fn folder(named: Option<&PathBuf>, settings: &Settings) -> anyhow::Result<PathBuf> {
    match named.cloned().or_else(|| settings.folder()) {
        Some(folder) => Ok(folder),
        None => std::env::current_dir().context("the current folder cannot be read"),
    }
}
