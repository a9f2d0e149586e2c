//! Questions to servers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_llm::{Asked, Client, Error, Key, ModelRequest, ModelSettings, Provider};
use throughline_testing::server::{Heard, Reply, Server};

const SERVICES: [Provider; 4] =
    [Provider::Anthropic, Provider::Openai, Provider::OpenaiResponses, Provider::Ollama];

fn schema() -> Value {
    json!({"type": "object", "additionalProperties": false, "required": ["yes"],
        "properties": {"yes": {"type": "boolean"}}})
}

fn settings(provider: Provider, server: &Server) -> ModelSettings {
    let key = Key::new("sk-testkey-123456");
    let settings =
        ModelSettings::new(provider, "small", Some(&server.address), key).expect("it can be made");
    let (total, pause) = (Duration::from_secs(5), Duration::from_millis(5));
    ModelSettings { total, pause, ..settings }
}

fn ask_with(settings: ModelSettings) -> Asked {
    let schema = schema();
    let request = ModelRequest {
        system: "Be brief.",
        prompt: "Is it so?",
        name: "answer",
        schema: &schema,
        tokens_max: 100,
    };
    Client::new(settings).expect("it can be made").ask(&request)
}

fn ask(provider: Provider, server: &Server) -> Asked {
    ask_with(settings(provider, server))
}

/// What a service says when its model has written a text and ended for a reason.
fn says(provider: Provider, text: &str, why: &str) -> Value {
    match provider {
        Provider::Anthropic => json!({"content": [{"type": "text", "text": text}],
            "stop_reason": why, "usage": {"input_tokens": 7, "output_tokens": 3}}),
        Provider::Openai => json!({"choices": [{"message": {"content": text},
            "finish_reason": why}], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}),
        Provider::OpenaiResponses => json!({"status": why, "output": [{"type": "reasoning"},
            {"type": "message", "content": [{"type": "output_text", "text": text}]}],
            "usage": {"input_tokens": 7, "output_tokens": 3}}),
        Provider::Ollama => json!({"message": {"content": text}, "done_reason": why,
            "prompt_eval_count": 7, "eval_count": 3}),
        Provider::Command => Value::Null,
    }
}

fn end_of(provider: Provider) -> &'static str {
    match provider {
        Provider::Anthropic => "end_turn",
        Provider::OpenaiResponses => "completed",
        Provider::Openai | Provider::Ollama | Provider::Command => "stop",
    }
}

