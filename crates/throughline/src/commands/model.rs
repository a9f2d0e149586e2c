//! `work`, `llm`: the model that reads along, if there is one.

use std::io::Read as _;
use std::process::ExitCode;
use std::time::Instant;

use serde::Serialize;
use serde_json::json;
use throughline_core::text::{agree, plural};
use throughline_engine::{Check, Engine, Error, Llm, ModelState, Work, Worked, work_wanted};

use crate::args;
use crate::settings::{Settings, asked_by_project};
use crate::ui::{DIM, GOOD, Ui, WARN, paint, safe};
use crate::worker;

/// Rounds of one worker: what came in while it worked is worked off too.
const ROUNDS_MAX: usize = 100;

#[derive(Debug, Serialize)]
struct WireWorked {
    /// Whether any service is configured.
    configured: bool,
    /// Another worker is at it.
    elsewhere: bool,
    turns: usize,
    asked: usize,
    tokens: u64,
    memories: Vec<String>,
    reinforced: Vec<String>,
    superseded: usize,
    pairs: usize,
    contested: usize,
    deferred: usize,
    /// Lines for a file that a model worded.
    worded: usize,
    embedded: usize,
    /// Turns that were slept over.
    slept: usize,
    held: Option<String>,
    left: usize,
}

impl WireWorked {
    fn of(configured: bool, worked: Worked, slept: usize) -> Self {
        let ids =
            |ids: Vec<throughline_core::MemoryId>| ids.iter().map(ToString::to_string).collect();
        Self {
            configured,
            elsewhere: worked.elsewhere,
            turns: worked.turns,
            asked: worked.asked,
            tokens: worked.tokens,
            memories: ids(worked.memories),
            reinforced: ids(worked.reinforced),
            superseded: worked.superseded,
            pairs: worked.pairs,
            contested: worked.contested,
            deferred: worked.deferred,
            worded: worked.worded,
            embedded: worked.embedded,
            slept,
            held: worked.held,
            left: worked.left,
        }
    }
}

pub(super) fn work(
    args: &args::Work,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    if args.detached {
        worker::detach();
    }
    let configured = settings.models.any() && !settings.environment.inside;
    let worked = if configured { work_off(args, settings, ui)? } else { Worked::default() };
    let slept = sleep_over(settings, ui)?;
    let wire = WireWorked::of(configured, worked, slept);
    ui.answer(&wire, || {
        if !wire.configured {
            let rest =
                "no model is configured, so there is nothing else to do (setting llm.provider)";
            let slept = plural(wire.slept, "turn");
            return paint(DIM, format!("consolidated: {slept}; {rest}"));
        }
        if wire.elsewhere {
            return paint(DIM, "another worker is already running");
        }
        if wire.turns + wire.pairs + wire.worded + wire.embedded == 0 && wire.held.is_none() {
            return paint(DIM, "nothing waits");
        }
        let mut page = format!(
            "{} {} with {} and {}: {}, {} known, {} replaced, {} for review",
            paint(GOOD, "Read"),
            plural(wire.turns, "turn"),
            plural(wire.asked, "question"),
            plural(wire.tokens, "token"),
            plural(wire.memories.len(), "memory"),
            wire.reinforced.len(),
            wire.superseded,
            wire.deferred
        );
        if wire.pairs > 0 {
            let pairs = plural(wire.pairs, "pair");
            page.push_str(&format!("\n{pairs} compared, {} contradicting", wire.contested));
        }
        if wire.worded > 0 {
            let lines = plural(wire.worded, "line");
            page.push_str(&format!("\n{lines} for a file worded; `review` shows them"));
        }
        if wire.embedded > 0 {
            page.push_str(&format!("\n{} got vectors", plural(wire.embedded, "text")));
        }
        if let Some(held) = &wire.held {
            let waits = agree(wire.left, "waits", "wait");
            let left = plural(wire.left, "turn");
            let left = format!("{left} {waits}; held back: {}", safe(held));
            page.push_str(&format!("\n{}", paint(WARN, left)));
        }
        page
    })
}

/// Sleeps over what waits in the project at hand. Returns how many turns that were.
fn sleep_over(settings: &Settings, ui: &Ui) -> anyhow::Result<usize> {
    if settings.environment.inside || !throughline_engine::has_memory(&settings.home) {
        return Ok(0);
    }
    let (engine, context) = (settings.engine()?, settings.context()?);
    let bar = ui.progress("consolidating turns");
    let slept = engine.sleeping(&context).sleep(&mut |so_far| {
        bar.set_position(so_far.inputs.episodes as u64);
    })?;
    bar.finish_and_clear();
    Ok(slept.inputs.episodes)
}

