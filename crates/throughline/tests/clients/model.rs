//! The model that the agents talk to: a server on loopback that follows a script and keeps every
//! request, so that a test can say what really came before the model.

mod wires;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What the model does about a prompt: calls of tools, one after the other, then some words.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// The prompt, as it is typed.
    pub(crate) prompt: &'static str,
    /// Tools that are called, with their input.
    pub(crate) calls: Vec<(&'static str, Value)>,
    /// What is said when the tools have run.
    pub(crate) words: &'static str,
    /// How many tokens the model says that the prompt took: many make an agent compact.
    pub(crate) tokens: u64,
}

impl Part {
    /// Words, and nothing else.
    pub(crate) fn says(prompt: &'static str, words: &'static str) -> Self {
        Self { prompt, calls: Vec::new(), words, tokens: 100 }
    }

    /// A call of a tool before the words.
    pub(crate) fn calls(
        prompt: &'static str,
        tool: &'static str,
        input: Value,
        words: &'static str,
    ) -> Self {
        Self { calls: vec![(tool, input)], ..Self::says(prompt, words) }
    }
}

/// What the model writes when it is asked to make a conversation shorter: nothing of what was said,
/// so that whatever the agent still knows afterwards is memory's doing.
pub(crate) const SUMMARY: &str = "<summary>Some work on the webshop.</summary>";

/// What is said to a prompt that is not in the script.
const OTHERWISE: &str = "All right.";

/// A scripted model. Its threads end with the program.
pub(crate) struct Model {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    /// Starts to listen on a port of its own.
    pub(crate) fn start(script: Vec<Part>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (kept, script) = (Arc::clone(&requests), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, script) = (Arc::clone(&kept), Arc::clone(&script));
                // An agent that hangs up in the middle has its reasons.
                std::thread::spawn(move || drop(serve(stream, &script, &kept)));
            }
        });
        Self { address, requests }
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request for words of the model that came so far, in order.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.lock().expect("no thread panics while it holds this").clone()
    }
}

/// Answers one request and hangs up.
fn serve(
    mut stream: TcpStream,
    script: &[Part],
    requests: &Mutex<Vec<Value>>,
) -> std::io::Result<()> {
    let (line, body) = read(&stream)?;
    let path = line.split(' ').nth(1).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let other = wires::Wire::of(path);
    if !line.starts_with("POST ") || (other.is_none() && !path.ends_with("/messages")) {
        let known = if path.ends_with("/count_tokens") { r#"{"input_tokens":10}"# } else { "{}" };
        return send(&mut stream, "application/json", known);
    }
    requests.lock().expect("no thread panics while it holds this").push(request.clone());
    if let Some(wire) = other {
        let streams = request["stream"] == true || path.contains("streamGenerateContent");
        let (kind, body) = wire.reply(&request, script, streams);
        return send(&mut stream, kind, &body);
    }
    let message = reply(&request, script);
    if request["stream"] == true {
        send(&mut stream, "text/event-stream", &events(&message))
    } else {
        send(&mut stream, "application/json", &message.to_string())
    }
}

/// The first line and the body of a request.
fn read(stream: &TcpStream) -> std::io::Result<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length, mut chunked) = (String::new(), 0, false);
    reader.read_line(&mut first)?;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.contains("chunked"),
            _ => {}
        }
    }
    let mut body = Vec::new();
    if !chunked {
        reader.take(length).read_to_end(&mut body)?;
        return Ok((first, body));
    }
    loop {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).unwrap_or(0);
        reader.by_ref().take(size).read_to_end(&mut body)?;
        reader.read_line(&mut String::new())?;
        if size == 0 {
            return Ok((first, body));
        }
    }
}

fn send(stream: &mut TcpStream, kind: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    )?;
    stream.flush()
}

