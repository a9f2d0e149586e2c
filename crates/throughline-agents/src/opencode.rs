//! The dialect of opencode, which has no hooks that run programs: a plugin of ours
//! (`opencode/throughline.js`) tells what happened, in the words of opencode's own plugin hooks.
//! Recorded from 1.18.33.
//!
//! A payload is `{hook, directory, input, output}`. What we answer is kept by the plugin and stands
//! in the system prompt of every later request of the session.

mod transcript;

use serde_json::{Value, json};
use throughline_core::SessionId;
use throughline_core::event::{Event, Start, ToolRun, What};

use crate::hooks::{self, nothing, prompt, words};
use crate::host::Dialect;
use crate::json::{flag, list, text};
use crate::tools;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "opencode",
    called: "opencode",
    last_event: "dispose",
    warns_late: false,
    read,
    knows,
    can_inject,
    answer: |_, text| json!({ "context": text }).to_string(),
    answer_units_max: 10_000,
    lines: transcript::lines,
    transcripts: transcript::files,
    lost: None,
};

/// The plugin that tells us what happens.
pub(crate) const PLUGIN: &str = include_str!("opencode/throughline.js");

/// Hooks of opencode that memory has no use for. There are more events than these.
const OTHERS: &[&str] = &["init", "chat.params", "chat.headers", "permission.ask", "event"];

fn read(event: &str, payload: &Value) -> Event {
    let null = Value::Null;
    let name = text(payload, "hook").unwrap_or(event);
    let (input, output) =
        (payload.get("input").unwrap_or(&null), payload.get("output").unwrap_or(&null));
    let info = input.get("info").unwrap_or(&null);
    let session = text(input, "sessionID").or_else(|| text(info, "id")).unwrap_or_default();
    let folder = text(payload, "directory").or_else(|| text(info, "directory"));
    Event {
        session: SessionId(session.to_owned()),
        folder: folder.map(str::to_owned),
        transcript: None,
        helper: text(input, "helperID").map(str::to_owned),
        what: what(name, payload, input, output),
    }
}

fn what(name: &str, payload: &Value, input: &Value, output: &Value) -> What {
    let helper = input.get("info").and_then(|info| text(info, "parentID")).is_some();
    match name {
        "event:session.created" if helper => nothing("a helper's session"),
        "event:session.created" => What::Started(Start::Startup),
        // What was in the system prompt went with the program that put it there.
        "session.resumed" | "event:session.compacted" => What::Started(Start::Compact),
        "chat.message" => prompt(&said(list(output, "parts"))),
        "helper.message" => task(prompt(&said(list(output, "parts")))),
        "tool.execute.before" => What::ToolStarts(call(input, output)),
        "tool.execute.after" => What::ToolsRan(vec![run(call(input, input), output)]),
        "experimental.session.compacting" => What::Compacting,
        "event:session.idle" => What::Answered { text: words(payload, "text") },
        "dispose" => What::Ended,
        name if OTHERS.contains(&name)
            || name.starts_with("event:")
            || name.starts_with("experimental.") =>
        {
            nothing(format!("of no use to memory: {name}"))
        }
        name => hooks::unknown(name),
    }
}

fn knows(name: &str) -> bool {
    what(name, &Value::Null, &Value::Null, &Value::Null) != hooks::unknown(name)
}

/// What is said to a helper its agent says.
fn task(said: What) -> What {
    if let What::Prompted { text } = said {
        What::HelperStarts { kind: None, task: Some(text) }
    } else {
        said
    }
}

/// What a person said in the parts of a message.
pub(super) fn said(parts: &[Value]) -> String {
    let spoken = parts.iter().filter(|part| {
        text(part, "type") == Some("text") && !flag(part, "synthetic") && !flag(part, "ignored")
    });
    unquoted(&spoken.filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n"))
}

/// `opencode run` puts a prompt that has a space in it into quotation marks.
fn unquoted(text: &str) -> String {
    let inside = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inside {
        Some(inside) if !inside.replace("\\\"", "").contains('"') => inside.replace("\\\"", "\""),
        Some(_) | None => text.to_owned(),
    }
}

fn call(input: &Value, args: &Value) -> throughline_core::event::ToolCall {
    let tool = text(input, "tool").unwrap_or_default();
    tools::call_of(tool, args.get("args").unwrap_or(&Value::Null), text(input, "callID"))
}

/// A call with what came of it: `{title, output, metadata: {exit}}`, or what an MCP server said.
pub(super) fn run(call: throughline_core::event::ToolCall, result: &Value) -> ToolRun {
    let response = result.get("output").filter(|output| output.is_string()).unwrap_or(result);
    let mut run = tools::ran(call, response);
    let exit = result.get("metadata").and_then(|data| data.get("exit")).and_then(Value::as_i64);
    run.exit = exit.and_then(|code| i32::try_from(code).ok()).or(run.exit);
    run.failed |= run.exit.is_some_and(|code| code != 0);
    run
}

fn can_inject(event: &str) -> bool {
    matches!(
        event,
        "event:session.created"
            | "session.resumed"
            | "event:session.compacted"
            | "chat.message"
            | "helper.message"
            | "tool.execute.before"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_of_the_command_line_are_nobodys_words() {
        for (text, left) in [
            (r#""hi \"there\" \ you""#, r#"hi "there" \ you"#),
            ("hi", "hi"),
            (r#""a" and "b""#, r#""a" and "b""#),
            (r#"""#, r#"""#),
            (r#"he said "no""#, r#"he said "no""#),
        ] {
            assert_eq!(unquoted(text), left, "{text}");
        }
    }
}
