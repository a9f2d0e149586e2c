//! Permit: what the flows ask before they change anything, and what they do with the answer.
//! The rules are in `throughline_core::permission`; here a memory's standing is read from the store.

use std::collections::BTreeSet;

use throughline_core::evidence::speakers;
use throughline_core::permission::{self, Act, Backing, Denial, Door, Request, Standing, Verdict};
use throughline_core::reconcile::{Candidate, Plan};
use throughline_core::scope::Level;
use throughline_core::{
    Authority, Change, Evidence, Memory, MemoryId, NodeId, Row, RowKey, SpaceId,
};
use throughline_store::{Member, MemberStanding, Reader};

use crate::review::pending;
use crate::transaction::Transaction;
use crate::{Context, Error, NewMemory, Result};

/// How well a memory stands.
pub(crate) fn standing(reader: &dyn Reader, memory: &Memory) -> Result<Standing> {
    let attached = reader.attached(memory.space, &[memory.id.into()])?;
    let about = |one: &Evidence| one.memory == memory.id;
    let evidence: Vec<Evidence> =
        attached.into_iter().filter_map(Row::into_evidence).filter(about).collect();
    let anothers = is_anothers(reader, memory, &evidence)?;
    Ok(Standing::of(memory, &evidence).of_another(anothers))
}

/// Whether another person than whoever reads said a memory, and whoever reads does not own its space.
fn is_anothers(reader: &dyn Reader, memory: &Memory, evidence: &[Evidence]) -> Result<bool> {
    let me = reader.person();
    let others = speakers(evidence, memory.id).iter().any(|one| *one != me.as_deref());
    Ok(others && !owns(reader, memory.space)?)
}

/// Whether whoever reads owns a space: it is their own, they are an owner on the server, or it is in
/// their file.
pub(crate) fn owns(reader: &dyn Reader, space: SpaceId) -> Result<bool> {
    let Some(me) = reader.person() else { return Ok(true) };
    let owner = [MemberStanding::Owner, MemberStanding::Own];
    let is_me = |one: &Member| one.role == me && owner.contains(&one.standing);
    Ok(reader.members(space)?.iter().any(is_me))
}

/// The memories among some that another person said, so that a new word of whoever reads does not end
/// theirs. What nobody is named for is an owner's to replace.
pub(crate) fn said_by_others(
    reader: &dyn Reader,
    space: SpaceId,
    memories: &[MemoryId],
) -> Result<BTreeSet<MemoryId>> {
    if memories.is_empty() {
        return Ok(BTreeSet::new());
    }
    let nodes: Vec<NodeId> = memories.iter().map(|id| (*id).into()).collect();
    let attached = reader.attached(space, &nodes)?;
    let evidence: Vec<Evidence> = attached.into_iter().filter_map(Row::into_evidence).collect();
    let me = reader.person();
    let (mut others, mut nobodys) = (BTreeSet::new(), BTreeSet::new());
    for id in memories {
        let said = speakers(&evidence, *id);
        if said.iter().flatten().any(|one| Some(*one) != me.as_deref()) {
            others.insert(*id);
        } else if me.is_some() && said.contains(&None) {
            nobodys.insert(*id);
        }
    }
    if !nobodys.is_empty() && !owns(reader, space)? {
        others.append(&mut nobodys);
    }
    Ok(others)
}

/// Whether somebody stands behind both memories, or nobody said the older one in person.
pub(crate) fn of_one_person(reader: &dyn Reader, old: &Memory, new: &Memory) -> Result<bool> {
    let attached = reader.attached(old.space, &[old.id.into(), new.id.into()])?;
    let evidence: Vec<Evidence> = attached.into_iter().filter_map(Row::into_evidence).collect();
    let (old, new) = (speakers(&evidence, old.id), speakers(&evidence, new.id));
    Ok(old.is_empty() || new.is_empty() || old.is_subset(&new))
}

/// Asks whether the caller may do something to a memory.
pub(crate) fn ask(
    reader: &dyn Reader,
    door: Door,
    act: Act,
    target: Option<&Memory>,
    backing: Backing,
) -> Result<Verdict> {
    let target = target.map(|memory| standing(reader, memory)).transpose()?;
    Ok(permission::judge(Request { door, act, target, backing }))
}