/// A whole message of the model.
fn reply(request: &Value, script: &[Part]) -> Value {
    let messages = list(&request["messages"]);
    let block = match last_prompt(messages, script) {
        _ if wants_summary(messages) => json!({"type": "text", "text": SUMMARY}),
        // Requests without tools are the agent's own business: titles and the like.
        Some((at, part)) if !list(&request["tools"]).is_empty() => {
            let done = messages[at + 1..].iter().flat_map(blocks).filter(is_result);
            match part.calls.get(done.count()) {
                Some((tool, input)) => {
                    let tool = offered(request, tool);
                    let id = format!("toolu_{:020}", messages.len());
                    json!({"type": "tool_use", "id": id, "name": tool, "input": input})
                }
                None => json!({"type": "text", "text": part.words}),
            }
        }
        _ => json!({"type": "text", "text": OTHERWISE}),
    };
    let stop = if block["type"] == "tool_use" { "tool_use" } else { "end_turn" };
    json!({
        "id": format!("msg_{:020}", messages.len()), "type": "message", "role": "assistant",
        "model": request["model"], "content": [block], "stop_reason": stop, "stop_sequence": null,
        "usage": {
            "input_tokens": 100, "output_tokens": 5,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        },
    })
}

/// A tool by the name that the agent has for it: `recall` may be `mcp__throughline__recall`.
fn offered(request: &Value, tool: &str) -> String {
    let names = list(&request["tools"]).iter().filter_map(|one| one["name"].as_str());
    let found = names.clone().find(|name| *name == tool);
    let ours = || names.clone().find(|name| name.ends_with(&format!("__{tool}")));
    found.or_else(ours).unwrap_or(tool).to_owned()
}

/// The last message that holds a prompt of the script, and what the script says to it.
fn last_prompt<'a>(messages: &[Value], script: &'a [Part]) -> Option<(usize, &'a Part)> {
    messages.iter().enumerate().rev().find_map(|(at, message)| {
        let said: Vec<String> = blocks(message).into_iter().map(|one| text_of(&one)).collect();
        let part = script.iter().find(|part| said.iter().any(|text| text.trim() == part.prompt));
        part.filter(|_| message["role"] == "user").map(|part| (at, part))
    })
}

fn wants_summary(messages: &[Value]) -> bool {
    let last = messages.iter().rev().find(|message| message["role"] == "user");
    last.is_some_and(|last| {
        blocks(last).iter().any(|one| text_of(one).contains("detailed summary of the conversation"))
    })
}

/// The same message in the pieces that a stream has.
fn events(message: &Value) -> String {
    let block = &message["content"][0];
    let (mut start, mut empty) = (message.clone(), block.clone());
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let delta = if block["type"] == "tool_use" {
        empty["input"] = json!({});
        json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
    } else {
        empty["text"] = json!("");
        json!({"type": "text_delta", "text": block["text"]})
    };
    let stop = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    let pieces = [
        json!({"type": "message_start", "message": start}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": stop, "usage": message["usage"]}),
        json!({"type": "message_stop"}),
    ];
    let event = |piece: &Value| {
        let name = piece["type"].as_str().unwrap_or_default();
        format!("event: {name}\ndata: {piece}\n\n")
    };
    pieces.iter().map(event).collect()
}

/// The blocks of a message. A message that is a plain text has one.
pub(crate) fn blocks(message: &Value) -> Vec<Value> {
    let content = &message["content"];
    match content.as_str() {
        Some(text) => vec![json!({"type": "text", "text": text})],
        None => list(content).to_vec(),
    }
}

/// All the text of a block, also of what a tool has returned.
pub(crate) fn text_of(block: &Value) -> String {
    if let Some(text) = block.as_str() {
        return text.to_owned();
    }
    if let Some(parts) = block.as_array() {
        return parts.iter().map(text_of).collect::<Vec<_>>().join("\n");
    }
    block.get("text").or_else(|| block.get("content")).map_or_else(String::new, text_of)
}

/// Whether a block is what a tool has returned.
pub(crate) fn is_result(block: &Value) -> bool {
    block["type"] == "tool_result"
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
