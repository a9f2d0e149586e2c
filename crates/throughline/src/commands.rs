//! The commands: settings in, one answer out. This page is the list.

mod agents;
mod boxes;
mod by_hand;
mod change;
mod config;
mod copies;
mod find;
mod focus;
mod graph;
mod health;
mod history;
mod ingest;
mod manual;
mod mcp;
mod meant;
mod metrics;
mod model;
mod noticed;
mod organise;
mod project;
mod read;
mod recall;
mod remember;
mod review;
#[cfg(feature = "server")]
mod serve;
mod sleep;
mod store;
mod today;
mod told;
mod transfer;
mod truth;
mod turn;

pub(crate) use by_hand::with_typed;
pub(crate) use recall::handle as recall_handle;

use std::io::Read as _;
use std::process::ExitCode;

use anyhow::Context as _;
use throughline_core::permission::Door;
use throughline_core::scope::Level;
use throughline_engine::{Card, Context, Engine, Error, ErrorKind, Put, has_late_secrets};
use throughline_view::{OneMemory, PutMemory};

use crate::args::Command;
use crate::settings::Settings;
use crate::ui::Ui;
use crate::view;

/// Carries out a command.
pub(crate) fn run(command: &Command, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    if !matches!(command, Command::Completions(_) | Command::Man(_) | Command::Demo(_)) {
        settings.check_home(&settings.work_folders())?;
    }
    let explains = matches!(
        command,
        Command::Config(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Doctor(_)
            | Command::Demo(_)
    );
    // What is there can be read, changed, copied and erased without them.
    let needs_settings = takes_in(command) || matches!(command, Command::Llm(_));
    if let Some(problem) = settings.problem.as_ref().filter(|_| needs_settings) {
        // What is no settings file at all is a failure; a value that cannot be is wrong usage.
        crate::settings::ConfigFile::read(&settings.home)?;
        anyhow::bail!(Error::BadInput(format!("{problem} (`config set` corrects it)")));
    }
    if settings.is_off() && takes_in(command) {
        anyhow::bail!(Error::Off);
    }
    by_hand::check(command, settings)?;
    let warnings = if explains { Vec::new() } else { warnings(settings) };
    // A server answers until it ends; every other command warns only where it does not fail anyway.
    let serves = matches!(command, Command::Mcp(_) | Command::Serve(_));
    warnings.iter().filter(|_| serves).for_each(|one| ui.warn(one));
    let done = dispatch(command, settings, ui)?;
    warnings.iter().filter(|_| !serves).for_each(|one| ui.warn(one));
    if matches!(command, Command::Import(_) | Command::Restore(_)) {
        // Whoever brings memories of this folder's project here works on it here.
        settings.context().ok();
    }
    if changes_memory(command) {
        count_recalls(settings);
    }
    let writes = matches!(command, Command::Remember(_) | Command::Correct(_))
        || matches!(command, Command::Ingest(args) if !args.dry_run)
        // What came in is held against what is near it.
        || matches!(command, Command::Sleep(args) if !args.dry_run);
    crate::worker::note(settings, writes);
    if writes {
        crate::worker::start_if_wanted(settings, settings.clock.now());
        // Answered already; what cannot be copied now is copied tomorrow.
        if let Ok(engine) = settings.engine() {
            crate::worker::back_up(settings, &engine);
        }
    }
    Ok(done)
}

/// Counts what was recalled since, if anything was: attention is written down by whoever writes anyway.
fn count_recalls(settings: &Settings) {
    if throughline_engine::recalls_wait(&settings.home)
        && let (Ok(engine), Ok(context)) = (settings.engine(), settings.context())
    {
        // Answered already; what cannot be counted now is counted with the next write.
        engine.recalling(&context).settle_recalls().ok();
    }
}

/// Whether a command changes memories by hand.
fn changes_memory(command: &Command) -> bool {
    matches!(
        command,
        Command::Remember(_)
            | Command::Correct(_)
            | Command::Edit(_)
            | Command::Confirm(_)
            | Command::Promote(_)
            | Command::Supersede(_)
            | Command::Unsupersede(_)
            | Command::Contradict(_)
            | Command::Link(_)
            | Command::Unlink(_)
            | Command::Tag(_)
            | Command::Entity(_)
            | Command::Pin(_)
            | Command::Archive(_)
            | Command::Unarchive(_)
            | Command::Done(_)
            | Command::Forget(_)
            | Command::Purge(_)
            | Command::Undo(_)
            | Command::Ingest(_)
            | Command::Patch(_)
    )
}

/// What makes an answer other than it should be: the command works, on less than there is.
fn warnings(settings: &Settings) -> Vec<String> {
    let problem = settings.problem.as_ref();
    let settings_file = problem.map(|problem| {
        format!("{problem} (until it is corrected, the defaults are used and no model is asked)")
    });
    let list = settings.roots().damage().err().map(|error| error.to_string());
    settings_file.into_iter().chain(list).collect()
}

/// Whether a command takes something new in. Switched off, a person still sees, copies, changes and
/// erases what is there.
fn takes_in(command: &Command) -> bool {
    matches!(
        command,
        Command::Remember(_)
            | Command::Correct(_)
            | Command::Promote(_)
            | Command::Ingest(_)
            | Command::Import(_)
            | Command::Patch(_)
            | Command::MemoryTool
            | Command::Sleep(_)
            | Command::Work(_)
    )
}

fn dispatch(command: &Command, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    match command {
        Command::Init(args) => agents::init(args, settings, ui),
        Command::Uninstall(args) => agents::uninstall(args, settings, ui),
        Command::Patch(args) => agents::patch(args, settings, ui),
        Command::Hook(_) => Ok(ExitCode::SUCCESS),
        Command::Mcp(args) => mcp::mcp(args, settings),
        Command::MemoryTool => mcp::memory_tool(settings, ui),
        Command::Remember(args) => remember::remember(args, settings, ui),
        Command::Recall(args) => recall::recall(args, settings, ui),
        Command::Read(args) => read::read(args, settings, ui),
        Command::WhyNot(args) => recall::why_not(args, settings, ui),
        Command::Expand(args) => recall::expand(args, settings, ui),
        Command::Feedback(args) => recall::feedback(args, settings, ui),
        Command::Ingest(args) => ingest::ingest(args, settings, ui),
        Command::Search(args) => find::search(args, settings, ui),
        Command::List(args) => find::list(args, settings, ui),
        Command::Show(args) => find::show(args, settings, ui),
        Command::Why(args) => history::why(args, settings, ui),
        Command::History(args) => history::history(args, settings, ui),
        Command::Log(args) => history::log(args, settings, ui),
        Command::Told(args) => told::told(args, settings, ui),
        Command::Today(args) => today::today(args, settings, ui),
        Command::Undo(args) => history::undo(args, settings, ui),
        Command::Review(args) => review::review(args, settings, ui),
        Command::Verify(args) => truth::verify(args, settings, ui),
        Command::Sleep(args) => sleep::sleep(args, settings, ui),
        Command::Edit(args) => change::edit(args, settings, ui),
        Command::Confirm(args) => change::confirm(&args.id, settings, ui),
        Command::Correct(args) => remember::correct(args, settings, ui),
        Command::Promote(args) => remember::promote(&args.id, settings, ui),
        Command::Supersede(args) => change::supersede(args, settings, ui),
        Command::Unsupersede(args) => change::unsupersede(&args.id, settings, ui),
        Command::Contradict(args) => change::contradict(args, settings, ui),
        Command::Link(args) => change::link(args, settings, ui),
        Command::Unlink(args) => change::unlink(args, settings, ui),
        Command::Tag(args) => change::tag(args, settings, ui),
        Command::Pin(args) => change::pin(args, settings, ui),
        Command::Archive(args) => change::archive(args, settings, ui),
        Command::Unarchive(args) => change::unarchive(&args.id, settings, ui),
        Command::Done(args) => change::done(&args.id, settings, ui),
        Command::Forget(args) => change::forget(args, settings, ui),
        Command::Purge(args) => change::purge(args, settings, ui),
        Command::Export(args) => transfer::export(args, settings, ui),
        Command::Import(args) => transfer::import(args, settings, ui),
        Command::Backup(args) => copies::backup(args, settings, ui),
        Command::Restore(args) => copies::restore(args, settings, ui),
        Command::Project(args) => project::project(args, settings, ui),
        Command::Store(args) => store::store(args, settings, ui),
        Command::Status => health::status(settings, ui),
        Command::Stats(args) => health::stats(args, settings, ui),
        Command::Doctor(args) => health::doctor(args, settings, ui),
        Command::Work(args) => model::work(args, settings, ui),
        Command::Llm(args) => model::llm(args, settings, ui),
        Command::Graph(args) => graph::graph(args, settings, ui),
        Command::Entity(args) => organise::entity(args, settings, ui),
        Command::About(args) => organise::about(args, settings, ui),
        Command::Similar(args) => organise::similar(args, settings, ui),
        Command::Topics => organise::topics(settings, ui),
        Command::Boxes(args) => boxes::boxes(args, settings, ui),
        Command::Focus => focus::focus(settings, ui),
        Command::Config(args) => config::config(args, settings, ui),
        Command::Completions(args) => manual::completions(args, ui),
        Command::Man(args) => manual::man(args, ui),
        Command::Serve(args) => serve(args, settings, ui),
        Command::Demo(args) => crate::demo::demo(args, &settings.environment, ui),
    }
}

/// Serves memory over HTTP.
#[cfg(feature = "server")]
pub(crate) use serve::serve;

/// This program was built without the server.
#[cfg(not(feature = "server"))]
pub(crate) fn serve(_: &crate::args::Serve, _: &Settings, _: &mut Ui) -> anyhow::Result<ExitCode> {
    let why = "this program was built without its server".to_owned();
    let hint = "build it with the feature `server`, which is on by default".to_owned();
    Err(Error::Needs { why, hint }.into())
}

/// Answers with a memory and a word about what was done to it.
fn answer_memory(ui: &mut Ui, done: &str, card: &Card) -> anyhow::Result<ExitCode> {
    ui.answer(&OneMemory { memory: card.into() }, || {
        format!("{}\n{}", crate::ui::paint(crate::ui::GOOD, done), view::brief(card))
    })
}

/// Answers with a memory that was put away or put in another's place, or that waits for the user.
fn answer_put(ui: &mut Ui, done: &str, put: &Put) -> anyhow::Result<ExitCode> {
    let Some(why) = &put.waits else { return answer_memory(ui, done, &put.card) };
    let said = ui.answer(&PutMemory { memory: (&put.card).into(), waits: true }, || {
        let told = format!("Not done: {why}. It waits in `review` for the user to decide");
        format!("{}\n{}", crate::ui::paint(crate::ui::WARN, told), view::brief(&put.card))
    });
    said.map(|_| not_done())
}

/// What an agent asked for waits for the user: it was not done.
fn not_done() -> ExitCode {
    crate::ui::exit_code(ErrorKind::Failed)
}

/// The words themselves, or standard input if they are `-`.
fn text_or_stdin(words: &[String]) -> anyhow::Result<String> {
    let text = crate::args::joined(words);
    if text == "-" { from_stdin() } else { Ok(text) }
}

/// What stands on standard input.
fn from_stdin() -> anyhow::Result<String> {
    // Far more than a memory may hold, so that too much is noticed and not cut.
    let most = throughline_core::Policy::default().limits.content_bytes_max;
    let limit = most as u64 * 4;
    let mut bytes = Vec::new();
    std::io::stdin().take(limit).read_to_end(&mut bytes).context("standard input")?;
    if bytes.len() as u64 == limit {
        let message = format!("the text has {limit} bytes or more; a memory holds {most} at most");
        anyhow::bail!(Error::BadInput(message));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::BadInput("the text is not UTF-8".to_owned()))?;
    Ok(text.trim_end_matches('\n').to_owned())
}

/// Takes out of what was kept what was recognised as a secret only later.
fn take_out_secrets(settings: &Settings, engine: &Engine) -> anyhow::Result<()> {
    if has_late_secrets(&settings.home) {
        let (level, door) = (Level::Global, Door::Upkeep);
        engine.erasing().take_out_late(&Context { level, door, ..settings.context()? })?;
    }
    Ok(())
}
