//! The server against those who should not get in, and those who hold it up.

use std::time::Duration;

use serde_json::json;

use crate::harness::Home;
use crate::served::{Heard, Served};

/// Routes of every sort.
const ROUTES: [(&str, &str); 12] = [
    ("GET", "/"),
    ("GET", "/assets/index.js"),
    ("GET", "/api/v1/memories"),
    ("POST", "/api/v1/memories"),
    ("GET", "/api/v1/events"),
    ("GET", "/api/v1/export"),
    ("GET", "/openapi.json"),
    ("GET", "/metrics"),
    ("POST", "/mcp"),
    ("GET", "/nowhere"),
    ("POST", "/logout"),
    ("DELETE", "/api/v1/memories"),
];

fn assert_problem(heard: &Heard, status: u16, code: &str) {
    assert_eq!(heard.status, status, "{heard:?}");
    let told = heard.json();
    assert_eq!(heard.header("content-type"), Some("application/problem+json"));
    assert_eq!(told["code"], code, "{heard:?}");
    assert_eq!(told["status"], status);
    assert!(told["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{heard:?}");
}

#[test]
fn nobody_gets_in_without_the_token() {
    let home = Home::live();
    home.remember("a secret of the project");
    let server = Served::start(&home);
    let wrong = format!("Bearer {}x", server.token);
    let half = format!("Bearer {}", &server.token[..32]);
    let basic = format!("Basic {}", server.token);
    let cookie = format!("throughline_{}={}", server.address.port(), server.token);
    let tries: [&[(&str, &str)]; 8] = [
        &[],
        &[("Authorization", &wrong)],
        &[("Authorization", &half)],
        &[("Authorization", "Bearer ")],
        &[("Authorization", &basic)],
        &[("Authorization", &server.token)],
        // The token itself is no cookie.
        &[("Cookie", &cookie)],
        &[("Cookie", "throughline=1; throughline_0=0")],
    ];
    for (method, path) in ROUTES {
        for headers in tries {
            let heard = server.plain(method, path, headers, "");
            assert_eq!(heard.status, 401, "{method} {path} {headers:?}: {heard:?}");
            assert!(!heard.body.contains("secret of the project"), "{heard:?}");
        }
        // Nor with the token in the path.
        let heard = server.plain(method, &format!("{path}?token={}", server.token), &[], "");
        assert_eq!(heard.status, 401, "{method} {path}");
    }
    let health = server.plain("GET", "/health", &[], "");
    assert_eq!((health.status, health.json()["status"].clone()), (200, json!("ok")));
}

#[test]
fn the_link_gives_a_cookie_that_only_our_own_pages_can_use() {
    let home = Home::live();
    let server = Served::start(&home);
    let path = server.link.split_once(&server.address.to_string()).unwrap().1;
    let opened = server.plain("GET", path, &[], "");
    assert_eq!(opened.status, 200, "{opened:?}");
    let set = opened.header("set-cookie").expect("a cookie").to_owned();
    assert!(
        set.contains("HttpOnly") && set.contains("SameSite=Strict") && set.contains("Path=/"),
        "{set}"
    );
    assert!(!set.contains(&server.token), "the cookie gives the token away");
    assert!(!opened.body.contains("<script"), "{opened:?}");
    let cookie = set.split(';').next().unwrap();
    let get = |more: &[(&str, &str)]| {
        let mut headers = vec![("Cookie", cookie)];
        headers.extend_from_slice(more);
        server.plain("GET", "/api/v1/status", &headers, "")
    };
    let ours = format!("http://{}", server.address);
    assert_eq!(get(&[]).status, 200);
    assert_eq!(get(&[("Sec-Fetch-Site", "same-origin"), ("Origin", &ours)]).status, 200);
    assert_problem(&get(&[("Sec-Fetch-Site", "cross-site")]), 403, "foreign_site");
    assert_problem(&get(&[("Sec-Fetch-Site", "same-site")]), 403, "foreign_site");
    // The page itself may be come to from anywhere.
    let page = [("Cookie", cookie), ("Sec-Fetch-Site", "cross-site")];
    assert_eq!(server.plain("GET", "/", &page, "").status, 200);
    let out = server.plain("POST", "/logout", &[("Cookie", cookie)], "");
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    for (body, kind) in [
        ("{\"token\":\"no\"}", "application/json"),
        ("token=no", "application/x-www-form-urlencoded"),
    ] {
        let refused = server.plain("POST", "/login", &[("Content-Type", kind)], body);
        assert_eq!((refused.status, refused.header("set-cookie")), (401, None), "{refused:?}");
    }
    let form = format!("token={}", server.token);
    let let_in = server.plain(
        "POST",
        "/login",
        &[("Content-Type", "application/x-www-form-urlencoded")],
        &form,
    );
    assert_eq!((let_in.status, let_in.header("location")), (303, Some("/")));
    let body = json!({ "token": server.token }).to_string();
    let let_in = server.plain("POST", "/login", &[("Content-Type", "application/json")], &body);
    assert_eq!(let_in.status, 204);
}

#[test]
fn foreign_pages_and_foreign_names_are_refused_everywhere() {
    let home = Home::live();
    let server = Served::start(&home);
    let port = server.address.port();
    let bearer = format!("Bearer {}", server.token);
    for (method, path) in
        ROUTES.into_iter().chain([("GET", "/health"), ("GET", "/login"), ("POST", "/login")])
    {
        for origin in [
            "http://evil.example",
            "null",
            "https://127.0.0.1",
            "http://127.0.0.1:1",
            "http://localhost",
        ] {
            let heard =
                server.plain(method, path, &[("Authorization", &bearer), ("Origin", origin)], "");
            assert_problem(&heard, 403, "foreign_origin");
            assert_eq!(heard.header("access-control-allow-origin"), None);
        }
        let rebound = format!("evil.example:{port}");
        for host in [rebound.as_str(), "127.0.0.1", "localhost:1", "", "127.0.0.1.evil.example"] {
            let heard =
                server.plain(method, path, &[("Authorization", &bearer), ("Host", host)], "");
            assert_problem(&heard, 421, "wrong_host");
        }
    }
    // Two names, of which either may be ours, and an address where only a path belongs.
    let ours = server.address.to_string();
    for (first, second) in
        [(ours.as_str(), "evil.example"), ("evil.example", &ours), (&ours, &ours)]
    {
        let headers = [("Authorization", bearer.as_str()), ("Host", first), ("Host", second)];
        assert_problem(&server.plain("GET", "/api/v1/status", &headers, ""), 421, "wrong_host");
    }
    for target in [
        format!("http://evil.example:{port}/api/v1/status"),
        format!("http://{ours}/api/v1/status"),
    ] {
        let heard = server.plain("GET", &target, &[("Authorization", &bearer)], "");
        assert_problem(&heard, 421, "wrong_host");
    }
    for host in [format!("localhost:{port}"), format!("LOCALHOST:{port}"), format!("[::1]:{port}")]
    {
        let heard = server.plain(
            "GET",
            "/api/v1/status",
            &[("Authorization", &bearer), ("Host", &host)],
            "",
        );
        assert_eq!(heard.status, 200, "{host}");
    }
}

#[test]
fn bodies_that_cannot_be_used_are_told_so() {
    let home = Home::live();
    let server = Served::start(&home);
    let bearer = format!("Bearer {}", server.token);
    let post = |kind: &str, body: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", kind)];
        server.plain("POST", "/api/v1/memories", &headers, body)
    };
    let json = "application/json";
    assert_problem(&post("text/plain", "{\"content\":\"x\"}"), 415, "not_json");
    for body in [
        "{",
        "[]",
        "null",
        "\"text\"",
        "{\"content\":1}",
        "{\"content\":\"x\",\"colour\":1}",
        "{\"content\":\"x\",\"kind\":\"song\"}",
        "{\"content\":\"\"}",
        "{\"content\":\"x\",\"importance\":1e9}",
        "{\"content\":\"x\",\"watch\":[\"?\"]}",
        "{\"content\":\"x\",\"slot\":\"a\"}",
    ] {
        let heard = post(json, body);
        assert_eq!(heard.status, 400, "{body}: {heard:?}");
        assert!(heard.json()["detail"].is_string());
    }
    let deep = format!("{{\"content\":{}1{}}}", "[".repeat(5_000), "]".repeat(5_000));
    assert_eq!(post(json, &deep).status, 400);
    let large = format!("{{\"content\":\"{}\"}}", "x".repeat(2 << 20));
    assert_problem(&post(json, &large), 413, "too_large");
    // The same where the length is not told before.
    let mut text = server.head(
        "POST",
        "/api/v1/memories",
        &[
            ("Authorization", &bearer),
            ("Content-Type", json),
            ("Transfer-Encoding", "chunked"),
            ("Connection", "close"),
        ],
    );
    text.push_str("\r\n");
    for _ in 0..20 {
        text.push_str(&format!("20000\r\n{}\r\n", "y".repeat(0x20000)));
    }
    text.push_str("0\r\n\r\n");
    let heard = server.say_raw(text.as_bytes());
    assert!([413, 0].contains(&heard.status), "{}", heard.status);
    for path in [
        "/api/v1/memories?limit=many",
        "/api/v1/memories?limit=-1",
        "/api/v1/memories?kind=song",
        "/api/v1/memories?cursor=zz",
        "/api/v1/memories?scope=moon",
        "/api/v1/memories/%FF",
        "/api/v1/memories/ab",
        "/api/v1/graph?depth=x",
    ] {
        let heard = server.ask("GET", path, &[], None);
        assert_eq!(heard.status, 400, "{path}: {heard:?}");
    }
    assert_problem(&server.ask("GET", "/api/v1/nothing", &[], None), 404, "not_found");
    assert_problem(&server.ask("PUT", "/api/v1/memories", &[], None), 405, "wrong_method");
    assert_eq!(home.texts(&["list", "--all"]), Vec::<String>::new());
    // Heads that are no HTTP, or too large.
    assert_eq!(server.say_raw(b"hello\r\n\r\n").status, 400);
    let heavy =
        format!("GET / HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n", server.address, "z".repeat(1 << 20));
    assert!([431, 400, 0].contains(&server.say_raw(heavy.as_bytes()).status));
    server.get("/api/v1/status");
}

