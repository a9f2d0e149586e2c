//! Whose words an erasure takes: only who said them may have them erased.

use std::collections::BTreeSet;

use throughline_core::evidence::first_speaker;
use throughline_core::permission::Denial;
use throughline_core::{Change, Evidence, Memory, SpaceId};
use throughline_store::{MemberStanding, Reader};

use super::{ToErase, resolve_turn};
use crate::flows::Erasing;
use crate::permit::not_yours;
use crate::{Context, Error, Result};

impl Erasing<'_> {
    /// Goes on only where everything that was named is the caller's own. What nobody is named for, and
    /// what somebody said who is no member any more, is an owner's. Turns of others that repeat the
    /// words go with them.
    pub(super) fn may_erase(
        &self,
        reader: &dyn Reader,
        context: &Context,
        handles: &[String],
        erase: &ToErase,
    ) -> Result<()> {
        let mut whose: BTreeSet<(SpaceId, Option<String>)> = BTreeSet::new();
        for memory in &erase.memories {
            whose.insert((memory.space, words_of(reader, memory)?));
        }
        for handle in handles {
            let found = self.resolve_for_erasure(reader, context, handle);
            if let Err(Error::NotFound { .. }) = found {
                let turn = resolve_turn(reader, context, handle)?;
                whose.extend(turn.map(|turn| (turn.space, turn.person)));
            }
        }
        for (space, person) in whose {
            if !self.may_erase_of(reader, space, person.as_deref())? {
                let by_hand = format!("throughline purge {}", handles.join(" "));
                return Err(not_yours(Denial::AnothersWords, by_hand));
            }
        }
        Ok(())
    }

    fn may_erase_of(
        &self,
        reader: &dyn Reader,
        space: SpaceId,
        person: Option<&str>,
    ) -> Result<bool> {
        let me = self.engine.person();
        let Some(me) = me else { return Ok(true) }; // a file is its owner's, whoever spoke
        if person == Some(me.as_str()) {
            return Ok(true);
        }
        let members = reader.members(space)?;
        let owner = members.iter().any(|one| {
            one.role == me && matches!(one.standing, MemberStanding::Owner | MemberStanding::Own)
        });
        let is_here = person.is_some_and(|person| members.iter().any(|one| one.role == person));
        Ok(owner && !is_here)
    }
}

/// The person whose words a memory holds, by the log, which has them in the order in which they came in.
fn words_of(reader: &dyn Reader, memory: &Memory) -> Result<Option<String>> {
    let history = reader.history(memory.space, memory.id.into())?;
    let said = history.into_iter().filter_map(|logged| {
        if let Change::Reinforce(said) = logged.change { Some(said) } else { None }
    });
    let said: Vec<Evidence> = said.collect();
    Ok(first_speaker(&said, memory.id).map(str::to_owned))
}
