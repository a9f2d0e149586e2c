//! A model, where somebody configured one: reads what was said once more, away from anybody who
//! waits, and proposes.
//!
//! What waits to be read is not kept anywhere: it is the turns of the last days that lie after the
//! mark in their session. The mark moves in the batch that applies what the model made of them, so
//! whoever is killed in between has done nothing, and nothing is applied twice.

mod pairs;
mod queue;
mod read;
mod state;
mod verify;
mod work;

use throughline_llm::{Asked, Client, Request};

use crate::clean::cleaned;
use crate::{Engine, Result};

pub use queue::Waiting;
pub use state::{ModelState, want_work, work_wanted};
pub use verify::Judged;
pub use work::{Work, Worked};

/// A language model, and how much may be spent on it.
#[derive(Debug)]
pub struct Llm {
    /// Who is asked.
    pub client: Client,
    /// Questions about one session.
    pub calls_per_session: u64,
    /// Tokens of one day, read and written.
    pub tokens_per_day: u64,
}

/// Why a model is not asked now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    /// Why.
    pub(crate) why: String,
    /// When it may be different, in milliseconds since 1970.
    pub(crate) until: Option<i64>,
}

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;
/// Milliseconds after which a failure is tried again before the breaker opens.
const SOON_MS: i64 = 30_000;

impl Engine {
    /// Why a question of so many tokens is not asked now; `None` if it may be.
    fn held_back(&self, llm: &Llm, session: Option<&str>, tokens: u64) -> Option<Held> {
        let state = ModelState::load(&self.home);
        let now = self.now();
        if let Some(until) = state.breaker.rests_until(now.as_millis()) {
            let why = state.last_error.map_or_else(String::new, |(_, why)| why);
            return Some(Held { why: format!("it failed: {why}"), until: Some(until) });
        }
        if state.tokens_on(now.day()).saturating_add(tokens) > llm.tokens_per_day {
            let why = format!("the {} tokens of today are spent", llm.tokens_per_day);
            return Some(Held { why, until: Some((now.day() + 1) * DAY_MS) });
        }
        let calls = session.map_or(0, |session| state.calls_of(session));
        if calls >= llm.calls_per_session && session.is_some() {
            let why = format!("the {} questions of this session are spent", llm.calls_per_session);
            return Some(Held { why, until: None });
        }
        None
    }

    /// Asks, and notes what it cost and how it went.
    fn ask_model(&self, llm: &Llm, session: Option<&str>, request: &Request<'_>) -> Result<Asked> {
        let asked = llm.client.ask(request);
        let now = self.now();
        ModelState::update(&self.home, |state| {
            state.spend(now.day(), session, asked.usage.total());
            match &asked.answer {
                Err(error) if !error.is_about_the_question() => {
                    let wait = if let throughline_llm::Error::Busy(wait) = error {
                        i64::try_from(wait.as_millis()).ok()
                    } else {
                        None
                    };
                    state.breaker.failed(now.as_millis(), wait);
                    state.last_error = Some((now, cleaned(&error.to_string()).0));
                }
                Err(error) => {
                    state.breaker.worked();
                    state.last_error = Some((now, cleaned(&error.to_string()).0));
                }
                Ok(_) => {
                    state.breaker.worked();
                    state.last_answer = Some(now);
                }
            }
        })?;
        Ok(asked)
    }

    /// Asks one small question, to see whether anybody answers.
    pub fn try_model(&self, llm: &Llm) -> Result<Asked> {
        let schema = serde_json::json!({"type": "object", "additionalProperties": false,
            "required": ["answer"], "properties": {"answer": {"type": "string"}}});
        let request = Request {
            system: "You are asked whether you can be reached.",
            prompt: "Answer with the word yes.",
            name: "reachable",
            schema: &schema,
            tokens_max: 256,
        };
        self.ask_model(llm, None, &request)
    }
}
