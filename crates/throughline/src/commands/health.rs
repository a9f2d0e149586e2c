//! `status`, `stats`, `doctor`: how memory is doing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde::Serialize;
use throughline_core::text::{agree, plural};
use throughline_core::watermark::Tally;
use throughline_engine::{
    Check, CheckOutcome, Context, Engine, Error, Filter, Journal, JournalQueue, TOLD_DAYS,
    WaitingForSleep, Wanted, backups, free_bytes, lost_since, unwritable,
};

use super::agents::{Connection, ConnectionState, connections, program_check};
use crate::args;
use crate::settings::{ConfigFile, Off, Settings};
use crate::ui::{BAD, BOLD, DIM, GOOD, Ui, WARN, done_or_failed, paint, safe};

#[derive(Debug, Serialize)]
struct WireStatus {
    version: &'static str,
    enabled: bool,
    /// What switched memory off, and how it is switched on again.
    #[serde(skip_serializing_if = "Option::is_none")]
    off: Option<Off>,
    home: String,
    project: String,
    project_key: String,
    /// The project that this folder's repository says it is, and that it was not joined to.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<String>,
    /// The project that this folder was while its repository had another origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    scope: &'static str,
    memories: usize,
    active: usize,
    last_change: Option<String>,
    database_bytes: u64,
    wal_bytes: u64,
    schema: u32,
    sqlite: String,
    extraction: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    llm: Option<super::model::WireModel>,
    /// Turns that were captured, times that something was put in front of an agent, and operations
    /// that wait for a person.
    turns: u64,
    injections: u64,
    waiting: u64,
    /// What agents told and memory has not taken in yet, and in how many sessions.
    queue: usize,
    queue_sessions: usize,
    /// The server that holds the memory, with its version and the role we have there.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    /// Turns that sleep has not gone over yet.
    sleep_waits: u64,
    /// Memories that it has not gone over yet.
    sleep_waits_memories: u64,
    /// Texts of the project that are found by their words only, until they have a vector.
    without_vector: usize,
    /// How each agent that we know stands to us.
    agents: Vec<Connection>,
    #[serde(flatten)]
    disk: WireDisk,
}

/// Where the space goes, and whether there is more.
#[derive(Debug, Serialize)]
struct WireDisk {
    /// Bytes of the parts of the database, of the journals and of the copies in the home.
    space: BTreeMap<&'static str, u64>,
    free_bytes: Option<u64>,
    /// Why nothing can be written, if that is so.
    unwritable: Option<String>,
    backups: usize,
    last_backup: Option<String>,
    /// Turns of the last days that could not be kept.
    lost_turns: usize,
    /// Erasures that were cut short.
    unfinished_erasures: usize,
}

impl WireDisk {
    fn of(settings: &Settings, engine: &Engine) -> anyhow::Result<Self> {
        let home = &settings.home;
        let copies = backups(home);
        let mut space = engine.checking().space()?;
        space.insert("backups", copies.iter().map(|copy| copy.bytes).sum());
        space.insert("journal", Journal::new(home).bytes());
        let since = settings.clock.now().plus_days(-LOST_DAYS);
        Ok(Self {
            space,
            free_bytes: free_bytes(home),
            unwritable: unwritable(home).map(|why| why.to_string()),
            backups: copies.len(),
            last_backup: copies.iter().find_map(|copy| copy.day.clone()),
            lost_turns: lost_since(home, since).len(),
            // A tombstone that cannot be read is named by `doctor`.
            unfinished_erasures: engine.erasing().unfinished_erasures().unwrap_or(0),
        })
    }

    /// What takes the space: the database with its parts, and what lies beside it.
    fn parts(&self, database: u64) -> String {
        let mut parts: Vec<_> = self.space.iter().filter(|(_, bytes)| **bytes > 0).collect();
        parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(**bytes));
        let part = |(what, bytes): &(&&str, &u64)| format!("{what} {}", bytes.div_ceil(1_024));
        let (beside, within): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(what, _)| ["backups", "journal"].contains(*what));
        let [beside, within] = [beside, within].map(|parts| parts.iter().map(part).collect());
        let (beside, within): (Vec<String>, Vec<String>) = (beside, within);
        let mut told = format!("{} KiB", database.div_ceil(1_024));
        if !within.is_empty() {
            told.push_str(&format!(" ({})", within.join(", ")));
        }
        if !beside.is_empty() {
            told.push_str(&format!("; beside it {} KiB", beside.join(", ")));
        }
        told.extend(self.last_backup.iter().map(|day| format!("; copied on {day}")));
        told
    }

    /// What a person should know, by the name of the line.
    fn trouble(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        if let Some(why) = &self.unwritable {
            lines.push((
                "disk",
                format!("nothing can be written: {}; `doctor` says more", safe(why)),
            ));
        }
        if self.unfinished_erasures > 0 {
            let (what, them) = match self.unfinished_erasures {
                1 => ("an erasure was".to_owned(), "it"),
                several => (format!("{several} erasures were"), "them"),
            };
            let line = format!("{what} interrupted: `throughline doctor --mend` finishes {them}");
            lines.push(("erasing", line));
        }
        if self.lost_turns > 0 {
            let lost = plural(self.lost_turns, "turn");
            lines.push(("lost", format!("{lost} could not be kept: `doctor` says why")));
        }
        lines
    }
}

