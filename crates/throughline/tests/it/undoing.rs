//! What a person did by hand is undone whatever use and sleep noted of it since.

use crate::harness::Home;
use crate::hooking::{Agent, assert_sound};

#[test]
fn what_was_recalled_and_slept_over_since_is_undone_all_the_same() {
    let home = Home::new();
    home.remember("The API runs on port 8080");
    let name = home.remember("The API server is called zeus");
    for _ in 0..3 {
        home.json(&["recall", "which port and which name does the API server have"]);
    }
    let agent = Agent::new(&home, "z1");
    agent.starts();
    agent.hears("which port and which name does the API server have?");
    agent.answers("Port 8080, and it is called zeus.");
    agent.ends();
    home.json(&["sleep", "--deep"]);
    let versions = home.json(&["history", &name])["versions"].clone();
    let undone = home.json(&["undo", versions[0]["batch"].as_str().expect("a batch")]);
    assert!(undone["batch"].is_string(), "{undone}");
    assert_eq!(home.run(&["show", &name]).code, 3, "it was never said");
    home.json(&["undo", undone["batch"].as_str().expect("a batch")]);
    assert_eq!(home.show(&name)["content"], "The API server is called zeus");
    assert_sound(&home);
}
