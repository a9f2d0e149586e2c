//! Past sessions: what an agent wrote down comes in the same way as what it tells.

use std::collections::BTreeMap;

use throughline_core::SessionId;
use throughline_core::Speaker;
use throughline_language::gate::Flush;

use super::{Capture, Captured, Mind};
use crate::clean::{Cleaner, clean_name};
use crate::flows::Capturing;
use crate::{NamedBy, PastTurn, Result};

/// Turns kept in one batch, so that others may write in between.
const AT_ONCE: usize = 128;

impl Capturing<'_> {
    /// Takes in a whole session that an agent wrote down. Coming in twice changes nothing.
    pub fn ingest_session(
        &self,
        session: &SessionId,
        agent: &str,
        turns: &[Captured],
        progress: &mut dyn FnMut(usize),
    ) -> Result<Capture> {
        let turns = self.cleaned(session, turns);
        let (mut done, mut mind) = (Capture::default(), Mind::reading());
        let last = turns.len().div_ceil(AT_ONCE).saturating_sub(1);
        for (at, some) in turns.chunks(AT_ONCE).enumerate() {
            let flush = (at == last).then_some(Flush::Ending);
            done.add(self.take_in_turns(session, Some(agent), some, &mut mind, flush)?);
            progress(some.len());
        }
        Ok(done)
    }

    /// How many turns of a session are known.
    pub fn known_turns(&self, session: &SessionId, turns: &[Captured]) -> Result<usize> {
        let (reader, space) = (self.engine.now_reader()?, self.context.project.space());
        let (mut said, mut known) = (BTreeMap::new(), 0);
        for turn in cleaned(turns, &mut Cleaner::of(&self.engine.home, Some(session)))
            .iter()
            .filter(|turn| !turn.text.trim().is_empty())
        {
            let apart = super::WRITTEN_DOWN_DAYS;
            let (_, is_known) = super::name(&*reader, space, session, turn, &mut said, apart)?;
            known += usize::from(is_known);
        }
        Ok(known)
    }

    /// Probes turns that came in as episodes already, session by session.
    pub fn probe_ingested(&self, turns: &[PastTurn]) -> Result<Capture> {
        let mut sessions: BTreeMap<&SessionId, Vec<Captured>> = BTreeMap::new();
        for turn in turns {
            let speaker = match turn.speaker.as_str() {
                "user" => Speaker::User,
                "assistant" => Speaker::Assistant,
                // Whoever else speaks is no user of ours: what they say is quoted, not believed.
                _ => continue,
            };
            let said = Captured::said(turn.at, speaker, &turn.text);
            sessions.entry(&turn.session).or_default().push(said);
        }
        let mut done = Capture::default();
        for (session, turns) in sessions {
            let mut mind = Mind::reading();
            let turns = self.cleaned(session, &turns);
            let flush = Some(Flush::Ending);
            done.add(self.take_in_turns(session, None, &turns, &mut mind, flush)?);
        }
        Ok(done)
    }
}

impl Capturing<'_> {
    /// Turns of a session without secrets. What is recognised in them is known from now on.
    fn cleaned(&self, session: &SessionId, turns: &[Captured]) -> Vec<Captured> {
        let home = &self.engine.home;
        let own = turns.iter().filter(|turn| turn.speaker == Speaker::User).map(|turn| &turn.text);
        Cleaner::note_named_by_person(home, session, own);
        let mut cleaner = Cleaner::of(home, Some(session));
        let turns = cleaned(turns, &mut cleaner);
        cleaner.keep(home, Some(session), NamedBy::Others);
        turns
    }
}

/// Turns without secrets. What one of them shows, or what the session showed before, goes from all.
fn cleaned(turns: &[Captured], cleaner: &mut Cleaner) -> Vec<Captured> {
    let mut turns = turns.to_vec();
    for turn in &mut turns {
        texts(turn).into_iter().for_each(|text| cleaner.redact(text));
    }
    for turn in &mut turns {
        texts(turn).into_iter().for_each(|text| cleaner.take_out(text));
        if let Some(run) = &mut turn.run {
            run.call.tool = clean_name(&run.call.tool);
            run.call.id = run.call.id.as_deref().map(clean_name);
        }
    }
    turns
}

fn texts(turn: &mut Captured) -> Vec<&mut String> {
    let mut texts = vec![&mut turn.text];
    if let Some(run) = &mut turn.run {
        texts.push(&mut run.output);
        texts.extend(
            run.call.command.iter_mut().chain(&mut run.call.text).chain(&mut run.call.files),
        );
    }
    texts
}
