//! Several people with one memory: who said what, who may settle it, who may erase it, and what is
//! nobody else's.

use serde_json::{Value, json};

use crate::harness::{Home, Run, administer};
use crate::hooking::Agent;
use crate::served::{Heard, Served};

/// Anna owns the project; Ben is a member of it and Cara reads it. They share the folder.
struct Team {
    anna: Home,
    ben: Home,
    cara: Home,
}

impl Team {
    fn new() -> Self {
        let first = Home::on_server(18);
        first.json(&["list"]);
        let (anna, ben) = (first.of_person("tl_anna"), first.of_person("tl_ben"));
        let cara = first.of_person("tl_cara");
        for home in [&anna, &ben, &cara] {
            home.json(&["config", "set", "project.join", "auto"]);
        }
        // Ben's clock is two hours ahead, so that what he says comes later.
        ben.wait(120);
        let team = Self { anna, ben, cara };
        team.of("anna", &["remember", "Builds run on Tuesdays"]);
        team.of("anna", &["store", "admit", "tl_ben"]);
        team.of("anna", &["store", "admit", "tl_cara", "--as", "reader"]);
        team
    }

    fn home(&self, who: &str) -> &Home {
        match who {
            "anna" => &self.anna,
            "ben" => &self.ben,
            _ => &self.cara,
        }
    }

    fn folder(&self) -> String {
        self.anna.project().to_str().expect("a plain name").to_owned()
    }

    fn run(&self, who: &str, args: &[&str]) -> Run {
        self.home(who).from(&self.folder()).run(args)
    }

    fn of(&self, who: &str, args: &[&str]) -> Value {
        self.home(who).from(&self.folder()).json(args)
    }

    fn refused(&self, who: &str, args: &[&str]) -> Value {
        self.home(who).from(&self.folder()).error(args).1
    }

    fn remember(&self, who: &str, text: &str) -> String {
        let told = self.of(who, &["remember", text]);
        told["memory"]["id"].as_str().expect("an id").to_owned()
    }

    fn agent(&self, who: &str, session: &str) -> Agent<'_> {
        Agent { home: self.home(who), session: session.to_owned(), folder: self.anna.project() }
    }
}

fn people_of(memory: &Value) -> Vec<&str> {
    let memory = if memory["memory"].is_object() { &memory["memory"] } else { memory };
    let evidence = memory["evidence"].as_array().expect("evidence");
    evidence.iter().filter_map(|one| one["person"].as_str()).collect()
}

#[test]
fn who_said_it_stands_on_every_piece_of_evidence() {
    let team = Team::new();
    let id = team.remember("anna", "Staging runs Postgres 14");
    team.of("ben", &["remember", "Staging runs Postgres 14"]);
    let shown = team.of("cara", &["show", &id]);
    let mut people = people_of(&shown);
    people.sort_unstable();
    assert_eq!(people, ["tl_anna", "tl_ben"], "{shown}");
    assert_eq!(shown["said_by"], json!(["tl_anna", "tl_ben"]));
    let why = team.of("cara", &["why", &id]);
    assert!(why.to_string().contains("\"person\":\"tl_ben\""), "{why}");
    let page = team.run("cara", &["show", &id]).stdout;
    assert!(page.contains("user_stated (tl_anna)"), "{page}");
    let log = team.of("cara", &["log"]);
    assert_eq!(log["batches"][0]["person"], "tl_ben", "{log}");
}

