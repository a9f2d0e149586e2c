//! The agent's own model reads along, where the user says so: offered once an agent is connected, never by default.

use throughline_agents::{Host, Surroundings};
use throughline_engine::Error;

use crate::args::Connect;
use crate::settings::{ConfigFile, Settings};
use crate::ui::{DIM, GOOD, Ui, paint};

/// The agents whose program answers a prompt on its input, the program, and the command.
const PROGRAMS: [(Host, &str, &str); 3] = [
    (Host::ClaudeCode, "claude", "claude -p"),
    (Host::Codex, "codex", "codex exec -"),
    (Host::Gemini, "gemini", "gemini"),
];

/// The programs that are on this machine, of these agents.
fn found<'a>(
    hosts: &'a [Host],
    around: &'a Surroundings,
) -> impl Iterator<Item = (&'static str, &'static str)> + 'a {
    let here = |program: &str| around.path.iter().any(|folder| folder.join(program).is_file());
    PROGRAMS
        .iter()
        .filter(move |(host, program, _)| hosts.contains(host) && here(program))
        .map(|(_, program, command)| (*program, *command))
}

/// What is sent, to whom, and what it costs.
fn told(program: &str, settings: &Settings) -> String {
    let models = &settings.models;
    format!(
        "`{program}` can read along: when your agent pauses, what you and it said, without secrets, and a few memories that \
         share words with it are sent to the service that `{program}` is logged in to. It proposes what to remember, checked \
         against your words. It uses your own plan or key: at most {} questions a session and {} tokens a day \
         (`llm.calls_per_session`, `llm.tokens_per_day`). Without it nothing leaves this machine.",
        models.calls_per_session, models.tokens_per_day
    )
}

/// What is told about it, where agents were really connected.
pub(super) fn told_about(
    connect: &Connect,
    hosts: &[Host],
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<String> {
    if connect.which.dry_run || settings.is_off() {
        return Ok(String::new());
    }
    Ok(offer(connect.read_along.as_deref(), hosts, settings, ui)?.unwrap_or_default())
}

/// Offers it, or takes what the command line says. Returns what is told about it.
fn offer(
    wanted: Option<&str>,
    hosts: &[Host],
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<Option<String>> {
    let around = &settings.environment.around;
    if let Some(wanted) = wanted {
        let program = found(Host::ALL, around).find(|(program, _)| *program == wanted);
        let Some((program, command)) = program else {
            let hint = "it takes claude, codex or gemini, and the program must be on your PATH";
            let (why, hint) = (format!("{wanted} was not found"), hint.to_owned());
            return Err(Error::Needs { why, hint }.into());
        };
        return switch_on(program, command, settings).map(Some);
    }
    // An agent does not decide where words are sent, and who has a model needs no other.
    let asks = settings.is_person() && !settings.models.any() && !ui.json && !ui.quiet;
    let Some((program, command)) = found(hosts, around).next().filter(|_| asks) else {
        return Ok(None);
    };
    match ui.ask(&format!("{}\nLet it read along?", told(program, settings)))? {
        Some(true) => switch_on(program, command, settings).map(Some),
        Some(false) => Ok(None),
        None => Ok(Some(paint(
            DIM,
            format!(
                "`throughline init --read-along {program}` lets its model propose memories (off).\n"
            ),
        ))),
    }
}

fn switch_on(program: &str, command: &str, settings: &Settings) -> anyhow::Result<String> {
    let mut file = ConfigFile::read(&settings.home)?;
    file.set("llm.command", command)?;
    file.set("llm.provider", "command")?;
    let off = "`throughline config set llm.provider none` ends it";
    let told = format!("{program} reads along from now on; {off}.\n");
    Ok(format!(
        "{}{}",
        paint(GOOD, told),
        paint(DIM, format!("{}\n", self::told(program, settings)))
    ))
}