fn yes(provider: Provider) -> Value {
    says(provider, r#"{"yes":true}"#, end_of(provider))
}

#[test]
fn every_dialect_asks_by_schema_and_counts_what_it_costs() {
    for provider in SERVICES {
        let server = Server::start(move |_| Reply::json(&yes(provider)));
        let asked = ask(provider, &server);
        assert_eq!(asked.answer.unwrap(), json!({"yes": true}), "{provider:?}");
        assert_eq!((asked.usage.input, asked.usage.output, asked.attempts), (7, 3, 1));
        let [heard] = server.heard().try_into().unwrap();
        let Heard { path, body, .. } = &heard;
        let (expected, asked_for) = match provider {
            Provider::Anthropic => ("/v1/messages", "/output_config/format/schema"),
            Provider::Openai => ("/v1/chat/completions", "/response_format/json_schema/schema"),
            Provider::OpenaiResponses => ("/v1/responses", "/text/format/schema"),
            Provider::Ollama | Provider::Command => ("/api/chat", "/format"),
        };
        assert_eq!((path.as_str(), body.pointer(asked_for)), (expected, Some(&schema())));
        assert_eq!(body["model"], "small");
        let key = heard.header(if provider == Provider::Anthropic {
            "x-api-key"
        } else {
            "authorization"
        });
        assert!(key.unwrap().ends_with("sk-testkey-123456"), "{provider:?}");
    }
}

#[test]
fn a_server_that_knows_no_schema_is_asked_in_words() {
    for provider in SERVICES {
        let server = Server::start(move |heard| {
            let plain = ["response_format", "text", "format", "output_config"]
                .iter()
                .all(|field| heard.body.get(field).is_none());
            if !plain {
                return Reply::status(400, &json!({"error": {"message": "unknown field"}}));
            }
            let said = "Gladly:\n```json\n{\"yes\": true}\n```";
            Reply::json(&says(provider, said, end_of(provider)))
        });
        let asked = ask(provider, &server);
        assert_eq!(asked.answer.unwrap(), json!({"yes": true}), "{provider:?}");
        let last = server.heard().pop().unwrap().body.to_string();
        assert!(last.contains("JSON Schema"), "the shape is told in words: {last}");
        let steps = if provider == Provider::Anthropic { 2 } else { 3 };
        assert_eq!(server.heard().len(), steps, "{provider:?}");
    }
}

#[test]
fn an_answer_that_was_cut_off_refused_or_filtered_is_none() {
    for (provider, why) in [
        (Provider::Anthropic, "max_tokens"),
        (Provider::Anthropic, "refusal"),
        (Provider::Openai, "length"),
        (Provider::Openai, "content_filter"),
        (Provider::OpenaiResponses, "incomplete"),
        (Provider::Ollama, "length"),
    ] {
        let server = Server::start(move |_| Reply::json(&says(provider, r#"{"yes":true}"#, why)));
        let asked = ask(provider, &server);
        assert_eq!(asked.answer, Err(Error::Unfinished(why.to_owned())), "{provider:?}");
        assert_eq!(asked.usage.total(), 10, "it was paid for all the same");
        assert_eq!(server.heard().len(), 1, "asking again would cost the same again");
    }
    let server = Server::start(|_| {
        Reply::json(&json!({"choices": [{"message": {"refusal": "No."}, "finish_reason": "stop"}]}))
    });
    let refused = ask(Provider::Openai, &server).answer.unwrap_err();
    assert_eq!(refused.to_string(), "the model did not finish: refused: No.");
}

/// A server whose first answers are something else.
fn at_first(times: usize, first: Reply) -> Server {
    let asked = AtomicUsize::new(0);
    Server::start(move |_| {
        if asked.fetch_add(1, Ordering::SeqCst) < times {
            first.clone()
        } else {
            Reply::json(&yes(Provider::Openai))
        }
    })
}

#[test]
fn what_passes_is_asked_again() {
    let busy = Reply::Body(429, vec![("retry-after", "0".to_owned())], b"{}".to_vec());
    for first in [
        busy,
        Reply::status(500, &json!({"error": "oops"})),
        Reply::status(503, &json!({})),
        Reply::Nothing,
        Reply::CutOff(b"{\"choices\": [{\"mess".to_vec()),
    ] {
        let server = at_first(2, first.clone());
        let asked = ask(Provider::Openai, &server);
        assert_eq!(asked.answer, Ok(json!({"yes": true})), "{first:?}");
        assert_eq!(asked.attempts, 3);
    }
    let server = at_first(9, Reply::status(500, &json!({"error": "oops"})));
    let asked = ask(Provider::Openai, &server);
    assert_eq!(asked.answer, Err(Error::Status { status: 500, message: "oops".to_owned() }));
    assert_eq!(server.heard().len(), 3, "but not for ever");
}

#[test]
fn a_long_wait_is_handed_on_and_a_short_one_kept() {
    let wait = |seconds: &str| {
        let headers = vec![("retry-after", seconds.to_owned())];
        at_first(1, Reply::Body(429, headers, b"{}".to_vec()))
    };
    let server = wait("3600");
    let busy = ask(Provider::Openai, &server).answer;
    assert_eq!(busy, Err(Error::Busy(Duration::from_secs(3_600))));
    assert_eq!(server.heard().len(), 1);
    let (server, began) = (wait("1"), Instant::now());
    assert!(ask(Provider::Openai, &server).answer.is_ok());
    assert!(began.elapsed() >= Duration::from_secs(1), "it waited as it was asked to");
}

#[test]
fn what_does_not_pass_is_asked_once() {
    for status in [401, 403, 307] {
        let key_told = json!({"error": {"message": "bad key sk-testkey-123456"}});
        let headers = vec![("location", "https://elsewhere.example/".to_owned())];
        let reply = Reply::Body(status, headers, key_told.to_string().into_bytes());
        let server = at_first(9, reply);
        let error = ask(Provider::Openai, &server).answer.unwrap_err();
        assert!(!error.to_string().contains("sk-testkey"), "{error}");
        assert!(matches!(&error, Error::Status { status: told, .. } if *told == status));
        assert_eq!(server.heard().len(), 1, "a redirect is not followed either");
    }
}

#[test]
fn silence_ends_with_the_time_that_was_given() {
    let server = Server::start(|_| Reply::Silence);
    let total = Duration::from_millis(300);
    let asked = ask_with(ModelSettings { total, ..settings(Provider::Openai, &server) });
    assert_eq!(asked.answer, Err(Error::TooSlow(total)));
    assert!(asked.usage.total() > 0, "it may have been worked on all the same");
}

#[test]
fn nobody_there_is_said_with_the_address() {
    let settings =
        ModelSettings::new(Provider::Ollama, "m", Some("http://127.0.0.1:9"), None).unwrap();
    let error = ask_with(ModelSettings { pause: Duration::from_millis(1), ..settings }).answer;
    let error = error.unwrap_err();
    assert!(error.to_string().contains("http://127.0.0.1:9 cannot be reached"), "{error}");
    assert!(error.is_passing());
}

#[test]
fn a_huge_answer_is_not_read() {
    let huge = vec![b' '; 5 << 20];
    let server = Server::start(move |_| Reply::Body(200, Vec::new(), huge.clone()));
    assert_eq!(ask(Provider::Openai, &server).answer, Err(Error::TooLarge(4 << 20)));
}

#[test]
fn what_is_no_json_is_handed_on_as_it_was_said() {
    let server =
        Server::start(|_| Reply::json(&says(Provider::Openai, "I would rather not.", "stop")));
    let Err(Error::Malformed { said, .. }) = ask(Provider::Openai, &server).answer else {
        panic!("it is no JSON")
    };
    assert_eq!(said, "I would rather not.");
}

#[test]
fn without_a_key_a_service_elsewhere_is_not_asked() {
    let settings = ModelSettings::new(Provider::Anthropic, "m", None, None).unwrap();
    let error = Client::new(settings).unwrap_err();
    assert!(error.to_string().contains("ANTHROPIC_API_KEY"), "{error}");
}
