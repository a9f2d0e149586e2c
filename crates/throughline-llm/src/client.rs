//! Client: asks one service one question, with time-outs, retries and a bounded answer.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::dialect::{self, Shape};
use crate::error::is_passing_status;
use crate::{Error, ModelSettings, Provider, Result, answer, command};

/// Bytes of an answer that are read.
pub(crate) const ANSWER_BYTES_MAX: usize = 4 << 20;
/// The longest wait that a service may ask for in between; whoever asks for more is asked later.
const WAIT_MAX: Duration = Duration::from_secs(60);
/// Characters of a service's complaint.
const COMPLAINT_CHARS: usize = 300;

/// Model request: a prompt whose answer is one JSON object of a given schema.
#[derive(Debug, Clone, Copy)]
pub struct ModelRequest<'a> {
    /// The system prompt.
    pub system: &'a str,
    /// The user prompt.
    pub prompt: &'a str,
    /// The name of the schema, of letters and underscores; some providers require one.
    pub name: &'a str,
    /// The JSON schema of the answer.
    pub schema: &'a Value,
    /// The most tokens that the answer may have.
    pub tokens_max: u32,
}

/// Token usage: how many tokens a question took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUsage {
    /// Tokens of the prompt.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
}

impl TokenUsage {
    /// Input and output tokens together.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// What a text may have cost where nobody counted.
    pub(crate) fn guessed(asked: &str, said: &str) -> Self {
        let tokens = |text: &str| (text.chars().count() as u64).div_ceil(4);
        Self { input: tokens(asked), output: tokens(said) }
    }
}

/// Outcome of one question. Usage is reported also where the answer is an error, because failed
/// attempts may cost tokens too.
#[derive(Debug)]
pub struct Asked {
    /// Tokens used, as the service counted them, or estimated where it does not.
    pub usage: TokenUsage,
    /// How many times the question was sent.
    pub attempts: u32,
    /// The answer, or why there is none.
    pub answer: Result<Value>,
}

/// Client: an HTTP client for one provider, or a runner of the program that stands in for one.
///
/// ```no_run
/// use throughline_llm::{Client, ModelRequest, ModelSettings, Provider};
///
/// let settings = ModelSettings::new(Provider::Ollama, "qwen3:4b", None, None)?;
/// let client = Client::new(settings)?;
/// let schema = serde_json::json!({"type": "object", "properties": {"yes": {"type": "boolean"}},
///     "required": ["yes"], "additionalProperties": false});
/// let request = ModelRequest {
///     system: "Answer.", prompt: "Is water wet?", name: "answer", schema: &schema, tokens_max: 64,
/// };
/// let asked = client.ask(&request);
/// println!("{:?} for {} tokens", asked.answer?, asked.usage.total());
/// # Ok::<(), throughline_llm::Error>(())
/// ```
#[derive(Debug)]
pub struct Client {
    pub(crate) settings: ModelSettings,
    agent: ureq::Agent,
    /// The strictest shape that the server is known to understand.
    shape: Mutex<Shape>,
}

/// What one attempt brought.
enum Got {
    Body(Value),
    /// The server does not understand what it was asked.
    NotUnderstood(Error),
}

