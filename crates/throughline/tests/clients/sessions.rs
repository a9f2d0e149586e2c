//! Twenty turns in three sessions with one compaction: what was decided, corrected and tried in one
//! session is before the model in the next.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::claude_code::{ClaudeCode, Turn};
use crate::model::{Part, SUMMARY, blocks, is_result, text_of};
use crate::page::{FENCE, asserts, memories, messages, pages_in, pages_of};

const VALUE: &str = "The staging database runs on Postgres 14.";
const DECISION: &str = "We decided to keep sessions in Postgres instead of Redis because Redis lost \
                        them twice when the node restarted.";
const RULE: &str = "Always run cargo fmt before committing.";
const BACKUP: &str = "Make a full backup of the shop.";
const FILES: &str = "Which files are in this folder?";
const COMPACT: &str = "/compact go on with the cart";
const ASK_DECISION: &str = "Where do we keep sessions, and why not in Redis?";
const CORRECTION: &str = "Actually the staging database runs on Postgres 16 now, not 14.";
const ASK_VALUE: &str = "Which version of Postgres does the staging database run on?";
const BACKUP_AGAIN: &str = "Make a full backup again, please.";
const ASK_RULE: &str = "What has to be done before committing?";
const THANKS: &str = "Thanks, great!";

/// What the shop's backup does when it is run, every time.
const SCRIPT: &str = "#!/bin/sh\n\
                      echo 'error: the option --full requires the vault key of the operator' >&2\n\
                      exit 3\n";
const COMMAND: &str = "./backup.sh --full";

#[test]
fn what_was_decided_corrected_and_tried_in_one_session_is_before_the_model_in_the_next() {
    let Some(clients) = crate::clients() else { return };
    let began = std::time::Instant::now();
    let told = Told::live(&clients);
    println!("{} turns in {:.0} s", told.turns().count(), began.elapsed().as_secs_f64());
    told.assert_all();
}

fn says(prompt: &'static str, words: &'static str) -> Part {
    Part::says(prompt, words)
}

fn runs(prompt: &'static str, command: &str, words: &'static str) -> Part {
    let call = json!({"command": command, "description": "what was asked for"});
    Part::calls(prompt, "Bash", call, words)
}

/// What the model does. It repeats nothing of what it is told, so that memory has only a person's
/// words to go by.
fn script() -> Vec<Part> {
    let failed = "`./backup.sh --full` did not work here. I leave the backup to you.";
    vec![
        says(VALUE, "Understood."),
        says(DECISION, "Understood, I keep that in mind."),
        says(RULE, "Will do."),
        runs(BACKUP, COMMAND, failed),
        runs(FILES, "ls", "Only the script of the backup."),
        says(ASK_DECISION, "As it says above."),
        says(CORRECTION, "Understood."),
        says(ASK_VALUE, "As it says above."),
        runs(BACKUP_AGAIN, COMMAND, failed),
        says(THANKS, "You are welcome."),
    ]
}

