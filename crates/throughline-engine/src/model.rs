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
mod wording;
mod work;

use throughline_core::tokens;
use throughline_llm::{Asked, Client, ModelRequest};

use crate::clean::cleaned;
use crate::flows::Working;
use crate::{Error, Result};

use state::Account;

pub use queue::Waiting;
pub use state::{ModelState, want_work, work_wanted, worker_wanted};
pub use verify::RecallJudgement;
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
pub(crate) struct HeldBack {
    /// Why.
    pub(crate) why: String,
    /// When it may be different, in milliseconds since 1970.
    pub(crate) until: Option<i64>,
}

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;
/// Milliseconds after which a failure is tried again before the breaker opens.
const SOON_MS: i64 = 30_000;

/// What came of wanting to ask.
#[derive(Debug)]
enum Replied {
    /// It was not asked.
    Held(HeldBack),
    /// It was.
    Asked(Asked),
}

impl Working<'_> {
    /// Why a question is not asked now; `None` if it may be.
    fn held_back(
        &self,
        llm: &Llm,
        account: Account<'_>,
        request: &ModelRequest<'_>,
    ) -> Option<HeldBack> {
        let state = ModelState::load(&self.engine.home);
        let now = self.engine.now();
        let resting = state.breaker.rests_until(now.as_millis());
        if let Some(until) = resting.filter(|_| account != Account::Trial) {
            let why = state.last_error.map_or_else(String::new, |(_, why)| why);
            return Some(HeldBack { why: format!("it failed: {why}"), until: Some(until) });
        }
        let tomorrow = (now.day() + 1) * DAY_MS;
        if state.tokens_on(now.day()).saturating_add(most_tokens(request)) > llm.tokens_per_day {
            let why = format!("the {} tokens of today are spent", llm.tokens_per_day);
            return Some(HeldBack { why, until: Some(tomorrow) });
        }
        if state.calls_on(now.day(), account) < llm.calls_per_session {
            return None;
        }
        let most = llm.calls_per_session;
        match account {
            Account::Session(_) => {
                let why = format!("the {most} questions of this session are spent");
                Some(HeldBack { why, until: None })
            }
            Account::Pairs => {
                let why = format!("the {most} questions about contradictions of today are spent");
                Some(HeldBack { why, until: None })
            }
            Account::Wordings => {
                let why = format!("the {most} questions about wordings of today are spent");
                Some(HeldBack { why, until: None })
            }
            Account::Person | Account::Trial => None,
        }
    }

    /// Asks, if that may be, and notes what it cost and how it went.
    fn ask_model(
        &self,
        llm: &Llm,
        account: Account<'_>,
        request: &ModelRequest<'_>,
    ) -> Result<Replied> {
        if let Some(held) = self.held_back(llm, account, request) {
            return Ok(Replied::Held(held));
        }
        let asked = llm.client.ask(request);
        let now = self.engine.now();
        ModelState::update(&self.engine.home, |state| {
            state.spend(now.day(), account, asked.usage.total());
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
        Ok(Replied::Asked(asked))
    }

    /// When a failure is tried again.
    fn held_by(&self, error: &throughline_llm::Error) -> HeldBack {
        let until = Some(self.engine.now().as_millis() + SOON_MS);
        HeldBack { why: cleaned(&error.to_string()).0, until }
    }

    /// Asks one small question, to see whether anybody answers.
    pub fn try_model(&self, llm: &Llm) -> Result<Asked> {
        let schema = serde_json::json!({"type": "object", "additionalProperties": false,
            "required": ["answer"], "properties": {"answer": {"type": "string"}}});
        let request = ModelRequest {
            system: "You are asked whether you can be reached.",
            prompt: "Answer with the word yes.",
            name: "reachable",
            schema: &schema,
            tokens_max: 256,
        };
        match self.ask_model(llm, Account::Trial, &request)? {
            Replied::Asked(asked) => Ok(asked),
            Replied::Held(held) => Err(Error::Model(held.why)),
        }
    }
}

/// What a question can cost at most, with its answer.
fn most_tokens(request: &ModelRequest<'_>) -> u64 {
    let asked = [request.system, request.prompt].map(tokens::estimate).into_iter().sum::<usize>();
    asked as u64 + u64::from(request.tokens_max)
}

/// A text as it may be sent: without secrets, and on one line wherever it is shown on one.
fn sendable(text: &str) -> String {
    let one_line = |c: char| if matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}') { '\n' } else { c };
    cleaned(text).0.chars().map(one_line).collect()
}
