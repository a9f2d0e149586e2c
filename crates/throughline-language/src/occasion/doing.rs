//! What is about to be done, in the words that a rule may hold.

use std::collections::BTreeSet;

use super::rule::Rule;
use crate::command::{self, ProgramRun};
use crate::referent::{NamedPlace, mentions};
use crate::speech::word::words;
use throughline_core::event::ToolCall;
use throughline_core::{text, words as terms};

/// Words that are looked up.
const TERMS_MAX: usize = 24;
/// Files of one call that are looked at.
const FILES_MAX: usize = 8;
/// Parts of a path that are looked up, from its end.
const PARTS_MAX: usize = 6;
/// More of a prompt is not looked at.
const PROMPT_BYTES_MAX: usize = 2_000;
/// A longer piece of code in a prompt is no command that it speaks of.
const COMMAND_BYTES_MAX: usize = 80;
/// Words of a prompt that are looked at.
const SAID_MAX: usize = 16;
/// Things that one program is given.
const OBJECTS_MAX: usize = 8;

/// What every second command line and path holds: it is about nothing by itself.
const GENERAL: &[&str] = &[
    "git",
    "src",
    "lib",
    "libs",
    "app",
    "apps",
    "test",
    "tests",
    "spec",
    "docs",
    "bin",
    "pkg",
    "cmd",
    "packages",
    "crates",
    "main",
    "master",
    "head",
    "origin",
    "run",
    "exec",
    "install",
    "i",
    "ci",
    "add",
    "build",
    "start",
    "stop",
    "restart",
    "get",
    "set",
    "list",
    "ls",
    "show",
    "status",
    "init",
    "new",
    "create",
    "update",
    "upgrade",
    "up",
    "down",
    "check",
    "help",
    "version",
    "log",
    "logs",
    "diff",
    "dev",
    "all",
    "sh",
    "bash",
    "cd",
    "workspace",
    "index",
    "latest",
    "local",
    "default",
    "script",
    "scripts",
    "file",
    "files",
    "code",
    "compose",
    "compos",
    "plan",
    "feature",
    "instal",
    "updat",
    "creat",
    "statu",
    "workspac",
];
/// Programs whose names are words that people use for other things.
const WORDS: &[&str] = &[
    "make", "go", "just", "task", "node", "touch", "patch", "kill", "watch", "split", "join",
    "time", "open", "serve", "air", "fly", "act", "say", "yes", "at", "which", "who", "deploy",
    "release", "find", "sort", "head", "tail", "less", "more", "cut", "file", "type", "history",
    "cat", "host",
];
/// Programs that are only given things, and told nothing.
const HANDLE: &[&str] = &[
    "mkdir", "rmdir", "touch", "rm", "cp", "mv", "ln", "chmod", "chown", "tar", "zip", "unzip",
    "scp", "rsync", "ssh", "curl", "wget", "kill", "pkill", "export", "source", "cd", "psql",
    "mysql",
];
const INTERPRETERS: &[&str] = &[
    "bash", "sh", "zsh", "python", "python3", "node", "ruby", "deno", "bun", "tsx", "perl", "php",
];
const SCRIPTS: &[&str] = &["sh", "bash", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "ps1"];
/// What a program is told in order to bring a package in.
const INSTALLS: &[&str] = &["install", "i", "add", "get", "require"];

/// Whether a word is about nothing by itself.
pub(super) fn is_general(word: &str) -> bool {
    GENERAL.contains(&word)
}

/// Whether the name of a program is a word that people use for other things.
pub(super) fn is_a_word(program: &str) -> bool {
    WORDS.contains(&program)
}

/// What is about to be done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doing {
    pub(super) acts: Vec<RunningProgram>,
    /// The files that are changed or worked on.
    pub(super) files: Vec<String>,
    /// The telling words of a prompt, in small letters.
    pub(super) said: Vec<String>,
}

/// A program that runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RunningProgram {
    /// Its name, in small letters.
    pub(super) program: String,
    /// What it is told to do, as stems.
    pub(super) actions: Vec<String>,
    /// What it is given, in small letters.
    pub(super) objects: Vec<String>,
    options: Vec<String>,
    /// It only shows text.
    pub(super) shows: bool,
    /// It brings packages in.
    pub(super) installs: bool,
    /// A tool of a server: others have tools of the same names.
    pub(super) is_tool: bool,
    /// Only spoken of in a prompt.
    pub(super) is_said: bool,
}

