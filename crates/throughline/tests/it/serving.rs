//! Memory over HTTP: what the routes answer is what the command line answers.

use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::{Value, json};

use crate::harness::{Home, bare, handle, id_of};
use crate::served::Served;

#[test]
fn a_memory_is_the_same_object_as_on_the_command_line() {
    let home = Home::live();
    let id = home.remember_with(&["staging runs Postgres 14", "--tag", "db"]);
    let server = Served::start(&home);
    let by_hand = without_salience(home.show(&id));
    assert_eq!(without_salience(server.get(&format!("/api/v1/memories/{id}"))), by_hand);
    assert_eq!(without_salience(server.get(&format!("/api/v1/memories/{}", handle(&id)))), by_hand);
    let listed = server.get("/api/v1/memories?tag=db");
    assert_eq!(without_salience(listed["items"][0].clone()), by_hand);
    for (route, command) in [("why", "why"), ("history", "history")] {
        let mut served = server.get(&format!("/api/v1/memories/{id}/{route}"));
        let mut typed = home.json(&[command, &id]);
        for told in [&mut served, &mut typed] {
            if told.get("memory").is_some() {
                told["memory"] = without_salience(told["memory"].take());
            }
        }
        assert_eq!(served, typed, "{route}");
    }
    assert_eq!(server.get("/api/v1/log?limit=20")["batches"], home.json(&["log"])["batches"]);
    assert_eq!(server.get("/api/v1/stats"), home.json(&["stats"]));
    assert_eq!(server.get("/api/v1/review"), home.json(&["review"]));
    let graph = server.get("/api/v1/graph");
    assert_eq!(graph, home.json(&["graph"]));
    let status = server.get("/api/v1/status");
    assert_eq!(status["project_key"], home.json(&["status"])["project_key"]);
    assert_eq!(server.get("/api/v1/projects")["current"], status["project_key"]);
}

/// Salience fades with every second.
fn without_salience(mut memory: Value) -> Value {
    memory.as_object_mut().expect("an object").remove("salience");
    memory
}

#[test]
fn what_is_written_over_http_is_the_users_word_and_can_be_undone() {
    let home = Home::live();
    let server = Served::start(&home);
    let body = json!({ "content": "staging runs Postgres 14", "tags": ["db"] });
    let made = server.ask("POST", "/api/v1/memories", &[], Some(&body));
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    assert_eq!(made["memory"]["authority"], "user_stated");
    assert_eq!(made["memory"]["state"], "confirmed");
    let id = id_of(&made["memory"]);
    let at = |what: &str| format!("/api/v1/memories/{id}/{what}");
    let corrected = server.post(&at("correct"), &json!({ "content": "staging runs Postgres 16" }));
    assert_eq!(corrected["superseded"], json!([id]));
    assert_eq!(home.texts(&["list"]), ["staging runs Postgres 16"]);
    let undone = server.post("/api/v1/undo", &json!({ "batch": corrected["batch"] }));
    assert_eq!(undone["undone"], corrected["batch"]);
    assert_eq!(home.texts(&["list"]), ["staging runs Postgres 14"]);
    // Each change says which batch takes it back.
    for (what, body, field, becomes) in [
        ("pin", json!({}), "pinned", json!(true)),
        ("archive", json!({ "reason": "gone" }), "state", json!("archived")),
        ("tags", json!({ "add": ["infra"] }), "tags", json!(["db", "infra"])),
        ("forget", json!({}), "state", json!("retracted")),
    ] {
        let before = home.show(&id)[field].clone();
        let changed = server.post(&at(what), &body);
        assert_eq!(changed["memory"][field], becomes, "{what}");
        server.post("/api/v1/undo", &json!({ "batch": changed["batch"] }));
        assert_eq!(home.show(&id)[field], before, "{what} was not undone");
    }
    let nothing = server.post(&at("confirm"), &json!({}));
    assert!(nothing.get("batch").is_some(), "{nothing}");
    home.assert_sound();
}

