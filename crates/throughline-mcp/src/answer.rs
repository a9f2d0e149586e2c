//! Answers: the same in words and as data, because some clients pass on only the one and some only
//! the other.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use throughline_core::page;
use throughline_core::reconcile::Blocked;
use throughline_engine::Error;

use crate::view;

/// Characters of a complaint.
const MESSAGE_CHARS: usize = 1_000;

/// What a tool says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) data: Value,
}

impl Answer {
    /// Words and data that may hold stored text.
    pub(crate) fn of(text: &str, mut data: Value) -> Self {
        defuse(&mut data);
        Self { text: page::harmless_to_models(text), data }
    }

    /// A page with its own fence, in which stored text is harmless already, and data that may hold some.
    pub(crate) fn page(text: String, mut data: Value) -> Self {
        defuse(&mut data);
        Self { text, data }
    }
}

/// Breaks up whatever a stored text has of fences and tags, as a page of recall does: a client may put
/// the data before the model instead of the words.
pub(crate) fn defuse(value: &mut Value) {
    match value {
        Value::String(text) => *text = page::harmless_to_models(text),
        Value::Array(items) => items.iter_mut().for_each(defuse),
        Value::Object(map) => {
            let named = std::mem::take(map).into_iter();
            *map = named.map(|(name, one)| (page::harmless_to_models(&name), one)).collect();
            map.values_mut().for_each(defuse);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Why a tool could not do what it was asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolFailure {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// What the caller can do.
    pub(crate) hint: Option<String>,
    /// What the user would have to run.
    pub(crate) user_command: Option<String>,
}

pub(crate) type ToldByTool = std::result::Result<Answer, ToolFailure>;

impl ToolFailure {
    /// The caller asked for something that cannot be.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { code: "bad_input", message: message.into(), hint: None, user_command: None }
    }

    /// Only the user may do it; this is how.
    pub(crate) fn for_the_user(message: impl Into<String>, command: impl Into<String>) -> Self {
        Self {
            code: "only_the_user",
            message: message.into(),
            hint: Some("tell the user; do not look for a way around it".to_owned()),
            user_command: Some(command.into()),
        }
    }
}

impl From<Error> for ToolFailure {
    fn from(error: Error) -> Self {
        let user_command = if let Error::NotYours { by_hand, .. } = &error {
            return Self::for_the_user(error.to_string(), by_hand.clone());
        } else if let Error::Walled(_) = &error {
            Some("throughline review".to_owned())
        } else if let Error::Blocked(Blocked::Erased(_)) = &error {
            Some("throughline remember TEXT --revive".to_owned())
        } else if let Error::Blocked(Blocked::Retired { id, .. }) = &error {
            Some(format!("throughline confirm {}", id.handle()))
        } else {
            None
        };
        let hint = if user_command.is_some() {
            None
        } else if let Error::NotFound { what: "memory", .. } = &error {
            Some("ids come from recall; they hold in this project only".to_owned())
        } else {
            error.hint()
        };
        Self { code: error.code(), message: error.to_string(), hint, user_command }
    }
}

impl From<Answer> for CallToolResult {
    fn from(answer: Answer) -> Self {
        let mut result = Self::success(vec![ContentBlock::text(answer.text)]);
        result.structured_content = Some(answer.data);
        result
    }
}

impl From<ToolFailure> for CallToolResult {
    fn from(failure: ToolFailure) -> Self {
        // What was asked for may be quoted in it, however long that was.
        let message = page::harmless_to_models(&view::cut(&failure.message, MESSAGE_CHARS));
        let mut text = message.clone();
        let mut data = json!({ "error": failure.code, "message": message });
        if let Some(hint) = failure.hint {
            text.push_str(&format!("\n{hint}"));
            data["hint"] = Value::from(hint);
        }
        if let Some(command) = failure.user_command {
            text.push_str(&format!("\nThe user would run: {command}"));
            data["user_would_run"] = Value::from(command);
        }
        let mut result = Self::error(vec![ContentBlock::text(text)]);
        result.structured_content = Some(data);
        result
    }
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
