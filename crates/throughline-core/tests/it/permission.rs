//! The page that people read says what the rules say, and what the rules let an agent do leaves what a
//! person says as the person says it, whatever was there before.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use throughline_core::permission::{self, Act, Backing, Door, Request, Standing, Verdict};
use throughline_core::reconcile::{Candidate, gives_form};
use throughline_core::watermark::Referent;
use throughline_core::{
    Authority, Change, Edge, Evidence, Kind, Memory, MemoryId, Relation, Row, Slot, State,
    Watermark,
};

use crate::world::{SPACE, Tables, candidate, day, id, says};

const WORD: &str = "Never force-push to main";
const SLOT: &str = "main|force-push|never|one";

/// What an agent says: the person's words written otherwise, or another text in the same slot.
fn plant() -> impl Strategy<Value = Candidate> {
    let text = select(&[WORD, "Never! Force-push to main!", "never force; push to main", "Push!"]);
    let slot = option::of(select(&[SLOT, "main|force-push|always|one", "a|b|c"]));
    let rank = select(&[Authority::Observed, Authority::Inferred, Authority::External]);
    let form = (select(Kind::ALL), any::<bool>(), any::<bool>());
    (text, slot, rank, form, 0..200_u32).prop_map(|(text, slot, rank, (kind, tags, more), on)| {
        let mut said = candidate(0, text, says(rank, "an agent's", on));
        said.testimony.by_agent = true;
        said.kind = kind;
        said.slot = slot.map(|slot| Slot::parse(slot).expect("it is a slot"));
        said.tags = if tags { vec!["obsolete".to_owned()] } else { vec![] };
        said.label = more.then(|| "Force-push is allowed".to_owned());
        said.domain = more.then(|| "x".to_owned());
        said.triggers = if more { vec!["git push".to_owned()] } else { vec![] };
        said.confidence = if more { 0.01 } else { 1.0 };
        said
    })
}

/// An agent says something, and hangs on it what the table lets it hang there.
fn play(tables: &mut Tables, said: &Candidate) {
    let Ok(plan) = tables.remember(said) else { return };
    let memory = tables.memory(plan.memory.0.as_u128());
    let about = |one: &Evidence| one.memory == memory.id;
    let evidence: Vec<Evidence> = tables.evidence().into_iter().filter(about).collect();
    let target = Some(Standing::of(&memory, &evidence));
    let (from, to, at) = (memory.id.into(), id(REASON).into(), said.testimony.at);
    let file = Referent::File { path: "t".to_owned(), span: None };
    for (act, change) in [
        (Act::Link, Change::Link(Edge::new(SPACE, from, Relation::Because, to, at))),
        (Act::Watch, Change::Watch(Watermark::new(SPACE, memory.id, file, at))),
    ] {
        let request = Request { door: Door::Tools, act, target, backing: Backing::Asserted };
        if let Verdict::Allowed { .. } = permission::judge(request) {
            tables.apply(&change).expect("both ends are there");
        }
    }
}

const REASON: u128 = 900;

/// What hangs on a memory besides its evidence.
fn hung_on(tables: &Tables, memory: &Memory) -> Vec<Row> {
    let hangs = |row: &&Row| {
        let form = matches!(row, Row::Edge(edge) if gives_form(edge, memory));
        form || matches!(row, Row::Watermark(mark) if mark.memory == memory.id)
    };
    tables.0.values().filter(hangs).cloned().collect()
}

fn persons_word(slot: Option<&str>) -> Candidate {
    Candidate {
        kind: Kind::Principle,
        slot: slot.map(|slot| Slot::parse(slot).expect("it is a slot")),
        ..candidate(500, WORD, says(Authority::UserStated, "the person's", 100))
    }
}

/// The memory is the person's word and nothing else.
fn is_the_persons(tables: &Tables, held: MemoryId, said: &Candidate) -> Result<(), TestCaseError> {
    let memory = tables.memory(held.0.as_u128());
    let named = usize::from(said.slot.is_some());
    prop_assert_eq!(&memory.content, WORD);
    prop_assert_eq!((memory.kind, &memory.slot), (said.kind, &said.slot));
    prop_assert_eq!((&memory.label, &memory.domain), (&None, &None));
    prop_assert_eq!((memory.triggers.len(), memory.confidence), (0, 1.0));
    prop_assert_eq!((memory.authority, memory.state), (Authority::UserStated, State::Confirmed));
    let hung = hung_on(tables, &memory);
    prop_assert_eq!(hung.len(), named, "the subject of the person's slot alone: {:?}", hung);
    Ok(())
}

proptest! {
    #[test]
    fn no_sequence_of_an_agents_before_or_after_changes_what_a_person_says(
        before in vec(plant(), 0..5),
        after in vec(plant(), 0..5),
        slot in option::of(select(&[SLOT])),
    ) {
        let mut tables = Tables::default();
        let reason = candidate(REASON, "It was a joke", says(Authority::Observed, "an agent's", 0));
        tables.remember(&reason).expect("nothing is there");
        for (number, one) in (1_u128..).zip(&before) {
            play(&mut tables, &Candidate { id: id(number), ..one.clone() });
        }
        let said = persons_word(slot);
        let held = match tables.remember(&said) {
            Ok(plan) => plan.memory,
            Err(blocked) => return Err(TestCaseError::fail(blocked.to_string())),
        };
        is_the_persons(&tables, held, &said)?;
        for (number, one) in (600_u128..).zip(&after) {
            play(&mut tables, &Candidate { id: id(number), ..one.clone() });
            is_the_persons(&tables, held, &said)?;
        }
        prop_assert!(tables.memory(held.0.as_u128()).recorded_at <= day(200));
    }
}

#[test]
fn the_page_about_trust_shows_the_table_of_permissions() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trust.md");
    let page = std::fs::read_to_string(page).expect("the page is part of the repository");
    let table = permission::table();
    assert!(page.contains(&table), "docs/trust.md should show this table:\n\n{table}");
}
