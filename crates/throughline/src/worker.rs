//! The worker: does what nobody waits for, in a process of its own that ends when it is idle.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use throughline_core::Timestamp;
use throughline_engine::{
    Context, DEEP_BESIDE_MAX, DeepDue, Engine, QUICKLY_REWRITTEN, has_late_secrets, is_older,
    late_secrets_wait, want_work, worker_wanted,
};

use crate::settings::Settings;

/// Whether something that happened leaves work, and somebody is there to do it. Noted for whoever
/// starts the worker.
pub(crate) fn note(settings: &Settings, new: bool) {
    if new && settings.models.any() {
        want_work(&settings.home);
    }
}

/// Starts a worker if there is something to do and nobody is at it: away from whoever called, and
/// not waited for. Where two start one at once, one of them ends at once.
pub(crate) fn start_if_wanted(settings: &Settings, now: Timestamp) -> Option<Child> {
    // An agent that we started ourselves must not start us.
    let may = settings.models.any() && !settings.environment.inside;
    if may && worker_wanted(&settings.home, now) { start(&settings.home) } else { None }
}

/// The same for whoever stays: its end is waited for, beside, so that nothing is left of it.
pub(crate) fn start_and_see_off(settings: &Settings, now: Timestamp) {
    if let Some(mut worker) = start_if_wanted(settings, now) {
        std::thread::spawn(move || worker.wait());
    }
}

/// A database of so many bytes is copied in less time than the end of a session leaves.
const QUICKLY_COPIED: u64 = 8 << 20;

/// Makes the copy of the day, if it is time for it: at once, or in a process of its own where that takes long.
pub(crate) fn back_up(settings: &Settings, engine: &Engine) -> Option<Child> {
    if settings.backup_keep == 0 || !engine.copying().is_backup_due().unwrap_or(false) {
        return None;
    }
    // What cannot be copied now is copied after the next session.
    if engine.checking().health().is_ok_and(|health| health.bytes < QUICKLY_COPIED) {
        engine.copying().roll_backup(settings.backup_keep).ok();
        return None;
    }
    if settings.environment.inside {
        return None;
    }
    start_with(&settings.home, &["backup", "--if-due"])
}

/// Takes out of what was kept what was recognised as a secret only now: at once, or in a process of its own
/// where that takes long. Says whether there was anything.
pub(crate) fn take_out_secrets(settings: &Settings, engine: &Engine, context: &Context) -> bool {
    if !has_late_secrets(&settings.home) {
        return false;
    }
    let bytes = engine.checking().health().map_or(u64::MAX, |health| health.bytes);
    let quickly = bytes < QUICKLY_REWRITTEN && !late_secrets_wait(&settings.home);
    if quickly || settings.environment.inside {
        // What is cut off or fails here is done by the next hook.
        engine.erasing().take_out_late(context).ok();
    } else {
        start_with(&settings.home, &["backup", "--if-due"]);
    }
    true
}

/// Opens a memory of an older version in a process of its own: whoever is waited for is cut off before a large one is
/// migrated, and so is everybody after them.
pub(crate) fn migrate(settings: &Settings) {
    if is_older(&settings.home) {
        start_with(&settings.home, &["backup", "--if-due"]);
    }
}

/// Organises a large memory in a process of its own, if that is due. A small one was organised already.
pub(crate) fn sleep_deep(settings: &Settings, engine: &Engine, context: &Context) {
    let due = engine.sleeping(context).deep_due(false);
    let large = |due: &DeepDue| due.why.is_some() && due.corpus > DEEP_BESIDE_MAX;
    if !settings.environment.inside
        && due.is_ok_and(|due| large(&due))
        && let Some(root) = context.project.root.to_str()
    {
        start_with(&settings.home, &["sleep", "--deep", "--quiet", "--project", root]);
    }
}

fn start(home: &Path) -> Option<Child> {
    start_with(home, &["work", "--detached"])
}

fn start_with(home: &Path, args: &[&str]) -> Option<Child> {
    let program = std::env::current_exe().ok()?;
    let home = std::path::absolute(home).ok()?;
    let mut command = Command::new(program);
    // It must not keep anybody's folder or output open.
    command.arg("--home").arg(&home).args(args);
    command.current_dir(home.ancestors().last()?);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // What cannot be started now is started by the next hook.
    command.spawn().ok()
}

/// Leaves the session of whoever started us, so that their end is not ours.
pub(crate) fn detach() {
    #[cfg(unix)]
    rustix::process::setsid().ok();
}
