//! A story as a text: sessions in days and projects, what people and agents say, commands, files that change.
//!
//! | line | meaning |
//! |---|---|
//! | `== DAY PROJECT` | a session begins; the one before it ends |
//! | `> TEXT` | a person's prompt |
//! | `< TEXT` | the agent's answer, which ends the turn |
//! | `$ COMMAND => OUTPUT` | a command that works |
//! | `! COMMAND => ERROR` | a command that fails |
//! | `file PATH: CONTENT` | a file is there when the session begins |
//! | `edit PATH: CONTENT` | the agent writes a file |
//! | `move OLD -> NEW` | a file is moved |
//! | `compact` | the host makes the conversation shorter |
//! | `# …` | a remark |

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::Agent;

/// What was put before the agents while a story was played: the day, the project, the event, the text.
pub(crate) struct Telling {
    pub(crate) day: String,
    pub(crate) project: String,
    pub(crate) event: &'static str,
    pub(crate) text: String,
}

/// A story being played on a home.
pub(crate) struct Player<'a> {
    home: &'a Home,
    agent: Option<Agent<'a>>,
    day: &'static str,
    project: String,
    calls: usize,
    pub(crate) sessions: usize,
    pub(crate) told: Vec<Telling>,
}

impl<'a> Player<'a> {
    pub(crate) fn new(home: &'a Home) -> Self {
        let (agent, project) = (None, String::new());
        Self { home, agent, day: "", project, calls: 0, sessions: 0, told: Vec::new() }
    }

    /// Plays every line.
    pub(crate) fn play(mut self, story: &str) -> Self {
        story.lines().for_each(|line| self.line(line));
        self.end_session();
        self
    }

    fn line(&mut self, line: &str) {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "" | "#" => {}
            "==" => self.begin(rest),
            ">" => self.hook("UserPromptSubmit", &json!({"prompt": rest})),
            "<" => self
                .hook("Stop", &json!({"stop_hook_active": false, "last_assistant_message": rest})),
            "$" | "!" => self.command(rest, verb == "$"),
            "file" => drop(self.write(rest)),
            "edit" => self.edit(rest),
            "move" => self.rename(rest),
            "compact" => {
                self.hook("PreCompact", &json!({"trigger": "auto", "custom_instructions": ""}));
                self.hook("SessionStart", &json!({"source": "compact"}));
            }
            _ => panic!("a story has no such line: {line}"),
        }
    }

    fn begin(&mut self, heading: &str) {
        self.end_session();
        let (day, project) = heading.split_once(' ').expect("a day and a project");
        self.day = Box::leak(day.to_owned().into_boxed_str());
        project.clone_into(&mut self.project);
        self.home.travel(self.day);
        let folder = self.home.outside(project);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        self.sessions += 1;
        let session = format!("{project}-{}", self.sessions);
        self.agent = Some(Agent { home: self.home, session, folder });
        self.hook("SessionStart", &json!({"source": "startup"}));
    }

    fn end_session(&mut self) {
        if self.agent.is_some() {
            self.hook("SessionEnd", &json!({"reason": "other"}));
            self.agent = None;
        }
    }

    fn hook(&mut self, event: &'static str, fields: &Value) {
        let text =
            self.agent.as_ref().expect("a session begins first").tell_at(None, event, fields);
        if !text.is_empty() {
            let (day, project) = (self.day.to_owned(), self.project.clone());
            self.told.push(Telling { day, project, event, text });
        }
    }

    fn command(&mut self, line: &str, worked: bool) {
        let (command, output) = line.split_once(" => ").expect("a command and what it printed");
        self.tool("Bash", &json!({"command": command}), output, worked);
    }

    fn edit(&mut self, line: &str) {
        let (path, content) = self.write(line);
        self.tool("Write", &json!({"file_path": path, "content": content}), "written", true);
    }

    fn tool(&mut self, tool: &str, input: &Value, output: &str, worked: bool) {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let mut call = json!({"tool_name": tool, "tool_input": input, "tool_use_id": id});
        self.hook("PreToolUse", &call);
        if worked {
            call["tool_response"] = json!({"stdout": output, "stderr": "", "interrupted": false});
            self.hook("PostToolUse", &call);
        } else {
            call["error"] = json!(format!("Exit code 1\n{output}"));
            call["is_interrupt"] = json!(false);
            self.hook("PostToolUseFailure", &call);
        }
    }

    fn place(&self, path: &str) -> PathBuf {
        self.agent.as_ref().expect("a session begins first").folder.join(path)
    }

    fn write(&self, line: &str) -> (PathBuf, String) {
        let (path, content) = line.split_once(": ").expect("a path and its content");
        let place = self.place(path);
        std::fs::create_dir_all(place.parent().expect("it is in a folder"))
            .expect("a folder can be made");
        std::fs::write(&place, format!("{content}\n")).expect("a file can be written");
        (place, content.to_owned())
    }

    fn rename(&self, line: &str) {
        let (old, new) = line.split_once(" -> ").expect("where it was and where it is");
        let new = self.place(new);
        std::fs::create_dir_all(new.parent().expect("it is in a folder"))
            .expect("a folder can be made");
        std::fs::rename(self.place(old), new).expect("a file can be moved");
    }
}
