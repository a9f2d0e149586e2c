//! The same model behind other wires: responses (Codex), chat (opencode) and Gemini's own.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::{OTHERWISE, Part, SUMMARY, list, text_of};

/// What the model is asked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    Responses,
    Chat,
    Gemini,
}

/// What the model does next.
enum Next<'a> {
    Call(String, Option<String>, &'a Value),
    Say(&'a str),
}

/// Tokens that leave room for more.
const FEW: u64 = 100;

/// Names of calls and answers, which must not be the same twice.
static COUNT: AtomicU64 = AtomicU64::new(1);

impl Wire {
    pub(super) fn of(path: &str) -> Option<Self> {
        match path {
            path if path.ends_with("/responses") => Some(Self::Responses),
            path if path.ends_with("/chat/completions") => Some(Self::Chat),
            path if path.contains("enerateContent") => Some(Self::Gemini),
            _ => None,
        }
    }

    /// The answer, and its type.
    pub(super) fn reply(
        self,
        request: &Value,
        script: &[Part],
        streams: bool,
    ) -> (&'static str, String) {
        let next = self.next(request, script);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // Room was made: a model that still called for more would never be done.
        let tokens = match self.prompt(request, script) {
            Some((_, part)) if !self.was_compacted(request) => part.tokens,
            Some(_) | None => FEW,
        };
        let (whole, pieces) = match self {
            Self::Responses => responses(request, &next, number, tokens),
            Self::Chat => chat(request, &next, number, tokens),
            Self::Gemini => gemini(request, &next),
        };
        if !streams {
            return ("application/json", whole.to_string());
        }
        let mut body = String::new();
        for piece in pieces {
            if let Some(name) = piece["type"].as_str().filter(|_| self == Self::Responses) {
                body.push_str(&format!("event: {name}\n"));
            }
            body.push_str(&format!("data: {piece}\n\n"));
        }
        if self == Self::Chat {
            body.push_str("data: [DONE]\n\n");
        }
        ("text/event-stream", body)
    }

    fn messages(self, request: &Value) -> &[Value] {
        match self {
            Self::Responses => list(&request["input"]),
            Self::Chat => list(&request["messages"]),
            Self::Gemini => list(&request["contents"]),
        }
    }

    /// The last message that holds a prompt of the script. Agents put things around it, also what
    /// was asked before, so the last of several counts.
    fn prompt<'a>(self, request: &Value, script: &'a [Part]) -> Option<(usize, &'a Part)> {
        self.messages(request).iter().enumerate().rev().find_map(|(at, message)| {
            let said = words(message);
            let found = script.iter().filter_map(|part| Some((said.rfind(part.prompt)?, part)));
            let part = found.max_by_key(|(place, _)| *place).map(|(_, part)| part);
            part.filter(|_| message["role"] == "user").map(|part| (at, part))
        })
    }

    fn next<'a>(self, request: &Value, script: &'a [Part]) -> Next<'a> {
        let messages = self.messages(request);
        let last = messages.iter().rev().find(|one| one["role"] == "user").map(words);
        if last.is_some_and(|last| wants_summary(&last)) {
            return Next::Say(SUMMARY);
        }
        let Some((at, part)) = self.prompt(request, script) else { return Next::Say(OTHERWISE) };
        if self.was_compacted(request) {
            return Next::Say(part.words);
        }
        let done = messages[at + 1..].iter().map(|one| self.results(one)).sum::<usize>();
        let tools = self.tools(request);
        match part.calls.get(done).filter(|_| !tools.is_empty()) {
            Some((tool, input)) => {
                let ends = |name: &str| name == *tool || name.ends_with(&format!("_{tool}"));
                let found = tools.into_iter().find(|(name, _)| ends(name));
                let (name, space) = found.unwrap_or_else(|| ((*tool).to_owned(), None));
                Next::Call(name, space, input)
            }
            None => Next::Say(part.words),
        }
    }

    /// Whether a summary stands in place of what was said.
    fn was_compacted(self, request: &Value) -> bool {
        self.messages(request).iter().any(|message| words(message).contains(SUMMARY))
    }

    /// How many tools have returned in a message.
    fn results(self, message: &Value) -> usize {
        match self {
            Self::Responses => {
                let kind = message["type"].as_str().unwrap_or_default();
                usize::from(kind.ends_with("_call_output"))
            }
            Self::Chat => usize::from(message["role"] == "tool"),
            Self::Gemini => {
                let parts = list(&message["parts"]).iter();
                parts.filter(|part| part.get("functionResponse").is_some()).count()
            }
        }
    }

    /// The tools that are offered, and the space that each is in.
    fn tools(self, request: &Value) -> Vec<(String, Option<String>)> {
        let name = |tool: &Value| tool["name"].as_str().map(str::to_owned);
        let tools = list(&request["tools"]).iter();
        match self {
            Self::Responses => tools
                .flat_map(|tool| match tool["type"].as_str() {
                    Some("namespace") => list(&tool["tools"])
                        .iter()
                        .filter_map(|one| Some((name(one)?, name(tool))))
                        .collect::<Vec<_>>(),
                    Some(_) | None => name(tool).map(|name| (name, None)).into_iter().collect(),
                })
                .collect(),
            Self::Chat => tools.filter_map(|tool| Some((name(&tool["function"])?, None))).collect(),
            Self::Gemini => tools
                .flat_map(|tool| list(&tool["functionDeclarations"]))
                .filter_map(|tool| Some((name(tool)?, None)))
                .collect(),
        }
    }
}

