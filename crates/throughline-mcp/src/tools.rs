//! The tools: arguments in, one answer out.

mod read;
mod write;

use rmcp::model::JsonObject;
use serde_json::Value;

pub(crate) use read::recall;

use crate::answer::{Answer, ToldByTool};
use crate::desk::Desk;
use crate::{arguments, catalog, view};

/// Calls a tool. `None` when there is no tool of that name.
pub(crate) fn call(
    desk: &mut Desk,
    name: &str,
    arguments: Option<JsonObject>,
) -> Option<ToldByTool> {
    let tool = catalog::tools().into_iter().find(|tool| tool.name == name)?;
    let mut given = arguments.unwrap_or_default();
    let strange = arguments::fit(&tool.input_schema, &mut given);
    // Nothing that follows has seen a secret.
    let mut given = Value::Object(given);
    let redacted = desk.clean(&mut given);
    let told = dispatch(desk, name, given)?;
    Some(told.map(|answer| noted(answer, redacted, &strange)).map_err(|mut failure| {
        if failure.code == "bad_input" && !strange.is_empty() {
            failure.message.push_str(&format!("; it has no argument {}", strange.join(", ")));
        }
        failure
    }))
}

fn dispatch(desk: &mut Desk, name: &str, given: Value) -> Option<ToldByTool> {
    Some(match name {
        "recall" => arguments::read(given).and_then(|args| read::recall(desk, &args)),
        "remember" => arguments::read(given).and_then(|args| write::remember(desk, &args)),
        "expand" => arguments::read(given).and_then(|args| read::expand(desk, &args)),
        "why" => arguments::read(given).and_then(|args| read::why(desk, &args)),
        "relate" => arguments::read(given).and_then(|args| write::relate(desk, &args)),
        "correct" => arguments::read(given).and_then(|args| write::correct(desk, &args)),
        "verify" => arguments::read(given).and_then(|args| write::verify(desk, &args)),
        "feedback" => arguments::read(given).and_then(|args| write::feedback(desk, &args)),
        "archive" => arguments::read(given).and_then(|args| write::archive(desk, &args)),
        "review" => arguments::read(given).and_then(|args| read::review(desk, &args)),
        _ => return None,
    })
}

/// An answer that also says what was not taken as it was given.
fn noted(mut answer: Answer, redacted: usize, strange: &[String]) -> Answer {
    if redacted > 0 {
        answer
            .text
            .push_str(&format!("\n{redacted} secret(s) were removed; do not store secrets."));
        answer.data["redacted"] = redacted.into();
    }
    if !strange.is_empty() {
        let names = view::cut(&strange.join(", "), view::LINE_CHARS);
        answer.text.push_str(&format!("\nIgnored, because the tool has no such argument: {names}"));
        answer.data["left_out"] = names.into();
    }
    answer
}
