//! Upkeep: what can wait is done when nobody asks. When nothing is left, it waits without looking.

use std::sync::Arc;
use std::time::{Duration, Instant};

use throughline_core::permission::Door;
use throughline_engine::{Context, Engine, WaitingForSleep};

use crate::app::{App, home_is_there};

/// Nobody asked for so long: there is time.
const QUIET: Duration = Duration::from_secs(3);
/// Between two slices others may write.
const BETWEEN: Duration = Duration::from_millis(20);
/// How often it is looked whether something came in by another process.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Does what can wait, for as long as the server runs.
pub(crate) async fn keep_up(app: App) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = app.upkeep.notified() => tokio::time::sleep(QUIET).await,
        }
        while app.quiet_for() < QUIET {
            tokio::time::sleep(QUIET).await;
        }
        let mut more = true;
        while more && app.quiet_for() >= QUIET {
            let at_work = app.clone();
            let slept = tokio::task::spawn_blocking(move || sleep_a_slice(&at_work));
            more = slept.await.unwrap_or(false);
            tokio::time::sleep(BETWEEN).await;
        }
        let at_work = app.clone();
        tokio::task::spawn_blocking(move || at_work.program.tick()).await.ok();
    }
}

/// Goes over a slice of what waits for sleep, and of what waits for vectors; whether more waits.
fn sleep_a_slice(app: &App) -> bool {
    if home_is_there(&app.setup.home).is_err() {
        return false;
    }
    let mut more = false;
    let engines = app.askers().into_iter().map(|asker| app.engine_of(asker.person.as_deref()));
    let engines: Vec<Arc<Engine>> = engines.flatten().collect();
    for (engine, context) in
        engines.iter().flat_map(|engine| app.contexts().into_iter().map(move |one| (engine, one)))
    {
        let context = Context { door: Door::Upkeep, session: None, ..context };
        let sleeping = engine.sleeping(&context);
        // What fails here is done by whoever sleeps next.
        if sleeping.waiting_for_sleep().is_ok_and(WaitingForSleep::anything) {
            let slept = sleeping.sleep_until(Instant::now());
            more |= slept.is_ok_and(|slept| slept.left.anything());
        }
        more |= engine.vectors().embed_a_slice(&context).unwrap_or(false);
    }
    app.hub.look_now();
    more
}
