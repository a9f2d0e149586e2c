//! `status`, `stats`, `doctor`: how memory is doing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;
use throughline_engine::{Engine, Filter, Outcome};

use crate::args;
use crate::settings::Settings;
use crate::ui::{BAD, BOLD, DIM, GOOD, Ui, WARN, paint, safe};

#[derive(Debug, Serialize)]
struct WireStatus {
    version: &'static str,
    home: String,
    project: String,
    project_key: String,
    scope: &'static str,
    memories: usize,
    active: usize,
    last_change: Option<String>,
    database_bytes: u64,
    wal_bytes: u64,
    schema: u32,
    sqlite: String,
    extraction: &'static str,
}

pub(super) fn status(settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let health = engine.health()?;
    let count = |all: bool| -> anyhow::Result<usize> {
        let filter = Filter { all, limit: Some(0), ..Filter::default() };
        Ok(engine.list(&*engine.now_reader()?, &context, &filter)?.total)
    };
    let last = engine.log(&context, None, 1)?;
    let wire = WireStatus {
        version: env!("CARGO_PKG_VERSION"),
        home: settings.home.display().to_string(),
        project: context.project.name.clone(),
        project_key: context.project.key.clone(),
        scope: context.level.as_str(),
        memories: count(true)?,
        active: count(false)?,
        last_change: last.first().map(|stored| stored.batch.at.to_string()),
        database_bytes: health.bytes,
        wal_bytes: health.wal_bytes,
        schema: health.schema,
        sqlite: health.sqlite_version.clone(),
        extraction: "by hand",
    };
    ui.answer(&wire, || {
        let mut page = String::new();
        let mut line = |name: &str, value: String| {
            writeln!(page, "{} {value}", paint(DIM, format!("{name:>9}")))
                .expect("writing to a String cannot fail");
        };
        line("project", format!("{} ({})", safe(&wire.project), safe(&wire.project_key)));
        line("memories", format!("{} held of {}, within reach", wire.active, wire.memories));
        line("changed", wire.last_change.clone().unwrap_or_else(|| "never".to_owned()));
        line("home", safe(&wire.home));
        line("size", format!("{} KiB", (health.bytes + health.wal_bytes).div_ceil(1_024)));
        line(
            "version",
            format!("{} (schema {}, SQLite {})", wire.version, wire.schema, wire.sqlite),
        );
        page
    })
}

pub(super) fn stats(
    args: &args::Stats,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let counts = engine.counts(&context, args.all)?;
    let mut groups: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for (name, count) in &counts {
        let (group, member) = name.split_once(' ').unwrap_or(("rows", name));
        groups.entry(group).or_default().insert(member, *count);
    }
    ui.answer(&groups, || {
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
        page
    })
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
    if args.reindex {
        let bar = ui.progress("embedding texts");
        settings.engine()?.reindex(&mut |done| bar.set_position(done as u64))?;
        bar.finish_and_clear();
    }
    let bar = ui.progress("checking");
    let checks = Engine::doctor(&settings.home, settings.clock, args.rebuild_check);
    bar.finish_and_clear();
    let ok = checks.iter().all(|check| check.outcome != Outcome::Wrong);
    let wire = WireDoctor {
        ok,
        checks: checks
            .iter()
            .map(|check| WireCheck {
                name: check.name.clone(),
                outcome: match check.outcome {
                    Outcome::Fine => "fine",
                    Outcome::Note => "note",
                    Outcome::Wrong => "wrong",
                },
                detail: check.detail.clone(),
                hint: check.hint.clone(),
            })
            .collect(),
    };
    ui.answer(&wire, || {
        let mut page = String::new();
        for check in &checks {
            let mark = match check.outcome {
                Outcome::Fine => paint(GOOD, "fine "),
                Outcome::Note => paint(WARN, "note "),
                Outcome::Wrong => paint(BAD, "wrong"),
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
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