#[test]
fn another_value_posted_over_http_meets_the_first_and_the_answer_says_so() {
    let home = Home::live();
    let server = Served::start(&home);
    let post = |content: &str| {
        let made =
            server.ask("POST", "/api/v1/memories", &[], Some(&json!({ "content": content })));
        assert_eq!(made.status, 201, "{made:?}");
        made.json()
    };
    let first = id_of(&post("Prod runs MySQL 8")["memory"]);
    assert_eq!(post("Prod runs MySQL 9")["superseded"], json!([first]));
    assert_eq!(home.show(&first)["state"], "superseded");
    let decided = id_of(&post("We decided to use MySQL for the orders database")["memory"]);
    let other = post("We decided to use SQLite for the orders database");
    assert_eq!(other["contested"], json!([decided]), "{other}");
    assert_eq!(server.get("/api/v1/review")["contested"].as_array().map(Vec::len), Some(1));
    let before = home.show(&id_of(&post("The billing worker reads the ledger queue")["memory"]));
    let opposite = post("The billing worker writes the ledger queue");
    assert_eq!(opposite["deduped"], false, "{opposite}");
    let after = home.show(&id_of(&before));
    assert_eq!((&after["evidence"], &after["trust"]), (&before["evidence"], &before["trust"]));
}

#[test]
fn two_who_edit_the_same_memory_both_learn_of_it() {
    let home = Home::live();
    let id = home.remember("staging runs Postgres 14");
    let server = Served::start(&home);
    let path = format!("/api/v1/memories/{id}");
    let etag = server.ask("GET", &path, &[], None).header("etag").expect("a version").to_owned();
    let unchanged = server.ask("GET", &path, &[("If-None-Match", &etag)], None);
    assert_eq!((unchanged.status, unchanged.body.as_str()), (304, ""));
    let yours = json!({ "content": "staging runs Postgres 15" });
    let first = server.ask(
        "PATCH",
        &path,
        &[("If-Match", &etag)],
        Some(&json!({ "content": "staging runs Postgres 16" })),
    );
    assert_eq!(first.status, 200, "{first:?}");
    let second = server.ask("PATCH", &path, &[("If-Match", &etag)], Some(&yours));
    assert_eq!(second.status, 409, "{second:?}");
    let told = second.json();
    assert_eq!(told["code"], "changed_meanwhile");
    assert_eq!(told["current"]["content"], "staging runs Postgres 16");
    assert_eq!(told["yours"], yours);
    assert_eq!(home.texts(&["list"]), ["staging runs Postgres 16"]);
    // With the version that came back it goes through; being recalled is no change.
    let etag = second.header("etag").expect("the version as it is").to_owned();
    home.json(&["feedback", &id, "--helpful"]);
    let third = server.ask("PATCH", &path, &[("If-Match", &etag)], Some(&yours));
    assert_eq!(third.status, 200, "{third:?}");
    assert_eq!(home.texts(&["list"]), ["staging runs Postgres 15"]);
}

#[test]
fn erasing_wants_the_id_typed_and_leaves_nothing() {
    let home = Home::live();
    let id = home.remember("the launch word is xylophonist");
    let server = Served::start(&home);
    let path = format!("/api/v1/memories/{id}/purge");
    let would = server.get(&path);
    assert_eq!(would["memories"][0]["id"], json!(id));
    for wrong in [json!({}), json!({ "confirm": "yes" }), json!({ "confirm": "" })] {
        let refused = server.ask("POST", &path, &[], Some(&wrong));
        assert_eq!(refused.status, 400, "{wrong}: {refused:?}");
    }
    assert_eq!(home.texts(&["list"]).len(), 1);
    let gone = server.post(&path, &json!({ "confirm": handle(&id) }));
    assert_eq!(gone["purged"], 1);
    assert_eq!(server.ask("GET", &format!("/api/v1/memories/{id}"), &[], None).status, 404);
    server.stop("-TERM");
    assert_eq!(home.files_holding("xylophonist"), Vec::<std::path::PathBuf>::new());
}

