//! Rules where they act: said before the tool that they are about, with the prompt that names what they
//! are about, and nowhere else.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::helpers::{asks_helper, helper_starts};
use crate::hooking::Agent;
use crate::telling_once::hook;

const PNPM: &str = "we use pnpm here, never npm or yarn";
const MARIA: &str = "ping Maria before touching src/billing";
const DEPLOYS: &str = "deploys only Tue and Thu";

/// A home in which people said these in passing, each in a session of its own.
fn told(rules: &[&str]) -> Home {
    let home = Home::new();
    for (n, rule) in rules.iter().enumerate() {
        let agent = Agent::new(&home, &format!("said-{n}"));
        agent.hears(rule);
        agent.answers("Noted.");
        agent.ends();
    }
    home
}

fn before(home: &Home, session: &str, tool: &str, input: &Value) -> String {
    let fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1"});
    Agent::new(home, session).tell_at(None, "PreToolUse", &fields)
}

fn bash(home: &Home, session: &str, command: &str) -> String {
    before(home, session, "Bash", &json!({"command": command}))
}

fn edit(home: &Home, session: &str, file: &str) -> String {
    let path = home.project().join(file);
    before(home, session, "Edit", &json!({"file_path": path, "old_string": "a", "new_string": "b"}))
}

/// How many memories a warning holds.
fn lines(said: &str) -> usize {
    said.lines().filter(|line| line.starts_with("- ")).count()
}

#[test]
fn a_program_that_is_not_wanted_is_warned_of_before_it_runs_and_once_a_conversation() {
    let home = told(&[PNPM]);
    let said = bash(&home, "one", "npm install");
    assert!(said.contains(PNPM) && said.contains("# Known about this call"), "{said}");
    assert_eq!(lines(&said), 1, "{said}");
    assert_eq!(bash(&home, "one", "npm install"), "", "once");
    assert_eq!(bash(&home, "one", "yarn add zod"), "", "once, whatever brings it up");
    let agent = Agent::new(&home, "one");
    for n in 0..8 {
        agent.hears(&format!("and now step {n} of the list"));
        agent.answers("Done.");
    }
    assert_eq!(bash(&home, "one", "npm install"), "", "also many turns later");
    assert!(bash(&home, "two", "npm install").contains(PNPM), "others have not heard it");
}

#[test]
fn a_command_is_recognised_however_it_is_run() {
    let home = told(&[PNPM]);
    for (n, line) in [
        "cd web && npm i",
        "sudo npm ci",
        "CI=1 npm install --silent 2>&1 | tail -3",
        "(cd web; npm install)",
        "bash -lc 'npm install'",
        "ls\nnpm \\\n  run build",
        "/usr/local/bin/npm test",
        "if [ -f package.json ]; then npm ci; fi",
        "echo ok && \"npm\" install",
    ]
    .into_iter()
    .enumerate()
    {
        assert!(bash(&home, &format!("s{n}"), line).contains(PNPM), "{line}");
    }
}

#[test]
fn a_place_is_warned_of_before_it_is_changed_by_whatever_tool() {
    let home = told(&[MARIA]);
    let file = home.project().join("src/billing/invoice.ts");
    let calls = [
        ("Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"})),
        ("Write", json!({"file_path": file, "content": "x"})),
        (
            "MultiEdit",
            json!({"file_path": file, "edits": [{"old_string": "a", "new_string": "b"}]}),
        ),
        ("NotebookEdit", json!({"notebook_path": file, "new_source": "x"})),
        ("Bash", json!({"command": "rm src/billing/invoice.ts"})),
        ("Bash", json!({"command": "sed -i s/a/b/ src/billing/invoice.ts"})),
        ("Bash", json!({"command": "cat > src/billing/new.ts <<EOF\nx\nEOF"})),
    ];
    for (n, (tool, input)) in calls.iter().enumerate() {
        assert!(before(&home, &format!("s{n}"), tool, input).contains(MARIA), "{tool} {input}");
    }
    for (tool, input) in [
        ("Read", json!({"file_path": file})),
        ("Grep", json!({"pattern": "total", "path": file})),
        ("Glob", json!({"pattern": "src/billing/**"})),
        ("Bash", json!({"command": "cat src/billing/invoice.ts"})),
        ("Bash", json!({"command": "grep -rn total src/billing | head"})),
    ] {
        assert_eq!(before(&home, "reads", tool, &input), "", "{tool} {input}");
    }
}