#[test]
fn ids_and_keys_of_another_project_are_not_there() {
    let home = Home::live();
    let own = home.remember("the webshop runs Postgres 14");
    let foreign = home.from("bank").remember_with(&["the vault code rotates daily"]);
    let server = Served::start(&home);
    let at = |id: &str, what: &str| format!("/api/v1/memories/{id}{what}");
    for what in ["", "/why", "/history", "/related", "/purge"] {
        assert_problem(&server.ask("GET", &at(&foreign, what), &[], None), 404, "not_found");
    }
    for what in ["/confirm", "/forget", "/archive"] {
        assert_problem(
            &server.ask("POST", &at(&foreign, what), &[], Some(&json!({}))),
            404,
            "not_found",
        );
    }
    let link = json!({ "relation": "because", "to": foreign });
    assert_problem(&server.ask("POST", &at(&own, "/link"), &[], Some(&link)), 404, "not_found");
    for path in ["/api/v1/memories", "/api/v1/log", "/api/v1/graph", "/api/v1/review"] {
        assert!(!server.ask("GET", path, &[], None).body.contains("vault"), "{path}");
    }
    // Whoever names the project is shown it.
    let projects = server.get("/api/v1/projects");
    let bank =
        projects["items"].as_array().unwrap().iter().find(|one| one["key"] != projects["current"]);
    let bank = bank.expect("the other project")["key"].as_str().unwrap().replace('/', "%2F");
    let there = server.get(&format!("/api/v1/memories/{foreign}?project={bank}"));
    assert_eq!(there["content"], "the vault code rotates daily");
    assert_problem(
        &server.ask("GET", &format!("/api/v1/memories/{own}?project={bank}"), &[], None),
        404,
        "not_found",
    );
    assert_problem(
        &server.ask("GET", "/api/v1/memories?project=nowhere", &[], None),
        404,
        "not_found",
    );
}

