//! `init`, `uninstall`, `patch`: connecting agents, and what probes hand in.

mod look;
mod program;
mod read_along;

pub(super) use look::{Connection, ConnectionState, connections};
pub(super) use program::check as program_check;

use std::process::ExitCode;

use anyhow::Context as _;
use serde::Serialize;
use throughline_agents::install::{
    self, BARE, SettingsChange, SettingsPlace, files, places, project_places,
};
use throughline_agents::{Folders, Host};
use throughline_core::{patch, text};
use throughline_engine::Error;

use crate::args::{self, Which};
use crate::settings::Settings;
use crate::ui::{BAD, BOLD, DIM, GOOD, Ui, WARN, done_or_failed, paint, safe};

/// What entries are called that are no events: our server, and a file of ours as a whole.
const SERVER: &str = "mcp";
const PLUGIN: &str = "plugin";

/// What is said of an agent that had nothing to do.
const ALREADY: &str = "connected already";

/// What is said where our program cannot be called by its name.
const NOT_FOUND: &str = "`throughline` is not on your PATH. Agents have its full path; add its folder \
                         to your PATH to call it by its name yourself.\n";
const NOT_FOUND_HERE: &str = "`throughline` is not on your PATH, and the files of a project call it \
                              by its name: add its folder to your PATH.\n";

/// What may be done next.
const FURTHER: &str = "`throughline ingest --past` imports past sessions; `doctor` checks the connection; \
                       `uninstall` restores the files.";

/// How wide the columns of a summary are: the longest name, the longest word.
const NAME: usize = 11;
const DONE: usize = 12;

/// Bytes of a patch at most.
const PATCH_BYTES_MAX: usize = 1 << 20;

#[derive(Debug, Serialize)]
struct WireInstall {
    changed: bool,
    /// The project that the current folder could be joined to.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<String>,
    agents: Vec<WireAgent>,
    /// Rules of the project's flat memory files that were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    rules_read: Option<usize>,
    /// Copies of settings that were left, because they hold something that is not there any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    copies: Vec<String>,
}

impl WireInstall {
    fn exit_code(&self) -> ExitCode {
        done_or_failed(self.agents.iter().all(|agent| agent.error.is_none()))
    }
}

#[derive(Debug, Serialize)]
struct WireAgent {
    agent: &'static str,
    #[serde(skip)]
    called: &'static str,
    changed: bool,
    files: Vec<WireFile>,
    /// Why it was left as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
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
    asked: &args::Connect,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let args = &asked.which;
    let program = program::own(&settings.environment.around)?;
    // What is shared with others says nothing about this machine.
    let command =
        if args.here { BARE.to_owned() } else { program.path.to_string_lossy().into_owned() };
    let hosts = chosen(args, |host| host.is_here(&settings.environment.around));
    if hosts.is_empty() {
        let names: Vec<_> = Host::ALL.iter().map(|host| host.as_str()).collect();
        anyhow::bail!(Error::Needs {
            why: "no agent was found on this machine".to_owned(),
            hint: format!("name one with --agent: {}", names.join(", ")),
        });
    }
    let places = all_places(&hosts, args, settings)?;
    let (mut done, mut failed) = (Vec::new(), Vec::new());
    for host in &hosts {
        let of_host = places.iter().filter(|(of, _)| of == host).map(|(_, place)| place);
        match connect(of_host, &command, args.dry_run) {
            Ok(changes) => done.extend(changes.into_iter().map(|(at, what)| (*host, at, what))),
            // One agent whose settings cannot be changed keeps nobody from connecting the others.
            Err(error) if hosts.len() > 1 => failed.push((*host, error)),
            Err(error) => return Err(error),
        }
    }
    if !args.dry_run {
        // Made now, and not while an agent waits.
        settings.engine()?;
    }
    let mut wire = wire(&hosts, &done, &failed, |host| notes(host, args.here));
    if !args.dry_run && !settings.is_off() {
        wire.rules_read = read_flat_files(settings);
    }
    let reads_along = read_along::told_about(asked, &hosts, settings, ui)?;
    let project = settings.context().ok().map(|context| context.project);
    wire.waits_for = project.and_then(|one| one.waits_for().map(ToString::to_string));
    ui.answer(&wire, || {
        if !wire.changed {
            let page = summary(&wire, "", Some(ALREADY));
            let (waits, close) = (waits_line(&wire), paint(GOOD, "Nothing to change."));
            return format!("{page}{}{waits}{reads_along}{close}", failures(&wire));
        }
        if args.dry_run {
            let mut page = diffs(&wire);
            page.push_str(&failures(&wire));
            page.push_str(&warnings(&wire));
            page.push_str(&paint(WARN, "Nothing was written: --dry-run"));
            return page;
        }
        // What was written first; what it comes to stands last, where people look.
        let mut page = diffs(&wire);
        page.push_str(&summary(&wire, "connected", Some(ALREADY)));
        page.push_str(&paint(GOOD, "Connected."));
        page.push_str(" What you decide, correct and prefer is kept from the next session on.\n");
        page.push_str(&failures(&wire));
        page.push_str(&warnings(&wire));
        page.push_str(&waits_line(&wire));
        if !program.on_path {
            page.push_str(&paint(WARN, if args.here { NOT_FOUND_HERE } else { NOT_FOUND }));
        }
        page + &rules_line(&wire) + &reads_along + &paint(DIM, FURTHER)
    })?;
    Ok(wire.exit_code())
}

