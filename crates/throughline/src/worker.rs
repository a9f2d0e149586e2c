//! The worker: does what nobody waits for, in a process of its own that ends when it is idle.

use std::path::Path;
use std::process::{Command, Stdio};

use throughline_core::Timestamp;
use throughline_engine::{want_work, work_wanted};

use crate::settings::Settings;

/// Whether something that happened leaves work, and somebody is there to do it. Noted for whoever
/// starts the worker.
pub(crate) fn note(settings: &Settings, new: bool) {
    if new && settings.models.any() {
        want_work(&settings.home);
    }
}

/// Starts a worker if there is something to do: away from whoever called, and not waited for. If
/// one is at work already, it ends at once.
pub(crate) fn start_if_wanted(settings: &Settings, now: Timestamp) {
    // An agent that we started ourselves must not start us.
    let may = settings.models.any() && !settings.environment.inside;
    if may && work_wanted(&settings.home, now) {
        start(&settings.home);
    }
}

fn start(home: &Path) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    // It must not keep anybody's folder or output open.
    command.arg("--home").arg(home).args(["work", "--detached"]).current_dir(home);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // What cannot be started now is started by the next hook.
    command.spawn().ok();
}

/// Leaves the session of whoever started us, so that their end is not ours.
pub(crate) fn detach() {
    #[cfg(unix)]
    rustix::process::setsid().ok();
}
