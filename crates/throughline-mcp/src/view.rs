//! How memories look to a model: short names, no nulls, nothing twice.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use throughline_core::state::Flag;
use throughline_core::{Edge, Episode, Evidence, Memory, NodeId, State, Watermark, text};
use throughline_engine::{Card, Reason};

/// Characters of a text that is only pointed at.
pub(crate) const LINE_CHARS: usize = 160;
/// Characters of a text that is told.
pub(crate) const TEXT_CHARS: usize = 6_000;
/// Pieces of evidence, reasons and connections that are told.
pub(crate) const PARTS_MAX: usize = 20;
/// Reasons that are told in all.
pub(crate) const REASONS_MAX: usize = 60;
/// Characters of a label.
const TAG_CHARS: usize = 60;

/// A memory by its short id and beginning.
pub(crate) fn line(memory: &Memory) -> Value {
    let mut line = json!({
        "id": memory.id.handle(),
        "text": text::headline(&memory.content, LINE_CHARS),
    });
    if memory.state != State::Confirmed {
        line["state"] = Value::from(memory.state.as_str());
    }
    line
}

/// A memory with what one must know to use it.
pub(crate) fn memory(card: &Card, chars: usize) -> Map<String, Value> {
    let memory = &card.memory;
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| {
        map.insert(name.to_owned(), value);
    };
    put("id", memory.id.handle().into());
    put("kind", memory.kind.as_str().into());
    put("text", cut(&memory.content, chars).into());
    put("trust", short(card.trust.value()));
    put("by", memory.authority.as_str().into());
    put("at", memory.recorded_at.date().into());
    if memory.state != State::Confirmed {
        put("state", memory.state.as_str().into());
    }
    let flags: Vec<&str> = card.flags.iter().map(|flag| flag.as_str()).collect();
    if !flags.is_empty() {
        put("flags", flags.into());
    }
    if !card.tags.is_empty() {
        let tags: Vec<String> =
            card.tags.iter().take(PARTS_MAX).map(|tag| cut(tag, TAG_CHARS)).collect();
        put("tags", tags.into());
    }
    if let Some(slot) = &memory.slot {
        let [subject, predicate, object] = [&slot.subject, &slot.predicate, &slot.object];
        let slot = [subject, predicate, object].map(|part| cut(part, LINE_CHARS)).join("|");
        put("slot", slot.into());
    }
    if let Some(until) = memory.held_until() {
        put("until", until.date().into());
    }
    if let Some((then, now)) = card.then_and_now() {
        put("moved", json!({ "then": then, "now": now }));
    }
    let others = card.contested_by.iter().take(PARTS_MAX).map(|id| id.handle());
    let others: Vec<String> = others.collect();
    if !others.is_empty() {
        put("contested_by", others.into());
    }
    let people = card.contested_by.iter().filter_map(|id| card.contesting(*id));
    let people: Vec<String> = people.map(|by| text::headline(&by, LINE_CHARS)).collect();
    if !people.is_empty() {
        put("contested_by_people", people.into());
    }
    map
}

/// What `bound_to` was called at first: still there for programs that read it, not told in words.
const OLD_BOUND_TO: &str = "hangs_on";

/// The same with everything that speaks for it.
pub(crate) fn whole(card: &Card) -> Map<String, Value> {
    let mut map = memory(card, TEXT_CHARS);
    let evidence: Vec<Value> = card.evidence.iter().rev().take(PARTS_MAX).map(evidence).collect();
    if !evidence.is_empty() {
        map.insert("evidence".to_owned(), evidence.into());
    }
    let marks: Vec<Value> = card.watermarks.iter().take(PARTS_MAX).map(watermark).collect();
    if !marks.is_empty() {
        map.insert("bound_to".to_owned(), marks.clone().into());
        map.insert(OLD_BOUND_TO.to_owned(), marks.into());
    }
    let replaced = card.supersedes.iter().take(PARTS_MAX).map(|id| id.handle());
    let replaced: Vec<String> = replaced.collect();
    if !replaced.is_empty() {
        map.insert("replaces".to_owned(), replaced.into());
    }
    if let Some(by) = card.memory.superseded_by {
        map.insert("replaced_by".to_owned(), by.handle().into());
    }
    let shaken = card.reopened_by.iter().take(PARTS_MAX);
    let open: Vec<Value> = shaken
        .map(|one| json!({ "id": one.reason.handle(), "text": one.title, "how": one.how.to_string() }))
        .collect();
    if !open.is_empty() {
        map.insert("open_again".to_owned(), open.into());
    }
    map.insert("uses".to_owned(), card.usage.uses.into());
    map
}