#[test]
fn two_people_who_disagree_are_contested_by_name_until_somebody_with_the_right_settles_it() {
    let team = Team::new();
    let old = team.remember("anna", "Staging runs Postgres 14");
    let run = team.run("ben", &["--json", "correct", &old, "Staging runs Postgres 16"]);
    assert_eq!(run.code, 1, "it was not corrected: {}", run.stderr);
    let corrected: Value = serde_json::from_str(&run.stdout).expect("the answer is JSON");
    assert_eq!(corrected["superseded"], json!([]), "{corrected}");
    assert_eq!(corrected["contested"], json!([old]), "{corrected}");
    let new = corrected["memory"]["id"].as_str().expect("an id").to_owned();

    let shown = team.of("cara", &["show", &old]);
    assert_eq!(shown["contested_people"][&new], json!(["tl_ben"]), "{shown}");
    // Anna's next prompt shows both, by name.
    let told = team.agent("anna", "a").hears("Which version of Postgres does staging run?");
    assert!(told.contains("tl_ben corrected"), "{told}");
    assert!(told.contains("contested by"), "{told}");
    assert!(told.contains("Postgres 14") && told.contains("Postgres 16"), "{told}");
    let page = team.run("anna", &["review"]).stdout;
    assert!(page.contains("tl_anna") && page.contains("tl_ben"), "{page}");

    // Neither who contests nor who only reads settles it.
    let pair = format!("{}/{}", &old[old.len() - 8..], &new[new.len() - 8..]);
    for (who, code) in [("ben", "another_said"), ("cara", "another_said")] {
        let error = team.refused(who, &["review", "--keep-b", &pair]);
        assert_eq!(error["code"], code, "{who}: {error}");
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("show")), "{error}");
    }
    let error = team.refused("ben", &["unlink", &new, "contradicts", &old]);
    assert_eq!(error["code"], "another_said", "{error}");
    let error = team.refused("ben", &["archive", &old]);
    assert_eq!(error["code"], "another_said", "{error}");
    let error = team.refused("ben", &["edit", &old, "Staging runs nothing"]);
    assert_eq!(error["code"], "another_said", "{error}");

    // Who was contested does, also against her own word.
    team.of("anna", &["review", "--keep-b", &pair]);
    let shown = team.of("ben", &["show", &old]);
    assert_eq!(shown["state"], "superseded", "{shown}");
    let shown = team.of("ben", &["show", &new]);
    assert_eq!(shown["contested_by"], json!([]), "{shown}");
    assert_eq!(team.of("anna", &["doctor", "--rebuild-check"])["ok"], true);
}

#[test]
fn an_owner_settles_what_others_disagree_about_and_corrects_at_once() {
    let team = Team::new();
    let old = team.remember("ben", "The office closes at six");
    let corrected = team.of("anna", &["correct", &old, "The office closes at seven"]);
    assert_eq!(corrected["superseded"], json!([old]), "{corrected}");
    assert_eq!(corrected["contested"], json!([]), "{corrected}");
    // What he said himself he also takes back himself.
    let own = team.remember("ben", "The lift is broken");
    team.of("ben", &["forget", &own]);
}

#[test]
fn what_is_said_in_passing_against_another_person_is_contested_and_known() {
    let team = Team::new();
    team.remember("anna", "The staging database runs on Postgres 14.");
    // She asks after him.
    team.anna.wait(300);
    let ben = team.agent("ben", "b");
    ben.hears("The staging database runs on Postgres 16.");
    ben.answers("Noted.");
    ben.ends();
    let told = team.agent("anna", "c").hears("Which Postgres does the staging database run on?");
    assert!(told.contains("Postgres 16") && told.contains("tl_ben said"), "{told}");
    assert!(told.contains("contested by"), "{told}");
    let active = team.of("anna", &["search", "staging database"]);
    assert_eq!(active["items"].as_array().map(Vec::len), Some(2), "{active}");
}

#[test]
fn what_is_a_persons_own_never_enters_a_shared_space_by_itself() {
    let team = Team::new();
    team.of("ben", &["--scope", "global", "remember", "Ben prefers tabs over spaces"]);
    let ben = team.agent("ben", "b");
    let told = ben.hears("Do I prefer tabs or spaces?");
    assert!(told.contains("tabs"), "{told}");
    ben.answers("You prefer tabs.");
    ben.ends();
    team.of("ben", &["sleep"]);
    for who in ["anna", "cara"] {
        let found = team.of(who, &["search", "tabs"]);
        let found: Vec<_> = found["items"].as_array().expect("items").iter().collect();
        let own = |item: &&&Value| item["content"] == "Ben prefers tabs over spaces";
        assert_eq!(found.iter().filter(own).count(), 0, "{who}: {found:?}");
    }
    // Who wants to share it says it in the project.
    team.remember("ben", "Ben prefers tabs over spaces");
    let found = team.of("anna", &["search", "tabs"]);
    assert!(found.to_string().contains("Ben prefers tabs over spaces"), "{found}");
}

