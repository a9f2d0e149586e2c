//! `serve`: memory as a page, over REST and as an MCP server, until a signal says to stop.

mod heap;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use serde::Serialize;
use serde_json::Value;
use throughline_core::scope::Level;
use throughline_engine::{Context, Engine, Error, Roots};
use throughline_mcp::{Profile, WriteListener};
use throughline_server::{
    PORT, People, PersonToken, Problem, Program, ServeSetup, Serving, ServingLock, Token,
};

use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, ID, Ui, paint, safe};
use crate::worker;

/// Where the server is, as callers see it.
#[derive(Debug, Serialize)]
struct WireServing {
    url: String,
    /// The page, with the token: whoever opens it is let in.
    link: String,
    /// Where the token is kept; null where the environment gave it.
    token_file: Option<String>,
}

pub(crate) fn serve(
    args: &args::Serve,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    if let Some(args::ServeAction::Token { action }) = &args.action {
        return token(action, settings, ui);
    }
    heap::give_back_what_is_free();
    // The folder of the project is that of now, wherever the server's own folder goes.
    let settings = settings.settled_in(folder(settings)?);
    // Opened once before anything is said, so that what is wrong with the home is said first.
    drop(settings.engine()?);
    let (token, token_file) = match &settings.environment.token {
        Some(token) => (Token::given(token).map_err(told)?, None),
        None => {
            let file = Token::path(&settings.home).display().to_string();
            (Token::of(&settings.home).map_err(told)?, Some(file))
        }
    };
    let standing = match ServingLock::claim(&settings.home).map_err(told)? {
        Ok(standing) => standing,
        Err(taken) => {
            let link = format!("{}login?token={}", taken.url, token.text());
            if args.open && !taken.url.is_empty() {
                open(&settings.home, &taken.url);
                let wire = WireServing { url: taken.url, link, token_file };
                return ui
                    .answer(&wire, || format!("It is already running at {}", safe(&wire.url)));
            }
            let why = format!(
                "this memory is served already, at {} (process {})",
                if taken.url.is_empty() { "a port that is only just taken" } else { &taken.url },
                taken.pid
            );
            let hint = format!("open {link}, or stop that one first");
            return Err(Error::Needs { why, hint }.into());
        }
    };
    let setup = ServeSetup {
        home: settings.home.clone(),
        port: args.port.unwrap_or(PORT),
        token,
        level: settings.chosen_level().unwrap_or(Level::Project),
    };
    let home = settings.home.clone();
    let ready = |serving: &Serving| {
        if args.open {
            open(&home, &serving.url);
        }
        let wire = WireServing {
            url: serving.url.clone(),
            link: serving.link.clone(),
            token_file: token_file.clone(),
        };
        // Nobody may be listening; the server runs all the same.
        ui.answer(&wire, || in_words(&wire)).ok();
    };
    let program = Arc::new(ServedProgram { settings, copied_on: Mutex::default() });
    throughline_server::serve(&setup, program, standing, ready).map_err(told)?;
    Ok(ExitCode::SUCCESS)
}

/// A token of a person, as callers see it.
#[derive(Debug, Serialize)]
struct WireToken {
    id: String,
    person: String,
    made_at: String,
    /// The token itself; told once, when it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl From<PersonToken> for WireToken {
    fn from(one: PersonToken) -> Self {
        Self { id: one.id, person: one.person, made_at: one.made_at, token: None }
    }
}

/// Tokens of people.
#[derive(Debug, Serialize)]
struct WireTokens {
    items: Vec<WireToken>,
}

/// `serve token`: who else is let in.
fn token(action: &args::TokenAction, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let people = People::of(&settings.home);
    let line = |one: &WireToken| {
        let made = paint(DIM, safe(&one.made_at));
        format!("{}  {}  {made}", paint(ID, safe(&one.id)), safe(&one.person))
    };
    match action {
        args::TokenAction::Add { name } => {
            let now = settings.clock.now().to_string();
            let (kept, told_once) = people.add(name, &now).map_err(told)?;
            let wire = WireToken { token: Some(told_once), ..WireToken::from(kept) };
            ui.answer(&wire, || {
                let token = wire.token.as_deref().unwrap_or_default();
                format!(
                    "Token for {}, shown this once:\n  {token}\n{}",
                    paint(BOLD, safe(&wire.person)),
                    paint(
                        DIM,
                        format!("`throughline serve token revoke {}` takes it away", wire.id)
                    )
                )
            })
        }
        args::TokenAction::List => {
            let items = people.tokens().map_err(told)?.into_iter().map(WireToken::from).collect();
            let wire = WireTokens { items };
            ui.answer(&wire, || match wire.items.as_slice() {
                [] => "Nobody has a token of their own.".to_owned(),
                items => items.iter().map(line).collect::<Vec<_>>().join("\n"),
            })
        }
        args::TokenAction::Revoke { whose } => {
            let gone = people.revoke(whose).map_err(told)?;
            let wire = WireTokens { items: gone.into_iter().map(WireToken::from).collect() };
            ui.answer(&wire, || {
                let lines: Vec<String> = wire.items.iter().map(line).collect();
                format!("Taken away:\n{}", lines.join("\n"))
            })
        }
    }
}