/// Days for which it is told that something was lost.
const LOST_DAYS: f64 = 7.0;
/// So long the store may take to say how it stands: that it does not answer is worth knowing, too.
const STATUS_LIMIT: Duration = Duration::from_secs(5);

pub(super) fn status(settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let engine = settings.engine().map_err(|error| with_queue(error, settings))?;
    let engine = engine.in_time(Instant::now(), STATUS_LIMIT);
    let wire = standing(settings, &engine, &settings.context()?);
    let wire = wire.map_err(|error| with_queue(error, settings))?;
    ui.answer(&wire, || wire.in_words())
}

/// A server that does not answer, told with what waits for it in the journals.
fn with_queue(error: anyhow::Error, settings: &Settings) -> anyhow::Error {
    let queue = Journal::new(&settings.home).queue();
    match error.downcast::<Error>() {
        Ok(error) if queue.turns > 0 => error.with_queue(queue).into(),
        Ok(error) => error.into(),
        Err(error) => error,
    }
}

/// The answer of `status`, for another door.
#[cfg(feature = "server")]
pub(super) fn status_of(
    settings: &Settings,
    engine: &Engine,
    context: &Context,
) -> anyhow::Result<serde_json::Value> {
    Ok(serde_json::to_value(standing(settings, engine, context)?)?)
}

/// Where memory is kept and how much there is.
fn standing(settings: &Settings, engine: &Engine, context: &Context) -> anyhow::Result<WireStatus> {
    let health = engine.checking().health()?;
    let count = |all: bool| -> anyhow::Result<usize> {
        let filter = Filter { all, limit: Some(0), ..Filter::default() };
        Ok(engine.looking(context).list(&*engine.now_reader()?, &filter)?.total)
    };
    let last = engine.looking(context).log(None, 1)?;
    let counts = engine.checking().counts(context, false)?;
    let counted = |name: &str| counts.get(name).copied().unwrap_or(0);
    let queue = Journal::new(&settings.home).queue();
    let sleep = engine.sleeping(context).waiting_for_sleep()?;
    // A server's texts are its own affair, and `doctor` asks it.
    let without_vector = match health.server {
        Some(_) => 0,
        None => engine.vectors().waiting_in(context.project.space())?,
    };
    Ok(WireStatus {
        version: env!("CARGO_PKG_VERSION"),
        enabled: !settings.is_off(),
        off: settings.off(),
        home: settings.home.display().to_string(),
        project: context.project.name.clone(),
        project_key: context.project.key.to_string(),
        waits_for: context.project.waits_for().map(ToString::to_string),
        was: settings.roots().before(&context.project).map(|key| key.to_string()),
        scope: context.level.as_str(),
        memories: count(true)?,
        active: count(false)?,
        last_change: last.first().map(|stored| stored.batch.at.to_string()),
        database_bytes: health.bytes,
        wal_bytes: health.wal_bytes,
        schema: health.schema,
        sqlite: health.sqlite_version,
        extraction: if settings.models.llm_name().is_some() { "rules and model" } else { "rules" },
        llm: super::model::status(settings, engine)?,
        turns: counted("capture turns"),
        injections: engine.looking(context).told(&Wanted::default())?.1 as u64,
        waiting: counted("pending"),
        queue: queue.turns,
        queue_sessions: queue.sessions,
        server: health.server,
        sleep_waits: sleep.turns,
        sleep_waits_memories: sleep.memories,
        without_vector,
        agents: connections(settings),
        disk: WireDisk::of(settings, engine)?,
    })
}