#[test]
fn only_who_said_it_has_it_erased_and_then_it_is_gone_for_everybody() {
    let team = Team::new();
    // Anna says it after him, by a clock that is behind his.
    team.ben.wait(300);
    let secret = team.remember("ben", "The door code is xylophone");
    team.of("anna", &["confirm", &secret]);
    for who in ["anna", "cara"] {
        let error = team.refused(who, &["purge", "--yes", &secret]);
        assert_eq!(error["code"], "another_said", "{who}: {error}");
        assert!(error["message"].to_string().contains("only they can"), "{error}");
    }
    assert!(team.of("anna", &["search", "xylophone"]).to_string().contains("door code"));
    let told = team.agent("anna", "a").hears("What is the door code?");
    assert!(told.contains("xylophone"), "{told}");
    assert!(!team.anna.files_holding("xylophone").is_empty(), "her home was told");
    team.of("ben", &["purge", "--yes", &secret]);
    for who in ["anna", "ben", "cara"] {
        let found = team.of(who, &["search", "xylophone"]);
        assert_eq!(found["items"], json!([]), "{who}: {found}");
    }
    // What her home was told of it before goes with her next session.
    team.agent("anna", "later").starts();
    assert_eq!(team.anna.files_holding("xylophone"), [] as [std::path::PathBuf; 0]);
    // The words of somebody who is gone are the owner's.
    let left = team.remember("ben", "The old code was marimba");
    team.of("anna", &["store", "dismiss", "tl_ben"]);
    team.of("anna", &["purge", "--yes", &left]);
    assert_eq!(team.of("anna", &["search", "marimba"])["items"], json!([]));
    assert_eq!(team.of("anna", &["doctor", "--rebuild-check"])["ok"], true);
}

/// Asks a server with a token, and with further headers.
fn ask_with(
    served: &Served,
    token: &str,
    (method, path): (&str, &str),
    more: &[(&str, &str)],
    body: Option<&Value>,
) -> Heard {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("Authorization", bearer.as_str())];
    headers.extend_from_slice(more);
    let body = body.map(ToString::to_string).unwrap_or_default();
    if !body.is_empty() {
        headers.push(("Content-Type", "application/json"));
    }
    served.plain(method, path, &headers, &body)
}

fn ask(served: &Served, token: &str, method: &str, path: &str, body: Option<&Value>) -> Heard {
    ask_with(served, token, (method, path), &[], body)
}

fn token_for(home: &Home, person: &str) -> (String, String) {
    let made = home.json(&["serve", "token", "add", person]);
    let text = |name: &str| made[name].as_str().expect("it is told").to_owned();
    (text("token"), text("id"))
}

#[test]
fn a_token_of_a_person_is_kept_as_a_digest_listed_and_taken_away_at_once() {
    let home = Home::new();
    let (ben, ben_id) = token_for(&home, "ben");
    let (anna, _) = token_for(&home, "anna");
    assert!(home.files_holding(&ben).is_empty(), "nothing of it is on the disk");
    let listed = home.json(&["serve", "token", "list"]);
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(2), "{listed}");
    assert!(!listed.to_string().contains(&ben), "{listed}");

    let served = Served::start(&home);
    let said = json!({"content": "The port is 8080"});
    let made = ask(&served, &ben, "POST", "/api/v1/memories", Some(&said)).json();
    assert_eq!(made["memory"]["said_by"], json!(["ben"]), "{made}");
    let id = made["memory"]["id"].as_str().expect("an id").to_owned();
    // In a file a person is an author only: whoever has a token sees everything.
    let seen = ask(&served, &anna, "GET", &format!("/api/v1/memories/{id}"), None).json();
    assert_eq!(people_of(&seen), ["ben"], "{seen}");
    assert_eq!(home.json(&["log"])["batches"][0]["person"], "ben");
    // What one of them says does not end what another said.
    let right = json!({"content": "The port is 9090"});
    let path = format!("/api/v1/memories/{id}/correct");
    let corrected = ask(&served, &anna, "POST", &path, Some(&right)).json();
    assert_eq!(corrected["contested"], json!([id]), "{corrected}");
    let confirm = json!({"confirm": &id[id.len() - 8..]});
    let path = format!("/api/v1/memories/{id}/purge");
    let purged = ask(&served, &anna, "POST", &path, Some(&confirm));
    assert_eq!((purged.status, &purged.json()["code"]), (403, &json!("another_said")));
    // How the home does is for whoever runs the server.
    assert_eq!(ask(&served, &ben, "GET", "/api/v1/doctor", None).status, 403);
    assert_eq!(ask(&served, &served.token, "GET", "/api/v1/doctor", None).status, 200);
    assert_eq!(ask(&served, "x".repeat(64).as_str(), "GET", "/api/v1/memories", None).status, 401);

    home.json(&["serve", "token", "revoke", &ben_id]);
    assert_eq!(ask(&served, &ben, "GET", "/api/v1/memories", None).status, 401);
    assert_eq!(ask(&served, &anna, "GET", "/api/v1/memories", None).status, 200);
    let (code, error) = home.error(&["serve", "token", "revoke", "nobody"]);
    assert_eq!(code, 1, "{error}");
    let (_, error) = home.error(&["serve", "token", "add", "a b"]);
    assert_eq!(error["code"], "bad_input", "{error}");
}

