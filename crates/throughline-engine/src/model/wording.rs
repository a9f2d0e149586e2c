//! Wording: a model may say better what is proposed as a line of a file. A person still sees the exact difference and
//! decides; the memory keeps its own words.

use throughline_core::permission::Door;
use throughline_core::{Cause, Memory, Pending, RowKey, Ruling};
use throughline_language::proposal;
use throughline_llm::ModelRequest;

use super::{Account, HeldBack, Llm, Replied, sendable};
use crate::flows::Working;
use crate::graduate::{Proposal, current};
use crate::review::decided;
use crate::{Context, Result};

/// Tokens of an answer.
const ANSWER_TOKENS: u32 = 400;

/// What came of wording.
#[derive(Debug, Default)]
pub(super) struct WordedLines {
    pub(super) lines: usize,
    pub(super) tokens: u64,
    pub(super) held: Option<HeldBack>,
}

impl Working<'_> {
    /// Asks once for each line that is proposed for a file, whether it can be said better.
    pub(super) fn word_lines(&self, llm: &Llm, here: &Context) -> Result<WordedLines> {
        let mut done = WordedLines::default();
        for (waits, proposal, memory) in self.unworded()? {
            // What a redaction would change is not sent, and so is left in its own words.
            let claim = sendable(&memory.content);
            let said = if claim == memory.content {
                self.ask_for_wording(llm, &claim, &mut done)?
            } else {
                None
            };
            if done.held.is_some() {
                return Ok(done);
            }
            self.keep_wording(here, &waits, &proposal.worded(&memory, said.as_deref()))?;
            done.lines += usize::from(said.is_some());
        }
        Ok(done)
    }

    /// The proposals for which no model was asked yet, each with its memory.
    fn unworded(&self) -> Result<Vec<(Pending, Proposal, Memory)>> {
        let reader = self.engine.now_reader()?;
        let spaces: Vec<_> = reader.spaces()?.iter().map(|one| one.space).collect();
        let mut found = Vec::new();
        for waits in reader.pending(&spaces, usize::MAX)? {
            let wanted = Proposal::read(&waits).filter(Proposal::wants_wording);
            let Some(proposal) = wanted else { continue };
            if let Ok(memory) = current(&*reader, &waits, &proposal) {
                found.push((waits, proposal, memory));
            }
        }
        Ok(found)
    }

    fn ask_for_wording(
        &self,
        llm: &Llm,
        claim: &str,
        done: &mut WordedLines,
    ) -> Result<Option<String>> {
        let (prompt, schema) = (proposal::wording_prompt(claim), proposal::wording_schema());
        let request = ModelRequest {
            system: proposal::WORDING,
            prompt: &prompt,
            name: "wording",
            schema: &schema,
            tokens_max: ANSWER_TOKENS,
        };
        let asked = match self.ask_model(llm, Account::Wordings, &request)? {
            Replied::Asked(asked) => asked,
            Replied::Held(held) => {
                done.held = Some(held);
                return Ok(None);
            }
        };
        done.tokens += asked.usage.total();
        match asked.answer {
            // What a model writes is as strange as what a tool prints: nothing secret comes in by it.
            Ok(answer) => {
                Ok(proposal::wording(&answer, claim).filter(|said| sendable(said) == *said))
            }
            Err(error) if error.is_about_the_question() => Ok(None),
            Err(error) => {
                done.held = Some(self.held_by(&error));
                Ok(None)
            }
        }
    }

    /// Puts a proposal in the place of the one that waits, unless somebody decided meanwhile.
    fn keep_wording(&self, here: &Context, waits: &Pending, next: &Proposal) -> Result<()> {
        let context = Context { door: Door::Model, session: None, ..here.clone() };
        let why = Some("a model was asked to word it");
        self.engine.write(&context, Cause::Model, why, |tx| {
            tx.scope.space = waits.space;
            let row = tx.rows(&[RowKey::pending(waits.space, waits.id)])?.remove(0);
            if row.is_some_and(|row| row.into_pending().is_some_and(|one| one == *waits)) {
                tx.push(decided(waits, Ruling::Rejected));
                next.defer(tx)?;
            }
            Ok(())
        })?;
        Ok(())
    }
}