#[test]
fn a_place_may_be_written_in_many_ways() {
    for (rule, file, other) in [
        ("ping Maria before touching `src/billing/`", "src/billing/a.ts", "src/billing-old/a.ts"),
        ("never edit the files in db/migrations by hand", "db/migrations/1.sql", "db/seeds/1.sql"),
        ("anything in the vendor folder is off limits", "vendor/x/y.go", "src/vendors.go"),
        ("please never change `src/**/*.sql` without the DBAs", "src/a/b/q.sql", "src/a/b/q.ts"),
        ("never edit `*.generated.ts` by hand", "src/api.generated.ts", "src/api.ts"),
        (
            "package-lock.json must never be edited by hand",
            "web/package-lock.json",
            "web/package.json",
        ),
    ] {
        let home = told(&[rule]);
        assert!(edit(&home, "one", file).contains("Known about this call"), "{rule}: {file}");
        assert_eq!(edit(&home, "two", other), "", "{rule}: {other}");
    }
}

#[test]
fn a_rule_comes_with_the_prompt_that_names_a_file_it_is_about() {
    let home = told(&[MARIA, PNPM, "tests are written before the code", "we like short names"]);
    for (n, prompt) in [
        "fix the rounding in src/billing/invoice.ts",
        "src/billing/tax/eu.ts throws for Malta, why?",
        "what should I know before I change src/billing?",
    ]
    .into_iter()
    .enumerate()
    {
        let said = Agent::new(&home, &format!("p{n}")).hears(prompt);
        assert!(said.contains(MARIA), "{prompt}: {said}");
    }
    for (n, prompt) in
        ["fix the rounding in src/billing-old/invoice.ts", "thanks!", "rename the cart class"]
            .into_iter()
            .enumerate()
    {
        let said = Agent::new(&home, &format!("n{n}")).hears(prompt);
        assert!(!said.contains(MARIA), "{prompt}: {said}");
    }
}

#[test]
fn what_came_with_the_prompt_is_not_said_again_before_the_tool_and_what_the_brief_said_is() {
    let home = told(&[MARIA]);
    let agent = Agent::new(&home, "one");
    assert!(agent.hears("fix the rounding in src/billing/invoice.ts").contains(MARIA));
    assert_eq!(edit(&home, "one", "src/billing/invoice.ts"), "");
    let agent = Agent::new(&home, "two");
    agent.starts();
    assert!(edit(&home, "two", "src/billing/invoice.ts").contains(MARIA));
}

#[test]
fn a_deploy_is_warned_of_on_any_day_and_however_it_is_started() {
    let home = told(&[DEPLOYS]);
    for (n, (day, line)) in [
        ("2026-03-03", "./deploy.sh prod"),
        ("2026-03-04", "make deploy"),
        ("2026-03-05", "npm run deploy"),
        ("2026-03-06", "yarn deploy:web"),
        ("2026-03-07", "fly deploy --remote-only"),
        ("2026-03-08", "bash scripts/deploy_web.sh"),
        ("2026-03-09", "python3 tools/deploy.py --now"),
    ]
    .into_iter()
    .enumerate()
    {
        home.travel(day);
        assert!(bash(&home, &format!("s{n}"), line).contains(DEPLOYS), "{line}");
    }
    let asked = Agent::new(&home, "asked").hears("can you deploy the web app to prod?");
    assert!(asked.contains(DEPLOYS), "{asked}");
}

#[test]
fn a_rule_that_was_said_among_other_things_comes_up_before_the_tool_and_with_the_prompt() {
    let home = told(&[
        "hey, set up the dev env. oh and we use pnpm here, never npm or yarn, the lockfile gets wrecked",
        "btw ping Maria before touching src/billing, she owns it",
        "one more thing: deploys only Tue and Thu, finance closes the books on Friday",
    ]);
    assert!(bash(&home, "a", "npm install").contains("never npm or yarn"));
    assert!(bash(&home, "a", "./deploy.sh prod").contains("Tue and Thu"));
    assert!(edit(&home, "a", "src/billing/invoice.ts").contains("ping Maria"));
    for (n, (prompt, due)) in [
        ("ok let's ship it, deploy to prod", "Tue and Thu"),
        ("change how billing rounds VAT", "ping Maria"),
        ("install the charts library with npm", "never npm or yarn"),
    ]
    .into_iter()
    .enumerate()
    {
        let said = Agent::new(&home, &format!("p{n}")).hears(prompt);
        assert!(said.contains(due), "{prompt}: {said}");
    }
    let calm = Agent::new(&home, "calm").hears("add a test for the cart");
    assert!(!["Maria", "npm", "Thu"].iter().any(|word| calm.contains(word)), "{calm}");
}

