//! Helpers: agents that an agent starts for a task.
//!
//! A helper begins with an empty context. It is told what fits its task, whatever its agent was told
//! before, and nothing of that counts as told to its agent.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use throughline_core::policy::RecallPolicy;
use throughline_core::{MemoryId, SessionId, text};
use throughline_language::question;

use crate::capture::Mind;
use crate::flows::Listening;
use crate::listen::{Reply, is_asking};
use crate::{Ask, Context, Result, Said};

/// Tasks that wait for their helper to begin; the oldest go first.
const TASKS_MAX: usize = 8;
/// Bytes that are kept of a task.
const TASK_BYTES: usize = 4_000;
/// Helpers of which it is known what they were warned of; the oldest go first.
const WARNED_HELPERS: usize = 16;

/// What a session knows of its helpers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Helpers {
    /// What was asked of helpers that have not begun yet.
    tasks: VecDeque<Task>,
    /// What helpers were warned of.
    warned: VecDeque<(String, Vec<MemoryId>)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Task {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    text: String,
}

impl Helpers {
    /// Whether there is nothing to keep.
    pub(crate) fn is_empty(&self) -> bool {
        self.tasks.is_empty() && self.warned.is_empty()
    }

    /// Keeps what an agent asks of a helper until it begins: hosts say only then which one it is.
    pub(crate) fn asked(&mut self, kind: Option<&str>, task: &str) {
        let text = text::cut(task, TASK_BYTES).to_owned();
        self.tasks.push_back(Task { kind: kind.map(str::to_owned), text });
        while self.tasks.len() > TASKS_MAX {
            self.tasks.pop_front();
        }
    }

    /// The task of a helper that begins: the first that was asked of one of its sort.
    fn take_task(&mut self, kind: Option<&str>) -> Option<String> {
        let same =
            |task: &Task| task.kind.is_none() || kind.is_none() || task.kind.as_deref() == kind;
        let at = self.tasks.iter().position(same)?;
        self.tasks.remove(at).map(|task| task.text)
    }

    /// What a helper was warned of.
    pub(crate) fn warned_of(&self, helper: &str) -> &[MemoryId] {
        let found = self.warned.iter().find(|(id, _)| id == helper);
        found.map_or(&[], |(_, memories)| memories.as_slice())
    }

    pub(crate) fn warn(&mut self, helper: &str, memories: &[MemoryId]) {
        if memories.is_empty() {
            return;
        }
        match self.warned.iter_mut().find(|(id, _)| id == helper) {
            Some((_, known)) => known.extend(memories),
            None => self.warned.push_back((helper.to_owned(), memories.to_vec())),
        }
        while self.warned.len() > WARNED_HELPERS {
            self.warned.pop_front();
        }
    }

    /// Drops tasks that tell what is erased.
    pub(crate) fn forget(&mut self, is_told_in: &dyn Fn(&str) -> bool) {
        self.tasks.retain(|task| !is_told_in(&task.text));
    }
}

impl Listening<'_> {
    /// A helper begins: what fits its task.
    pub(crate) fn brief_helper(
        &self,
        helper: Option<&str>,
        kind: Option<&str>,
        task: Option<&str>,
        mind: &mut Mind,
    ) -> Result<Reply> {
        let task = match task {
            Some(task) => Some(task.to_owned()),
            None => mind.lately.helpers.take_task(kind),
        };
        let Some(task) = task else { return Ok(Reply::default()) };
        let asked = question::understand(&task, self.engine.now());
        // It has heard nothing of what its agent heard, and was shown nothing.
        let limits = RecallPolicy { known_minutes: 0.0, ..self.engine.policy.recall };
        let rules = self.engine.recalling(self.context).rules_for(&task)?;
        let ask = Ask { episodes: is_asking(&asked), rules, ..Ask::new(&task, limits) };
        let recall = self.engine.recalling(self.context).recall(&ask)?;
        let said = Said::by_recall(&recall);
        let shown: Vec<_> = recall.memories();
        let session = self.context.session.as_ref().map(|session| helper_session(session, helper));
        let apart = Context { session, ..self.context.clone() };
        let mut reply = Reply::default();
        reply.note(self.engine.recalling(&apart).note_shown(&shown, said.tokens, true));
        Ok(Reply { said, ..reply })
    }
}

/// What a helper's part of a session is called in the record of what was shown.
pub(crate) fn helper_session(session: &SessionId, helper: Option<&str>) -> SessionId {
    SessionId(format!("{session}/{}", helper.unwrap_or("helper")))
}