fn in_words(wire: &WireServing) -> String {
    format!(
        "{}\n  {}\n{}",
        paint(BOLD, "Open this link:"),
        paint(ID, safe(&wire.link)),
        paint(DIM, "Whoever has it can read and change your memory. Ctrl-C stops the server.")
    )
}

/// The folder that the server is started in, or the one that was named.
fn folder(settings: &Settings) -> anyhow::Result<PathBuf> {
    match settings.folder() {
        Some(folder) => Ok(std::path::absolute(folder)?),
        None => std::env::current_dir().context("the current folder cannot be read"),
    }
}

/// A problem of the server as a failure of the command.
fn told(problem: Problem) -> anyhow::Error {
    let Problem { code, detail, hint, .. } = problem;
    match (code, hint) {
        ("bad_input", hint) => {
            let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            Error::BadInput(format!("{detail}{hint}")).into()
        }
        (_, Some(hint)) => Error::Needs { why: detail, hint }.into(),
        (_, None) => Error::NotPossible(detail).into(),
    }
}

/// Opens the page in the person's browser, if there is one to be found, by a link that is good once.
fn open(home: &Path, url: &str) {
    // Where none can be left, the link that is printed is opened by hand.
    let Ok(once) = Token::leave_once(home) else { return };
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("cmd");
        command.args(["/C", "start", ""]);
        command
    } else {
        Command::new("xdg-open")
    };
    let link = format!("{url}login?token={}", once.text());
    command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut opened) = command.spawn() {
        std::thread::spawn(move || opened.wait());
    }
}

/// What the server asks of the program.
#[derive(Debug)]
struct ServedProgram {
    settings: Settings,
    /// The day on which a process was last started to copy memory.
    copied_on: Mutex<Option<i64>>,
}

impl ServedProgram {
    /// The settings as the file has them now.
    fn now(&self) -> Settings {
        self.settings.again()
    }

    /// Makes the copy of the day. A large memory is copied by a process of its own, so that nobody who writes waits for it and
    /// what it needs is given back; its end is waited for beside.
    fn back_up(&self, settings: &Settings, engine: &Engine) {
        let today = settings.clock.now().day();
        let mut copied_on = self.copied_on.lock().unwrap_or_else(PoisonError::into_inner);
        if *copied_on == Some(today) {
            return;
        }
        if let Some(mut copying) = worker::back_up(settings, engine) {
            *copied_on = Some(today);
            std::thread::spawn(move || copying.wait());
        }
    }
}

impl Program for ServedProgram {
    fn open(&self) -> Result<Engine, Problem> {
        self.settings.engine().map_err(problem)
    }

    fn open_as(&self, person: &str) -> Result<Engine, Problem> {
        let settings = self.now();
        let engine = Engine::open_as(&settings.home, settings.clock, Some(person))?;
        Ok(engine.with_policy(settings.policy))
    }

    fn roots(&self) -> Roots {
        self.settings.roots().for_person(true)
    }

    fn context(&self) -> Result<Context, Problem> {
        self.settings.context().map_err(problem)
    }

    fn may_take_in(&self) -> Result<(), Problem> {
        let settings = self.now();
        if settings.is_off() {
            return Err(Error::Off.into());
        }
        match settings.problem {
            Some(problem) => Err(Error::BadInput(problem).into()),
            None => Ok(()),
        }
    }

    fn status(&self, engine: &Engine, context: &Context) -> Result<Value, Problem> {
        super::health::status_of(&self.now(), engine, context).map_err(problem)
    }

    fn doctor(&self) -> Result<Value, Problem> {
        super::health::doctor_of(&self.now()).map_err(problem)
    }

    fn mcp(&self, folder: PathBuf, engine: Arc<Engine>) -> throughline_mcp::Setup {
        let settings = self.now();
        let wanted = settings.models.any().then(|| {
            let settings = settings.clone();
            WriteListener::new(move || {
                worker::note(&settings, true);
                worker::start_and_see_off(&settings, settings.clock.now());
            })
        });
        throughline_mcp::Setup {
            home: settings.home.clone(),
            clock: settings.clock,
            policy: settings.policy,
            off: settings.is_off(),
            joins: settings.joins(),
            folder,
            session: None,
            level: Level::Project,
            profile: Profile::Throughline,
            graph_file: None,
            engine: Some(engine),
            written: wanted,
        }
    }

    fn model(&self) -> Option<String> {
        self.now().models.llm_name()
    }

    fn written(&self, engine: &Engine, new: bool) {
        let settings = self.now();
        if throughline_engine::recalls_wait(engine.home())
            && let Ok(context) = settings.context()
        {
            // Answered already; what cannot be counted now is counted with the next write.
            engine.recalling(&context).settle_recalls().ok();
        }
        worker::note(&settings, new);
        if new {
            worker::start_and_see_off(&settings, settings.clock.now());
            self.back_up(&settings, engine);
        }
    }

    fn tick(&self) {
        let settings = self.now();
        worker::start_and_see_off(&settings, settings.clock.now());
    }
}

/// A failure of the program as a problem of the server.
fn problem(error: anyhow::Error) -> Problem {
    match error.downcast::<Error>() {
        Ok(error) => error.into(),
        Err(error) => Problem::new(500, "failed", format!("{error:#}")),
    }
}