impl Doing {
    /// What a call of a tool does. `folder` is where the agent works.
    pub fn by_call(call: &ToolCall, folder: Option<&str>) -> Self {
        let mut doing = Self::default();
        let line = call.command.as_deref().unwrap_or_default();
        command::steps(line).iter().for_each(|step| doing.add(step));
        if call.command.is_none() {
            doing.acts.extend(RunningProgram::of_tool(&call.tool));
        }
        if call.writes {
            doing.files.extend(call.files.iter().cloned());
        }
        doing.settle(folder)
    }

    /// What a prompt speaks of doing: the files and the commands that it names, and what it asks to do.
    pub fn by_prompt(text: &str) -> Self {
        let mut doing = Self::default();
        let prompt = Rule::of(text::cut(text, PROMPT_BYTES_MAX));
        for (at, token) in prompt.tokens.iter().enumerate().filter(|(_, token)| token.tells()) {
            if doing.said.contains(&token.lower) || doing.said.len() >= SAID_MAX || token.is_path {
                continue;
            }
            doing.said.push(token.lower.clone());
            if prompt.is_means(at) {
                let program = token.lower.clone();
                doing.acts.push(RunningProgram {
                    program,
                    is_said: true,
                    ..RunningProgram::default()
                });
            }
            if prompt.is_asked(at) {
                let actions = vec![token.stem.clone()];
                doing.acts.push(RunningProgram {
                    actions,
                    is_said: true,
                    ..RunningProgram::default()
                });
            }
        }
        let is_line = |text: &str| {
            text.contains(' ') && !text.contains('\n') && text.len() <= COMMAND_BYTES_MAX
        };
        for word in words(text).iter().filter(|word| word.code && is_line(word.text)) {
            command::steps(word.text).iter().for_each(|step| doing.add(step));
        }
        let path = |place: NamedPlace| match place {
            NamedPlace::File { path, .. } | NamedPlace::Folder { path } => Some(path),
            NamedPlace::Flag { .. } | NamedPlace::Commit { .. } => None,
        };
        doing.files.extend(mentions(text).into_iter().filter_map(|one| path(one.place)));
        doing.settle(None)
    }

    /// Whether there is nothing that a rule could speak of.
    pub fn is_nothing(&self) -> bool {
        self.acts.is_empty() && self.files.is_empty()
    }

    /// The terms that a memory about it may hold.
    pub fn terms(&self) -> Vec<String> {
        let mut texts: Vec<&str> = Vec::new();
        for act in &self.acts {
            texts.push(&act.program);
            texts.extend(act.actions.iter().chain(&act.objects).map(String::as_str));
            texts.extend(act.options.iter().map(|option| option.trim_start_matches('-')));
        }
        for file in &self.files {
            texts.extend(file.rsplit('/').take(PARTS_MAX));
        }
        texts.extend(self.said.iter().map(String::as_str));
        let mut seen = BTreeSet::new();
        let all = texts.into_iter().flat_map(terms::terms).filter(|term| !terms::is_common(term));
        all.filter(|term| seen.insert(term.clone())).take(TERMS_MAX).collect()
    }

    fn add(&mut self, step: &ProgramRun) {
        let act = RunningProgram::of_step(step);
        self.files.extend(step.into.iter().cloned());
        if !act.shows {
            let path = |word: &&String| is_path(word);
            self.files.extend(step.words.iter().filter(path).cloned());
        }
        if !act.program.is_empty() && !self.acts.contains(&act) {
            self.acts.push(act);
        }
    }

    fn settle(mut self, folder: Option<&str>) -> Self {
        let folder = folder.map(|folder| folder.trim_end_matches(['/', '\\']));
        for file in &mut self.files {
            let inner = folder.and_then(|folder| file.strip_prefix(folder));
            if let Some(inner) = inner.filter(|inner| inner.starts_with(['/', '\\'])) {
                *file = inner[1..].to_owned();
            }
        }
        let mut seen = BTreeSet::new();
        self.files.retain(|file| seen.insert(file.clone()));
        self.files.truncate(FILES_MAX);
        self
    }
}