/// What is claimed of the story, in words and as a check.
type Claim = (&'static str, fn(&Told));

const CLAIMS: &[Claim] = &[
    ("the story was really told", Told::assert_the_story_is_whole),
    ("every hook went well", Told::assert_every_hook_went_well),
    ("the compaction took nothing away", Told::assert_the_compaction_took_nothing_away),
    ("a correction holds at once", Told::assert_the_correction_holds_at_once),
    ("the next session knows", Told::assert_the_next_session_knows),
    ("the warning came with the call", Told::assert_the_warning_came_with_the_call),
    ("thanks bring nothing up", Told::assert_thanks_bring_nothing_up),
    ("transcripts bring nothing new", Told::assert_transcripts_bring_nothing_new),
    ("nothing of ours came back", Told::assert_nothing_of_ours_came_back),
    ("the agent can be disconnected", Told::assert_the_agent_can_be_disconnected),
];

/// The whole story, after it was told.
struct Told {
    agent: ClaudeCode,
    first: Vec<Turn>,
    compacted: Vec<Turn>,
    second: Vec<Turn>,
    third: Vec<Turn>,
}

impl Told {
    fn live(clients: &Path) -> Self {
        let agent = ClaudeCode::connected(clients, script());
        agent.script("backup.sh", SCRIPT);
        let first = [
            "Hello! Today we work on the web shop.",
            VALUE,
            DECISION,
            "The cart shows a wrong total when a coupon is used twice. Where would you look?",
            RULE,
            BACKUP,
            FILES,
            THANKS,
        ];
        let first = tell(&agent, None, &first);
        let session = first[0].session();
        let compacted = [COMPACT, ASK_DECISION, "Write a test for the empty cart.", "ok"];
        let compacted = tell(&agent, Some(&session), &compacted);
        let second = ["Good morning!", CORRECTION, ASK_VALUE, "Rename `total` to `sum`.", THANKS];
        let second = tell(&agent, None, &second);
        let third = [ASK_DECISION, ASK_VALUE, BACKUP_AGAIN, ASK_RULE, THANKS];
        let third = tell(&agent, None, &third);
        Self { agent, first, compacted, second, third }
    }

    /// Looks at every claim, also after one that does not hold, and names those that do not.
    fn assert_all(&self) {
        let holds = |claim: &fn(&Self)| {
            // The panic says why on its way.
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| claim(self))).is_ok()
        };
        let broken = CLAIMS.iter().filter(|(_, claim)| !holds(claim)).map(|(name, _)| *name);
        assert_eq!(broken.collect::<Vec<_>>(), [""; 0], "claims that do not hold");
    }

    /// Every turn, in order.
    fn turns(&self) -> impl Iterator<Item = &Turn> {
        [&self.first, &self.compacted, &self.second, &self.third].into_iter().flatten()
    }

    fn assert_the_story_is_whole(&self) {
        assert!(self.turns().count() >= 20, "{}", self.turns().count());
        let session = |turns: &[Turn]| turns[0].session();
        assert_eq!(session(&self.first), session(&self.compacted), "it goes on after compaction");
        let sessions = [session(&self.first), session(&self.second), session(&self.third)];
        assert!(sessions[0] != sessions[1] && sessions[1] != sessions[2], "{sessions:?}");
        for turn in [find(&self.first, BACKUP), find(&self.third, BACKUP_AGAIN)] {
            let mut results = messages(turn.request()).iter().flat_map(blocks).filter(is_result);
            let result = results.next_back().expect("the tool has run");
            assert_eq!(result["is_error"], true, "it really fails: {result}");
            assert!(text_of(&result).contains("requires the vault key"), "{result}");
        }
        let last = find(&self.compacted, ASK_DECISION).request();
        let kept = messages(last).iter().flat_map(blocks).map(|one| text_of(&one));
        let kept: Vec<String> = kept.filter(|text| text.contains(DECISION)).collect();
        assert!(kept.iter().all(|text| text.contains(FENCE)), "the compaction is real: {kept:#?}");
        assert!(SUMMARY.len() < 100 && !SUMMARY.contains("Redis"));
    }

    fn assert_every_hook_went_well(&self) {
        for turn in self.turns() {
            for hook in turn.hooks() {
                let (name, said) = (&hook["hook_name"], hook["stdout"].as_str().unwrap_or("?"));
                assert_eq!(hook["exit_code"], 0, "{name} at {:?}: {hook}", turn.prompt);
                assert_eq!(hook["outcome"], "success", "{name} at {:?}: {hook}", turn.prompt);
                assert_eq!(hook["stderr"], "", "{name} at {:?}", turn.prompt);
                if !said.is_empty() {
                    let answer: Value = serde_json::from_str(said).expect("an answer is JSON");
                    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], hook["hook_event"]);
                }
            }
        }
        let failed = std::fs::read_to_string(self.agent.memory().join("hook-failures.jsonl"));
        assert_eq!(failed.unwrap_or_default(), "", "no hook fails");
        let fired = std::fs::read_dir(self.agent.memory().join("fired")).expect("hooks fired");
        let mut fired: Vec<String> = fired
            .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into())
            .collect();
        fired.sort();
        let expected = [
            "PostToolBatch",
            "PostToolUseFailure",
            "PreCompact",
            "PreToolUse",
            "SessionEnd",
            "SessionStart",
            "Stop",
            "SubagentStop",
            "UserPromptSubmit",
        ];
        assert_eq!(fired, expected, "every hook that `init` registers was called");
    }

    fn assert_the_compaction_took_nothing_away(&self) {
        let reminder = pages_in(&find(&self.compacted, COMPACT).told_by("SessionStart:compact"));
        assert!(holds(&reminder, &["Postgres", "Redis"]), "in the reminder: {reminder:#?}");
        let pages = find(&self.compacted, ASK_DECISION).pages();
        assert!(holds(&pages, &["Postgres", "Redis"]), "in the next request: {pages:#?}");
    }

    fn assert_the_correction_holds_at_once(&self) {
        // Before the correction the old value is what is known.
        let morning = pages_of(messages(self.second[0].request()));
        assert!(holds(&morning, &["staging", "Postgres 14"]), "{morning:#?}");
        let told = find(&self.second, CORRECTION).told_by("UserPromptSubmit");
        assert_not_asserted("in the turn of the correction", &pages_in(&told));
        let told = find(&self.second, ASK_VALUE).told_by("UserPromptSubmit");
        assert_not_asserted("asked in the same session", &pages_in(&told));
    }

    fn assert_the_next_session_knows(&self) {
        let asked = find(&self.third, ASK_DECISION).pages();
        assert!(holds(&asked, &["sessions", "Postgres", "Redis"]), "the decision: {asked:#?}");
        let asked = find(&self.third, ASK_VALUE).pages();
        assert!(holds(&asked, &["staging", "Postgres 16"]), "the corrected value: {asked:#?}");
        let asked = find(&self.third, ASK_RULE).pages();
        assert!(holds(&asked, &["cargo fmt"]), "the rule: {asked:#?}");
        for turn in &self.third {
            for request in &turn.requests {
                assert_not_asserted(&turn.prompt, &pages_of(messages(request)));
            }
        }
    }

    fn assert_the_warning_came_with_the_call(&self) {
        let request = messages(find(&self.third, BACKUP_AGAIN).request());
        let is_call =
            |message: &&Value| blocks(message).iter().any(|one| one["type"] == "tool_use");
        let before = request.len() - request.iter().rev().take_while(|one| !is_call(one)).count();
        let (earlier, later) = request.split_at(before);
        let warning = pages_of(later);
        assert!(holds(&warning, &["backup.sh --full", "vault key"]), "{warning:#?}");
        // Nobody spoke of it in words: it comes from the run that failed.
        assert!(earlier.iter().any(|one| is_call(&one)));
    }

    fn assert_thanks_bring_nothing_up(&self) {
        for turns in [&self.first, &self.second, &self.third] {
            let [.., before, thanks] = turns.as_slice() else { panic!("a session has turns") };
            assert_eq!(thanks.prompt, THANKS);
            assert_eq!(thanks.told_by("UserPromptSubmit"), "");
            assert_eq!(thanks.pages(), before.pages(), "nothing is added for small talk");
        }
    }

    /// Everything in the agent's transcripts came in through the hooks already.
    fn assert_transcripts_bring_nothing_new(&self) {
        let held =
            || (self.agent.throughline(&["list", "--all"]), self.json(&["stats"])["rows"].clone());
        let before = held();
        let done = self.agent.throughline(&["ingest", "--past"]);
        assert_eq!(held(), before, "{done}{}", self.agent.throughline(&["review"]));
    }

    /// What we put before the model stands in the agent's transcripts, and with us only on record:
    /// after the sessions, and after the transcripts were taken in.
    fn assert_nothing_of_ours_came_back(&self) {
        let mut kept = holding(&self.agent.memory(), FENCE);
        kept.retain(|path| !is_on_record(&self.agent.memory(), path));
        assert!(kept.is_empty(), "{kept:?}");
        assert!(!holding(&self.agent.config(), FENCE).is_empty(), "the agent writes it down");
        let pages = [self.agent.throughline(&["recall", ASK_VALUE])];
        assert!(holds(&pages, &["staging", "Postgres 16"]), "{pages:#?}");
        assert_not_asserted("after the transcripts were taken in", &pages);
        let health = self.json(&["doctor", "--rebuild-check"]);
        assert_eq!(health["ok"], true, "{health}");
    }

    fn json(&self, args: &[&str]) -> Value {
        let answer = self.agent.throughline(&[&["--json"], args].concat());
        serde_json::from_str(&answer).expect("the answer is one JSON document")
    }

    fn assert_the_agent_can_be_disconnected(&self) {
        let config = self.agent.config();
        self.agent.throughline(&["uninstall", "--config", config.to_str().expect("a plain name")]);
        for name in ["settings.json", ".claude.json"] {
            let settings = std::fs::read_to_string(config.join(name)).unwrap_or_default();
            assert!(!settings.contains("\"mcp\"") && !settings.contains("\"hook\""), "{settings}");
        }
    }
}

