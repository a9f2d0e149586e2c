//! Tags: similar ones become one, and those that no memory carries lose their name.

use throughline_core::text::plural;
use throughline_core::{Change, EntityKind, NodeId, RowKey};
use throughline_language::things::tag_key;

use super::deep::{PassPlan, PassStep, PassView};
use super::names::merge_alike;
use crate::Result;
use crate::things::hollow;

pub(super) fn plan(view: &PassView<'_>) -> Result<PassPlan> {
    let mut plan = merge_alike(view, &[EntityKind::Tag], |_, name| tag_key(name), "tags")?;
    let held = view.reader.things(view.space(), &[EntityKind::Tag])?;
    let mut orphans = 0;
    for (tag, carried) in held {
        let unused = carried == 0 && !tag.name.is_empty();
        if unused && !view.was_undone(tag.id)? {
            let key = RowKey::node(tag.space, NodeId::Entity(tag.id));
            let change = Change::Know(hollow(&tag));
            plan.steps.push(PassStep::with(vec![key], vec![change]));
            orphans += 1;
        }
    }
    if orphans > 0 {
        plan.tell(format!("{} on no memory", plural(orphans, "tag")));
    }
    Ok(plan)
}
