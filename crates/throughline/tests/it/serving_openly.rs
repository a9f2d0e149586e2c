//! `serve --open`: the browser is started with a link that is good once and for a minute. A program in its place writes down
//! what it was started with.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::harness::Home;
use crate::models_trouble::until;
use crate::served::Served;

/// A command that finds a browser: whatever opens links on this system.
fn with_browser(home: &Home) -> Command {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = home.outside("browser");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    for name in ["xdg-open", "open"] {
        let script = format!("#!/bin/sh\nprintf '%s\\n' \"$1\" >> '{}'\n", opened(home).display());
        let path = folder.join(name);
        std::fs::write(&path, script).expect("a script can be written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    let known = std::env::var_os("PATH").expect("a path");
    let all = std::iter::once(folder).chain(std::env::split_paths(&known));
    let mut command = home.command();
    command.env("PATH", std::env::join_paths(all).expect("a path"));
    command
}

/// Where the browser writes down what it was started with.
fn opened(home: &Home) -> PathBuf {
    home.outside("opened")
}

/// The path of the link that the browser was started with the nth time.
fn link(home: &Home, server: &Served, nth: usize) -> String {
    let links = || std::fs::read_to_string(opened(home)).unwrap_or_default();
    until("the browser", || links().lines().count() > nth);
    let links = links();
    let link = links.lines().nth(nth).expect("a link");
    assert!(!link.contains(&server.token), "the token can be seen by every user: {link}");
    let (_, path) = link.split_once(&server.address.to_string()).expect("a link to the server");
    path.to_owned()
}

fn is_let_in(server: &Served, path: &str) -> bool {
    let heard = server.plain("GET", path, &[], "");
    let cookie = heard.header("set-cookie");
    assert_eq!(heard.status, if cookie.is_some() { 200 } else { 401 }, "{heard:?}");
    let Some(cookie) = cookie else { return false };
    let cookie = cookie.split(';').next().expect("a cookie");
    assert_eq!(server.plain("GET", "/api/v1/status", &[("Cookie", cookie)], "").status, 200);
    true
}

#[test]
fn the_link_that_the_browser_is_started_with_is_good_once_and_the_printed_one_stays() {
    let home = Home::live();
    let server = Served::with_args(with_browser(&home), &["--open"]);
    let once = link(&home, &server, 0);
    assert!(is_let_in(&server, &once));
    assert!(!is_let_in(&server, &once), "it is good twice");
    let (_, printed) = server.link.split_once(&server.address.to_string()).expect("a path");
    for _ in 0..2 {
        assert!(is_let_in(&server, printed));
    }
    // Nor is it good as a token of a program.
    let bearer = format!("Bearer {}", once.split("token=").nth(1).expect("a token"));
    assert_eq!(
        server.plain("GET", "/api/v1/status", &[("Authorization", &bearer)], "").status,
        401
    );
}

#[test]
fn the_link_that_the_browser_is_started_with_is_good_for_a_minute() {
    let home = Home::live();
    let server = Served::with_args(with_browser(&home), &["--open"]);
    let once = link(&home, &server, 0);
    let left = std::fs::File::open(home.path().join("server.once")).expect("it was left");
    let left_at = left.metadata().and_then(|data| data.modified()).expect("a time");
    left.set_modified(left_at - Duration::from_secs(61)).expect("a time");
    assert!(!is_let_in(&server, &once), "it is good for longer than a minute");
    assert!(!home.path().join("server.once").exists(), "nobody can use it any more");
}

#[test]
fn a_second_serve_opens_the_first_one_and_says_where_it_is() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::live();
    let server = Served::start(&home);
    for nth in 0..2 {
        let mut command = with_browser(&home);
        let second = command.args(["--json", "serve", "--open"]).output().expect("it runs");
        assert_eq!(second.status.code(), Some(0), "{second:?}");
        let told: Value = serde_json::from_slice(&second.stdout).expect("one JSON document");
        assert_eq!(told["url"], format!("http://{}/", server.address));
        assert_eq!(told["link"], server.link);
        let left = std::fs::metadata(home.path().join("server.once")).expect("it was left");
        assert_eq!(left.permissions().mode() & 0o777, 0o600);
        let once = link(&home, &server, nth);
        assert!(is_let_in(&server, &once));
        assert!(!is_let_in(&server, &once), "it is good twice");
    }
    assert!(!std::fs::read_to_string(opened(&home)).unwrap().contains(&server.token));
}
