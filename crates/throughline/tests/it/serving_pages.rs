//! Pages of lists: they go on where they ended, and whoever has one already is not sent it again.

use serde_json::{Value, json};

use crate::harness::{Home, id_of};
use crate::hooking::Agent;
use crate::served::Served;

#[test]
fn a_list_goes_on_where_it_ended_whatever_comes_in_meanwhile() {
    let home = Home::live();
    for number in 0..7 {
        home.remember(&format!("service number {number} listens on port 80{number}0"));
    }
    let server = Served::start(&home);
    let mut seen = Vec::new();
    let mut path = "/api/v1/memories?limit=3".to_owned();
    loop {
        let page = server.get(&path);
        assert_eq!(page["total"].as_u64().unwrap(), 7 + u64::from(!seen.is_empty()));
        seen.extend(page["items"].as_array().unwrap().iter().map(id_of));
        if seen.len() == 3 {
            home.remember("something newer came in");
        }
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/api/v1/memories?limit=3&cursor={next}");
    }
    let mut once = seen.clone();
    once.sort();
    once.dedup();
    assert_eq!((seen.len(), once.len()), (7, 7));
    let jumped = server.get("/api/v1/memories?limit=2&offset=6");
    assert_eq!(jumped["items"].as_array().unwrap().len(), 2);
    let found = server.get("/api/v1/memories?q=service&limit=5");
    let rest = server.get(&format!(
        "/api/v1/memories?q=service&limit=5&cursor={}",
        found["next"].as_str().unwrap()
    ));
    assert_eq!(rest["items"].as_array().unwrap().len(), 2);
    assert_eq!(rest["next"], Value::Null);
}

/// Every item of a list, page by page, with something done between the first page and the next.
fn through(server: &Served, path: &str, limit: usize, mut between: impl FnMut()) -> Vec<Value> {
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let from = cursor.as_ref().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let page = server.get(&format!("{path}?limit={limit}{from}"));
        let items = page["items"].as_array().expect("a list").clone();
        assert!(items.len() <= limit && !items.is_empty(), "{page}");
        if cursor.is_none() {
            between();
        }
        seen.extend(items);
        let Some(next) = page["next"].as_str() else { return seen };
        cursor = Some(next.to_owned());
    }
}

fn ids(items: &[Value]) -> Vec<String> {
    items.iter().map(id_of).collect()
}

/// Turns of sessions: which, on which day of March, and what was said.
fn ingest(home: &Home, turns: &[(&str, u32, &str)]) {
    let file = home.arg("turns.jsonl");
    let line = |(session, day, text): &(&str, u32, &str)| {
        let at = format!("2026-03-{day:02}T10:00:00Z");
        json!({ "session": session, "at": at, "speaker": "user", "text": text }).to_string()
    };
    std::fs::write(&file, turns.iter().map(line).collect::<Vec<_>>().join("\n")).expect("a file");
    home.json(&["ingest", &file]);
}

#[test]
fn a_list_of_sessions_goes_on_where_it_ended_whichever_sessions_come_in() {
    let home = Home::live();
    let sessions = ["s/1 ü", "s2", "s3", "s4", "s5"];
    let turns: Vec<_> = sessions
        .iter()
        .zip(2..)
        .map(|(name, day)| (*name, 2 * day, "the cache is cleared"))
        .collect();
    ingest(&home, &turns);
    let server = Served::start(&home);
    // A newer one, one of a day that was seen already, and one that is still to come.
    let more = [("newest", 20, "hello"), ("between", 9, "hello"), ("oldest", 1, "hello")];
    let seen = through(&server, "/api/v1/sessions", 2, || ingest(&home, &more));
    assert_eq!(ids(&seen), ["s5", "s4", "between", "s3", "s2", "s/1 ü", "oldest"]);
}

#[test]
fn a_list_of_turns_goes_on_where_it_ended_while_more_is_said() {
    let home = Home::live();
    let said: Vec<String> = (1..=5).map(|at| format!("turn {at}: the cache is cleared")).collect();
    let turns: Vec<_> =
        said.iter().zip(1..).map(|(text, day)| ("s1", day, text.as_str())).collect();
    ingest(&home, &turns);
    let server = Served::start(&home);
    // What was said by then, and more.
    let longer = [&turns[..], &[("s1", 9, "turn 6: it is done"), ("s2", 9, "hello")]].concat();
    let seen = through(&server, "/api/v1/sessions/s1/turns", 2, || ingest(&home, &longer));
    let texts: Vec<&str> = seen.iter().map(|one| one["text"].as_str().unwrap()).collect();
    assert_eq!(texts[..5], said);
    assert_eq!(texts[5..], ["turn 6: it is done"]);
}