#[test]
fn a_home_that_is_taken_away_is_not_made_anew() {
    let home = Home::live();
    home.remember("staging runs Postgres 14");
    let server = Served::start(&home);
    server.get("/api/v1/memories");
    let aside = home.outside("aside");
    std::fs::rename(home.path(), &aside).unwrap();
    for (method, path, body) in [
        ("GET", "/api/v1/memories", None),
        ("POST", "/api/v1/memories", Some(json!({ "content": "lost?" }))),
        ("GET", "/api/v1/status", None),
    ] {
        let heard = server.ask(method, path, &[], body.as_ref());
        assert_problem(&heard, 503, "home_gone");
    }
    assert_eq!(server.plain("GET", "/health", &[], "").status, 503);
    assert!(!home.path().exists(), "the home was made anew");
    std::fs::rename(&aside, home.path()).unwrap();
    assert_eq!(server.get("/api/v1/memories")["total"], 1);
    assert_eq!(
        server.post("/api/v1/memories", &json!({ "content": "it is back" }))["deduped"],
        false
    );
    server.stop("-TERM");
    home.assert_sound();
}

#[test]
fn many_readers_and_a_writer_get_along() {
    let home = Home::live();
    for number in 0..20 {
        home.remember(&format!("service {number} listens on port 80{number:02}"));
    }
    let server = Served::start(&home);
    std::thread::scope(|scope| {
        for reader in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for round in 0..25 {
                    let path = match (reader + round) % 4 {
                        0 => "/api/v1/memories?limit=10",
                        1 => "/api/v1/memories?q=service",
                        2 => "/api/v1/graph",
                        _ => "/api/v1/stats",
                    };
                    server.get(path);
                    server.post("/api/v1/recall", &json!({ "query": "which port has service 7?" }));
                }
            });
        }
        let server = &server;
        scope.spawn(move || {
            for round in 0..15 {
                server.post(
                    "/api/v1/memories",
                    &json!({ "content": format!("written beside, number {round}") }),
                );
            }
        });
    });
    assert_eq!(server.get("/api/v1/memories")["total"], 35);
    let metrics = server.ask("GET", "/metrics", &[], None);
    assert!(metrics.body.contains("throughline_requests_total{method=\"POST\",route=\"/api/v1/recall\",status=\"200\"} 100"), "{}", metrics.body);
    server.stop("-TERM");
    home.assert_sound();
}

/// CPU time of a process in hundredths of a second.
#[cfg(target_os = "linux")]
fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let rest = stat.rsplit_once(')').expect("its fields").1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    [11, 12].iter().map(|at: &usize| fields[*at].parse::<u64>().expect("a number")).sum()
}

#[cfg(target_os = "linux")]
#[test]
fn who_waits_for_nobody_does_nothing() {
    let home = Home::live();
    let server = Served::start(&home);
    server.get("/api/v1/status");
    std::thread::sleep(Duration::from_secs(2));
    let before = ticks(server.pid());
    std::thread::sleep(Duration::from_secs(3));
    assert!(ticks(server.pid()) - before <= 1, "an idle server uses the processor");
}
