//! Verifying what was recalled: a model says which of it helps. Never where an agent waits.

use std::time::{Duration, Instant};

use throughline_core::{MemoryId, text};
use throughline_language::proposal;
use throughline_llm::ModelRequest;

use super::{Account, Llm, Replied, sendable};
use crate::clean::cleaned;
use crate::flows::Working;
use crate::{Error, Recall, RecalledThing, Result};

/// Characters that are shown of a memory.
const CLAIM_CHARS: usize = 500;
/// How long all votes may take: somebody waits.
const WAIT: Duration = Duration::from_secs(30);
/// Tokens of an answer.
const ANSWER_TOKENS: u32 = 1_000;

/// What a model thinks of what was recalled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecallJudgement {
    /// Memories that do not help, in the opinion of every vote.
    pub unfit: Vec<MemoryId>,
    /// What was asked.
    pub votes: usize,
    /// What it cost.
    pub tokens: u64,
}

impl Working<'_> {
    /// Lets a model say which of the memories that were recalled help. What any vote finds helpful
    /// stays; the second vote sees them the other way round.
    pub fn judge_recall(
        &self,
        llm: &Llm,
        recall: &Recall,
        votes: usize,
    ) -> Result<RecallJudgement> {
        let session = self.context.session.as_ref().map(ToString::to_string);
        let session = session.as_deref();
        let memories: Vec<(MemoryId, String)> = recall
            .items
            .iter()
            .filter_map(|item| match &item.what {
                RecalledThing::Memory(card) => {
                    let memory = &card.memory;
                    Some((memory.id, text::headline(&sendable(&memory.content), CLAIM_CHARS)))
                }
                RecalledThing::Episode(_) => None,
            })
            .collect();
        let mut judged = RecallJudgement::default();
        if memories.is_empty() {
            return Ok(judged);
        }
        let question = sendable(&recall.query);
        let account = session.map_or(Account::Person, Account::Session);
        let began = Instant::now();
        let mut unfit: Vec<MemoryId> = memories.iter().map(|(id, _)| *id).collect();
        for vote in 0..votes.max(1) {
            let mut shown: Vec<&(MemoryId, String)> = memories.iter().collect();
            if vote % 2 == 1 {
                shown.reverse();
            }
            let claims: Vec<&str> = shown.iter().map(|(_, claim)| claim.as_str()).collect();
            let prompt = proposal::fitting_prompt(&question, &claims);
            let schema = proposal::fitting_schema();
            let request = ModelRequest {
                system: proposal::FITTING,
                prompt: &prompt,
                name: "fitting",
                schema: &schema,
                tokens_max: ANSWER_TOKENS,
            };
            let client = llm.client.hurried(WAIT.saturating_sub(began.elapsed()));
            let hurried = Llm { client, ..*llm };
            let asked = match self.ask_model(&hurried, account, &request)? {
                Replied::Asked(asked) => asked,
                Replied::Held(held) => return Err(Error::Model(held.why)),
            };
            judged.votes += 1;
            judged.tokens += asked.usage.total();
            let answer =
                asked.answer.map_err(|error| Error::Model(cleaned(&error.to_string()).0))?;
            let fitting = proposal::fitting(&answer, claims.len())
                .ok_or_else(|| Error::Model("its answer lists no ids".to_owned()))?;
            let fits: Vec<MemoryId> = fitting.into_iter().map(|at| shown[at].0).collect();
            unfit.retain(|id| !fits.contains(id));
        }
        judged.unfit = unfit;
        Ok(judged)
    }
}
