//! A server that nobody asks: it goes over what came in, and has the model asked that is set.

use serde_json::json;
use throughline_testing::server::Server;

use crate::harness::{Home, batches};
use crate::hooking::Agent;
use crate::models::{configure, says};
use crate::models_trouble::until;
use crate::served::Served;

#[test]
fn a_server_that_is_left_alone_sleeps_over_what_came_in() {
    let home = Home::live();
    let server = Served::start(&home);
    let agent = Agent::new(&home, "march");
    agent.starts();
    agent.hears("Lunch is late today, please go on.");
    agent.answers("I go on.");
    server.post("/api/v1/memories", &json!({ "content": "staging runs Postgres 14" }));
    let waits = || server.get("/api/v1/status")["sleep_waits"].as_u64().expect("a number");
    assert_eq!(waits(), 2);
    // By the command line, because whoever asks the server keeps it from sleeping.
    until("a sleep of the server", || home.json(&["status"])["sleep_waits"] == 0);
    let batches = batches(&home);
    let sleep = batches.iter().find(|batch| batch["cause"] == "sleep").expect("a sleep");
    assert_eq!(sleep["actor"], "system", "{sleep}");
    home.assert_sound();
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_written_over_http_starts_the_worker_and_nothing_is_left_of_it() {
    let home = Home::live();
    let model = Server::start(|_| says(&json!({ "verdicts": [] })));
    configure(&home, &model);
    let server = Served::start(&home);
    for floor in ["first", "second"] {
        let text = format!("Kestrel services the printer of the depot on the {floor} floor");
        server.post("/api/v1/memories", &json!({ "content": text }));
    }
    let asked = || model.heard().iter().any(|one| one.body.to_string().contains("verdicts"));
    until("the pairs", asked);
    until("its end", || crate::models_trouble::workers(&home).is_empty());
    server.stop("-TERM");
    home.assert_sound();
}