fn words(message: &Value) -> String {
    let parts = message.get("content").or_else(|| message.get("parts"));
    parts.map(text_of).unwrap_or_default().replace("\\\"", "\"")
}

/// How Codex, opencode and Gemini CLI ask for a conversation to be made shorter. Gemini CLI asks
/// twice.
fn wants_summary(said: &str) -> bool {
    [
        "CONTEXT CHECKPOINT COMPACTION",
        "anchored summary",
        "summary of our conversation",
        "generate the updated <state_snapshot>",
        "evaluate the <state_snapshot>",
    ]
    .iter()
    .any(|words| said.contains(words))
}

fn responses(_: &Value, next: &Next<'_>, number: u64, tokens: u64) -> (Value, Vec<Value>) {
    let item = match next {
        Next::Call(name, space, input) => {
            let mut item = json!({"type": "function_call", "id": format!("fc_{number}"),
                "call_id": format!("call_{number}"), "name": name, "status": "completed",
                "arguments": input.to_string()});
            if let Some(space) = space {
                item["namespace"] = json!(space);
            }
            item
        }
        Next::Say(words) => json!({"type": "message", "id": format!("msg_{number}"),
            "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": words, "annotations": []}]}),
    };
    let usage = json!({"input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens + 5});
    let whole = json!({"id": format!("resp_{number}"), "object": "response", "created_at": 1,
        "model": "scripted", "status": "completed", "output": [item], "usage": usage});
    let mut begun = whole.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    let pieces = vec![
        json!({"type": "response.created", "sequence_number": 0, "response": begun}),
        json!({"type": "response.output_item.added", "sequence_number": 1, "output_index": 0,
            "item": item}),
        json!({"type": "response.output_item.done", "sequence_number": 2, "output_index": 0,
            "item": item}),
        json!({"type": "response.completed", "sequence_number": 3, "response": whole}),
    ];
    (whole, pieces)
}

fn chat(request: &Value, next: &Next<'_>, number: u64, tokens: u64) -> (Value, Vec<Value>) {
    let (message, finish) = match next {
        Next::Call(name, _, input) => {
            let call = json!({"index": 0, "id": format!("call_{number}"), "type": "function",
                "function": {"name": name, "arguments": input.to_string()}});
            (json!({"role": "assistant", "tool_calls": [call]}), "tool_calls")
        }
        Next::Say(words) => (json!({"role": "assistant", "content": words}), "stop"),
    };
    let usage =
        json!({"prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5});
    let base = |kind: &str, choices: Value| {
        json!({"id": format!("chatcmpl_{number}"), "object": kind, "created": 1,
            "model": request["model"], "choices": choices})
    };
    let choice = json!([{"index": 0, "message": message, "finish_reason": finish}]);
    let mut whole = base("chat.completion", choice);
    whole["usage"] = usage.clone();
    let piece = |delta: &Value, finish: Value| {
        let choice = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        base("chat.completion.chunk", choice)
    };
    let mut last = base("chat.completion.chunk", json!([]));
    last["usage"] = usage;
    let pieces = vec![piece(&message, Value::Null), piece(&json!({}), json!(finish)), last];
    (whole, pieces)
}

fn gemini(request: &Value, next: &Next<'_>) -> (Value, Vec<Value>) {
    // Questions of the agent's own want JSON: who speaks next, which model is to answer.
    let json = request["generationConfig"]["responseMimeType"] == "application/json";
    let own = json!({"reasoning": "-", "next_speaker": "user", "model_choice": "flash",
        "complexity_score": 1, "complexity_reasoning": "-"});
    let part = match next {
        _ if json => json!({"text": own.to_string()}),
        Next::Call(name, _, input) => json!({"functionCall": {"name": name, "args": input}}),
        Next::Say(words) => json!({"text": words}),
    };
    let whole = json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP",
            "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 5,
            "totalTokenCount": 105},
        "modelVersion": "scripted",
    });
    (whole.clone(), vec![whole])
}