/// That this folder claims another one's project, and how it is joined. Agents that are connected
/// already do not make that known.
fn waits_line(wire: &WireInstall) -> String {
    let told = wire.waits_for.as_deref().map(|key| {
        let here = super::project::waiting(key);
        paint(WARN, format!("Memory is not used in this folder yet: {here}.\n"))
    });
    told.unwrap_or_default()
}

/// What was read of the project's flat memory files, in a line.
fn rules_line(wire: &WireInstall) -> String {
    let rules = wire.rules_read.map(|rules| text::plural(rules, "rule"));
    let told = rules.map(|rules| format!("Read {rules} from this project's files for agents.\n"));
    told.unwrap_or_default()
}

/// Reads the project's flat memory files, and says how many of their rules are new. What fails here is read when the
/// next session begins.
fn read_flat_files(settings: &Settings) -> Option<usize> {
    let (engine, context) = (settings.engine().ok()?, settings.context().ok()?);
    let seeded = engine.keeping(&context).seed(None).ok()?;
    (seeded.added > 0).then_some(seeded.added)
}

/// Puts us into the settings of one agent, or says what that would change. Nothing is written where
/// one of its files cannot be.
fn connect<'a>(
    places: impl Iterator<Item = &'a SettingsPlace>,
    command: &str,
    dry_run: bool,
) -> anyhow::Result<Vec<(&'a SettingsPlace, SettingsChange)>> {
    let mut changes = Vec::new();
    for place in places {
        changes.push((place, files::plan_init(place, command)?));
    }
    if !dry_run {
        for (place, change) in &mut changes {
            *change = files::init(place, command)?;
        }
    }
    Ok(changes)
}

pub(super) fn uninstall(
    args: &args::Init,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let hosts = chosen(args, |_| true);
    let places = all_places(&hosts, args, settings)?;
    let (mut done, mut failed): (Vec<_>, Vec<(Host, anyhow::Error)>) = Default::default();
    for (host, place) in &places {
        let change = files::plan_uninstall(place);
        let change =
            if args.dry_run { change } else { change.and_then(|_| files::uninstall(place)) };
        match change {
            Ok(change) => done.push((*host, place, change)),
            // What cannot be read and does not speak of us has nothing to give back.
            Err(_) if hosts.len() > 1 && !speaks_of_us(place) => {}
            Err(error) if hosts.len() > 1 => failed.push((*host, error.into())),
            Err(error) => return Err(error.into()),
        }
    }
    let mut wire = wire(&hosts, &done, &failed, |_| Vec::new());
    if !args.dry_run {
        let left = places.iter().flat_map(|(_, place)| files::copies(&place.path));
        wire.copies = left.map(|copy| copy.display().to_string()).collect();
    }
    ui.answer(&wire, || {
        let page = match (wire.changed, args.dry_run) {
            (false, _) => paint(DIM, "Not connected; nothing to change"),
            (true, true) => {
                format!("{}{}", diffs(&wire), paint(WARN, "Nothing was written: --dry-run"))
            }
            (true, false) => {
                let done = paint(GOOD, "Disconnected. Your memories are kept.");
                format!("{}{done}", summary(&wire, "disconnected", None))
            }
        };
        let mut page = format!("{page}\n{}", failures(&wire));
        for copy in &wire.copies {
            let left =
                "the copy from before `init` differs from the file as it is now, so it was kept:";
            page.push_str(&format!("{left} {}\n", safe(copy)));
        }
        page
    })?;
    Ok(wire.exit_code())
}

fn speaks_of_us(place: &SettingsPlace) -> bool {
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
) -> anyhow::Result<Vec<(Host, SettingsPlace)>> {
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
             start `codex`, open /hooks and trust them. Do it again whenever `init` changes them.",
        ],
        Host::Cursor => vec![
            "Cursor is connected as its documentation describes, untested. It receives memories \
             when a session begins and after a tool runs, not at a prompt.",
        ],
    }
}

