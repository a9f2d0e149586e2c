//! Real MCP clients against our server, and the official memory server beside ours.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_throughline");

/// Where something of the clients lies.
fn installed(part: &str) -> Option<PathBuf> {
    crate::clients().map(|clients| clients.join(part))
}

fn node() -> Option<PathBuf> {
    installed("node_modules/node/bin/node")
}

/// Says a script to a server over pipes, one message after the other, and returns its answers.
fn play(mut command: Command, calls: &[(String, Value)]) -> Vec<Value> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut ask = |message: Value| -> Value {
        writeln!(input, "{message}").expect("it listens");
        let mut line = String::new();
        output.read_line(&mut line).expect("it answers");
        let mut answer: Value = serde_json::from_str(&line).expect("a message");
        answer["result"].take()
    };
    let who = json!({ "name": "test", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who });
    ask(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }));
    let said: Vec<Value> = calls
        .iter()
        .zip(1..)
        .map(|((name, arguments), id)| {
            let params = json!({ "name": name, "arguments": arguments });
            ask(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
        })
        .collect();
    drop(input);
    child.wait().expect("it ends");
    said
}

/// Every tool, what it must do and what it must refuse.
const CALLS: &str = include_str!("../fixtures/mcp/server-memory-calls.json");

#[test]
fn the_official_memory_server_and_ours_answer_alike() {
    let (Some(node), Some(official)) =
        (node(), installed("node_modules/@modelcontextprotocol/server-memory/dist/index.js"))
    else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let calls: Vec<(String, Value)> = serde_json::from_str(CALLS).expect("a script");
    assert!(calls.len() >= 40);
    let mut theirs = Command::new(node);
    theirs.arg(official).env("MEMORY_FILE_PATH", folder.path().join("memory.jsonl"));
    let theirs = play(theirs, &calls);
    let ours = play(ours(folder.path(), &["--profile", "server-memory"]), &calls);
    for ((call, theirs), ours) in calls.iter().zip(&theirs).zip(&ours) {
        assert_eq!(ours, theirs, "{call:?}");
    }
    println!("{} calls answered alike", calls.len());
}

fn ours(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("--home").arg(folder.join("home")).arg("--project").arg(folder).arg("mcp");
    for name in ["MEMORY_FILE_PATH", "THROUGHLINE_DISABLE", "THROUGHLINE_NOW"] {
        command.env_remove(name);
    }
    command.args(args);
    command
}

#[test]
fn the_inspector_finds_nothing_to_complain_about() {
    let (Some(node), Some(inspector)) = (node(), installed("node_modules/.bin/mcp-inspector"))
    else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let machine = std::env::var_os("PATH").unwrap_or_default();
    let first = node.parent().expect("a folder").to_owned();
    let folders = std::iter::once(first).chain(std::env::split_paths(&machine));
    let path = std::env::join_paths(folders).expect("plain names");
    for profile in ["throughline", "server-memory", "memory-tool"] {
        let output = Command::new(&inspector)
            .env("PATH", &path)
            .args(["--cli", PROGRAM, "--home"])
            .arg(folder.path().join("home"))
            .args(["mcp", "--profile", profile, "--method", "tools/list", "--strict"])
            .current_dir(folder.path())
            .output()
            .expect("the inspector starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{profile}: {said}");
        let list: Value = serde_json::from_slice(&output.stdout).expect("a list");
        assert!(!list["tools"].as_array().expect("tools").is_empty());
    }
}

const PYTHON: &str = r#"
import asyncio, sys, mcp
from mcp import StdioServerParameters
async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["--home", sys.argv[2], "mcp"], cwd=sys.argv[3])
    async with mcp.Client(server) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names[:2] == ["recall", "remember"] and len(names) == 10, names
        kept = await client.call_tool("remember", {"content": "Python clients speak to us over stdio"})
        assert not kept.is_error, kept
        found = await client.call_tool("recall", {"query": "who speaks to us over stdio?"})
        assert "Python clients" in found.content[0].text, found
        assert "Python clients" in str(found.structured_content), found
        try:
            await client.read_resource("throughline://memory/ffffffffff")
            raise SystemExit("it was found")
        except mcp.MCPError as error:
            assert error.error.code in (-32602, -32002), error
        prompt = await client.get_prompt("recap", {"topic": "stdio"})
        assert "Python clients" in prompt.messages[0].content.text, prompt
asyncio.run(main())
print("fine")
"#;

#[test]
fn the_python_client_speaks_with_us() {
    let Some(python) = installed("python/bin/python") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let output = Command::new(python)
        .args(["-c", PYTHON, PROGRAM])
        .arg(folder.path().join("home"))
        .arg(folder.path())
        .output()
        .expect("Python starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && output.stdout.ends_with(b"fine\n"), "{said}");
}
