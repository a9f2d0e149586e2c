//! Recall where vectors are missing or foreign, and where a question is larger than any command line.

use std::path::Path;

use throughline_core::{MemoryId, NodeId};
use throughline_engine::{Ask, Clock, Context, Engine, NewMemory, Project, Recall, RecalledThing};
use throughline_store::{SqliteStore, Store, Vector};

struct Desk {
    folder: tempfile::TempDir,
    context: Context,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir(&root).unwrap();
        Self { context: Context::user(Project::at(&root).unwrap()), folder }
    }

    fn engine(&self) -> Engine {
        Engine::open(&self.folder.path().join("home"), Clock::System).unwrap()
    }

    fn remember(&self, text: &str) -> MemoryId {
        self.engine().keeping(&self.context).remember(&NewMemory::new(text)).unwrap().card.memory.id
    }

    fn recall(&self, query: &str) -> Recall {
        let engine = self.engine();
        engine.recalling(&self.context).recall(&Ask::new(query, engine.policy().recall)).unwrap()
    }

    /// Replaces the vector of a memory by one that another model made.
    fn make_foreign(&self, id: MemoryId) {
        let path: &Path = &self.folder.path().join("home/throughline.db");
        let store = SqliteStore::open(path).unwrap();
        let vector = Vector {
            node: NodeId::Memory(id),
            seq: 1,
            values: vec![1.0; 8],
            packed: vec![127; 16],
        };
        store.put_vectors(self.context.scope().space, "another/model", &[vector]).unwrap();
    }
}

fn texts(recall: &Recall) -> Vec<&str> {
    let items = recall.items.iter();
    items
        .map(|item| match &item.what {
            RecalledThing::Memory(card) => card.memory.content.as_str(),
            RecalledThing::Episode(episode) => episode.text.as_str(),
        })
        .collect()
}

#[test]
fn a_memory_with_the_vector_of_another_model_is_found_by_its_words() {
    let desk = Desk::new();
    let id = desk.remember("The walrus queue is drained at noon");
    desk.remember("Logs are kept for ninety days");
    desk.make_foreign(id);
    let query = "when is the walrus queue drained?";
    let recall = desk.recall(query);
    assert_eq!(texts(&recall), ["The walrus queue is drained at noon"]);
    assert_eq!(recall.items[0].candidate.signals.cosine, None, "a foreign vector says nothing");

    let engine = desk.engine();
    engine.recalling(&desk.context).recall(&Ask::new(query, engine.policy().recall)).unwrap();
    assert_eq!(engine.vectors().catch_up(&desk.context).unwrap(), 1);
    let recall = desk.recall(query);
    assert!(recall.items[0].candidate.signals.cosine.is_some(), "it got one of ours");
}

#[test]
fn memories_are_found_by_their_words_when_none_has_a_vector_of_ours() {
    let desk = Desk::new();
    let told = ["The walrus queue is drained at noon", "Logs are kept for ninety days"];
    for text in told {
        desk.make_foreign(desk.remember(text));
    }
    for (query, text) in
        [("walrus queue", told[0]), ("for how many days are logs kept, ninety?", told[1])]
    {
        assert_eq!(texts(&desk.recall(query)), [text]);
    }
    assert!(desk.recall("weather in Lisbon").text.is_empty());
}

#[test]
fn a_question_of_a_megabyte_is_answered_within_the_budget() {
    let desk = Desk::new();
    desk.remember("The walrus queue is drained at noon");
    for query in [
        "walrus queue ".repeat(80_000),
        "x".repeat(1 << 20),
        "\u{1f9ad}\u{200f}\"(*".repeat(100_000),
        format!("{} when is the walrus queue drained?", "so ".repeat(350_000)),
    ] {
        assert!(query.len() > 900_000);
        let recall = desk.recall(&query);
        assert!(recall.tokens <= recall.budget);
    }
}