#[test]
fn a_persons_browser_gets_a_cookie_for_their_token() {
    let home = Home::new();
    let (ben, _) = token_for(&home, "ben");
    let served = Served::start(&home);
    let with_cookie = |method: &str, path: &str, cookie: &str, body: &str| {
        let headers = [("Cookie", cookie), ("Content-Type", "application/json")];
        served.plain(method, path, &headers, body)
    };
    let entered = with_cookie("POST", "/login", "", &json!({"token": ben}).to_string());
    assert_eq!(entered.status, 204, "{entered:?}");
    let cookie = entered.header("set-cookie").expect("a cookie").split(';').next().expect("a pair");
    let cookie = cookie.to_owned();
    let said = json!({"content": "The lift is broken"});
    let made = with_cookie("POST", "/api/v1/memories", &cookie, &said.to_string());
    assert_eq!(made.json()["memory"]["said_by"], json!(["ben"]), "{made:?}");
    home.json(&["serve", "token", "revoke", "ben"]);
    let late = with_cookie("GET", "/api/v1/memories", &cookie, "");
    assert_eq!(late.status, 401, "{late:?}");
}

#[test]
fn an_agents_shell_makes_no_tokens() {
    let home = Home::new();
    let run = home
        .command()
        .env("CLAUDECODE", "1")
        .args(["--json", "serve", "token", "add", "ben"])
        .output()
        .expect("the program starts");
    let run = Run::from(run);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stderr.contains("only_the_user"), "{}", run.stderr);
    assert_eq!(home.json(&["serve", "token", "list"])["items"], json!([]));
}

#[test]
fn with_postgresql_a_persons_role_decides_what_their_token_sees() {
    let team = Team::new();
    let server = team.anna.of_person("tl_server");
    administer("GRANT tl_anna, tl_ben TO tl_server");
    server.json(&["config", "set", "project.join", "auto"]);
    team.of("anna", &["--scope", "global", "remember", "Anna likes tea"]);
    team.of("ben", &["--scope", "global", "remember", "Ben likes coffee"]);
    let (anna, _) = token_for(&server, "tl_anna");
    let (ben, _) = token_for(&server, "tl_ben");
    let (stranger, _) = token_for(&server, "tl_cara");
    let mut command = server.from(&team.folder()).command();
    command.env_remove("THROUGHLINE_NOW");
    let served = Served::with(command);

    let said = json!({"content": "The port is 8080"});
    let made = ask(&served, &ben, "POST", "/api/v1/memories", Some(&said)).json();
    assert_eq!(made["memory"]["said_by"], json!(["tl_ben"]), "{made}");
    let log = team.of("anna", &["log"]);
    assert_eq!(log["batches"][0]["person"], "tl_ben", "the server itself noted it: {log}");
    for (token, own, others) in [(&anna, "tea", "coffee"), (&ben, "coffee", "tea")] {
        let all = ask(&served, token, "GET", "/api/v1/memories?limit=100", None).json().to_string();
        assert!(all.contains(own) && all.contains("8080") && !all.contains(others), "{all}");
    }
    // Who was not granted to the server is refused, with what to run.
    let refused = ask(&served, &stranger, "GET", "/api/v1/memories", None);
    assert_eq!(refused.status, 403, "{refused:?}");
    assert!(refused.body.contains("GRANT"), "{refused:?}");
    // The server's own role is nobody's member.
    let own = ask(&served, &served.token, "GET", "/api/v1/memories", None);
    assert!(!own.body.contains("8080") && !own.body.contains("tea"), "{own:?}");
    administer("REVOKE tl_anna, tl_ben FROM tl_server");
}

#[test]
fn what_an_agent_says_over_mcp_with_a_token_is_its_persons() {
    let home = Home::new();
    let (ben, _) = token_for(&home, "ben");
    let served = Served::start(&home);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "remember", "arguments": {"content": "The queue holds 500 jobs"}}});
    let mut opened = String::new();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-03-26", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for message in [&hello, &ready, &call] {
        let mut headers = vec![("Accept", "application/json, text/event-stream")];
        if !opened.is_empty() {
            headers.push(("Mcp-Session-Id", opened.as_str()));
        }
        let heard = ask_with(&served, &ben, ("POST", "/mcp"), &headers, Some(message));
        assert!(heard.status < 300, "{heard:?}");
        if let Some(session) = heard.header("mcp-session-id") {
            opened = session.to_owned();
        }
    }
    let found = home.json(&["search", "queue"]);
    let id = found["items"][0]["id"].as_str().expect("it was kept").to_owned();
    let shown = home.show(&id);
    assert_eq!(people_of(&shown), ["ben"], "{shown}");
    assert_eq!(shown["evidence"][0]["authority"], "observed", "{shown}");
}