impl Client {
    /// Makes a client with these settings. It opens no connection until something is asked.
    pub fn new(settings: ModelSettings) -> Result<Self> {
        if settings.provider.usual_key().is_some() && settings.key.is_none() && !settings.is_here()
        {
            let name = settings.provider.usual_key().unwrap_or_default();
            return Err(Error::Settings(format!("there is no key: {name} is not set")));
        }
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A key must not travel further than it was sent.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(settings.connect))
            .user_agent(concat!("throughline/", env!("CARGO_PKG_VERSION")));
        // What is on this machine needs nobody in between.
        let config = if settings.is_here() { config.proxy(None) } else { config };
        let agent = config.build().into();
        Ok(Self { settings, agent, shape: Mutex::new(Shape::Schema) })
    }

    /// A copy of the client for a caller who is waiting: it asks once, without retries, and gives
    /// up after `within`.
    pub fn hurried(&self, within: Duration) -> Self {
        let total = self.settings.total.min(within);
        let settings = ModelSettings { total, attempts: 1, ..self.settings.clone() };
        let shape = *self.shape.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Self { settings, agent: self.agent.clone(), shape: Mutex::new(shape) }
    }

    /// The settings of the client.
    pub fn settings(&self) -> &ModelSettings {
        &self.settings
    }

    /// Asks a question, and repeats it where the error may pass or where the server needs a plainer
    /// request.
    pub fn ask(&self, request: &ModelRequest<'_>) -> Asked {
        if self.settings.provider == Provider::Command {
            return command::ask(&self.settings, request);
        }
        let began = Instant::now();
        let mut attempts = 0;
        let mut shape = *self.shape.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        loop {
            let body = dialect::body(&self.settings, request, shape);
            let path = dialect::path(self.settings.provider);
            let got = self.post(path, &body, began, &mut attempts);
            let (usage, said) = match got {
                Ok(Got::Body(body)) => dialect::read(self.settings.provider, &body),
                Ok(Got::NotUnderstood(error)) => {
                    if let Some(next) = shape.next(self.settings.provider) {
                        shape = next;
                        continue;
                    }
                    return Asked { usage: TokenUsage::default(), attempts, answer: Err(error) };
                }
                Err(error) => {
                    // Who does not answer in time may have done the work.
                    let paid = matches!(error, Error::TooSlow(_) | Error::TooLarge(_));
                    let usage = if paid { guessed(request, "") } else { TokenUsage::default() };
                    return Asked { usage, attempts, answer: Err(error) };
                }
            };
            *self.shape.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = shape;
            let usage = if usage.total() == 0 {
                guessed(request, said.as_deref().unwrap_or_default())
            } else {
                usage
            };
            let answer = said.and_then(|said| answer::object_in(&said));
            return Asked { usage, attempts, answer };
        }
    }

    /// Sends a body, again where that may help, until the time is up.
    fn post(&self, path: &str, body: &Value, began: Instant, attempts: &mut u32) -> Result<Got> {
        let mut pause = self.settings.pause;
        for left in (0..self.settings.attempts).rev() {
            *attempts += 1;
            let wait = match self.post_once(path, body, began) {
                Ok(got) => return Ok(got),
                Err(Error::Busy(wait)) if left > 0 && wait <= WAIT_MAX => wait,
                Err(error @ Error::Busy(_)) => return Err(error),
                Err(error) if left > 0 && error.is_passing() => {
                    // Uneven, so that those who wait do not come back together.
                    let wait = pause.mul_f64(0.5 + fastrand::f64());
                    pause *= 2;
                    wait
                }
                Err(error) => return Err(error),
            };
            if began.elapsed() + wait >= self.settings.total {
                return Err(Error::TooSlow(self.settings.total));
            }
            std::thread::sleep(wait);
        }
        Err(Error::TooSlow(self.settings.total))
    }

    fn post_once(&self, path: &str, body: &Value, began: Instant) -> Result<Got> {
        let left = self.settings.total.saturating_sub(began.elapsed());
        if left.is_zero() {
            return Err(Error::TooSlow(self.settings.total));
        }
        let mut request = self
            .agent
            .post(self.settings.url(path))
            .config()
            .timeout_global(Some(left))
            .build()
            .content_type("application/json");
        for (name, value) in dialect::headers(&self.settings) {
            request = request.header(name, value);
        }
        let failed = |error: ureq::Error| self.failure(&error);
        let mut response = request.send(body.to_string()).map_err(failed)?;
        let status = response.status().as_u16();
        let wait =
            response.headers().get("retry-after").and_then(|after| seconds(after.to_str().ok()?));
        let limit = ANSWER_BYTES_MAX as u64;
        let bytes = response.body_mut().with_config().limit(limit).read_to_vec().map_err(failed)?;
        let bytes = match &self.settings.key {
            Some(key) => key.hidden_in(bytes),
            None => bytes,
        };
        if (200..300).contains(&status) {
            return serde_json::from_slice(&bytes).map(Got::Body).map_err(|error| {
                // A body that ends early was cut off on its way.
                if error.is_eof() {
                    self.unreachable(&format!("its answer is cut off: {error}"))
                } else {
                    let said = complaint(&bytes);
                    Error::Malformed {
                        why: format!("the service does not answer in JSON: {error}"),
                        said,
                    }
                }
            });
        }
        if let Some(wait) = wait.filter(|_| is_passing_status(status)) {
            return Err(Error::Busy(wait));
        }
        let message = if (300..400).contains(&status) {
            "it redirects, which is not followed: set base_url to the new address".to_owned()
        } else {
            complaint(&bytes)
        };
        let error = Error::Status { status, message };
        if matches!(status, 400 | 404 | 415 | 422 | 501) {
            return Ok(Got::NotUnderstood(error));
        }
        Err(error)
    }

    fn unreachable(&self, why: &str) -> Error {
        Error::Unreachable { address: self.settings.base_url.clone(), why: why.to_owned() }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is told in its own words")]
    fn failure(&self, error: &ureq::Error) -> Error {
        match error {
            ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
                let within = self.settings.connect.as_secs_f64();
                self.unreachable(&format!("no connection within {within} s"))
            }
            ureq::Error::Timeout(_) => Error::TooSlow(self.settings.total),
            ureq::Error::BodyExceedsLimit(_) => Error::TooLarge(ANSWER_BYTES_MAX),
            other => self.unreachable(&other.to_string()),
        }
    }

    /// Sends a body and reads what comes back, for other questions than a prompt.
    pub(crate) fn post_json(&self, path: &str, body: &Value) -> Result<Value> {
        match self.post(path, body, Instant::now(), &mut 0)? {
            Got::Body(body) => Ok(body),
            Got::NotUnderstood(error) => Err(error),
        }
    }
}

/// What a service complains about, in short.
fn complaint(bytes: &[u8]) -> String {
    let parsed: Option<Value> = serde_json::from_slice(bytes).ok();
    let told = parsed.as_ref().and_then(|body| {
        let error = body.get("error")?;
        error.as_str().or_else(|| error.get("message")?.as_str())
    });
    let text = told.map_or_else(|| String::from_utf8_lossy(bytes).into_owned(), str::to_owned);
    text.chars().filter(|c| !c.is_control()).take(COMPLAINT_CHARS).collect()
}

fn guessed(request: &ModelRequest<'_>, said: &str) -> TokenUsage {
    TokenUsage::guessed(&format!("{}{}", request.system, request.prompt), said)
}

/// The seconds that a service asks to wait. A date is not reckoned with.
fn seconds(after: &str) -> Option<Duration> {
    let seconds: f64 = after.trim().parse().ok()?;
    (0.0..=86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}