#[test]
fn a_list_of_what_was_told_goes_on_where_it_ended_while_agents_are_told_more() {
    let home = Home::live();
    home.remember("staging runs Postgres 14");
    for number in 0..5 {
        Agent::new(&home, &format!("session {number}")).starts();
    }
    let server = Served::start(&home);
    let all = server.get("/api/v1/told");
    let expected = ids(all["items"].as_array().unwrap());
    assert_eq!(expected.len(), 5, "{all}");
    let seen = through(&server, "/api/v1/told", 2, || {
        Agent::new(&home, "later").starts();
        Agent::new(&home, "later still").starts();
    });
    assert_eq!(ids(&seen), expected);
}

#[test]
fn a_list_of_things_goes_on_where_it_ended_while_more_is_said_of_them() {
    let home = Home::live();
    for name in ["Anna", "Ben", "Cleo", "Dana", "Emil"] {
        home.remember_with(&[
            "it is run by somebody",
            "--slot",
            &format!("{name}|runs|{name}|one"),
        ]);
    }
    let server = Served::start(&home);
    let names = |items: &[Value]| -> Vec<String> {
        items.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let all = server.get("/api/v1/entities");
    let expected = names(all["items"].as_array().unwrap());
    assert!(expected.len() >= 5 && all.get("next").is_none(), "{all}");
    let last = expected.last().unwrap();
    let seen = through(&server, "/api/v1/entities", 2, || {
        home.remember_with(&["it is liked", "--slot", &format!("{}|likes|tea|one", expected[0])]);
    });
    let mut once = names(&seen);
    once.retain(|name| name != "tea");
    assert_eq!(once, expected, "{last}");
}

#[test]
fn what_waits_for_a_person_can_be_gone_through_page_by_page_while_it_is_decided() {
    let home = Home::live();
    let topics = ["orders", "billing", "shipping", "search"];
    for topic in topics {
        for database in ["MySQL", "SQLite"] {
            home.remember(&format!("We decided to use {database} for the {topic} database"));
        }
    }
    let server = Served::start(&home);
    let all = server.get("/api/v1/review");
    let pair = |one: &Value| id_of(&one["a"]);
    let expected: Vec<String> = all["contested"].as_array().unwrap().iter().map(pair).collect();
    assert_eq!(expected.len(), topics.len(), "{all}");
    assert!(all.get("next").is_none(), "{all}");
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = server.get(&format!("/api/v1/review?limit=1&cursor={cursor}"));
        let pairs = page["contested"].as_array().unwrap();
        seen.extend(pairs.iter().map(pair));
        // Every second one is decided before the next page is looked at.
        if seen.len() % 2 == 1
            && let Some(one) = pairs.first()
        {
            server.post("/api/v1/review", &json!({ "decision": "keep_b", "id": pair(one) }));
        }
        let Some(next) = page["next"].as_str() else { break };
        cursor = next.to_owned();
    }
    assert_eq!(seen, expected);
}

#[test]
fn a_cursor_of_another_list_is_refused() {
    let home = Home::live();
    home.remember("staging runs Postgres 14");
    home.remember("production runs Postgres 12");
    let server = Served::start(&home);
    let next = server.get("/api/v1/memories?limit=1")["next"].as_str().unwrap().to_owned();
    for path in ["told", "sessions", "entities", "review", "memories?q=postgres"] {
        let sign = if path.contains('?') { '&' } else { '?' };
        for cursor in [next.as_str(), "zz", "m1", "nz.1"] {
            let heard =
                server.ask("GET", &format!("/api/v1/{path}{sign}cursor={cursor}"), &[], None);
            assert_eq!(heard.status, 400, "{path} {cursor}: {heard:?}");
        }
    }
}

#[test]
fn whoever_has_a_list_already_is_not_sent_it_again_until_something_changes() {
    let home = Home::live();
    home.remember("staging runs Postgres 14");
    let server = Served::start(&home);
    let lists = ["/api/v1/memories", "/api/v1/memories?q=postgres", "/api/v1/graph"];
    let paths = || lists.into_iter().chain(["/api/v1/review", "/openapi.json"]);
    let etag = |path: &str| {
        let heard = server.ask("GET", path, &[], None);
        assert_eq!(heard.status, 200, "{path}");
        heard.header("etag").unwrap_or_else(|| panic!("{path} has no version")).to_owned()
    };
    let etags: Vec<String> = paths().map(etag).collect();
    // What fades with every second is no change.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    for (path, etag) in paths().zip(&etags) {
        let again = server.ask("GET", path, &[("If-None-Match", etag)], None);
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{path}: {again:?}");
        assert_eq!(again.header("etag"), Some(etag.as_str()), "{path}");
    }
    home.remember("production runs Postgres 12");
    for (path, etag) in lists.into_iter().zip(&etags) {
        let changed = server.ask("GET", path, &[("If-None-Match", etag)], None);
        assert_eq!(changed.status, 200, "{path}");
    }
}