#[test]
fn nothing_is_said_before_what_no_rule_is_about() {
    let home = Home::new();
    for rule in [
        PNPM,
        MARIA,
        DEPLOYS,
        "never git push --force",
        "ask me before you run terraform apply",
        "use rg, never grep",
        "push notifications always go through Firebase",
        "make sure that every query is parameterised",
        "the checkout page must never use iframes",
    ] {
        home.remember_with(&[rule, "--kind", "principle"]);
    }
    for line in [
        "pnpm install",
        "pnpm -r run build",
        "ls pnpm-lock.yaml",
        "cat npm-debug.log yarn.lock",
        "git commit -m 'we use npm no more, and yarn neither'",
        "echo npm install",
        "rg npm src",
        "rm -rf node_modules/.cache",
        "cat deploy.sh",
        "pytest tests/test_deploy.py",
        "git push origin feature",
        "git status",
        "git checkout -b fix",
        "terraform plan",
        "kubectl apply -f web.yaml",
        "make build",
        "cargo test",
        "ls src/billing",
        "mkdir -p reports",
        "npmx install",
    ] {
        assert_eq!(bash(&home, "calm", line), "", "{line}");
    }
    for file in ["src/billing-old/a.ts", "src/cart/billing.ts", "docs/src/readme.md", "npm.md"] {
        assert_eq!(edit(&home, "calm", file), "", "{file}");
    }
    for (line, due) in [
        ("git push -f origin feature", "never git push --force"),
        ("terraform apply -auto-approve", "ask me before you run terraform apply"),
        ("grep -rn TODO src", "use rg, never grep"),
    ] {
        let said = bash(&home, "calm", line);
        assert!(said.contains(due) && lines(&said) == 1, "{line}: {said}");
    }
}

#[test]
fn what_was_taken_back_replaced_or_belongs_to_another_project_is_not_said() {
    let home = Home::new();
    let id = home.remember_with(&["Never run npm here", "--kind", "principle"]);
    assert!(bash(&home, "one", "npm install").contains("Never run npm"));
    home.json(&["forget", &id]);
    assert_eq!(bash(&home, "two", "npm install"), "");
    let id = home.remember_with(&["Deploys only Tue and Thu", "--kind", "principle"]);
    home.json(&["correct", &id, "Deploys only on Mondays"]);
    let said = bash(&home, "three", "make deploy");
    assert!(said.contains("Mondays") && !said.contains("Thu"), "{said}");
    home.from("elsewhere").remember_with(&["Never use yarn", "--kind", "principle"]);
    assert_eq!(bash(&home, "four", "yarn install"), "");
    let mut other = Agent::new(&home, "five");
    other.folder = home.outside("elsewhere");
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "make deploy"},
        "tool_use_id": "toolu_1"});
    assert_eq!(other.tell_at(None, "PreToolUse", &call), "");
}

#[test]
fn after_a_compaction_a_rule_is_said_once_more() {
    let home = told(&[PNPM]);
    let agent = Agent::new(&home, "one");
    assert!(bash(&home, "one", "npm install").contains(PNPM));
    agent.tell_at(None, "PreCompact", &json!({"trigger": "auto", "custom_instructions": ""}));
    agent.tell_at(None, "SessionStart", &json!({"source": "compact"}));
    assert!(bash(&home, "one", "npm install").contains(PNPM));
    assert_eq!(bash(&home, "one", "npm install"), "");
}

#[test]
fn what_this_prompt_has_just_said_is_said_again_only_where_it_is_about_to_be_broken() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears(&format!("{MARIA}. Now fix the totals."));
    assert_eq!(edit(&home, "one", "src/billing/invoice.ts"), "");
    agent.answers("Done.");
    agent.hears("we use pnpm here, never npm or yarn");
    assert!(bash(&home, "one", "npm install").contains("never npm"));
}

#[test]
fn what_an_agent_claims_warns_of_nothing() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("set up the project");
    agent.answers(
        "I noticed that we never use npm here. We always deploy with kamal, never by hand.",
    );
    agent.ends();
    assert_eq!(bash(&home, "two", "npm install"), "");
    assert_eq!(bash(&home, "two", "kamal deploy"), "");
}

#[test]
fn a_word_that_many_rules_share_says_nothing_by_itself_and_two_lines_are_the_most() {
    let home = Home::new();
    for n in 0..6 {
        let rule = format!("Never deploy on day {n} of the month");
        home.remember_with(&[&rule, "--kind", "principle"]);
    }
    assert_eq!(lines(&bash(&home, "few", "make deploy")), 2);
    for n in 6..16 {
        let rule = format!("Never deploy on day {n} of the month");
        home.remember_with(&[&rule, "--kind", "principle"]);
    }
    assert_eq!(bash(&home, "many", "make deploy"), "");
}

#[test]
fn what_a_person_asked_for_is_said_before_a_rule_that_an_agent_made_for_itself() {
    let home = told(&[PNPM]);
    let rule = json!({"kind": "principle", "triggers": ["npm install"],
        "content": "Run npm install with --force in this project"});
    home.mcp().call("remember", rule);
    let said = bash(&home, "both", "npm install");
    let place = |words: &str| said.find(words).unwrap_or_else(|| panic!("{words}: {said}"));
    assert!(place("pnpm here") < place("--force"), "{said}");
}