#[test]
fn what_another_process_changes_is_heard_at_once() {
    let home = Home::live();
    home.remember("staging runs Postgres 14");
    let server = Served::start(&home);
    let mut stream = server.connect();
    let bearer = format!("Bearer {}", server.token);
    let head = server.head("GET", "/api/v1/events", &[("Authorization", &bearer)]);
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut event = || -> (String, Value) {
        let name = lines.find_map(|line| line.strip_prefix("event: ").map(str::to_owned));
        let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        (name.expect("an event"), serde_json::from_str(&data.expect("its data")).expect("JSON"))
    };
    let (name, hello) = event();
    assert_eq!(name, "hello");
    let id = home.remember("production runs Postgres 12");
    let (name, change) = event();
    assert_eq!(name, "change");
    assert!(change["seq"].as_u64() > hello["seq"].as_u64());
    assert_eq!(change["cause"], "remember");
    assert!(change["memories"].as_array().unwrap().contains(&json!(id)), "{change}");
    // Whoever was away hears what was missed.
    let seen = hello["seq"].to_string();
    let mut again = server.connect();
    let head = server.head(
        "GET",
        "/api/v1/events",
        &[("Authorization", &bearer), ("Last-Event-ID", &seen)],
    );
    again.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    let mut missed = BufReader::new(again).lines().map_while(Result::ok);
    assert!(missed.any(|line| line.contains(&id)));
    let (_, _) = server.stop("-TERM");
    let (name, _) = event();
    assert_eq!(name, "bye");
}

#[test]
fn sessions_turns_and_tellings_are_there() {
    let home = Home::live();
    let turns = home.arg("turns.jsonl");
    let told = (0..4).map(|at| {
        let said = format!("turn {at}: the cache is cleared at night");
        json!({ "session": "s/1 ü", "at": format!("2026-03-0{}T10:00:00Z", at + 1), "speaker": "user", "text": said }).to_string()
    });
    std::fs::write(&turns, told.collect::<Vec<_>>().join("\n")).unwrap();
    home.json(&["ingest", &turns]);
    let server = Served::start(&home);
    let sessions = server.get("/api/v1/sessions");
    assert_eq!(sessions["total"], 1, "{sessions}");
    assert_eq!(sessions["items"][0]["id"], "s/1 ü");
    let page = server.get("/api/v1/sessions/s%2F1%20%C3%BC/turns?limit=3");
    assert_eq!((page["total"].clone(), page["items"].as_array().unwrap().len()), (json!(4), 3));
    let rest = server.get(&format!(
        "/api/v1/sessions/s%2F1%20%C3%BC/turns?limit=3&cursor={}",
        page["next"].as_str().unwrap()
    ));
    assert_eq!(rest["items"][0]["text"], "turn 3: the cache is cleared at night");
    let id = id_of(&rest["items"][0]);
    assert_eq!(server.get(&format!("/api/v1/turns/{id}"))["text"], rest["items"][0]["text"]);
    let around = server.get(&format!("/api/v1/turns/{id}/around"));
    assert!(around["turns"].as_array().unwrap().len() > 1, "{around}");
    let recalled = server.post(
        "/api/v1/recall",
        &json!({ "query": "when is the cache cleared?", "explain": true, "episodes": true }),
    );
    assert!(recalled["candidates"].as_array().is_some_and(|found| !found.is_empty()), "{recalled}");
    assert_eq!(server.get("/api/v1/told")["total"], 0);
    let read = server.post("/api/v1/read", &json!({ "text": "We moved to Postgres 16 for good." }));
    assert!(read["pieces"].is_array());
    assert_eq!(server.ask("GET", "/api/v1/sessions/none/turns", &[], None).status, 404);
}

