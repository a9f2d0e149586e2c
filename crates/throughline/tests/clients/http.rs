//! Real MCP clients against `serve`, over HTTP.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A server that is stopped with the test.
struct Served {
    child: Child,
    url: String,
    token: String,
    _folder: tempfile::TempDir,
}

impl Served {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut command = Command::new(env!("CARGO_BIN_EXE_throughline"));
        for name in throughline_agents::Shell::variables() {
            command.env_remove(name);
        }
        let mut child = command
            .arg("--home")
            .arg(folder.path().join("home"))
            .arg("--project")
            .arg(folder.path())
            .args(["--json", "serve", "--port", "0"])
            .env_remove("THROUGHLINE_TOKEN")
            .env_remove("THROUGHLINE_NOW")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("it says where it is");
        let told: Value = serde_json::from_str(&line).expect("JSON");
        let link = told["link"].as_str().expect("a link");
        let token = link.split("token=").nth(1).expect("a token").to_owned();
        let url = format!("{}mcp", told["url"].as_str().expect("a url"));
        Self { child, url, token, _folder: folder }
    }

    /// Runs a client, and checks what it was told.
    fn used_by(&self, mut client: Command) {
        let output = client.args([&self.url, &self.token]).output().expect("the client starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        let told: Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
        let tools = told["tools"].as_array().expect("a list");
        assert!(tools.iter().any(|tool| tool == "recall"), "{told}");
        assert!(
            told["told"].as_str().is_some_and(|text| text.contains("client was here")),
            "{told}"
        );
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn script(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name)
}

#[test]
fn the_python_client_works_over_http() {
    let Some(clients) = crate::clients() else { return };
    let mut python = Command::new(clients.join("python/bin/python"));
    python.arg(script("http_client.py"));
    Served::start().used_by(python);
}

#[test]
fn the_typescript_client_works_over_http() {
    let Some(clients) = crate::clients() else { return };
    // A script finds its packages from where it lies.
    let copy = clients.join("http_client.mjs");
    std::fs::copy(script("http_client.mjs"), &copy).expect("the script can be copied");
    let mut node = Command::new(clients.join("node_modules/node/bin/node"));
    node.arg(copy);
    Served::start().used_by(node);
}
