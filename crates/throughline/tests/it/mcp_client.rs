//! A small MCP client over real pipes, of either era.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::Home;

/// How a client begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// With `initialize`.
    Handshake,
    /// With every request by itself.
    Stateless,
}

/// A server, and the one who talks to it.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    era: Era,
    id: u64,
}

impl Home {
    /// The server over this home, after the first words.
    pub(crate) fn mcp(&self) -> Client {
        Client::greet(self.command(), &["mcp"], Era::Handshake)
    }

    /// The same for a client of the later era.
    pub(crate) fn mcp_stateless(&self) -> Client {
        Client::greet(self.command(), &["mcp"], Era::Stateless)
    }

    /// The same with other tools.
    pub(crate) fn mcp_profile(&self, profile: &str) -> Client {
        Client::greet(self.command(), &["mcp", "--profile", profile], Era::Handshake)
    }
}

impl Client {
    /// Starts the server without a word.
    pub(crate) fn start(mut command: Command, args: &[&str], era: Era) -> Self {
        for name in ["CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID"] {
            command.env_remove(name);
        }
        if !command.get_envs().any(|(name, _)| name == "MEMORY_FILE_PATH") {
            command.env_remove("MEMORY_FILE_PATH");
        }
        let command = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it has an output"));
        Self { child, input, output, era, id: 0 }
    }

    pub(crate) fn greet(command: Command, args: &[&str], era: Era) -> Self {
        let mut client = Self::start(command, args, era);
        if era == Era::Handshake {
            let who = json!({ "name": "test", "version": "1" });
            let hello =
                json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who });
            let answer = client.ask("initialize", hello);
            assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
            client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        }
        client
    }

    /// The server's process.
    #[cfg(target_os = "linux")]
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line as it is.
    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it was not closed");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("it listens");
    }

    /// The next line of the server, which must be one message.
    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it speaks");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Asks, and returns the whole answer.
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.id += 1;
        if self.era == Era::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let id = self.id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&message.to_string());
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Asks for something that must be there.
    pub(crate) fn get(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    /// Calls a tool, whatever comes of it.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are written where they are used")]
    pub(crate) fn try_call(&mut self, name: &str, arguments: Value) -> Value {
        self.get("tools/call", json!({ "name": name, "arguments": arguments }))
    }

    /// Calls a tool that must succeed; what it says as data.
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Value {
        let mut result = self.try_call(name, arguments);
        assert_ne!(result["isError"], true, "{result}");
        assert!(result["content"][0]["text"].as_str().is_some_and(|text| !text.is_empty()));
        result["structuredContent"].take()
    }

    /// Calls a tool that must fail; why, as data.
    pub(crate) fn fail(&mut self, name: &str, arguments: Value) -> Value {
        let mut result = self.try_call(name, arguments);
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().expect("it says why").to_owned();
        let data = result["structuredContent"].take();
        assert!(text.contains(data["message"].as_str().expect("it says why")), "{text}");
        if let Some(command) = data["user_would_run"].as_str() {
            assert!(text.contains(command), "{text}");
        }
        data
    }

    /// The text of a tool's answer, and whether it failed.
    pub(crate) fn text(&mut self, name: &str, arguments: Value) -> (String, bool) {
        let result = self.try_call(name, arguments);
        let text = result["content"][0]["text"].as_str().expect("it says something");
        (text.to_owned(), result["isError"] == true)
    }

    /// Closes the server's input, and waits for its end. What was left to say, and how long it took.
    pub(crate) fn leave(mut self) -> (Vec<Value>, Duration) {
        drop(self.input.take());
        let began = Instant::now();
        let mut left = Vec::new();
        let mut line = String::new();
        while self.output.read_line(&mut line).expect("it ends") > 0 {
            left.push(serde_json::from_str(&line).expect("nothing but messages"));
            line.clear();
        }
        let output = self.child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked"), "{stderr}");
        (left, began.elapsed())
    }
}