impl WireStatus {
    fn in_words(&self) -> String {
        let mut page = String::new();
        let mut line = |name: &str, value: String| {
            // Two spaces set a label off: what does not fit goes on under its text.
            writeln!(page, "{}  {value}", paint(DIM, format!("{name:>9}")))
                .expect("writing to a String cannot fail");
        };
        if let Some(off) = &self.off {
            line("off", paint(WARN, format!("{}; {}", off.why, off.hint)));
        }
        line("project", format!("{} ({})", safe(&self.project), safe(&self.project_key)));
        if let Some(key) = &self.waits_for {
            line("join", super::project::waiting(key));
        } else if let Some(key) = &self.was {
            line("join", super::project::moved(key));
        }
        line("memories", format!("{} current, {} in all", self.active, self.memories));
        line("captured", plural(self.turns, "turn"));
        let told = plural(self.injections, "time");
        line("told", format!("{told} in {TOLD_DAYS} days: `throughline told`"));
        if self.waiting > 0 {
            line("waiting", format!("{} for you: `throughline review`", self.waiting));
        }
        if self.queue > 0 {
            let queue = JournalQueue { turns: self.queue, sessions: self.queue_sessions };
            line("queue", format!("{queue} to be taken in"));
        }
        let waiting =
            WaitingForSleep { turns: self.sleep_waits, memories: self.sleep_waits_memories };
        if waiting.anything() {
            let wait = agree(waiting.turns + waiting.memories, "waits", "wait");
            line("sleep", format!("{waiting} {wait}: `throughline sleep`"));
        }
        if self.without_vector > 0 {
            let texts = plural(self.without_vector, "text");
            let are = agree(self.without_vector, "is", "are");
            line("vectors", format!("{texts} {are} found by words only: `throughline sleep`"));
        }
        if let Some(llm) = &self.llm {
            line("model", llm.line());
        }
        let here = self.agents.iter().filter(|one| one.state != ConnectionState::NotInstalled);
        let here: Vec<String> = here.map(|one| safe(&one.words())).collect();
        if !here.is_empty() {
            let connected = self.agents.iter().any(|one| one.state == ConnectionState::Connected);
            let hint = if connected { "" } else { " (`throughline init` connects them)" };
            line("agents", format!("{}{hint}", here.join("; ")));
        }
        line("changed", self.last_change.clone().unwrap_or_else(|| "never".to_owned()));
        line("home", safe(&self.home));
        line("size", self.disk.parts(self.database_bytes + self.wal_bytes));
        for (name, value) in self.disk.trouble() {
            line(name, value);
        }
        let kept = match &self.server {
            Some(server) => safe(server),
            None => format!("SQLite {}", self.sqlite),
        };
        line("version", format!("{} (schema {}, {kept})", self.version, self.schema));
        page
    }
}

pub(super) fn stats(
    args: &args::Stats,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let counts = engine.checking().counts(&context, args.all)?;
    let groups = throughline_view::counts_by_group(&counts);
    let turns = counts.get("capture turns").copied().unwrap_or(0);
    let share = |name: &str, of: f64| throughline_view::share_of_turns(&counts, name, of);
    let (bindings, tally) = engine.watching(&context).tally()?;
    let metrics = engine.checking().metrics(&context)?;
    let wire = throughline_view::stats(&counts, bindings, tally, &metrics);
    ui.answer(&wire, || {
        if groups.is_empty() {
            return paint(DIM, "nothing is remembered yet");
        }
        let mut page = String::new();
        for (group, members) in &groups {
            writeln!(page, "{}", paint(BOLD, group)).expect("writing to a String cannot fail");
            for (member, count) in members {
                writeln!(page, "{count:>9}  {member}").expect("writing to a String cannot fail");
            }
        }
        if bindings > 0 {
            page.push_str(&confusion(bindings, tally));
        }
        if turns > 0 {
            let noticed = share("capture noticed", 100.0).min(100.0);
            let noticed = format!("{noticed:.0} %");
            let probes = share("capture probes", 60.0);
            writeln!(page, "{}", paint(BOLD, "gate")).expect("writing to a String cannot fail");
            writeln!(
                page,
                "{noticed:>9}  of turns hold something worth a closer look\n{probes:>9.0}  closer \
                 looks (probes) for every 60 turns"
            )
            .expect("writing to a String cannot fail");
        }
        page.push_str(&super::metrics::page(&metrics));
        page
    })
}

/// How often what a memory is tied to moved, against how often the memory turned out changed.
fn confusion(bindings: usize, tally: Tally) -> String {
    let rows = [("moved", tally.hits, tally.false_alarms), ("still", tally.misses, tally.quiet)];
    let mut page = format!("{}\n{bindings:>9}  bindings\n", paint(BOLD, "watermarks"));
    writeln!(page, "{:>9}  {:>8} {:>8}", "", "changed", "held")
        .expect("writing to a String cannot fail");
    for (name, changed, held) in rows {
        writeln!(page, "{name:>9}  {changed:>8} {held:>8}")
            .expect("writing to a String cannot fail");
    }
    page
}

