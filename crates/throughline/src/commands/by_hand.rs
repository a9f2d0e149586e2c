//! What only a person does by hand: an agent's shell is refused, and told what the person runs.

use std::ffi::OsString;

use throughline_core::permission::{self, Act, Backing, Request, Verdict};
use throughline_engine::Error;

use crate::args::{
    Command, ConfigAction, Export, ExportFormat, LlmAction, ProjectAction, StoreAction,
};
use crate::settings::Settings;

/// What a command does beyond one memory; the engine asks about the rest itself.
fn act_of(command: &Command) -> Option<Act> {
    match command {
        // Whoever has the link of a server is the user.
        Command::Uninstall(_) | Command::Serve(_) => Some(Act::Configure),
        Command::Demo(args) => args.serve.then_some(Act::Configure),
        // Where words are sent is a setting.
        Command::Init(args) => args.read_along.as_ref().map(|_| Act::Configure),
        Command::Config(args) => act_on_settings(args.action.as_ref()),
        Command::Llm(args) if matches!(args.action, LlmAction::Key { .. }) => Some(Act::Configure),
        Command::Project(args) => Some(act_on_project(&args.action)),
        Command::Store(args) => Some(act_of_store(&args.action)),
        Command::Purge(_) => Some(Act::Purge),
        // An export holds every project.
        Command::Export(args) if is_of_all(args) => Some(Act::Transfer),
        // So does the record of what every agent was told.
        Command::Told(args) if args.all => Some(Act::Transfer),
        Command::Boxes(args) if args.write.is_some() => Some(Act::Transfer),
        Command::Import(_)
        | Command::Ingest(_)
        | Command::Patch(_)
        | Command::Backup(_)
        | Command::Restore(_) => Some(Act::Transfer),
        // Reading, or about memories: the engine asks for each.
        Command::Remember(_)
        | Command::Recall(_)
        | Command::Read(_)
        | Command::WhyNot(_)
        | Command::Expand(_)
        | Command::Feedback(_)
        | Command::Search(_)
        | Command::List(_)
        | Command::Show(_)
        | Command::Why(_)
        | Command::History(_)
        | Command::Log(_)
        | Command::Told(_)
        | Command::Today(_)
        | Command::Done(_)
        | Command::Undo(_)
        | Command::Review(_)
        | Command::Verify(_)
        | Command::Sleep(_)
        | Command::Edit(_)
        | Command::Confirm(_)
        | Command::Correct(_)
        | Command::Promote(_)
        | Command::Supersede(_)
        | Command::Unsupersede(_)
        | Command::Contradict(_)
        | Command::Link(_)
        | Command::Unlink(_)
        | Command::Tag(_)
        | Command::Pin(_)
        | Command::Archive(_)
        | Command::Unarchive(_)
        | Command::Forget(_)
        | Command::Export(_)
        | Command::Stats(_)
        | Command::Doctor(_)
        | Command::Work(_)
        | Command::Llm(_)
        | Command::Graph(_)
        | Command::Entity(_)
        | Command::About(_)
        | Command::Similar(_)
        | Command::Topics
        | Command::Boxes(_)
        | Command::Focus
        | Command::Hook(_)
        | Command::Mcp(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::Status
        | Command::MemoryTool => None,
    }
}

/// Whether an export leaves this project or this terminal.
fn is_of_all(args: &Export) -> bool {
    args.format == ExportFormat::Jsonl || args.output.is_some()
}

/// What is done about settings; looking at them takes no leave.
fn act_on_settings(action: Option<&ConfigAction>) -> Option<Act> {
    match action {
        Some(ConfigAction::Set { .. } | ConfigAction::Unset { .. }) => Some(Act::Configure),
        Some(ConfigAction::Get { .. }) | None => None,
    }
}

/// What is done about projects.
fn act_on_project(action: &ProjectAction) -> Act {
    match action {
        // It names every project and where it lies.
        ProjectAction::List => Act::Reach,
        // A folder could tell an agent to open another project's memory for it.
        ProjectAction::Join { .. }
        | ProjectAction::Leave { .. }
        | ProjectAction::Link { .. }
        | ProjectAction::Unlink { .. } => Act::Configure,
    }
}

/// The same for what is done with a store: who sees a memory is decided by people.
fn act_of_store(action: &StoreAction) -> Act {
    match action {
        StoreAction::Copy { .. } => Act::Transfer,
        StoreAction::Members => Act::Reach,
        StoreAction::Admit { .. } | StoreAction::Dismiss { .. } => Act::Configure,
    }
}

/// Whether whoever runs a command may.
pub(super) fn check(command: &Command, settings: &Settings) -> anyhow::Result<()> {
    let Some(act) = act_of(command) else { return Ok(()) };
    let (door, backing) = (settings.door(), Backing::Asserted);
    match permission::judge(Request { door, act, target: None, backing }) {
        Verdict::Allowed { .. } => Ok(()),
        Verdict::Waits(why) | Verdict::Refused(why) => {
            Err(Error::NotYours { why, by_hand: String::new() }.into())
        }
    }
}

/// The error with the command as it was typed, for a person to run in the same place.
pub(crate) fn with_typed(error: anyhow::Error, words: &[OsString]) -> anyhow::Error {
    match error.downcast::<Error>() {
        Ok(Error::NotYours { why, .. }) => Error::NotYours { why, by_hand: typed(words) }.into(),
        Ok(other) => other.into(),
        Err(error) => error,
    }
}

/// A command line that does the same in any folder.
fn typed(words: &[OsString]) -> String {
    let words: Vec<String> =
        words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut line = vec!["throughline".to_owned()];
    let named = words.iter().any(|word| word == "--project" || word.starts_with("--project="));
    if let (false, Ok(folder)) = (named, std::env::current_dir()) {
        line.extend(["--project".to_owned(), quoted(&folder.to_string_lossy())]);
    }
    line.extend(words.iter().filter(|word| *word != "--json").map(|word| quoted(word)));
    line.join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