/// Whether the caller may hang something on the memory that holds a claim now.
pub(crate) fn may_add(
    reader: &dyn Reader,
    door: Door,
    act: Act,
    plan: &Plan,
    said: &Candidate,
) -> Result<bool> {
    let by_person = said.testimony.authority.is_user();
    let held = RowKey::memory(said.scope.space, plan.memory);
    let held = reader.rows(&[held])?.remove(0).and_then(Row::into_memory);
    let target = match held {
        _ if by_person => Some(Standing::persons()),
        Some(held) => Some(standing(reader, &held)?),
        None => None,
    };
    let request = Request { door, act, target, backing: Backing::Asserted };
    Ok(matches!(permission::judge(request), Verdict::Allowed { .. }))
}

/// Goes on only where the caller may do it at once. `by_hand` is the command that a person runs.
pub(crate) fn demand(
    reader: &dyn Reader,
    door: Door,
    act: Act,
    target: Option<&Memory>,
    by_hand: impl FnOnce() -> String,
) -> Result<Authority> {
    match ask(reader, door, act, target, Backing::Asserted)? {
        Verdict::Allowed { rank } => Ok(rank),
        Verdict::Waits(why) | Verdict::Refused(why) => Err(not_yours(why, by_hand())),
    }
}

/// The same for what touches no memory.
pub(crate) fn demand_act(door: Door, act: Act, by_hand: impl FnOnce() -> String) -> Result<()> {
    let request = Request { door, act, target: None, backing: Backing::Asserted };
    match permission::judge(request) {
        Verdict::Allowed { .. } => Ok(()),
        Verdict::Waits(why) | Verdict::Refused(why) => Err(not_yours(why, by_hand())),
    }
}

/// Somebody may not do this; a person would run `by_hand`.
pub(crate) fn not_yours(why: Denial, by_hand: String) -> Error {
    Error::NotYours { why, by_hand }
}

/// Keeps an operation for a person, unless it waits already.
pub(crate) fn keep_waiting(
    tx: &mut Transaction<'_>,
    operation: &serde_json::Value,
    why: &str,
    authority: Authority,
) -> Result<()> {
    let waits = pending(tx, &operation.to_string(), why, authority);
    if tx.rows(&[RowKey::pending(waits.space, waits.id)])?[0].is_none() {
        tx.push(Change::Defer(waits));
    }
    Ok(())
}

/// Something new as its speaker may say it: an agent speaks as an agent, whatever it claims.
pub(crate) fn as_allowed(context: &Context, new: NewMemory) -> Result<NewMemory> {
    if !context.door.is_agents() {
        return Ok(new);
    }
    for (asked, act, option) in
        [(new.pinned, Act::Pin, "--pin"), (new.revive, Act::BringBack, "--revive")]
    {
        if asked {
            let by_hand = || format!("throughline remember {:?} {option}", new.content);
            demand_act(context.door, act, by_hand)?;
        }
    }
    if context.level == Level::Global {
        let by_hand = || format!("throughline --scope global remember {:?}", new.content);
        demand_act(context.door, Act::Spread, by_hand)?;
    }
    let (door, act, backing) = (context.door, Act::Remember, Backing::Asserted);
    let request = Request { door, act, target: None, backing };
    let Verdict::Allowed { rank } = permission::judge(request) else { return Ok(new) };
    let authority = if new.authority.outranks(rank) { rank } else { new.authority };
    // How much it matters is for others to say.
    Ok(NewMemory { authority, importance: None, ..new })
}

/// Whether an error keeps something out that a person may still let in.
pub(crate) fn is_kept_out(error: &Error) -> bool {
    let from_outside = matches!(error, Error::NotYours { why: Denial::RuleFromOutside, .. });
    from_outside || matches!(error, Error::Blocked(_) | Error::Walled(_))
}

/// A rule or a preference that comes from outside waits for a person.
pub(crate) fn may_adopt(tx: &Transaction<'_>, candidate: &Candidate) -> Result<()> {
    let outside = candidate.testimony.authority == Authority::External;
    if !outside || !permission::is_rule(candidate.kind) || candidate.revive {
        return Ok(());
    }
    demand_act(tx.door, Act::AdoptRule, || "throughline review".to_owned())
}