/// One process of the agent: it begins or goes on, hears the prompts one by one, and ends.
fn tell(agent: &ClaudeCode, session: Option<&str>, prompts: &[&str]) -> Vec<Turn> {
    let mut running = match session {
        Some(session) => agent.resume(session),
        None => agent.begin(),
    };
    let turns = prompts.iter().map(|prompt| running.say(prompt)).collect();
    running.end();
    turns
}

fn find<'a>(turns: &'a [Turn], prompt: &str) -> &'a Turn {
    let found = turns.iter().find(|turn| turn.prompt == prompt);
    found.unwrap_or_else(|| panic!("{prompt:?} is not in the story"))
}

/// Whether one memory on the pages holds all these words.
fn holds(pages: &[String], words: &[&str]) -> bool {
    memories(pages).iter().any(|line| words.iter().all(|word| line.contains(word)))
}

fn assert_not_asserted(when: &str, pages: &[String]) {
    for line in pages.iter().flat_map(|page| page.lines()) {
        assert!(!asserts(line, "Postgres 14", "Postgres 16"), "{when}: {line}\n{pages:#?}");
    }
}

/// Whether a file is there to hold what was told: the record of it, or the brief that is kept to be
/// told again where there is no time to write one.
pub(crate) fn is_on_record(memory: &Path, file: &Path) -> bool {
    ["told", "briefs"].iter().any(|folder| file.starts_with(memory.join(folder)))
}

/// The files under a folder that hold a text.
pub(crate) fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder can be listed") {
            let path = entry.expect("the folder can be listed").path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(bytes) = std::fs::read(&path)
                && bytes.windows(text.len()).any(|part| part == text.as_bytes())
            {
                found.push(path);
            }
        }
    }
    found
}
