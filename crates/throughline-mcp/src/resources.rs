//! Resources: a memory, a thing and what is known of it, the brief.

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::Value;
use throughline_core::MemoryId;
use throughline_engine::Said;

use crate::answer::{ToolFailure, defuse};
use crate::desk::{CallerPlace, Desk, said};
use crate::view;

/// The brief.
pub(crate) const BRIEF: &str = "throughline://brief";
const MEMORY: &str = "throughline://memory/";
const ENTITY: &str = "throughline://entity/";
/// Memories told of one thing.
const ABOUT_MAX: usize = 50;
const JSON: &str = "application/json";

/// What there is without asking for something in particular.
pub(crate) fn listed() -> Vec<Resource> {
    vec![
        Resource::new(BRIEF, "brief")
            .with_title("Brief")
            .with_description("What holds in this project: what to check first, standing decisions, what is open, what failed")
            .with_mime_type("text/plain"),
    ]
}

/// What can be asked for.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{MEMORY}{{id}}"), "memory")
            .with_description("One memory with its evidence, by its id")
            .with_mime_type(JSON),
        ResourceTemplate::new(format!("{ENTITY}{{name}}"), "entity")
            .with_description(
                "What is known about a person, project, file, tool or concept, by its name",
            )
            .with_mime_type(JSON),
    ]
}

/// Reads one. `None` when there is nothing of that name.
pub(crate) fn read(desk: &mut Desk, uri: &str) -> Result<Option<ResourceContents>, ToolFailure> {
    if uri == BRIEF {
        let text = brief(desk)?;
        return Ok(Some(ResourceContents::text(text, uri)));
    }
    let data = if let Some(id) = uri.strip_prefix(MEMORY) {
        memory(desk, &decoded(id))
    } else if let Some(name) = uri.strip_prefix(ENTITY) {
        entity(desk, &decoded(name))
    } else {
        return Ok(None);
    };
    match data {
        Ok(data) => Ok(Some(ResourceContents::text(data.to_string(), uri).with_mime_type(JSON))),
        // What cannot be the name of anything is not found either.
        Err(failure) if ["not_found", "bad_input", "ambiguous"].contains(&failure.code) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// What a session should know before it begins.
pub(crate) fn brief(desk: &mut Desk) -> Result<String, ToolFailure> {
    let context = desk.context(&CallerPlace::default())?;
    let engine = desk.engine()?;
    let to_check = engine.watching(&context).to_check(3)?;
    let brief = engine.briefing(&context).brief(None, &to_check)?;
    desk.show(&context, brief.memories.iter().map(|(_, id)| *id));
    desk.tell(&context, "brief", &Said::by_brief(brief.clone()));
    Ok(if brief.text.is_empty() { "Nothing is known here yet.".to_owned() } else { brief.text })
}

fn memory(desk: &mut Desk, id: &str) -> Result<Value, ToolFailure> {
    let context = desk.context(&CallerPlace::default())?;
    let engine = desk.engine()?;
    let card = engine.looking(&context).show(&*engine.now_reader()?, id)?;
    desk.show(&context, [card.memory.id]);
    let mut data = Value::Object(view::whole(&card));
    defuse(&mut data);
    desk.tell(&context, "memory", &said(&data.to_string(), vec![card.memory.id], Vec::new()));
    Ok(data)
}

fn entity(desk: &mut Desk, name: &str) -> Result<Value, ToolFailure> {
    let context = desk.context(&CallerPlace::default())?;
    let cards = desk.engine()?.keeping(&context).about(name, ABOUT_MAX)?;
    desk.show(&context, cards.iter().map(|card| card.memory.id));
    let items: Vec<Value> =
        cards.iter().map(|card| Value::Object(view::memory(card, view::TEXT_CHARS))).collect();
    let mut data = serde_json::json!({ "name": name, "items": items });
    defuse(&mut data);
    let memories: Vec<MemoryId> = cards.iter().map(|card| card.memory.id).collect();
    if !memories.is_empty() {
        desk.tell(&context, "entity", &said(&data.to_string(), memories, Vec::new()));
    }
    Ok(data)
}

/// A part of an address without its escapes.
fn decoded(part: &str) -> String {
    let bytes = part.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| part.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(escaped.unwrap_or(bytes[at]));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_or_without_escapes() {
        for (part, expected) in [
            ("Staging%20DB", "Staging DB"),
            ("100%", "100%"),
            ("%zz", "%zz"),
            ("caf%C3%A9", "café"),
        ] {
            assert_eq!(decoded(part), expected);
        }
    }
}
