//! How quick the MCP server is, as a client sees it: a real process over pipes, from its start to
//! the first answer, asked again and again, and until it is gone after the pipe was closed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::recall::{self, Options, measure, row};

/// Times that the server is started.
const STARTS: usize = 21;

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let options = Options::read(words)?;
    let folder = tempfile::tempdir()?;
    let (home, project, said) = recall::fill(&options, folder.path())?;
    let start = || Client::start(&options.binary, &home, &project).expect("it starts");
    println!("{:<44} {:>10} {:>10}", "", "median", "95 %");
    row(
        "start to first answer",
        &measure(STARTS, |_| {
            start().initialize().expect("it answers");
        }),
    );
    let mut exits = Vec::new();
    let first: Vec<Duration> = (0..STARTS)
        .map(|n| {
            let began = Instant::now();
            let mut client = start();
            client.initialize().expect("it answers");
            client.recall(&said.question(n)).expect("it answers");
            let took = began.elapsed();
            exits.push(client.leave().expect("it ends"));
            took
        })
        .collect();
    row("start to first recall", &sorted(first));
    row("from closing its input to its end", &sorted(exits));

    let mut client = start();
    client.initialize()?;
    client.recall(&said.question(0))?;
    let ask = |n: usize| said.question(n + 1);
    row(
        "recall, warm",
        &measure(options.runs, |n| client.recall(&ask(n)).map(drop).expect("it answers")),
    );
    row(
        "remember, warm",
        &measure(options.runs, |n| {
            let content = format!("bench {n}: {}", said.question(n));
            client.call("remember", &json!({ "content": content })).map(drop).expect("it answers");
        }),
    );
    let before = client.cpu()?;
    std::thread::sleep(Duration::from_secs(2));
    println!("{:<44} {:>7} ticks", "idle for two seconds", client.cpu()? - before);
    client.leave()?;
    Ok(())
}

fn sorted(mut times: Vec<Duration>) -> Vec<Duration> {
    times.sort_unstable();
    times
}

struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl Client {
    fn start(binary: &Path, home: &Path, project: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(binary)
            .arg("mcp")
            .args([Path::new("--home"), home, Path::new("--project"), project])
            .env_remove("THROUGHLINE_NOW")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| binary.display().to_string())?;
        let input = child.stdin.take().context("a pipe")?;
        let output = BufReader::new(child.stdout.take().context("a pipe")?);
        Ok(Self { child, input, output, id: 0 })
    }

    fn ask(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.id += 1;
        let message =
            json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        writeln!(self.input, "{message}")?;
        self.input.flush()?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line)?;
        ensure!(answer["id"] == self.id && answer.get("result").is_some(), "{line}");
        Ok(answer["result"].clone())
    }

    fn initialize(&mut self) -> anyhow::Result<()> {
        let client = json!({ "name": "bench", "version": "1" });
        self.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }),
        )?;
        Ok(())
    }

    fn call(&mut self, name: &str, arguments: &Value) -> anyhow::Result<Value> {
        let result = self.ask("tools/call", &json!({ "name": name, "arguments": arguments }))?;
        ensure!(result["isError"] != true, "{result}");
        Ok(result)
    }

    fn recall(&mut self, query: &str) -> anyhow::Result<Value> {
        self.call("recall", &json!({ "query": query }))
    }

    /// Processor time used so far, in ticks of the system.
    fn cpu(&self) -> anyhow::Result<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        Ok(fields[11].parse::<u64>()? + fields[12].parse::<u64>()?)
    }

    /// Closes its input, and waits until it is gone.
    fn leave(self) -> anyhow::Result<Duration> {
        let Self { mut child, input, output, .. } = self;
        let began = Instant::now();
        drop(input);
        let status = child.wait()?;
        drop(output);
        ensure!(status.success(), "it ended with {status}");
        Ok(began.elapsed())
    }
}
