//! The tools: arguments in, one answer out.

mod read;
mod write;

use rmcp::model::JsonObject;

pub(crate) use read::recall;

use crate::answer::Told;
use crate::arguments;
use crate::desk::Desk;

/// Calls a tool. `None` when there is no tool of that name.
pub(crate) fn call(desk: &mut Desk, name: &str, arguments: Option<JsonObject>) -> Option<Told> {
    Some(match name {
        "recall" => arguments::read(arguments).and_then(|args| read::recall(desk, &args)),
        "remember" => arguments::read(arguments).and_then(|args| write::remember(desk, &args)),
        "expand" => arguments::read(arguments).and_then(|args| read::expand(desk, &args)),
        "why" => arguments::read(arguments).and_then(|args| read::why(desk, &args)),
        "relate" => arguments::read(arguments).and_then(|args| write::relate(desk, &args)),
        "correct" => arguments::read(arguments).and_then(|args| write::correct(desk, &args)),
        "verify" => arguments::read(arguments).and_then(|args| write::verify(desk, &args)),
        "feedback" => arguments::read(arguments).and_then(|args| write::feedback(desk, &args)),
        "archive" => arguments::read(arguments).and_then(|args| write::archive(desk, &args)),
        "review" => arguments::read(arguments).and_then(|args| read::review(desk, &args)),
        _ => return None,
    })
}
