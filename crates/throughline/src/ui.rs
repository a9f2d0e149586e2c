//! The only place that prints. Colour only on a terminal; nothing a terminal would obey.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use throughline_core::{page, text};
use throughline_engine::{Error, ErrorKind, LeftOut, in_plain_words};

use crate::layout;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const ID: Style = AnsiColor::Cyan.on_default();

/// A text in a style. Stored text goes through [`safe`] first.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Stored text as it may be printed.
pub(crate) fn safe(stored: &str) -> String {
    text::printable(&page::harmless(stored))
}

/// A page of our own, with its fence, and what a caller gets back word for word.
pub(crate) fn own(page: &str) -> String {
    text::printable(page)
}

/// How wide a line may be: what the terminal says, else what `COLUMNS` says.
#[expect(clippy::disallowed_methods, reason = "COLUMNS is how a terminal that is not ours is told")]
pub(crate) fn width() -> Option<u16> {
    let terminal = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0);
    terminal.or_else(|| std::env::var("COLUMNS").ok()?.parse().ok())
}

/// Where answers go.
#[derive(Debug)]
pub(crate) struct Ui {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

impl Ui {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self { json, quiet }
    }

    /// Gives an answer: as JSON, or in words.
    pub(crate) fn answer<T: Serialize>(
        &mut self,
        answer: &T,
        in_words: impl FnOnce() -> String,
    ) -> anyhow::Result<ExitCode> {
        let left_out = throughline_engine::left_out();
        if !self.json {
            if !self.quiet {
                self.say(&in_words())?;
            }
            warn_of(&left_out);
        } else if left_out.is_empty() {
            self.print(&json_text(answer)?)?;
        } else {
            self.print(&json_text(&without(&left_out, serde_json::to_value(answer)?))?)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Prints a text for people, within the width of their terminal.
    pub(crate) fn say(&mut self, text: &str) -> anyhow::Result<()> {
        self.print(&layout::fit(text, width()))
    }

    /// Prints a text as it is and ends the line.
    pub(crate) fn print(&mut self, text: &str) -> anyhow::Result<()> {
        let mut out = anstream::stdout().lock();
        let text = text.strip_suffix('\n').unwrap_or(text);
        match writeln!(out, "{text}").and_then(|()| out.flush()) {
            // Whoever read us has seen enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => Ok(other?),
        }
    }

    /// Asks a question that only `yes` or `y` agrees to. `None` when there is nobody to ask.
    pub(crate) fn ask(&mut self, question: &str) -> anyhow::Result<Option<bool>> {
        if !std::io::stdin().is_terminal() {
            return Ok(None);
        }
        let mut err = anstream::stderr().lock();
        write!(err, "{question} [y/N] ")?;
        err.flush()?;
        let mut reply = String::new();
        std::io::stdin().read_line(&mut reply)?;
        Ok(Some(matches!(reply.trim().to_lowercase().as_str(), "y" | "yes")))
    }

    /// Asks for one key, and a line of what is typed or piped in is the answer. `None` when nobody answers any more.
    pub(crate) fn ask_key(&mut self, question: &str) -> anyhow::Result<Option<String>> {
        let mut err = anstream::stderr().lock();
        write!(err, "{question}\n> ")?;
        err.flush()?;
        let mut reply = String::new();
        let read = std::io::stdin().read_line(&mut reply)?;
        Ok((read > 0).then(|| reply.trim().to_lowercase()))
    }

    /// Says what was done while a person is asked.
    pub(crate) fn tell_aside(&mut self, text: &str) -> anyhow::Result<()> {
        Ok(writeln!(anstream::stderr().lock(), "{text}")?)
    }

    /// Shows that long work goes on, on a terminal.
    pub(crate) fn progress(&self, what: &'static str) -> ProgressBar {
        if self.json || self.quiet || !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new_spinner().with_message(what);
        let style = ProgressStyle::with_template("{spinner} {msg} {pos} ({elapsed})");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(std::time::Duration::from_millis(120));
        bar
    }

    /// The same, where it is known how much there is to do.
    pub(crate) fn progress_to(&self, what: &'static str, all: u64) -> ProgressBar {
        let bar = self.progress(what);
        if !bar.is_hidden() {
            bar.set_length(all);
            let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} ({eta} left)");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        }
        bar
    }

    /// Says on one line of standard error what a person should know beside the answer.
    pub(crate) fn warn(&self, message: &str) {
        let mut err = anstream::stderr().lock();
        // Nobody may be listening; the answer stands without it.
        if self.json {
            let warning = serde_json::json!({ "warning": { "message": message } });
            writeln!(err, "{warning}").ok();
        } else {
            writeln!(err, "{} {}", paint(WARN, "warning:"), safe(message)).ok();
        }
    }

    /// Says what went wrong and returns the exit code for it.
    pub(crate) fn fail(&mut self, error: &anyhow::Error) -> ExitCode {
        let known = error.downcast_ref::<Error>();
        let code = known.map_or("failed", Error::code);
        let hint = known.and_then(Error::hint);
        complain(self.json, code, &story(error), hint.as_deref());
        exit_code(known.map_or(ErrorKind::Failed, Error::kind))
    }
}

/// The exit code of a failure: the table in docs/exit-codes.md. Success is 0.
pub(crate) fn exit_code(kind: ErrorKind) -> ExitCode {
    ExitCode::from(match kind {
        ErrorKind::Failed => 1,
        ErrorKind::Usage => 2,
        ErrorKind::NotFound => 3,
    })
}

/// The exit code of a command that gave its answer: whether what was asked for was done.
pub(crate) fn done_or_failed(done: bool) -> ExitCode {
    if done { ExitCode::SUCCESS } else { exit_code(ErrorKind::Failed) }
}

/// An answer that also says which rows it had to do without.
fn without(left_out: &[LeftOut], mut answer: serde_json::Value) -> serde_json::Value {
    let named = |one: &LeftOut| serde_json::json!({"row": one.row, "why": one.why});
    if let Some(answer) = answer.as_object_mut() {
        let rows = left_out.iter().map(named).collect();
        answer.entry("damaged").or_insert(serde_json::Value::Array(rows));
    }
    answer
}

/// Says on standard error which rows could not be read.
pub(crate) fn warn_of(left_out: &[LeftOut]) {
    let mut err = anstream::stderr().lock();
    for one in left_out {
        let line = format!("left out: {}: {}", safe(&one.row), safe(&one.why));
        // Nobody may be listening; the answer stands without it.
        writeln!(err, "{}", paint(WARN, line)).ok();
    }
    if !left_out.is_empty() {
        writeln!(err, "{}", paint(DIM, "`throughline doctor` says how to repair it")).ok();
    }
}

/// An error and its causes, each said once.
fn story(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let of_disk = cause.downcast_ref::<std::io::Error>().map(in_plain_words);
        let cause = of_disk.unwrap_or_else(|| cause.to_string());
        if !text.ends_with(&cause) {
            let gap = if text.is_empty() { "" } else { ": " };
            write!(text, "{gap}{cause}").expect("writing to a String cannot fail");
        }
    }
    text
}

fn complain(json: bool, code: &str, message: &str, hint: Option<&str>) {
    let mut err = anstream::stderr().lock();
    if json {
        #[derive(Serialize)]
        struct Wire<'a> {
            code: &'a str,
            message: &'a str,
            hint: Option<&'a str>,
        }
        let wire = Wire { code, message, hint };
        let text = json_text(&serde_json::json!({ "error": wire })).unwrap_or_default();
        writeln!(err, "{text}").ok();
        return;
    }
    writeln!(err, "{} {}", paint(BAD, "error:"), safe(message)).ok();
    if let Some(hint) = hint {
        writeln!(err, "{} {}", paint(WARN, "hint:"), safe(hint)).ok();
    }
}

/// Prints what is wrong with a command line, or the help that was asked for.
pub(crate) fn usage(error: &clap::Error, json: bool) -> ExitCode {
    if !error.use_stderr() {
        error.print().ok();
        return ExitCode::SUCCESS;
    }
    if json {
        complain(true, "usage", &usage_words(error), Some("`throughline help` lists the commands"));
    } else {
        error.print().ok();
    }
    exit_code(ErrorKind::Usage)
}

/// What is wrong with a command line, on one line: the names of what is missing belong to it.
pub(crate) fn usage_words(error: &clap::Error) -> String {
    let message = error.to_string();
    let lines = message.trim_start_matches("error: ").lines().map(str::trim);
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// One JSON document: spread out for people, on one line for programs.
fn json_text<T: Serialize>(value: &T) -> anyhow::Result<String> {
    let plain = if std::io::stdout().is_terminal() {
        serde_json::to_string_pretty(value)?
    } else {
        serde_json::to_string(value)?
    };
    Ok(text::printable_json(&plain))
}
