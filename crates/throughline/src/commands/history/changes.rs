//! A change in a few words.

use throughline_core::{Change, Memory, text};

use crate::ui::{ID, paint, safe};

/// A change in a few words.
pub(super) fn change_words(
    change: &Change,
    before: Option<&Memory>,
    after: Option<&Memory>,
) -> String {
    let id = |id: &throughline_core::MemoryId| paint(ID, id.handle());
    let content = |memory: &Memory| format!("“{}”", short(&memory.content));
    match change {
        Change::Insert(memory) => format!("{} {}", id(&memory.id), content(memory)),
        Change::Reinforce(one) => format!("{} + evidence: {}", id(&one.memory), one.authority),
        Change::Revise(memory) => match before {
            Some(before) if before.content != memory.content => {
                format!("{} {} → {}", id(&memory.id), content(before), content(memory))
            }
            _ => format!("{} changed", id(&memory.id)),
        },
        Change::Move { id: which, to, .. } => format!("{} → {to}", id(which)),
        Change::Supersede { old, new, .. } => format!("{} replaced by {}", id(old), id(new)),
        Change::Unsupersede { old, .. } => format!("{} current again", id(old)),
        Change::Link(edge) => {
            format!("{} {} {}", edge_end(edge.from), edge.relation, edge_end(edge.to))
        }
        Change::Unlink { from, relation, to, .. } => {
            format!("{} no longer {relation} {}", edge_end(*from), edge_end(*to))
        }
        Change::Know(entity) => format!("{} {}", entity.kind, safe(&entity.name)),
        Change::AddSpace(space) => format!("space {}", safe(&space.name)),
        Change::Purge(stone) | Change::Expunge(stone) | Change::Silence { stone, .. } => {
            format!("{} erased", id(&stone.memory))
        }
        Change::Redact { .. } => "a secret that was told before was taken out".to_owned(),
        Change::Defer(pending) => {
            format!("{} waits for review: {}", paint(ID, pending.id.handle()), short(&pending.why))
        }
        Change::Shelve(leaf) => {
            let (shelf, name) = (safe(&leaf.shelf), short(&leaf.name));
            format!("{} kept word for word as {shelf} {name}", id(&leaf.memory))
        }
        Change::Unshelve { memory, .. } => format!("{} no longer kept word for word", id(memory)),
        Change::Decide { id, ruling, .. } => format!("{} {ruling}", paint(ID, id.handle())),
        Change::Restore { batch, .. } => {
            let now = after.map_or_else(String::new, |memory| format!(": {}", content(memory)));
            format!("undid {}{now}", paint(ID, batch.handle()))
        }
        Change::Watch(mark) => {
            format!(
                "{} is tied to {} ({})",
                id(&mark.memory),
                safe(&mark.referent.to_string()),
                mark.reading
            )
        }
        Change::Unwatch { memory, referent, .. } => {
            format!("{} is no longer tied to {}", id(memory), safe(&referent.to_string()))
        }
        Change::Slept { .. } => "consolidated up to here".to_owned(),
        Change::Unknow { .. } => "something is no longer known by a name".to_owned(),
        Change::Record(episode) => format!("a turn of {}", safe(&episode.speaker.to_string())),
        Change::Use { memories, .. } => format!("{} used", text::plural(memories.len(), "memory")),
        Change::Rate { memory, helpful: true, .. } => format!("{} helped", id(memory)),
        Change::Rate { memory, .. } => format!("{} did not help", id(memory)),
        Change::Attend(session) => format!("session {}", safe(&session.id.0)),
        Change::Inject(shown) => {
            format!("{} told to an agent", text::plural(shown.memories.len(), "memory"))
        }
    }
}

fn edge_end(node: throughline_core::NodeId) -> String {
    let text = node.to_string();
    paint(ID, text[text.len() - 8..].to_owned())
}

/// The beginning of a memory's text.
pub(super) fn short(content: &str) -> String {
    text::headline(&safe(content), 90)
}