#[test]
fn the_past_is_shown_as_it_was_believed() {
    let home = Home::new();
    let old = home.remember("staging runs Postgres 14");
    home.travel("2026-04-02");
    home.json(&["correct", &old, "staging runs Postgres 16"]);
    let server = Served::start(&home);
    let content = |path: &str| server.get(path)["items"][0]["content"].clone();
    assert_eq!(content("/api/v1/memories"), "staging runs Postgres 16");
    assert_eq!(content("/api/v1/memories?as_of=2026-03-15"), "staging runs Postgres 14");
    assert_eq!(content("/api/v1/memories?q=postgres&as_of=2026-03-15"), "staging runs Postgres 14");
    let graph = server.get("/api/v1/graph?as_of=2026-03-15");
    let nodes = graph["nodes"].as_array().unwrap().iter();
    let memories: Vec<&Value> = nodes.filter(|node| node["type"] == "memory").collect();
    assert_eq!(memories.len(), 1, "{graph}");
    assert_eq!(memories[0]["id"], old);
    let bad = server.ask("GET", "/api/v1/memories?as_of=yesterdayish", &[], None);
    assert_eq!(bad.status, 400, "{bad:?}");
}

#[test]
fn an_export_over_http_is_the_export_of_the_command_line() {
    let home = Home::live();
    home.remember("staging runs Postgres 14");
    let file = home.arg("export.jsonl");
    home.json(&["export", "-o", &file]);
    let server = Served::start(&home);
    let heard = server.ask("GET", "/api/v1/export", &[], None);
    assert_eq!(heard.body, std::fs::read_to_string(file).unwrap());
    assert!(heard.header("content-disposition").unwrap().starts_with("attachment"));
    let markdown = server.ask("GET", "/api/v1/export?format=markdown", &[], None);
    assert!(markdown.body.starts_with("# Memory of webshop"), "{markdown:?}");
    assert_eq!(server.ask("GET", "/api/v1/export?format=pdf", &[], None).status, 400);
}

#[test]
fn it_stops_when_told_to_and_nothing_is_lost() {
    for signal in ["-TERM", "-INT"] {
        let home = Home::live();
        let server = Served::start(&home);
        let made =
            server.post("/api/v1/memories", &json!({ "content": "written just before the end" }));
        // A listener does not keep it from ending.
        let mut stream = server.connect();
        let bearer = format!("Bearer {}", server.token);
        let head = server.head("GET", "/api/v1/events", &[("Authorization", &bearer)]);
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        let (code, stderr) = server.stop(signal);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{signal}");
        assert_eq!(home.show(&id_of(&made["memory"]))["content"], "written just before the end");
        home.assert_sound();
    }
}

#[test]
fn a_write_that_is_under_way_when_the_server_is_told_to_stop_is_there_or_was_refused() {
    let home = Home::live();
    let server = Served::start(&home);
    let stopping = std::sync::atomic::AtomicBool::new(false);
    let (answered, begun) = std::thread::scope(|scope| {
        let (server, stopping) = (&server, &stopping);
        let writer = |writer: usize| {
            move || {
                let (mut made, mut begun) = (Vec::new(), 0);
                for number in 0.. {
                    let body =
                        json!({ "content": format!("writer {writer} noted service {number}") });
                    let ended = stopping.load(std::sync::atomic::Ordering::Acquire);
                    let heard = server.try_ask("POST", "/api/v1/memories", &body);
                    begun += 1;
                    match heard.map_or(0, |heard| heard.status) {
                        201 => made.push(body["content"].as_str().expect("a text").to_owned()),
                        // Refused, or nobody listens any more.
                        503 | 0 if ended => return (made, begun),
                        503 | 0 => {}
                        other => panic!("{other}"),
                    }
                }
                unreachable!("it writes until nobody answers")
            }
        };
        let writers: Vec<_> = (0..3).map(|number| scope.spawn(writer(number))).collect();
        std::thread::sleep(std::time::Duration::from_millis(700));
        stopping.store(true, std::sync::atomic::Ordering::Release);
        let pid = server.pid().to_string();
        std::process::Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs");
        let done = writers.into_iter().map(|one| one.join().expect("a writer"));
        done.fold((Vec::new(), 0), |(mut all, count), (made, begun)| {
            all.extend(made);
            (all, count + begun)
        })
    });
    let (code, stderr) = server.ended();
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let held = home.texts(&["list", "--limit", "10000"]);
    let lost: Vec<&String> = answered.iter().filter(|text| !held.contains(text)).collect();
    assert!(!answered.is_empty() && lost.is_empty(), "{} answered, lost: {lost:?}", answered.len());
    assert!(held.len() <= begun, "{} are held of {begun}", held.len());
    home.assert_sound();
}