fn wire(
    hosts: &[Host],
    done: &[(Host, &SettingsPlace, SettingsChange)],
    failed: &[(Host, anyhow::Error)],
    notes: impl Fn(Host) -> Vec<&'static str>,
) -> WireInstall {
    let file = |(_, place, change): &(Host, &SettingsPlace, SettingsChange)| {
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
        WireAgent {
            agent: host.as_str(),
            called: host.called(),
            changed,
            files,
            error: failed.iter().find(|one| one.0 == *host).map(|one| format!("{:#}", one.1)),
            notes: notes(*host),
        }
    });
    let agents: Vec<_> = agents.collect();
    WireInstall {
        changed: agents.iter().any(|agent| agent.changed),
        waits_for: None,
        rules_read: None,
        agents,
        copies: Vec::new(),
    }
}

/// What changes in which file, line by line.
fn diffs(wire: &WireInstall) -> String {
    let mut page = String::new();
    let changed = wire.agents.iter().flat_map(|agent| &agent.files).filter(|file| file.changed);
    for file in changed {
        page.push_str(&format!("{}\n", paint(BOLD, safe(&file.settings))));
        if file.events == [PLUGIN] {
            let lines = file.diff.lines().filter(|line| !line.starts_with("@@")).count();
            let lines = text::plural(lines, "line");
            page.push_str(&format!("a new file of Throughline's own, {lines}\n\n"));
        } else {
            page.push_str(&format!("{}\n", safe(&file.diff)));
        }
    }
    page
}

/// What was done about each agent, a line for each of its files; and what is said of one that had
/// nothing to do.
fn summary(wire: &WireInstall, done: &str, otherwise: Option<&str>) -> String {
    let mut page = String::new();
    for agent in &wire.agents {
        let changed: Vec<_> = agent.files.iter().filter(|file| file.changed).collect();
        for (number, file) in changed.iter().enumerate() {
            // The name stands once.
            let (name, done) = if number == 0 { (agent.called, done) } else { ("", "") };
            let (name, width) = (paint(BOLD, format!("{name:NAME$}")), done.len());
            let what = parts_of(&file.events);
            let at = paint(DIM, safe(&file.settings));
            let gap = " ".repeat(DONE.saturating_sub(width));
            page.push_str(&format!("{name} {}{gap} {what} in {at}\n", paint(GOOD, done)));
        }
        if let Some(words) = otherwise.filter(|_| changed.is_empty() && agent.error.is_none()) {
            let name = paint(BOLD, format!("{:NAME$}", agent.called));
            page.push_str(&format!("{name} {words}\n"));
        }
    }
    page.push('\n');
    page
}

/// The agents that were left as they are, and why.
fn failures(wire: &WireInstall) -> String {
    let failed = wire.agents.iter().filter_map(|agent| Some((agent.called, agent.error.as_ref()?)));
    let line = |(name, why): (&str, &String)| {
        format!("{} {name} was left as it is: {}\n", paint(BAD, "error:"), safe(why))
    };
    failed.map(line).collect()
}

/// What the owners of agents have to know.
fn warnings(wire: &WireInstall) -> String {
    let notes = wire.agents.iter().flat_map(|agent| &agent.notes);
    notes.map(|note| format!("{}\n", paint(WARN, note))).collect()
}

/// Entries of ours in words: "9 hooks and the MCP server".
pub(super) fn parts_of(events: &[String]) -> String {
    let hooks = events.iter().filter(|event| *event != SERVER && *event != PLUGIN).count();
    let mut parts = Vec::new();
    if hooks > 0 {
        parts.push(text::plural(hooks, "hook"));
    }
    if events.iter().any(|event| event == PLUGIN) {
        parts.push("the plugin".to_owned());
    }
    if events.iter().any(|event| event == SERVER) {
        parts.push("the MCP server".to_owned());
    }
    parts.join(" and ")
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
    let mut text = if args.file.as_os_str() == "-" {
        super::from_stdin()?
    } else {
        let bytes = std::fs::read(&args.file).with_context(|| args.file.display().to_string())?;
        String::from_utf8(bytes)
            .map_err(|_| Error::BadInput("the patch is not UTF-8".to_owned()))?
    };
    if text.len() > PATCH_BYTES_MAX {
        let message = format!("the patch has {} bytes; {PATCH_BYTES_MAX} at most", text.len());
        anyhow::bail!(Error::BadInput(message));
    }
    let (engine, context) = (settings.engine()?, settings.context()?);
    engine.clean_texts(&context, [&mut text]);
    let reading = patch::read(&text);
    let applied = engine.keeping(&context).apply_reading(&reading, args.voice)?;
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
