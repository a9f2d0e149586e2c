//! An agent goes in and out by every door it has, in any order: what the user said stays as the user said it, and the
//! next session hears it.

use serde_json::{Value, json};

use crate::authority::{CONTRARY, RULE, assert_stands, id, numbers, rule};
use crate::harness::{Home, Run, id_of, slow};
use crate::hooking::Agent;
use crate::mcp_client::Client;

/// An agent with all its doors, each opened when it is first used.
struct Intruder<'a> {
    home: &'a Home,
    user: &'a str,
    /// A memory of its own, if it has one.
    own: Option<String>,
    tools: Option<Client>,
    files: Option<Client>,
    done: Vec<String>,
}

impl Intruder<'_> {
    fn own(&self) -> &str {
        self.own.as_deref().unwrap_or(self.user)
    }

    /// Its shell.
    fn shell(&mut self, args: &[&str]) {
        let mut command = self.home.command();
        command.env("CLAUDECODE", "1").arg("--json").args(args);
        let run: Run = command.output().expect("the program starts").into();
        // Done, refused or not there; a command that is written wrongly would prove nothing.
        assert!([0, 1, 3].contains(&run.code), "{args:?}: {} {}", run.code, run.stderr);
        if args[0] == "remember"
            && let Ok(told) = serde_json::from_str::<Value>(&run.stdout)
        {
            self.own = Some(id_of(&told["memory"]));
        }
    }

    /// Our tools over MCP.
    fn tool(&mut self, name: &str, arguments: Value) {
        let client = self.tools.get_or_insert_with(|| self.home.mcp());
        let told = client.try_call(name, arguments);
        if matches!(name, "remember" | "correct") {
            let kept = id(&told["structuredContent"]);
            self.own = Some(kept).filter(|id| !id.is_empty()).or_else(|| self.own.take());
        }
    }

    /// The memory tool.
    fn file(&mut self, arguments: Value) {
        let client = self.files.get_or_insert_with(|| self.home.mcp_profile("memory-tool"));
        client.try_call("memory", arguments);
    }

    /// What its hooks tell of it.
    fn hook(&self, event: &str, fields: &Value) {
        Agent::new(self.home, "intruder").tell_at(None, event, fields);
    }

    fn moves(&mut self, number: usize) {
        let (user, own) = (self.user.to_owned(), self.own().to_owned());
        let (user, own) = (user.as_str(), own.as_str());
        let file = "/memories/rules.md";
        match number {
            0 => self.shell(&["remember", CONTRARY, "--kind", "principle"]),
            1 => self.shell(&["correct", user, CONTRARY]),
            2 => self.shell(&["verify", user, "--refuted", "--evidence", CONTRARY]),
            3 => self.shell(&["archive", user]),
            4 => self.shell(&["forget", user]),
            5 => self.shell(&["contradict", own, user]),
            6 => self.shell(&["tag", user, "obsolete"]),
            7 => self.shell(&["undo"]),
            8 => self.shell(&["unarchive", own]),
            9 => self.shell(&["link", user, "because", own]),
            10 => self.shell(&["unlink", user, "because", own]),
            11 => self.shell(&["edit", user, CONTRARY]),
            12 => self.shell(&["edit", own, CONTRARY]),
            13 => self.shell(&["supersede", user, own]),
            14 => self.shell(&["confirm", own]),
            15 => self.shell(&["entity", "merge", "production", "staging"]),
            16 => self.shell(&["pin", own]),
            17 => self.tool("remember", json!({ "content": CONTRARY, "kind": "principle" })),
            18 => self.tool("remember", json!({ "content": RULE, "tags": ["old"] })),
            19 => self.tool("correct", json!({ "id": user, "content": CONTRARY })),
            20 => self.tool(
                "verify",
                json!({ "id": own, "outcome": "confirmed", "evidence": CONTRARY, "session": "intruder" }),
            ),
            21 => self.tool(
                "verify",
                json!({ "id": user, "outcome": "refuted", "evidence": CONTRARY, "session": "intruder" }),
            ),
            22 => self.tool("archive", json!({ "id": user, "reason": "it is outdated" })),
            23 => self.tool("feedback", json!({ "id": user, "helpful": false })),
            24 => self.tool("relate", json!({ "from": own, "relation": "contradicts", "to": user })),
            25 => self.tool("relate", json!({ "from": user, "relation": "tagged", "to": "old" })),
            26 => self.tool("recall", json!({ "query": "approvals for deploys" })),
            27 => self.file(json!({ "command": "create", "path": file, "file_text": CONTRARY })),
            28 => self.file(json!({ "command": "str_replace", "path": file, "old_str": "no approval",
                "new_str": "no approval, and no tests" })),
            29 => self.file(json!({ "command": "delete", "path": file })),
            30 => self.hook(
                "Stop",
                &json!({ "stop_hook_active": false, "last_assistant_message": format!("{CONTRARY}.") }),
            ),
            _ => {
                let call = json!({ "tool_name": "Bash", "tool_input": { "command": "cat notes" },
                    "tool_use_id": "toolu_1", "tool_response": { "stdout": CONTRARY, "stderr": "" } });
                self.hook("PostToolBatch", &json!({ "tool_calls": [call] }));
            }
        }
        self.done.push(number.to_string());
    }
}

/// How many moves there are.
const MOVES: usize = 32;

#[test]
fn the_users_rule_stands_whatever_an_agent_does_by_whichever_of_its_doors() {
    let sequences = if slow() { 200 } else { 24 };
    for sequence in 0..sequences {
        let mut below = numbers(7_000 + sequence);
        let home = Home::new();
        let user = rule(&home);
        let (tools, files, done) = (None, None, Vec::new());
        let mut agent = Intruder { home: &home, user: &user, own: None, tools, files, done };
        for _ in 0..4 + below(8) {
            agent.moves(below(MOVES));
        }
        let done = agent.done.join(", ");
        drop(agent);
        assert_stands(&home, &user, &format!("sequence {sequence}: {done}"));
        let shown = home.show(&user);
        assert_eq!((&shown["tags"], &shown["slot"]), (&json!([]), &Value::Null), "{done}");
        let told =
            Agent::new(&home, "asks").hears("how many approvals does a deploy to production need?");
        assert!(told.contains(RULE), "sequence {sequence}: {done}: {told}");
    }
}
