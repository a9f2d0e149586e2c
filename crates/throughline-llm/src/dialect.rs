//! Five ways to ask for JSON and to read what comes back.

use serde_json::{Value, json};

use crate::client::{ModelRequest, TokenUsage};
use crate::{Error, ModelSettings, Provider, Result};

/// How strictly an answer's shape can be asked for: servers differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// By a schema.
    Schema,
    /// As some JSON.
    Json,
    /// In words only.
    Words,
}

impl Shape {
    /// The next best way.
    pub(crate) fn next(self, provider: Provider) -> Option<Self> {
        match (self, provider) {
            (Self::Schema, Provider::Anthropic) | (Self::Json, _) => Some(Self::Words),
            (Self::Schema, _) => Some(Self::Json),
            (Self::Words, _) => None,
        }
    }
}

/// Where a question is sent.
pub(crate) fn path(provider: Provider) -> &'static str {
    match provider {
        Provider::Anthropic => "/v1/messages",
        Provider::Openai => "/v1/chat/completions",
        Provider::OpenaiResponses => "/v1/responses",
        Provider::Ollama => "/api/chat",
        Provider::Command => "",
    }
}

/// Headers beside the usual ones. The key is among them.
pub(crate) fn headers(settings: &ModelSettings) -> Vec<(&'static str, String)> {
    let key = settings.key.as_ref().map(|key| key.as_str());
    match settings.provider {
        Provider::Anthropic => {
            let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
            headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
            headers
        }
        Provider::Openai | Provider::OpenaiResponses | Provider::Ollama => {
            key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
        }
        Provider::Command => Vec::new(),
    }
}

/// The body of a question.
pub(crate) fn body(settings: &ModelSettings, request: &ModelRequest<'_>, shape: Shape) -> Value {
    let model = &settings.model;
    let prompt = match shape {
        Shape::Schema => request.prompt.to_owned(),
        Shape::Json | Shape::Words => in_words(request),
    };
    let ModelRequest { system, name, schema, tokens_max, .. } = request;
    match settings.provider {
        Provider::Anthropic => {
            let mut body = json!({"model": model, "max_tokens": tokens_max, "system": system,
                "messages": [{"role": "user", "content": prompt}]});
            if shape == Shape::Schema {
                body["output_config"] =
                    json!({"format": {"type": "json_schema", "schema": schema}});
            }
            body
        }
        Provider::Openai => {
            let mut body = json!({"model": model, "messages": [
                {"role": "system", "content": system}, {"role": "user", "content": prompt}]});
            // The original no longer knows the name that everybody else has.
            let original = settings.base_url.starts_with(Provider::Openai.usual_address());
            let most = if original { "max_completion_tokens" } else { "max_tokens" };
            body[most] = json!(tokens_max);
            match shape {
                Shape::Schema => {
                    let strict = json!({"name": name, "strict": true, "schema": schema});
                    body["response_format"] = json!({"type": "json_schema", "json_schema": strict});
                }
                Shape::Json => body["response_format"] = json!({"type": "json_object"}),
                Shape::Words => {}
            }
            body
        }
        Provider::OpenaiResponses => {
            let mut body = json!({"model": model, "max_output_tokens": tokens_max,
                "instructions": system, "input": prompt, "store": false});
            match shape {
                Shape::Schema => {
                    body["text"] = json!({"format": {"type": "json_schema", "name": name,
                        "strict": true, "schema": schema}});
                }
                Shape::Json => body["text"] = json!({"format": {"type": "json_object"}}),
                Shape::Words => {}
            }
            body
        }
        Provider::Ollama => {
            let mut body = json!({"model": model, "stream": false, "messages": [
                {"role": "system", "content": system}, {"role": "user", "content": prompt}],
                "options": {"temperature": 0, "num_predict": tokens_max}});
            match shape {
                Shape::Schema => body["format"] = (*schema).clone(),
                Shape::Json => body["format"] = json!("json"),
                Shape::Words => {}
            }
            body
        }
        Provider::Command => Value::Null,
    }
}

/// The prompt of a question with its shape in words.
pub(crate) fn in_words(request: &ModelRequest<'_>) -> String {
    format!(
        "{}\n\nAnswer with one JSON object and nothing else. It follows this JSON Schema:\n{}",
        request.prompt, request.schema
    )
}

/// What a server counted, and what it said or why it did not finish.
pub(crate) fn read(provider: Provider, body: &Value) -> (TokenUsage, Result<String>) {
    let number = |path: &str| body.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    let text = |path: &str| body.pointer(path).and_then(Value::as_str).unwrap_or_default();
    match provider {
        Provider::Anthropic => {
            let read = number("/usage/cache_creation_input_tokens")
                + number("/usage/cache_read_input_tokens");
            let usage = TokenUsage {
                input: number("/usage/input_tokens") + read,
                output: number("/usage/output_tokens"),
            };
            let said = texts(body.get("content"), "text");
            (usage, finished(said, text("/stop_reason"), &["end_turn", "stop_sequence"]))
        }
        Provider::Openai => {
            let usage = TokenUsage {
                input: number("/usage/prompt_tokens"),
                output: number("/usage/completion_tokens"),
            };
            let refusal = text("/choices/0/message/refusal");
            if !refusal.is_empty() {
                return (usage, Err(Error::Unfinished(format!("refused: {}", cut(refusal)))));
            }
            let said = text("/choices/0/message/content").to_owned();
            (usage, finished(said, text("/choices/0/finish_reason"), &["stop"]))
        }
        Provider::OpenaiResponses => {
            let usage = TokenUsage {
                input: number("/usage/input_tokens"),
                output: number("/usage/output_tokens"),
            };
            let output = body.get("output").and_then(Value::as_array).cloned().unwrap_or_default();
            let contents = || output.iter().filter_map(|item| item.get("content"));
            let refused: String = contents().map(|one| texts(Some(one), "refusal")).collect();
            if !refused.is_empty() {
                return (usage, Err(Error::Unfinished(format!("refused: {}", cut(&refused)))));
            }
            let said: String = contents().map(|one| texts(Some(one), "text")).collect();
            let why = match text("/incomplete_details/reason") {
                "" => text("/status"),
                reason => reason,
            };
            (usage, finished(said, why, &["completed"]))
        }
        Provider::Ollama => {
            let usage =
                TokenUsage { input: number("/prompt_eval_count"), output: number("/eval_count") };
            let said = text("/message/content").to_owned();
            (usage, finished(said, text("/done_reason"), &["stop"]))
        }
        Provider::Command => {
            (TokenUsage::default(), Err(Error::Unfinished("no service".to_owned())))
        }
    }
}

/// The texts of a list of parts.
fn texts(parts: Option<&Value>, field: &str) -> String {
    let parts = parts.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    parts.iter().filter_map(|part| part.get(field)?.as_str()).collect()
}

/// What was said, if the model came to its end. A server that does not tell is believed.
fn finished(said: String, why: &str, ends: &[&str]) -> Result<String> {
    if !why.is_empty() && !ends.iter().any(|end| end.eq_ignore_ascii_case(why)) {
        return Err(Error::Unfinished(cut(why)));
    }
    if said.trim().is_empty() {
        return Err(Error::Unfinished("it said nothing".to_owned()));
    }
    Ok(said)
}

fn cut(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}
