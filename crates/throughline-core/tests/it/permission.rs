//! The page that people read says what the rules say, and what the rules let an agent do leaves what a
//! person says as the person says it, whatever was there before.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use throughline_core::evidence::Testimony;
use throughline_core::fold::View as _;
use throughline_core::permission::{self, Act, Backing, Door, Request, Standing, Verdict};
use throughline_core::reconcile::{Candidate, gives_form};
use throughline_core::row::{Image, Tombstone};
use throughline_core::watermark::Referent;
use throughline_core::{
    Authority, BatchId, Change, Edge, Evidence, Kind, Memory, MemoryId, Relation, Row, RowKey,
    Slot, State, Watermark,
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

/// What an agent does to something that is held, by which door, with what behind it.
#[derive(Debug, Clone, Copy)]
struct Deed {
    door: Door,
    act: Act,
    backing: Backing,
    /// Whether it is done to the person's word; else to one of the agent's own.
    to_persons: bool,
}

/// Every act by every door at which an agent stands or through which its work comes in.
fn deed() -> impl Strategy<Value = Deed> {
    let doors = [Door::AgentShell, Door::Tools, Door::MemoryTool, Door::ServerMemory, Door::Hook];
    let backing = select(&[Backing::Asserted, Backing::ToolResult]);
    (select(doors.to_vec()), select(Act::ALL), backing, any::<bool>())
        .prop_map(|(door, act, backing, to_persons)| Deed { door, act, backing, to_persons })
}

#[derive(Debug, Clone)]
enum Move {
    Says(Box<Candidate>),
    Does(Deed),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    vec(
        prop_oneof![
            plant().prop_map(|said| Move::Says(Box::new(said))),
            deed().prop_map(Move::Does)
        ],
        1..12,
    )
}

fn standing(tables: &Tables, memory: &Memory) -> Standing {
    let about = |one: &Evidence| one.memory == memory.id;
    let evidence: Vec<Evidence> = tables.evidence().into_iter().filter(about).collect();
    Standing::of(memory, &evidence)
}

/// An agent does something, as far as the table lets it. Whatever it may do is done in its worst form.
fn perform(tables: &mut Tables, persons: MemoryId, deed: Deed, on: u32) {
    let all = tables.memories().into_iter().filter(|one| one.id != id(REASON));
    let (own, held): (Vec<Memory>, Vec<Memory>) = all.partition(|one| one.id != persons);
    let (held, own) = (&held[0], own.first());
    let target = if deed.to_persons { Some(held) } else { own };
    let Some(target) = target else { return };
    let mut asked = standing(tables, target);
    if let (Act::Contradict, Some(own)) = (deed.act, own) {
        asked = asked.weaker(standing(tables, own));
    }
    let Deed { door, act, backing, .. } = deed;
    let request = Request { door, act, target: Some(asked), backing };
    let Verdict::Allowed { rank } = permission::judge(request) else { return };
    let other = if deed.to_persons { own } else { Some(held) };
    let hangs = tables.attached(SPACE, target.id.into()).expect("a table answers");
    let hangs = hangs.iter().map(Row::key);
    let said_with: Vec<RowKey> = hangs.chain([RowKey::memory(SPACE, target.id)]).collect();
    let said = says(rank, "an agent's", on);
    for change in consequences(act, target, other, &said_with, said) {
        // What the tables refuse does not happen.
        tables.apply(&change).ok();
    }
}

/// What an act does to a memory, which was said together with some rows.
fn consequences(
    act: Act,
    target: &Memory,
    other: Option<&Memory>,
    said_with: &[RowKey],
    mut said: Testimony,
) -> Vec<Change> {
    let (space, at, node) = (SPACE, said.at, target.id.into());
    let to = |to: State| vec![Change::Move { space, id: target.id, to, at }];
    let revised = |change: &dyn Fn(&mut Memory)| {
        let mut memory = target.clone();
        change(&mut memory);
        vec![Change::Revise(Box::new(memory))]
    };
    let edge = |relation, other: MemoryId| Edge::new(space, node, relation, other.into(), at);
    match act {
        Act::Remember | Act::AdoptRule | Act::CheckHolds | Act::Spread => {
            said.by_agent = true;
            vec![Change::Reinforce(said.about(space, target.id))]
        }
        Act::Replace => other
            .map(|other| Change::Supersede { space, old: target.id, new: other.id, at })
            .into_iter()
            .collect(),
        Act::CheckRefutes | Act::Retract => to(State::Retracted),
        Act::Archive => to(State::Archived),
        Act::BringBack => {
            let back = Change::Unsupersede { space, old: target.id };
            [vec![back], to(State::Staged)].concat()
        }
        Act::Edit => revised(&|memory| memory.content = "Push!".to_owned()),
        Act::Vouch | Act::Promote => revised(&|memory| memory.authority = Authority::UserCorrected),
        Act::Pin => revised(&|memory| memory.pinned = true),
        Act::Tag | Act::Name => revised(&|memory| memory.label = Some("Push".to_owned())),
        Act::Link => vec![Change::Link(edge(Relation::Because, id(REASON)))],
        Act::Contradict => {
            let both = other.map(|other| edge(Relation::Contradicts, other.id));
            both.map(Change::Link).into_iter().collect()
        }
        Act::Unlink => vec![Change::Unlink {
            space,
            from: node,
            relation: Relation::Because,
            to: id(REASON).into(),
        }],
        Act::Watch => {
            let file = Referent::File { path: "t".to_owned(), span: None };
            vec![Change::Watch(Watermark::new(space, target.id, file, at))]
        }
        Act::Rate => vec![Change::Rate { space, memory: target.id, helpful: false }],
        Act::Undo => {
            let undone = |key: &RowKey| Image { key: key.clone(), row: None };
            let rows = said_with.iter().map(undone).collect();
            vec![Change::Restore { batch: BatchId(target.id.0), rows }]
        }
        Act::Decide | Act::Purge | Act::Transfer | Act::Configure | Act::Reach => {
            vec![Change::Purge(Tombstone::of(target, at))]
        }
    }
}

/// Nothing that ranks as high as the person's word stands against it.
fn is_not_outranked(tables: &Tables, held: MemoryId) -> Result<(), TestCaseError> {
    let memory = tables.memory(held.0.as_u128());
    prop_assert!(memory.superseded_by.is_none() && memory.state.is_active());
    let mine = standing(tables, &memory).rank();
    for row in tables.0.values() {
        let Row::Edge(edge) = row else { continue };
        let (one, other) = (edge.from.memory(), edge.to.memory());
        let against = if one == Some(held) { other } else { one.filter(|_| other == Some(held)) };
        if edge.relation == Relation::Contradicts
            && let Some(against) = against
        {
            let rival = tables.memory(against.0.as_u128());
            prop_assert!(mine.outranks(standing(tables, &rival).rank()), "{:?}", rival);
        }
    }
    Ok(())
}

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

    #[test]
    fn whatever_an_agent_does_by_any_door_what_a_person_says_stays_as_they_said_it(
        before in vec(plant(), 0..3),
        moves in moves(),
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
        for ((number, on), one) in (600_u128..).zip(201_u32..).zip(&moves) {
            match one {
                Move::Says(one) => {
                    play(&mut tables, &Candidate { id: id(number), ..*one.clone() });
                }
                Move::Does(deed) => perform(&mut tables, held, *deed, on),
            }
            is_the_persons(&tables, held, &said)?;
            is_not_outranked(&tables, held)?;
        }
    }
}

#[test]
fn the_page_about_trust_shows_the_table_of_permissions() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trust.md");
    let page = std::fs::read_to_string(page).expect("the page is part of the repository");
    let table = permission::table();
    assert!(page.contains(&table), "docs/trust.md should show this table:\n\n{table}");
}
