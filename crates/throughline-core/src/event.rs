//! Events: what an agent tells us while it works, whichever agent it is.
//!
//! Hosts speak different dialects; the adapters translate them into this. Nothing here knows a host.

use serde::{Deserialize, Serialize};

use crate::SessionId;

/// One thing that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The agent's name for the session.
    pub session: SessionId,
    /// The folder that the agent works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Where the agent writes down the session, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// The helper of the agent in which it happened, where it was not the agent itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub helper: Option<String>,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A session begins or goes on.
    Started(Start),
    /// A person asked for something.
    Prompted {
        /// In their words.
        text: String,
    },
    /// A tool is about to run.
    ToolStarts(ToolCall),
    /// Tools have run.
    ToolsRan(Vec<ToolRun>),
    /// The context is about to be made shorter.
    Compacting,
    /// It was made shorter.
    Compacted {
        /// What is left of it, in the agent's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
    /// The agent has answered.
    Answered {
        /// In its words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// The agent gives a helper a task.
    HelperAsked {
        /// In the agent's words.
        text: String,
        /// Which sort of helper, if the agent says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
    },
    /// A helper begins.
    HelperStarts {
        /// Which sort of helper, if the host says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        /// What the agent asked of it, where the host says so here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<String>,
    },
    /// A helper of the agent has answered.
    HelperAnswered {
        /// In its words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// The session ends.
    Ended,
    /// Something that memory has no use for: machine text, or an event that we do not know.
    Nothing {
        /// Why it is passed over.
        why: String,
    },
}

closed_set! {
    /// How a session begins.
    pub enum Start ("start") {
        /// Anew.
        Startup = "startup",
        /// Where it was left.
        Resume = "resume",
        /// Anew, in the same window.
        Clear = "clear",
        /// After its context was made shorter.
        Compact = "compact",
        /// In a copy of another session, with everything that was said there.
        Fork = "fork",
        /// Where it was left, without what it was told when it began.
        Reload = "reload",
    }
}

/// A tool, and what it is asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolCall {
    /// Its name for the agent: `Bash`, `Edit`, `mcp__server__tool`.
    pub tool: String,
    /// The command line, where it runs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The files it reads or writes, where it names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The text it puts in, where it writes one; shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether it changes the files it names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub writes: bool,
    /// The agent's name for this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// A tool that has run, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolRun {
    /// What was asked.
    pub call: ToolCall,
    /// What it printed or returned; shortened.
    pub output: String,
    /// Whether it failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The exit code, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
}

impl Event {
    /// Every text in it, to be looked through and replaced: nothing that a person or a tool said
    /// is anywhere else. Names are in [`Event::names_mut`].
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        match &mut self.what {
            What::Prompted { text } | What::HelperAsked { text, .. } => vec![text],
            What::HelperStarts { task, .. } => task.iter_mut().collect(),
            What::ToolStarts(call) => call.texts_mut(),
            What::ToolsRan(runs) => runs
                .iter_mut()
                .flat_map(|run| {
                    let mut texts = run.call.texts_mut();
                    texts.push(&mut run.output);
                    texts
                })
                .collect(),
            What::Compacted { summary: text }
            | What::Answered { text }
            | What::HelperAnswered { text } => text.iter_mut().collect(),
            What::Started(_) | What::Compacting | What::Ended | What::Nothing { .. } => Vec::new(),
        }
    }
}

impl Event {
    /// Every name in it: of the session, its folder, its transcript, its tools and their calls.
    pub fn names_mut(&mut self) -> Vec<&mut String> {
        let mut names = vec![&mut self.session.0];
        names.extend(self.folder.iter_mut().chain(&mut self.transcript).chain(&mut self.helper));
        let calls: Vec<&mut ToolCall> = match &mut self.what {
            What::HelperAsked { kind, .. } | What::HelperStarts { kind, .. } => {
                names.extend(kind);
                Vec::new()
            }
            What::ToolStarts(call) => vec![call],
            What::ToolsRan(runs) => runs.iter_mut().map(|run| &mut run.call).collect(),
            What::Started(_)
            | What::Prompted { .. }
            | What::Compacting
            | What::Compacted { .. }
            | What::Answered { .. }
            | What::HelperAnswered { .. }
            | What::Ended
            | What::Nothing { .. } => Vec::new(),
        };
        for call in calls {
            names.push(&mut call.tool);
            names.extend(&mut call.id);
        }
        names
    }
}

impl ToolCall {
    fn texts_mut(&mut self) -> Vec<&mut String> {
        self.command.iter_mut().chain(&mut self.files).chain(&mut self.text).collect()
    }
}
