//! The help pages: the grouped overview, and an example for every command.
//!
//! clap knows no headings for subcommands, so the overview is written from the command tree here.

mod examples;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use clap::CommandFactory as _;
use clap::builder::Styles;

use crate::args::Cli;
use examples::EXAMPLES;

/// A heading of the overview and the commands below it.
struct Group {
    heading: &'static str,
    commands: &'static [&'static str],
}

/// The commands of a working day, shown first and each with an example.
const EVERYDAY: Group = Group {
    heading: "Every day",
    commands: &["init", "remember", "recall", "search", "list", "why", "correct", "undo"],
};

/// Every other command that is not hidden.
const GROUPS: [Group; 6] = [
    Group {
        heading: "Look closer",
        commands: &[
            "today", "show", "history", "log", "told", "read", "why-not", "expand", "similar",
            "about", "topics", "graph", "boxes", "focus", "status", "stats",
        ],
    },
    Group {
        heading: "Keep memories true",
        commands: &[
            "review",
            "verify",
            "confirm",
            "contradict",
            "supersede",
            "unsupersede",
            "feedback",
            "sleep",
        ],
    },
    Group {
        heading: "Change and organise",
        commands: &[
            "edit",
            "tag",
            "entity",
            "pin",
            "link",
            "unlink",
            "archive",
            "unarchive",
            "promote",
            "done",
        ],
    },
    Group { heading: "Take back and erase", commands: &["forget", "purge"] },
    Group {
        heading: "Import, export and copies",
        commands: &["ingest", "import", "export", "backup", "restore", "store"],
    },
    Group {
        heading: "Agents, projects and settings",
        commands: &[
            "uninstall",
            "mcp",
            "serve",
            "project",
            "config",
            "llm",
            "work",
            "doctor",
            "completions",
            "demo",
            "help",
        ],
    },
];

/// The command line with its help pages.
pub(crate) fn command() -> clap::Command {
    let plain = Cli::command();
    let overview = overview(&plain);
    with_examples(plain, "").help_template(overview)
}

/// The template of the overview: groups of commands where clap would list them in one.
fn overview(cli: &clap::Command) -> String {
    let header = Styles::styled().get_header().to_owned();
    let mut page = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (at, group) in std::iter::once(&EVERYDAY).chain(&GROUPS).enumerate() {
        write!(page, "\n{header}{}:{header:#}\n", group.heading).expect("a String takes it");
        for name in group.commands {
            let about = if *name == "help" { HELP.to_owned() } else { about(cli, name) };
            page.push_str(&line(name, &about));
            if at == 0 {
                page.push_str(&sample(name));
            }
        }
    }
    write!(page, "\n{header}Options:{header:#}\n{{options}}{{after-help}}")
        .expect("a String takes it");
    page
}

/// What clap's own command is for.
const HELP: &str = "Show this page, or the help of a command";

fn about(cli: &clap::Command, name: &str) -> String {
    let known = cli.find_subcommand(name).and_then(clap::Command::get_about);
    known.map(ToString::to_string).unwrap_or_default()
}

/// Columns that a page may take: those of a terminal that nobody has made wider.
const COLUMNS: usize = 80;
/// Where the overview says what a command is for.
const INDENT: usize = 16;

fn line(name: &str, about: &str) -> String {
    let literal = Styles::styled().get_literal().to_owned();
    let mut page = format!("  {literal}{name:<12}{literal:#} ");
    let mut column = INDENT - 1;
    for word in about.split(' ') {
        let length = word.chars().count() + 1;
        if column + length > COLUMNS {
            write!(page, "\n{:width$}", "", width = INDENT - 1).expect("a String takes it");
            column = INDENT - 1;
        }
        write!(page, " {word}").expect("a String takes it");
        column += length;
    }
    page + "\n"
}

/// The first example of a command, below its line.
fn sample(name: &str) -> String {
    let dim = anstyle::Style::new().dimmed();
    let of_it = EXAMPLES.iter().find(|(path, _)| *path == name);
    let first = of_it.and_then(|(_, lines)| lines.first());
    first.map(|(line, _)| format!("{:16}{dim}$ {line}{dim:#}\n", "")).unwrap_or_default()
}

/// A command and those below it, with examples after their help.
fn with_examples(mut command: clap::Command, path: &str) -> clap::Command {
    let names: Vec<String> =
        command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    for name in names {
        let path = format!("{path} {name}").trim_start().to_owned();
        command = command.mut_subcommand(&name, |below| with_examples(below, &path));
    }
    let said = command.get_after_help().map(|text| unwrapped(&text.ansi().to_string()));
    let examples = EXAMPLES.iter().find(|(of, _)| *of == path).map(|(_, lines)| listed(lines));
    let parts: Vec<String> = said.into_iter().chain(examples).collect();
    if parts.is_empty() { command } else { command.after_help(parts.join("\n\n")) }
}

/// A text without the line breaks inside its paragraphs, so that clap breaks it to the width of the terminal. Lines that
/// are indented stay as they are.
fn unwrapped(text: &str) -> String {
    let mut page = String::new();
    let mut goes_on = false;
    for line in text.lines() {
        let prose = !line.is_empty() && !line.starts_with(' ');
        if !page.is_empty() {
            page.push(if goes_on && prose { ' ' } else { '\n' });
        }
        page.push_str(line);
        goes_on = prose;
    }
    page
}

/// Examples one below the other, what they do beside them, or above where there is no room.
fn listed(lines: &[(&str, &str)]) -> String {
    let header = Styles::styled().get_header().to_owned();
    let title = if lines.len() == 1 { "Example" } else { "Examples" };
    let mut page = format!("{header}{title}:{header:#}");
    let noted = lines.iter().filter(|(_, does)| !does.is_empty());
    let width = noted.map(|(line, _)| line.chars().count()).max().unwrap_or(0);
    for (line, does) in lines {
        let shown = match does.chars().count() {
            0 => (*line).to_owned(),
            long if width + long + 7 > COLUMNS => format!("# {does}\n  {line}"),
            _ => format!("{line:<width$}   # {does}"),
        };
        write!(page, "\n  {shown}").expect("a String takes it");
    }
    page
}