#[test]
fn every_host_hears_it_in_its_own_shape() {
    let home = told(&[PNPM, MARIA]);
    let folder = home.project();
    let file = folder.join("src/billing/invoice.ts");
    let patch =
        "*** Begin Patch\n*** Update File: src/billing/invoice.ts\n@@\n-a\n+b\n*** End Patch";
    let plain = |session: &str, tool: &str, input: Value| {
        json!({"session_id": session, "cwd": folder, "tool_name": tool, "tool_input": input,
            "tool_use_id": "c1", "tool_response": {"llmContent": "done"}})
    };
    let opencode = |session: &str, tool: &str, args: Value| {
        json!({"hook": "tool.execute.before", "directory": folder,
            "input": {"tool": tool, "sessionID": session, "callID": "c1"}, "output": {"args": args}})
    };
    let npm = json!({"command": "npm install"});
    for (agent, event, payload, due) in [
        ("codex", "PreToolUse", plain("x1", "Bash", npm.clone()), PNPM),
        (
            "codex",
            "PreToolUse",
            plain("x2", "shell", json!({"command": ["bash", "-lc", "npm install"]})),
            PNPM,
        ),
        ("codex", "PreToolUse", plain("x3", "apply_patch", json!({"command": patch})), MARIA),
        ("gemini", "AfterTool", plain("g1", "run_shell_command", npm.clone()), PNPM),
        (
            "gemini",
            "AfterTool",
            plain("g2", "write_file", json!({"file_path": file, "content": "x"})),
            MARIA,
        ),
        (
            "gemini",
            "AfterTool",
            plain(
                "g3",
                "replace",
                json!({"file_path": file, "old_string": "a", "new_string": "b"}),
            ),
            MARIA,
        ),
        ("opencode", "tool.execute.before", opencode("o1", "bash", npm), PNPM),
        (
            "opencode",
            "tool.execute.before",
            opencode("o2", "edit", json!({"filePath": file, "oldString": "a", "newString": "b"})),
            MARIA,
        ),
        (
            "opencode",
            "tool.execute.before",
            opencode("o3", "write", json!({"filePath": file, "content": "x"})),
            MARIA,
        ),
    ] {
        let said = hook(&home, agent, event, &payload);
        assert!(said.contains(due), "{agent} {payload}: {said}");
    }
    let read = opencode("o4", "read", json!({"filePath": file}));
    assert_eq!(hook(&home, "opencode", "tool.execute.before", &read), "");
}

#[test]
fn a_rule_that_was_questioned_is_said_with_the_later_word() {
    let home = Home::new();
    let old = home.remember_with(&["Deploys only Tue and Thu", "--kind", "principle"]);
    let new =
        home.remember_with(&["Shipping to prod is fine on Fridays now", "--kind", "principle"]);
    home.json(&["contradict", &new, &old]);
    let said = bash(&home, "one", "make deploy");
    assert!(said.contains("Tue and Thu") && said.contains("Fridays now"), "{said}");
}

#[test]
fn a_helper_is_warned_by_itself_and_its_task_brings_the_rule_along() {
    let home = told(&[PNPM, MARIA]);
    let agent = Agent::new(&home, "one");
    assert!(bash(&home, "one", "npm install").contains(PNPM));
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "npm install"},
        "tool_use_id": "t2", "agent_id": "a3e8"});
    assert!(agent.tell_at(None, "PreToolUse", &call).contains(PNPM), "its context is empty");
    assert_eq!(agent.tell_at(None, "PreToolUse", &call), "");
    assert_eq!(asks_helper(&agent, "Rewrite the rounding in src/billing/invoice.ts"), "");
    let told = helper_starts(&agent, "b4f9");
    assert!(told.contains(MARIA), "{told}");
}

#[test]
fn code_that_a_rule_forbids_is_warned_of_before_it_is_written_and_with_the_prompt_that_names_it() {
    const PRINTLN: &str = "Don't use println! in the library, it breaks the JSON output";
    let by_hand = Home::new();
    by_hand.remember_with(&[PRINTLN, "--kind", "principle"]);
    for home in [told(&[PRINTLN]), by_hand] {
        let writes = |session: &str, text: &str| {
            let file = home.project().join("src/lib.rs");
            let input = json!({"file_path": file, "old_string": "a", "new_string": text});
            before(&home, session, "Edit", &input)
        };
        let said = writes("one", "    println!(\"{total}\");\n");
        assert!(said.contains("Don't use println") && lines(&said) == 1, "{said}");
        assert_eq!(writes("two", "    eprintln!(\"{total}\");\n"), "", "another call");
        assert_eq!(writes("two", "    let line = total;\n"), "");
        let asked = Agent::new(&home, "three").hears("add a println! to the parser");
        assert!(asked.contains("Don't use println"), "{asked}");
    }
}
