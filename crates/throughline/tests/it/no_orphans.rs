//! Nothing of ours runs on when an agent is gone: not after a hook, not after a server was closed,
//! and not when the agent was killed.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Home, PROGRAM, clean, slow};
use crate::hooking::Agent;

/// How long it may take until nothing is left.
const SOON: Duration = Duration::from_secs(1);

/// The processes of our program over this home.
fn running(home: &Home) -> Vec<String> {
    let path = home.path().display().to_string();
    let entries = std::fs::read_dir("/proc").expect("Linux lists processes");
    let ours = |line: &String| line.contains(&path) && line.contains(PROGRAM);
    // Processes come and go while we look.
    let lines = entries.flatten().filter_map(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    lines.filter(ours).collect()
}

fn assert_nothing_is_left(home: &Home) {
    let began = Instant::now();
    loop {
        let left = running(home);
        if left.is_empty() {
            return;
        }
        assert!(began.elapsed() < SOON, "left over: {left:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn sessions_leave_no_process_behind() {
    let home = Home::live();
    for number in 0..if slow() { 100 } else { 20 } {
        Agent::new(&home, &format!("session-{number}")).starts();
    }
    assert_nothing_is_left(&home);
}

#[test]
fn servers_that_are_closed_leave_no_process_behind() {
    let home = Home::live();
    // All at once, as when an editor with many windows is closed.
    let mut clients: Vec<_> = (0..20).map(|_| home.mcp()).collect();
    clients[0].call("remember", serde_json::json!({"content": "The plant is called Gertrude"}));
    assert_eq!(running(&home).len(), 20, "each client has its server");
    for client in clients {
        client.leave();
    }
    assert_nothing_is_left(&home);
}

/// A client that starts a server, greets it, asks something, and then waits to be killed. What it
/// writes to is its own alone, as with a real one.
const CLIENT: &str = r#"
mkfifo "$2/in" "$2/out" || exit 1
"$1" --home "$3" --project "$2" mcp <"$2/in" >"$2/out" 2>/dev/null &
exec 3>"$2/in" 4<"$2/out"
echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' >&3
read -r hello <&4
echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"query":"the plant"}}}' >&3
[ -z "$4" ] || read -r answer <&4
echo ready
read -r forever
"#;

#[test]
fn a_server_goes_with_a_client_that_is_killed() {
    let home = Home::live();
    home.remember("The plant is called Gertrude");
    for number in 0..20 {
        let folder = home.outside(&format!("client-{number}"));
        std::fs::create_dir(&folder).expect("a folder can be made");
        let mut command = clean(Command::new("sh"));
        command.args(["-c", CLIENT, "client", PROGRAM]).arg(&folder).arg(home.path());
        // Every other one is killed while the server still thinks about an answer.
        command.arg(if number % 2 == 0 { "listens" } else { "" });
        let mut client = command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let mut said = String::new();
        let output = client.stdout.take().expect("its output is ours");
        BufReader::new(output).read_line(&mut said).expect("it says that it is ready");
        assert_eq!(said, "ready\n");
        assert!(!running(&home).is_empty(), "the server runs as long as its client");
        client.kill().expect("it can be killed with SIGKILL");
        client.wait().expect("it is gone");
        assert_nothing_is_left(&home);
    }
    home.assert_sound();
}
