//! `init`, `uninstall`, `patch`: connecting agents, and what probes hand in.

mod look;

pub(super) use look::{Connection, State, connections};

use std::process::ExitCode;

use anyhow::Context as _;
use serde::Serialize;
use throughline_agents::install::{self, Change, Place, files, places, project_places};
use throughline_agents::{Folders, Host};
use throughline_core::patch;
use throughline_engine::Error;

use crate::args::{self, Which};
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, GOOD, Ui, WARN, paint, safe};

/// Bytes of a patch at most.
const PATCH_BYTES_MAX: usize = 1 << 20;

#[derive(Debug, Serialize)]
struct WireInstall {
    changed: bool,
    agents: Vec<WireAgent>,
}

#[derive(Debug, Serialize)]
struct WireAgent {
    agent: &'static str,
    changed: bool,
    files: Vec<WireFile>,
    /// What its owner has to know or to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct WireFile {
    settings: String,
    changed: bool,
    /// Events that we are called at, `mcp` for our server, `plugin` for a file of ours.
    events: Vec<String>,
    diff: String,
}

pub(super) fn init(
    args: &args::Init,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let command = std::env::current_exe().context("our own program cannot be found")?;
    let command = command.to_string_lossy().into_owned();
    let hosts = chosen(args, |host| host.is_here(&settings.environment.around));
    if hosts.is_empty() {
        let names: Vec<_> = Host::ALL.iter().map(|host| host.as_str()).collect();
        let names = names.join(", ");
        let message = format!("no agent was found on this machine; name one with --agent: {names}");
        anyhow::bail!(Error::BadInput(message));
    }
    let places = all_places(&hosts, args, settings)?;
    // Nothing is written where something cannot be.
    let mut done = Vec::new();
    for (host, place) in &places {
        done.push((*host, place, files::plan_init(place, &command)?));
    }
    if !args.dry_run {
        for (_, place, change) in &mut done {
            *change = files::init(place, &command)?;
        }
        // Made now, and not while an agent waits.
        settings.engine()?;
    }
    let wire = wire(&hosts, &done, |host| notes(host, args.here));
    ui.answer(&wire, || {
        let mut page = shown(&wire);
        if !wire.changed {
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
                 `uninstall` puts the files back.",
            ));
        }
        page
    })
}

pub(super) fn uninstall(
    args: &args::Init,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let hosts = chosen(args, |_| true);
    let places = all_places(&hosts, args, settings)?;
    let mut done = Vec::new();
    for (host, place) in &places {
        match files::plan_uninstall(place) {
            Ok(change) => done.push((*host, place, change)),
            // What cannot be read and does not speak of us keeps nobody from leaving elsewhere.
            Err(_) if hosts.len() > 1 && !speaks_of_us(place) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if !args.dry_run {
        for (_, place, change) in &mut done {
            *change = files::uninstall(place)?;
        }
    }
    let wire = wire(&hosts, &done, |_| Vec::new());
    ui.answer(&wire, || {
        let mut page = shown(&wire);
        page.push_str(&match (wire.changed, args.dry_run) {
            (false, _) => paint(DIM, "Not connected; nothing to change"),
            (true, true) => paint(WARN, "Nothing was written: --dry-run"),
            (true, false) => paint(GOOD, "Disconnected. What is remembered stays."),
        });
        page
    })
}

fn speaks_of_us(place: &Place) -> bool {
    let text = files::read(&place.path).ok().flatten();
    text.is_some_and(|text| text.contains("throughline"))
}

/// The agents that are meant.
fn chosen(args: &args::Init, is_here: impl Fn(Host) -> bool) -> Vec<Host> {
    match args.agent {
        Some(Which::One(host)) => vec![host],
        None if args.config.is_some() => vec![Host::ClaudeCode],
        Some(Which::All) | None => {
            Host::ALL.iter().copied().filter(|host| is_here(*host)).collect()
        }
    }
}

fn all_places(
    hosts: &[Host],
    args: &args::Init,
    settings: &Settings,
) -> anyhow::Result<Vec<(Host, Place)>> {
    if args.config.is_some() && hosts.len() > 1 {
        let message = "--config is one agent's folder; name the agent with --agent".to_owned();
        anyhow::bail!(Error::BadInput(message));
    }
    let mut all = Vec::new();
    for host in hosts {
        let found = if args.here {
            project_places(*host, &settings.context()?.project.root)
        } else {
            places(*host, &folders(*host, args.config.as_deref(), settings)?)
        };
        all.extend(found.into_iter().map(|place| (*host, place)));
    }
    Ok(all)
}

/// Where an agent keeps its things.
pub(super) fn folders(
    agent: Host,
    given: Option<&std::path::Path>,
    settings: &Settings,
) -> anyhow::Result<Folders> {
    agent.folders(&settings.environment.around, given).ok_or_else(|| {
        let message =
            format!("the settings of {} cannot be found; give --config DIR", agent.called());
        Error::BadInput(message).into()
    })
}

/// What the owner of an agent has to know once it is connected.
fn notes(host: Host, here: bool) -> Vec<&'static str> {
    match host {
        Host::ClaudeCode if here => {
            vec!["Claude Code asks each person once whether the server of `.mcp.json` may run."]
        }
        Host::ClaudeCode | Host::Gemini | Host::Opencode => Vec::new(),
        Host::Codex => vec![
            "Codex does not run hooks that you have not trusted, and `codex exec` does not say so: \
             start `codex`, open /hooks and trust them. The same again when `init` has changed them.",
        ],
        Host::Cursor => vec![
            "Cursor is connected by its documentation only: nobody has tested it. It hears what \
             memory has to say when a session begins and after a tool, not at a prompt.",
        ],
    }
}

fn wire(
    hosts: &[Host],
    done: &[(Host, &Place, Change)],
    notes: impl Fn(Host) -> Vec<&'static str>,
) -> WireInstall {
    let file = |(_, place, change): &(Host, &Place, Change)| {
        let mut events = change.added.clone();
        events.extend(change.updated.iter().chain(&change.removed).cloned());
        WireFile {
            settings: place.path.display().to_string(),
            changed: !change.is_empty(),
            events,
            diff: install::diff(&change.before, &change.after),
        }
    };
    let agents = hosts.iter().map(|host| {
        let files: Vec<_> = done.iter().filter(|one| one.0 == *host).map(file).collect();
        let changed = files.iter().any(|file| file.changed);
        WireAgent { agent: host.as_str(), changed, files, notes: notes(*host) }
    });
    let agents: Vec<_> = agents.collect();
    WireInstall { changed: agents.iter().any(|agent| agent.changed), agents }
}

/// What changes in which file, and what is to be known about it.
fn shown(wire: &WireInstall) -> String {
    let mut page = String::new();
    for agent in &wire.agents {
        for file in &agent.files {
            if !file.changed && wire.changed {
                continue;
            }
            page.push_str(&format!("{}\n", paint(BOLD, safe(&file.settings))));
            if file.changed {
                page.push_str(&safe(&file.diff));
                page.push('\n');
            }
        }
        for note in &agent.notes {
            page.push_str(&format!("{}\n", paint(WARN, note)));
        }
    }
    page
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