/// What is wrong with the settings file, if something is.
fn settings_checks(settings: &Settings) -> Vec<Check> {
    let mut checks = Vec::new();
    let file = ConfigFile::read(&settings.home).ok();
    if let Some(problem) = &settings.problem {
        let how = match &file {
            Some(_) => "`throughline config set` corrects a value",
            None => "correct it with an editor",
        };
        let hint = format!(
            "until it is corrected, unreadable settings have their defaults and no model is \
             asked; {how}"
        );
        checks.push(Check::wrong("settings", problem.clone(), &hint));
    }
    for key in file.iter().flat_map(ConfigFile::unknown) {
        let detail = format!(
            "{} contains {key}, which is not a setting",
            ConfigFile::path(&settings.home).display()
        );
        let hint = "it has no effect; `throughline config` lists the settings";
        checks.push(Check::note("settings", detail, hint));
    }
    checks
}

#[derive(Debug, Serialize)]
struct WireDoctor {
    ok: bool,
    checks: Vec<WireCheck>,
}

#[derive(Debug, Serialize)]
struct WireCheck {
    name: String,
    outcome: &'static str,
    detail: String,
    hint: Option<String>,
}

pub(super) fn doctor(
    args: &args::Doctor,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    if args.mend {
        // What cannot be mended is named below.
        settings.roots().mend().ok();
        let bar = ui.progress("rebuilding from the log");
        throughline_engine::Copying::mend(&settings.home, settings.clock, &mut |done| {
            bar.set_position(done as u64);
        })?;
        super::take_out_secrets(settings, &settings.engine()?)?;
        settings
            .engine()?
            .checking()
            .embed_everything(&mut |done| bar.set_position(done as u64))?;
        bar.finish_and_clear();
    }
    if args.reindex {
        let bar = ui.progress("embedding texts");
        let engine = settings.engine_with_services()?;
        engine.checking().reindex(&mut |done| bar.set_position(done as u64))?;
        // The services' vectors too: a worker makes them, with its own progress.
        crate::worker::note(settings, true);
        crate::worker::start_if_wanted(settings, settings.clock.now());
        bar.finish_and_clear();
    }
    let bar = ui.progress("checking");
    let checks = checks(settings, args.rebuild_check, args.llm);
    bar.finish_and_clear();
    let wire = WireDoctor::from(&checks[..]);
    let ok = wire.ok;
    ui.answer(&wire, || {
        let mut page = String::new();
        for check in &checks {
            let mark = match check.outcome {
                CheckOutcome::Fine => paint(GOOD, "fine "),
                CheckOutcome::Note => paint(WARN, "note "),
                CheckOutcome::Wrong => paint(BAD, "wrong"),
            };
            writeln!(page, "{mark}  {}: {}", paint(BOLD, &check.name), safe(&check.detail))
                .expect("writing to a String cannot fail");
            if let Some(hint) = &check.hint {
                writeln!(page, "       {}", paint(DIM, hint))
                    .expect("writing to a String cannot fail");
            }
        }
        page
    })?;
    Ok(done_or_failed(ok))
}

/// The answer of `doctor`, for another door.
#[cfg(feature = "server")]
pub(super) fn doctor_of(settings: &Settings) -> anyhow::Result<serde_json::Value> {
    Ok(serde_json::to_value(WireDoctor::from(&checks(settings, false, false)[..]))?)
}

impl From<&[Check]> for WireDoctor {
    fn from(checks: &[Check]) -> Self {
        let ok = checks.iter().all(|check| check.outcome != CheckOutcome::Wrong);
        let told = |check: &Check| WireCheck {
            name: check.name.clone(),
            outcome: match check.outcome {
                CheckOutcome::Fine => "fine",
                CheckOutcome::Note => "note",
                CheckOutcome::Wrong => "wrong",
            },
            detail: check.detail.clone(),
            hint: check.hint.clone(),
        };
        Self { ok, checks: checks.iter().map(told).collect() }
    }
}

/// Everything that is looked at.
fn checks(settings: &Settings, rebuild: bool, llm: bool) -> Vec<Check> {
    let off = settings.off().map(|off| Check::note("memory", off.why, &off.hint));
    let mut checks: Vec<Check> = off.into_iter().collect();
    checks.extend(throughline_engine::Checking::doctor(&settings.home, settings.clock, rebuild));
    checks.extend(settings_checks(settings));
    checks.extend(super::project::check(settings));
    checks.push(program_check(&settings.environment.around));
    checks.extend(connections(settings).iter().map(Connection::check));
    checks.extend(super::model::checks(settings, llm));
    checks
}
