//! `backup`, `restore`: whole copies of the database.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use throughline_core::text::plural;
use throughline_engine::{BackupCopy, Error, backups};

use crate::args;
use crate::settings::Settings;
use crate::ui::{DIM, GOOD, Ui, WARN, paint, safe};

/// Findings that a backup lists.
const DAMAGE_SHOWN: usize = 10;

#[derive(Debug, Serialize)]
struct WireBackup {
    file: String,
    bytes: u64,
    /// What is wrong with what was copied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<String>,
}

pub(super) fn backup(
    args: &args::Backup,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    if args.if_due {
        crate::worker::detach();
    }
    let engine = settings.engine()?;
    // A copy must not hold what was recognised as a secret since.
    super::take_out_secrets(settings, &engine)?;
    if args.if_due {
        engine.copying().roll_backup(settings.backup_keep)?;
        return Ok(ExitCode::SUCCESS);
    }
    let bar = ui.progress("copying");
    let wire = if let Some(file) = &args.file {
        let done = engine.copying().backup(file)?;
        let told = done.damage.iter().map(|one| format!("{}: {}", one.check, one.detail));
        WireBackup { file: shown(file), bytes: done.bytes, damaged: told.collect() }
    } else {
        let copy = engine.copying().backup_here(settings.backup_keep)?;
        WireBackup { file: shown(&copy.path), bytes: copy.bytes, damaged: Vec::new() }
    };
    bar.finish_and_clear();
    ui.answer(&wire, || {
        let size = wire.bytes.div_ceil(1_024);
        let mut page = paint(GOOD, format!("Copied {size} KiB to {}", safe(&wire.file)));
        if !wire.damaged.is_empty() {
            let warning =
                "the database is damaged, and so is this copy; `doctor` says how to repair it";
            page.push_str(&format!("\n{}", paint(WARN, warning)));
        }
        for one in wire.damaged.iter().take(DAMAGE_SHOWN) {
            page.push_str(&format!("\n  {}", safe(one)));
        }
        page
    })
}

#[derive(Debug, Serialize)]
struct WireRestored {
    restored: String,
    kept: String,
    erased_again: usize,
    erasures_unknown: bool,
}

pub(super) fn restore(
    args: &args::Restore,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let file = match (&args.file, args.latest) {
        (Some(file), _) => file.clone(),
        (None, true) => latest(settings)?,
        (None, false) => return list(settings, ui),
    };
    let bar = ui.progress("restoring");
    let done = throughline_engine::Copying::restore(&settings.home, settings.clock, &file)?;
    bar.finish_and_clear();
    let wire = WireRestored {
        restored: shown(&file),
        kept: shown(&done.kept),
        erased_again: done.erased_again,
        erasures_unknown: done.erasures_unknown,
    };
    ui.answer(&wire, || {
        let mut page = paint(GOOD, format!("Restored from {}", safe(&wire.restored)));
        let kept = format!("the previous database is in {}", safe(&wire.kept));
        page.push_str(&format!("\n{}", paint(DIM, kept)));
        if done.erased_again > 0 {
            let erased = plural(done.erased_again, "memory");
            page.push_str(&format!("\nerased again, because it had been erased before: {erased}"));
        }
        if done.erasures_unknown {
            let warning =
                "the list of what was erased could not be read: check whether the copy contains \
                 any of it";
            page.push_str(&format!("\n{}", paint(WARN, warning)));
        }
        page
    })
}

/// The latest copy that was made automatically, or else the latest there is.
fn latest(settings: &Settings) -> anyhow::Result<PathBuf> {
    let found = backups(&settings.home).into_iter().next();
    let none = || Error::NotPossible("there is no copy in the home; name a file".to_owned());
    Ok(found.ok_or_else(none)?.path)
}

#[derive(Debug, Serialize)]
struct WireCopies {
    backups: Vec<WireCopy>,
}

#[derive(Debug, Serialize)]
struct WireCopy {
    file: String,
    bytes: u64,
    /// The day, where it was made automatically.
    day: Option<String>,
}

fn list(settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let wire =
        |copy: BackupCopy| WireCopy { file: shown(&copy.path), bytes: copy.bytes, day: copy.day };
    let wire = WireCopies { backups: backups(&settings.home).into_iter().map(wire).collect() };
    ui.answer(&wire, || {
        if wire.backups.is_empty() {
            return paint(DIM, "there are no copies yet; `throughline backup` makes one");
        }
        let line = |copy: &WireCopy| {
            let day = copy.day.as_deref().unwrap_or("          ");
            format!("{day} {:>9} KiB  {}", copy.bytes.div_ceil(1_024), safe(&copy.file))
        };
        let mut lines: Vec<String> = wire.backups.iter().map(line).collect();
        lines
            .push(paint(DIM, "`restore FILE` restores one of them, `restore --latest` the newest"));
        lines.join("\n")
    })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
