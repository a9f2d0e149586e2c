//! Verifying what was recalled: a model says which of it helps. Never where an agent waits.

use throughline_core::proposal;
use throughline_core::{MemoryId, text, tokens};
use throughline_llm::Request;

use super::Llm;
use crate::clean::clean_text;
use crate::{Engine, Error, Found, Recall, Result};

/// Characters that are shown of a memory.
const CLAIM_CHARS: usize = 500;
/// Tokens of an answer.
const ANSWER_TOKENS: u32 = 1_000;

/// What a model thinks of what was recalled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judged {
    /// Memories that do not help, in the opinion of every vote.
    pub unfit: Vec<MemoryId>,
    /// What was asked.
    pub votes: usize,
    /// What it cost.
    pub tokens: u64,
}

impl Engine {
    /// Lets a model say which of the memories that were recalled help. What any vote finds helpful
    /// stays; the second vote sees them the other way round.
    pub fn judge_recall(&self, llm: &Llm, recall: &Recall, votes: usize) -> Result<Judged> {
        let memories: Vec<(MemoryId, String)> = recall
            .items
            .iter()
            .filter_map(|item| match &item.what {
                Found::Memory(card) => {
                    let memory = &card.memory;
                    Some((memory.id, text::headline(&memory.content, CLAIM_CHARS)))
                }
                Found::Episode(_) => None,
            })
            .collect();
        let mut judged = Judged::default();
        if memories.is_empty() {
            return Ok(judged);
        }
        let mut unfit: Vec<MemoryId> = memories.iter().map(|(id, _)| *id).collect();
        for vote in 0..votes.max(1) {
            let mut shown: Vec<&(MemoryId, String)> = memories.iter().collect();
            if vote % 2 == 1 {
                shown.reverse();
            }
            let claims: Vec<&str> = shown.iter().map(|(_, claim)| claim.as_str()).collect();
            let mut prompt = proposal::fitting_prompt(&recall.query, &claims);
            clean_text(&mut prompt);
            if let Some(held) = self.held_back(llm, None, tokens::estimate(&prompt) as u64) {
                return Err(Error::Model(held.why));
            }
            let schema = proposal::fitting_schema();
            let request = Request {
                system: proposal::FITTING,
                prompt: &prompt,
                name: "fitting",
                schema: &schema,
                tokens_max: ANSWER_TOKENS,
            };
            let asked = self.ask_model(llm, None, &request)?;
            judged.votes += 1;
            judged.tokens += asked.usage.total();
            let answer = asked.answer.map_err(|error| Error::Model(error.to_string()))?;
            let fitting = proposal::fitting(&answer, claims.len())
                .ok_or_else(|| Error::Model("its answer lists no ids".to_owned()))?;
            let fits: Vec<MemoryId> = fitting.into_iter().map(|at| shown[at].0).collect();
            unfit.retain(|id| !fits.contains(id));
        }
        judged.unfit = unfit;
        Ok(judged)
    }
}
