//! An overlay on a store: what a batch will do is seen before it is written.

use throughline_core::{BatchId, EntityKind, Fingerprint, Kind, NodeId, RowKey};
use throughline_store::{EntityName, Error, Overlay, Reader, SlotQuery};

use super::Factory;
use super::operation::{SPACES, own, steps};
use super::random::{law, plan};
use crate::sample::{entity_id, episode_id, memory_id, opening};

pub(super) fn what_a_batch_will_do_is_seen_before_it_is_written(factory: &dyn Factory) {
    law(factory.cases(24), steps(30), |steps| {
        let place = factory.fresh();
        let store = place.open();
        store.apply(&opening(&SPACES)).expect("spaces are welcome");
        let mut applied: Vec<BatchId> = Vec::new();
        for (number, step) in (1..).zip(&steps) {
            let reader = store.read().expect("a reader");
            let Some(batch) = plan(step, number, &applied, &*reader) else { continue };
            let mut overlay = Overlay::new(&*reader);
            let half = batch.changes.len() / 2;
            batch.changes[..half].iter().cloned().for_each(|change| overlay.push(change));
            // Looking in between, or taking something back, changes nothing of what is seen in the end.
            overlay.spaces().ok();
            overlay.push(batch.changes[0].clone());
            overlay.truncate(half);
            batch.changes[half..].iter().cloned().for_each(|change| overlay.push(change));
            let foreseen = standing(&overlay);
            drop(overlay);
            drop(reader);
            match (store.apply(&batch), foreseen) {
                (Ok(_), foreseen) => {
                    applied.push(batch.id);
                    let found = standing(&*store.read().expect("a reader"));
                    assert_eq!(foreseen.expect("it can be made"), found.expect("answers"));
                }
                (Err(Error::Refused(refusal)), Err(Error::Refused(foreseen))) => {
                    assert_eq!(foreseen, refusal);
                }
                (outcome, foreseen) => panic!("{batch:?}: {outcome:?}, foreseen {foreseen:?}"),
            }
        }
    });
}

/// What the rows say, by every verb that reads rows.
fn standing(reader: &dyn Reader) -> Result<Vec<String>, Error> {
    let mut told = vec![
        format!("{:?}", reader.spaces()?),
        format!("{:?}", reader.all_tombstones()?),
        format!("{:?}", reader.pending(&SPACES, 3)?),
        format!("{:?}", reader.contradictions(&SPACES, 2)?),
        format!("{:?}", reader.current(&SPACES, Kind::ALL, 1)?),
        format!("{:?}", reader.said(&SPACES, Kind::ALL, 1)?),
        format!("{:?}", reader.triggered(&SPACES, 2)?),
        format!("{:?}", reader.unresolved(&SPACES, 2)?),
        format!("{:?}", reader.find(&SPACES, &memory_id(own(SPACES[0], 1)).to_string())?),
    ];
    for space in SPACES {
        for only_active in [true, false] {
            told.push(format!("{:?}", reader.watched(space, only_active)?));
        }
        told.push(format!("{:?}", reader.in_slot(space, &SlotQuery::active("staging|deployed"))?));
        told.push(format!("{:?}", reader.leaves(space, "notes")?));
        let names =
            ["staging", "postgres"].map(|name| EntityName { kind: None, name: name.into() });
        told.push(format!("{:?}", reader.entities(space, &names)?));
        for kind in EntityKind::ALL {
            told.push(format!("{:?}", reader.entities_of(space, *kind, 2)?));
        }
        for number in 0..5 {
            let id = memory_id(own(space, number));
            let nodes = [
                NodeId::Memory(id),
                NodeId::Entity(entity_id(own(space, number))),
                NodeId::Episode(episode_id(own(space, number))),
            ];
            let rows = reader.rows(&nodes.map(|node| RowKey::node(space, node)))?;
            if let Some(memory) = rows[0].as_ref().and_then(|row| row.as_memory()) {
                let mark = Fingerprint::of(&memory.content);
                told.push(format!("{:?}", reader.with_fingerprint(space, &mark)?));
                told.push(format!("{:?}", reader.tombstones(space, &[mark])?));
            }
            told.push(format!("{rows:?}"));
            told.push(format!("{:?}", reader.replaced_by(space, id)?));
            told.push(format!("{:?}", reader.attached(space, &nodes)?));
            told.push(format!("{:?}", reader.neighbours(space, &nodes, &[], 1)?));
            told.push(format!("{:?}", reader.injections(space, id, 2)?));
        }
    }
    Ok(told)
}