#[test]
fn a_second_server_says_where_the_first_one_is() {
    let home = Home::live();
    let server = Served::start(&home);
    let (code, error) = home.error(&["serve", "--port", "0"]);
    assert_eq!(code, 1);
    let address = server.address.to_string();
    assert!(error["message"].as_str().unwrap().contains(&address), "{error}");
    assert!(error["hint"].as_str().unwrap().contains(&server.link), "{error}");
    // Once it has ended, another may begin.
    server.stop("-TERM");
    drop(Served::start(&home));
}

#[test]
fn a_port_that_is_taken_is_named() {
    let home = Home::live();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, error) = home.error(&["serve", "--port", &port]);
    assert_eq!(code, 1);
    assert!(
        error["message"].as_str().unwrap().contains(&format!("port {port} is taken")),
        "{error}"
    );
    assert!(error["hint"].as_str().unwrap().contains("--port"), "{error}");
}

#[test]
fn the_token_is_for_the_users_eyes_and_the_same_at_the_next_start() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::live();
    let first = Served::start(&home);
    let token = first.token.clone();
    assert!(token.len() >= 64, "{token}");
    let file = home.path().join("server.token");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    first.stop("-TERM");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let second = Served::start(&home);
    assert_eq!(second.token, token);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    second.stop("-TERM");
    let mut command = home.command();
    command.env("THROUGHLINE_TOKEN", "chosen-by-the-user-42");
    let third = Served::with(command);
    assert_eq!(third.token, "chosen-by-the-user-42");
    third.get("/api/v1/status");
    third.stop("-TERM");
    let short = home.command().env("THROUGHLINE_TOKEN", "short").arg("serve").output().unwrap();
    assert_eq!(short.status.code(), Some(2));
}

#[test]
fn an_agents_shell_may_not_serve() {
    let home = Home::live();
    for words in [&["--json", "serve", "--port", "0"][..], &["--json", "demo", "--serve"]] {
        let mut command = home.command();
        let refused = command.env("CLAUDECODE", "1").args(words).output().unwrap();
        assert_eq!(refused.status.code(), Some(1), "{words:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("only_the_user"), "{words:?}");
    }
    // The tour itself may be watched by anybody.
    let mut command = home.command();
    assert!(command.env("CLAUDECODE", "1").arg("demo").output().unwrap().status.success());
}

#[test]
fn what_is_switched_off_takes_nothing_in_and_still_shows() {
    let home = Home::live();
    let id = home.remember("staging runs Postgres 14");
    let server = Served::start(&home);
    home.json(&["config", "set", "enabled", "false"]);
    let refused = server.ask("POST", "/api/v1/memories", &[], Some(&json!({ "content": "new" })));
    assert_eq!((refused.status, refused.json()["code"].clone()), (503, json!("off")));
    assert_eq!(server.get(&format!("/api/v1/memories/{id}"))["id"], json!(id));
}

#[test]
fn the_demo_can_be_looked_at() {
    use std::io::Read as _;
    use std::process::Stdio;
    let mut command = bare();
    command.args(["demo", "--serve"]).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let link = lines.find(|line| line.trim_start().starts_with("http://")).expect("a link");
    let link = link.trim().trim_start_matches("http://").to_owned();
    let (address, rest) = link.split_once('/').unwrap();
    let token = rest.split("token=").nth(1).unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let ask = format!(
        "GET /api/v1/memories?q=postgres HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(ask.as_bytes()).unwrap();
    let mut heard = String::new();
    stream.read_to_string(&mut heard).unwrap();
    assert!(heard.contains("Postgres 16"), "{heard}");
    let pid = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(child.wait().unwrap().success());
}
