//! Two people's desks share a project through PostgreSQL: what is put right in an agent at one desk is before the
//! model of another agent at the other desk with its next prompt. Needs the servers of `tools/postgres/start.sh`.

use std::process::Command;

use crate::desk::{Desk, Who};
use crate::model::Part;
use crate::page::{asserts, memories};

/// What is told at Anna's desk, one after the other, and the value that holds from then on.
const TOLD: [(&str, &str); 5] = [
    ("The staging database runs on Postgres 14.", "Postgres 14"),
    ("Actually the staging database runs on Postgres 15 now, not 14.", "Postgres 15"),
    ("We bumped the staging database to Postgres 16 today.", "Postgres 16"),
    ("Correction: the staging database runs on Postgres 17, not 16.", "Postgres 17"),
    ("The staging database runs on Postgres 18 now, no longer on 17.", "Postgres 18"),
];
const ASKED: &str = "Which version of Postgres does the staging database run on?";

/// The address of the newest server of the tests, without a schema.
#[expect(clippy::disallowed_methods, reason = "whoever runs the tests says where they are")]
fn server() -> String {
    let told = std::env::var("THROUGHLINE_TEST_POSTGRES");
    let told = told.expect("eval \"$(tools/postgres/start.sh)\" starts the servers first");
    told.split_whitespace().next_back().expect("it names a server").to_owned()
}

fn administer(sql: &str) {
    let ran = Command::new("psql")
        .args(["-qXAt", "-v", "ON_ERROR_STOP=1", "-c", sql, &server()])
        .output()
        .expect("psql is installed with the servers");
    assert!(ran.status.success(), "{sql}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// The address of a schema as a person with a role of that name sees it.
fn address(person: &str, schema: &str) -> String {
    let server = server();
    let (_, rest) = server.rsplit_once('@').expect("the address names a user");
    format!("postgresql://{person}:{person}@{rest}?schema={schema}")
}

/// A schema that is gone with the test.
struct Schema(String);

impl Drop for Schema {
    fn drop(&mut self) {
        administer(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.0));
    }
}

/// A desk whose memory is on the server, with a clone of the project that both work on.
fn sit_down(clients: &std::path::Path, schema: &str, person: &str) -> Desk {
    let script = TOLD.iter().map(|(told, _)| Part::says(told, "Understood.")).collect();
    let desk = Desk::new(clients, script);
    let origin = "https://git.example.com/shop/webshop.git";
    for args in [["init", "-q", "."].as_slice(), &["remote", "add", "origin", origin]] {
        let ran = Command::new("git").args(args).current_dir(desk.project()).status();
        assert!(ran.expect("git is there").success());
    }
    desk.throughline(&["config", "set", "store.url", &address(person, schema)]);
    desk.throughline(&["config", "set", "project.join", "auto"]);
    desk.throughline(&["init"]);
    desk
}

#[test]
fn what_is_put_right_in_one_agent_is_known_at_another_desk_with_the_next_prompt_of_any_agent() {
    let Some(clients) = crate::clients() else { return };
    let schema = Schema(format!("desks{}", std::process::id()));
    for person in ["tl_anna", "tl_ben"] {
        administer(&format!(
            "DO $$ BEGIN CREATE ROLE {person} LOGIN PASSWORD '{person}';
             EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
        ));
    }
    // An administrator makes the schema, so that no person owns its tables.
    let owner = Desk::new(&clients, Vec::new());
    let (url, name) = (server(), &schema.0);
    owner.throughline(&["config", "set", "store.url", &format!("{url}?schema={name}")]);
    owner.throughline(&["list"]);

    let anna = sit_down(&clients, name, "tl_anna");
    let ben = sit_down(&clients, name, "tl_ben");
    let mut before = None;
    for (at, (told, value)) in TOLD.iter().enumerate() {
        anna.say(Who::ALL[at % 4], told);
        if at == 0 {
            anna.throughline(&["store", "admit", "tl_ben"]);
        }
        let other = Who::ALL[(at + 1) % 4];
        let asked = ben.say(other, ASKED);
        let pages = asked.pages();
        let lines = memories(&pages);
        let knows = lines.iter().any(|line| line.contains(value) && line.contains("tl_anna"));
        assert!(knows, "{other:?} at Ben's desk is not told {value} by tl_anna: {pages:#?}");
        if let Some(before) = before {
            for line in lines {
                assert!(!asserts(line, before, value), "{other:?} is told {before}: {line}");
            }
        }
        before = Some(*value);
    }
    anna.assert_no_failures();
    ben.assert_no_failures();
}
