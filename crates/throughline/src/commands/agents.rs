//! `init`, `uninstall`, `patch`: connecting agents, and what probes hand in.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use serde::Serialize;
use throughline_agents::install::{self, files};
use throughline_agents::transcript;
use throughline_core::patch;
use throughline_engine::{Check, Error};

use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, GOOD, Ui, WARN, paint, safe};

/// Bytes of a patch at most.
const PATCH_BYTES_MAX: usize = 1 << 20;

#[derive(Debug, Serialize)]
struct WireInstall {
    agent: &'static str,
    settings: String,
    changed: bool,
    events: Vec<String>,
    diff: String,
}

pub(super) fn init(
    args: &args::Init,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let path = settings_file(args, settings)?;
    let command = std::env::current_exe().context("our own program cannot be found")?;
    let command = command.to_string_lossy().into_owned();
    let planned = files::plan_init(&path, &command)?;
    let done = if args.dry_run { planned } else { files::init(&path, &command)? };
    if !args.dry_run {
        // Made now, and not while an agent waits.
        settings.engine()?;
    }
    answer(args, &path, &done, ui, |page, changed| {
        if !changed {
            page.push_str(&paint(GOOD, "Connected already; nothing to change"));
        } else if args.dry_run {
            page.push_str(&paint(WARN, "Nothing was written: --dry-run"));
        } else {
            page.push_str(&paint(GOOD, "Connected."));
            page.push_str(
                " What you decide, correct and prefer is kept from the next session on.\n",
            );
            page.push_str(&paint(
                DIM,
                "`throughline ingest --past` takes in past sessions; `doctor` says how it goes; \
                 `uninstall` puts the file back.",
            ));
        }
    })
}

pub(super) fn uninstall(
    args: &args::Init,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let path = settings_file(args, settings)?;
    let planned = files::plan_uninstall(&path)?;
    let done = if args.dry_run { planned } else { files::uninstall(&path)? };
    answer(args, &path, &done, ui, |page, changed| {
        let words = match (changed, args.dry_run) {
            (false, _) => paint(DIM, "Not connected; nothing to change"),
            (true, true) => paint(WARN, "Nothing was written: --dry-run"),
            (true, false) => paint(GOOD, "Disconnected. What is remembered stays."),
        };
        page.push_str(&words);
    })
}

/// The file that an agent's hooks stand in.
fn settings_file(args: &args::Init, settings: &Settings) -> anyhow::Result<PathBuf> {
    if args.here {
        return Ok(files::project_settings(&settings.context()?.project.root));
    }
    Ok(files::user_settings(&config_folder(args.agent, args.config.as_ref(), settings)?))
}

/// Where an agent keeps its settings.
pub(super) fn config_folder(
    agent: throughline_agents::Host,
    given: Option<&PathBuf>,
    settings: &Settings,
) -> anyhow::Result<PathBuf> {
    let environment = &settings.environment;
    let own = environment.claude_config.as_ref().map(|path| path.to_string_lossy().into_owned());
    let found = given.cloned().or_else(|| {
        transcript::config_dir(agent, own.as_deref(), environment.user_home.as_deref())
    });
    found.ok_or_else(|| {
        let message =
            format!("the settings of {} cannot be found; give --config DIR", agent.as_str());
        Error::BadInput(message).into()
    })
}

/// Whether agents are connected.
pub(super) fn checks(settings: &Settings) -> Vec<Check> {
    let mut checks = Vec::new();
    for agent in throughline_agents::Host::ALL {
        let folder = config_folder(*agent, None, settings).ok();
        let project = settings.context().ok().map(|one| files::project_settings(&one.project.root));
        let paths = folder.as_deref().map(files::user_settings).into_iter().chain(project);
        let found: Vec<(PathBuf, Vec<(String, String)>)> = paths
            .filter_map(|path| {
                let text = files::read(&path).ok().flatten()?;
                Some((path, install::installed(&text))).filter(|(_, found)| !found.is_empty())
            })
            .collect();
        let name = agent.as_str();
        if found.is_empty() {
            let hint = "`throughline init` connects it";
            checks.push(Check::note(name, "not connected", hint));
        }
        for (path, events) in found {
            let gone = events.iter().find(|(_, command)| !Path::new(command).exists());
            checks.push(match gone {
                Some((_, command)) => {
                    let detail = format!("its hooks call {command}, which is gone");
                    Check::note(name, detail, "`throughline init` puts the right path in")
                }
                None => {
                    let detail = format!("{} hooks in {}", events.len(), path.display());
                    Check::fine(name, detail)
                }
            });
        }
    }
    checks
}

fn answer(
    args: &args::Init,
    path: &Path,
    change: &install::Change,
    ui: &mut Ui,
    say: impl FnOnce(&mut String, bool),
) -> anyhow::Result<ExitCode> {
    let mut events = change.added.clone();
    events.extend(change.updated.iter().chain(&change.removed).cloned());
    let wire = WireInstall {
        agent: args.agent.as_str(),
        settings: path.display().to_string(),
        changed: !change.is_empty(),
        events,
        diff: install::diff(&change.before, &change.after),
    };
    ui.answer(&wire, || {
        let mut page = format!("{}\n", paint(BOLD, safe(&wire.settings)));
        if wire.changed {
            page.push_str(&safe(&wire.diff));
            page.push('\n');
        }
        say(&mut page, wire.changed);
        page
    })
}

#[derive(Debug, Serialize)]
struct WireApplied {
    memories: Vec<String>,
    reinforced: Vec<String>,
    superseded: Vec<String>,
    deferred: usize,
}

pub(super) fn patch(
    args: &args::Patch,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let text = if args.file.as_os_str() == "-" {
        super::text_or_stdin("-")?
    } else {
        let bytes = std::fs::read(&args.file).with_context(|| args.file.display().to_string())?;
        String::from_utf8(bytes)
            .map_err(|_| Error::BadInput("the patch is not UTF-8".to_owned()))?
    };
    if text.len() > PATCH_BYTES_MAX {
        let message = format!("the patch has {} bytes; {PATCH_BYTES_MAX} at most", text.len());
        anyhow::bail!(Error::BadInput(message));
    }
    let reading = patch::read(&text);
    let applied = settings.engine()?.apply_reading(&settings.context()?, &reading, args.voice)?;
    let ids = |ids: &[throughline_core::MemoryId]| ids.iter().map(ToString::to_string).collect();
    let wire = WireApplied {
        memories: ids(&applied.memories),
        reinforced: ids(&applied.reinforced),
        superseded: ids(&applied.superseded),
        deferred: applied.deferred,
    };
    ui.answer(&wire, || {
        let done = format!("{} new, {} known", wire.memories.len(), wire.reinforced.len());
        let mut page = paint(GOOD, done);
        if wire.deferred > 0 {
            let waits = format!("\n{} wait in `throughline review`", wire.deferred);
            page.push_str(&paint(WARN, waits));
        }
        page
    })
}