impl RunningProgram {
    fn of_step(step: &ProgramRun) -> Self {
        let name = step.name().to_lowercase();
        let mut act = Self { shows: step.only_shows(), program: name.clone(), ..Self::default() };
        if step.program.contains('/') || is_script(&name) {
            act.tell(stem_of(&name));
        }
        let mut given = step.words.iter().peekable();
        if is_interpreter(&name)
            && let Some(script) = given.next_if(|word| is_script(word))
        {
            act.tell(stem_of(script.rsplit('/').next().unwrap_or(script)));
        }
        let mut told = is_script(&name) || !act.actions.is_empty() && is_interpreter(&name);
        told |= HANDLE.contains(&name.as_str());
        let mut after_option = false;
        for word in given {
            let lower = word.to_lowercase();
            // `--context prod`: what follows may be its value.
            let value = std::mem::replace(&mut after_option, word.starts_with('-'));
            if value && is_plain(word) {
                act.give(&lower);
            }
            if word.starts_with('-') {
                let (option, value) = word.split_once('=').unwrap_or((word, ""));
                act.options.push(option.to_owned());
                act.give(value);
            } else if is_plain(word) && !told && (!value || act.actions.is_empty()) {
                act.installs |= INSTALLS.contains(&lower.as_str());
                act.tell(&lower);
                told = act.installs || !is_general(&lower) && !value;
            } else if !is_path(word) {
                act.give(lower.rsplit_once('=').map_or(lower.as_str(), |(_, value)| value));
            }
        }
        act
    }

    /// What a tool does, by its name: of a server's tools the server and the words of the tool, of
    /// others the name itself where nobody says it otherwise.
    fn of_tool(tool: &str) -> Option<Self> {
        if let Some((server, name)) =
            tool.strip_prefix("mcp__").and_then(|one| one.split_once("__"))
        {
            let program = server.to_lowercase();
            let mut act = Self { program, is_tool: true, ..Self::default() };
            act.tell(name);
            return Some(act);
        }
        let humps = tool.chars().filter(|c| c.is_uppercase()).count();
        (humps > 1).then(|| Self { program: tool.to_lowercase(), ..Self::default() })
    }

    fn tell(&mut self, words: &str) {
        for term in terms::terms(words) {
            if !self.actions.contains(&term) {
                self.actions.push(term);
            }
        }
    }

    fn give(&mut self, object: &str) {
        let bare = object.strip_prefix('@').unwrap_or(object);
        let bare = bare.split_once('@').map_or(bare, |(name, _)| name);
        if bare.len() > 1 && is_plain(bare) && self.objects.len() < OBJECTS_MAX {
            self.objects.push(bare.to_owned());
        }
    }

    /// Whether it is given an option: by its name, or by the letter that it begins with.
    pub(super) fn has_option(&self, written: &str) -> bool {
        let name = written.trim_start_matches('-');
        self.options.iter().any(|given| {
            let bare = given.trim_start_matches('-');
            // `-am` is two of them.
            let letters = bare.len() <= 3 && bare.chars().all(char::is_alphabetic);
            let letter =
                !given.starts_with("--") && letters && name.starts_with(|c| bare.contains(c));
            let long = written.starts_with("--") || !written.starts_with('-');
            bare == name || letter && long && name.len() > 3
        })
    }

    /// Whether an option is written out: `--title`.
    pub(super) fn writes_out(&self, name: &str) -> bool {
        const TELLING: usize = 4;
        let long = self.options.iter().filter_map(|option| option.strip_prefix("--"));
        name.len() >= TELLING && long.into_iter().any(|long| long == name)
    }

    /// Whether a word with hyphens holds what is done and how: "force-push" of `git push -f`.
    pub(super) fn compound(&self, word: &str) -> bool {
        let parts: Vec<&str> = word.split('-').filter(|part| !part.is_empty()).collect();
        let acts = |part: &str| terms::terms(part).iter().any(|term| self.actions.contains(term));
        let also = |part: &str| self.has_option(part) || self.objects.iter().any(|one| one == part);
        parts.len() > 1
            && parts.iter().any(|part| acts(part))
            && parts.iter().all(|part| acts(part) || also(part))
    }
}

/// A word that may be said: no path, no value.
fn is_plain(word: &str) -> bool {
    word.starts_with(char::is_alphabetic)
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':'))
}

fn is_path(word: &str) -> bool {
    let address = word.contains("://") || word.contains('@') || word.starts_with('-');
    let file = word.rsplit_once('.').is_some_and(|(stem, end)| {
        (!stem.is_empty() || end.len() > 2)
            && end.len() <= 12
            && end.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    !address && (word.contains('/') || file)
}

fn is_script(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && SCRIPTS.contains(&end))
}

fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&program)
}

/// The name of a file without its ending.
fn stem_of(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