fn work_off(args: &args::Work, settings: &Settings, ui: &mut Ui) -> anyhow::Result<Worked> {
    let llm = settings.llm()?;
    let engine = settings.engine_with_services()?;
    let context = settings.context()?;
    let bar = ui.progress("reading");
    let what = if args.once { Work::Everything } else { Work::Due };
    let mut all = Worked::default();
    for round in 0..ROUNDS_MAX {
        let worked = engine
            .working(&context)
            .work(llm.as_ref(), &context, what, &mut |done| bar.set_position(done as u64))?;
        let elsewhere = worked.elsewhere;
        if round == 0 {
            all = worked;
        } else {
            add(&mut all, worked);
        }
        // Somebody may have come by while we were at it, and gone again because we were.
        if elsewhere || args.once || !work_wanted(&settings.home, settings.clock.now()) {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(all)
}

fn add(all: &mut Worked, more: Worked) {
    all.turns += more.turns;
    all.asked += more.asked;
    all.tokens += more.tokens;
    all.memories.extend(more.memories);
    all.reinforced.extend(more.reinforced);
    all.superseded += more.superseded;
    all.pairs += more.pairs;
    all.contested += more.contested;
    all.deferred += more.deferred;
    all.worded += more.worded;
    all.embedded += more.embedded;
    (all.held, all.left) = (more.held, more.left);
}

pub(super) fn llm(args: &args::Llm, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    match &args.action {
        args::LlmAction::Test => test(settings, ui),
        args::LlmAction::Key { embed } => {
            let mut key = String::new();
            std::io::stdin().take(4_096).read_to_string(&mut key)?;
            let path = settings.keep_key(if *embed { "embed" } else { "llm" }, &key)?;
            let path = path.display().to_string();
            ui.answer(&json!({"kept": path}), || {
                format!("{} {}", paint(GOOD, "Kept in"), safe(&path))
            })
        }
    }
}

fn test(settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let Some(llm) = settings.llm()? else {
        anyhow::bail!(no_model("no model is configured"));
    };
    let engine = settings.engine()?;
    let bar = ui.progress("asking");
    let began = Instant::now();
    let asked = engine.working(&settings.context()?).try_model(&llm)?;
    bar.finish_and_clear();
    let name = settings.models.llm_name().unwrap_or_default();
    let (attempts, tokens) = (asked.attempts, asked.usage.total());
    match asked.answer {
        Ok(_) => {
            let took = began.elapsed().as_millis();
            let wire = json!({"ok": true, "model": name, "milliseconds": took, "tokens": tokens,
                "attempts": attempts});
            ui.answer(&wire, || {
                let name = safe(&name);
                let tokens = plural(tokens, "token");
                format!("{} {name} answers in {took} ms, for {tokens}", paint(GOOD, "Fine:"))
            })
        }
        Err(error) => Err(Error::Model(format!("{name}: {error}")).into()),
    }
}

/// A model was asked for, and there is none.
pub(super) fn no_model(why: &str) -> Error {
    let hint = "`throughline config set llm.provider …` names one".to_owned();
    Error::Needs { why: why.to_owned(), hint }
}

/// What `status` says about the model.
#[derive(Debug, Serialize)]
pub(super) struct WireModel {
    pub(super) model: String,
    waiting_turns: usize,
    waiting_sessions: usize,
    tokens_today: u64,
    tokens_per_day: u64,
    calls_per_session: u64,
    sessions_spent: usize,
    pair_calls_today: u64,
    resting_until: Option<String>,
    last_answer: Option<String>,
    last_error: Option<String>,
}

impl WireModel {
    /// The same, on one line.
    pub(super) fn line(&self) -> String {
        let mut line = format!(
            "{}; {} {}; {} of {} today; {} a session",
            safe(&self.model),
            plural(self.waiting_turns, "turn"),
            agree(self.waiting_turns, "waits", "wait"),
            self.tokens_today,
            plural(self.tokens_per_day, "token"),
            plural(self.calls_per_session, "question"),
        );
        if self.sessions_spent > 0 {
            let spent = plural(self.sessions_spent, "session");
            line.push_str(&format!(", used up by {spent}"));
        }
        if let Some(until) = &self.resting_until {
            line.push_str(&format!("; not asked again until {until}"));
        }
        if let Some(error) = &self.last_error {
            line.push_str(&format!("; last error: {}", safe(error)));
        }
        line
    }
}

/// How the model is doing; `None` if none is configured.
pub(super) fn status(settings: &Settings, engine: &Engine) -> anyhow::Result<Option<WireModel>> {
    let Some(model) = settings.models.llm_name() else { return Ok(None) };
    let waiting = engine.working(&settings.context()?).waiting_for_model()?;
    let state = ModelState::load(&settings.home);
    let now = settings.clock.now();
    let resting = state.breaker.rests_until(now.as_millis());
    Ok(Some(WireModel {
        model,
        waiting_turns: waiting.turns,
        waiting_sessions: waiting.sessions,
        tokens_today: state.tokens_on(now.day()),
        tokens_per_day: settings.models.tokens_per_day,
        calls_per_session: settings.models.calls_per_session,
        sessions_spent: state.sessions_with(settings.models.calls_per_session),
        pair_calls_today: state.pair_calls_on(now.day()),
        resting_until: resting.map(|at| throughline_core::Timestamp::from_millis(at).to_string()),
        last_answer: state.last_answer.map(|at| at.to_string()),
        last_error: state.trouble().map(|(at, why)| format!("{at}: {why}")),
    }))
}

/// What `doctor` says about services: whether one is used, can be used, and what a project tried.
pub(super) fn checks(settings: &Settings, ask: bool) -> Vec<Check> {
    let mut checks = vec![extraction(settings, ask)];
    if let Some(name) = settings.models.embed_name() {
        checks.push(embeddings(settings, &name));
    }
    if let Ok(context) = settings.context() {
        for file in asked_by_project(&context.project.root) {
            let detail = format!(
                "{} names a model or an address; such settings of a project are ignored",
                file.display()
            );
            let hint = "only your own settings choose models and keys: `throughline config set \
                llm.provider …`";
            checks.push(Check::note("project settings", detail, hint));
        }
    }
    checks
}

fn extraction(settings: &Settings, ask: bool) -> Check {
    const RULES: &str = "capture goes on by rules, and what was said waits for the model";
    let Some(name) = settings.models.llm_name() else {
        return Check::fine("extraction", "by rules; no language model is used");
    };
    let llm = match settings.llm() {
        Ok(Some(llm)) => llm,
        Ok(None) => return Check::fine("extraction", "by rules; no language model is used"),
        Err(error) => {
            let detail = format!("by rules only: {name} cannot be used: {error}");
            return Check::note("extraction", detail, RULES);
        }
    };
    if ask {
        return asked(settings, &llm, &name);
    }
    let state = ModelState::load(&settings.home);
    match (state.trouble(), state.last_answer) {
        (Some((at, why)), _) => {
            let detail = format!("by rules; {name} did not answer at {at}: {why}");
            Check::note("extraction", detail, RULES)
        }
        (_, Some(at)) => {
            Check::fine("extraction", format!("by rules and {name}, which answered last at {at}"))
        }
        (_, None) => {
            Check::fine("extraction", format!("by rules and {name}, which was not asked yet"))
        }
    }
}

fn asked(settings: &Settings, llm: &Llm, name: &str) -> Check {
    let tried = settings
        .engine()
        .and_then(|engine| Ok(engine.working(&settings.context()?).try_model(llm)?));
    let why = match tried {
        Ok(asked) => match asked.answer {
            Ok(_) => {
                return Check::fine("extraction", format!("by rules and {name}, which answers"));
            }
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    };
    let detail = format!("by rules only: {name} does not answer: {why}");
    Check::note(
        "extraction",
        detail,
        "capture goes on by rules, and what was said waits for the model",
    )
}

fn embeddings(settings: &Settings, name: &str) -> Check {
    let missing = settings
        .engine_with_services()
        .and_then(|engine| Ok(engine.vectors().far_vectors_missing()?));
    match missing {
        Ok(Some((_, 0))) => {
            Check::fine("embeddings", format!("built in, and {name} outside hooks"))
        }
        Ok(Some((_, missing))) => Check::note(
            "embeddings",
            format!(
                "{} {} no vector of {name} yet",
                plural(missing, "text"),
                agree(missing, "has", "have")
            ),
            "until then the built-in model is used; `throughline work` makes them",
        ),
        Ok(None) => Check::fine("embeddings", "built in"),
        Err(error) => {
            let detail = format!("built in only: {name} cannot be used: {error}");
            Check::note("embeddings", detail, "`throughline config` shows embed.provider")
        }
    }
}