fn evidence(one: &Evidence) -> Value {
    let mut value = json!({ "by": one.authority.as_str(), "at": one.at.date() });
    if let Some(person) = &one.person {
        value["person"] = text::headline(person, LINE_CHARS).into();
    }
    if let Some(said) = &one.snippet {
        value["quote"] = text::headline(said, LINE_CHARS).into();
    }
    if let Some(why) = &one.why {
        value["why"] = text::headline(why, LINE_CHARS).into();
    }
    if one.echo {
        value["echo"] = true.into();
    }
    value
}

fn watermark(mark: &Watermark) -> Value {
    let mut value = json!({ "what": mark.referent.to_string(), "is": mark.reading.to_string() });
    for (name, words) in [("then", &mark.then), ("now", &mark.now)] {
        if !words.is_empty() {
            value[name] = cut(words, LINE_CHARS).into();
        }
    }
    value
}

/// A connection, as seen from a memory.
pub(crate) fn related(from: NodeId, edge: &Edge, other: &Memory) -> Value {
    let mut value = line(other);
    let relation = edge.relation.as_str();
    value["relation"] =
        if edge.from == from { relation.to_owned() } else { format!("{relation} (from it)") }
            .into();
    value
}

/// Reasons with their own reasons, the nearest in full number, so many in all.
pub(crate) fn reasons(because: &[Reason], left: &mut usize) -> Vec<Value> {
    let here = because.len().min(PARTS_MAX).min(*left);
    *left -= here;
    let mut told = Vec::new();
    for one in &because[..here] {
        let mut value = line(&one.memory);
        value["relation"] = one.relation.as_str().into();
        let deeper = reasons(&one.because, left);
        if !deeper.is_empty() {
            value["because"] = deeper.into();
        }
        told.push(value);
    }
    told
}

/// A turn.
pub(crate) fn turn(episode: &Episode, chars: usize) -> Value {
    json!({
        "id": episode.id.handle(),
        "at": episode.at.date(),
        "who": episode.speaker,
        "text": cut(&episode.text, chars),
    })
}

/// A memory on one line, in words.
pub(crate) fn words(card: &Card) -> String {
    let memory = &card.memory;
    let mut line = format!(
        "[{}] {} ({} · {} · {} · trust {:.2}",
        memory.id.handle(),
        cut(&memory.content, TEXT_CHARS),
        memory.kind,
        memory.recorded_at.date(),
        memory.authority,
        card.trust.value(),
    );
    if memory.state != State::Confirmed {
        write!(line, " · {}", memory.state).expect("writing to a String cannot fail");
    }
    for flag in card.flags.iter().filter(|flag| **flag != Flag::Pinned) {
        write!(line, " · {flag}").expect("writing to a String cannot fail");
    }
    line.push(')');
    line
}

/// Data as words: one line for each thing, lists indented. Nothing is left out but old names.
pub(crate) fn outline(value: &Value) -> String {
    let mut page = String::new();
    write_outline(value, 0, &mut page);
    page.trim_end().to_owned()
}

fn write_outline(value: &Value, depth: usize, page: &mut String) {
    let margin = "  ".repeat(depth);
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.replace('\n', &format!("\n{margin}  "))),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let mut line = |text: String| {
        page.push_str(&text);
        page.push('\n');
    };
    match value {
        Value::Object(map) => {
            for (name, one) in map.iter().filter(|(name, _)| *name != OLD_BOUND_TO) {
                match plain(one) {
                    Some(text) => line(format!("{margin}{name}: {text}")),
                    None => {
                        line(format!("{margin}{name}:"));
                        let mut below = String::new();
                        write_outline(one, depth + 1, &mut below);
                        line(below.trim_end_matches('\n').to_owned());
                    }
                }
            }
        }
        Value::Array(items) => {
            for one in items {
                match plain(one) {
                    Some(text) => line(format!("{margin}- {text}")),
                    None => {
                        let mut below = String::new();
                        write_outline(one, depth + 1, &mut below);
                        let below = below.trim_end_matches('\n');
                        line(format!("{margin}- {}", below.trim_start()));
                    }
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            line(plain(value).unwrap_or_default());
        }
    }
}

/// The beginning of a text, and that there is more.
pub(crate) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}… (cut)", &text[..at]),
    }
}

fn short(share: f64) -> Value {
    Value::from((share * 100.0).round() / 100.0)
}
