//! The plugins of the repository, installed with each agent's own installer: they pass its
//! validator, their hooks fire, and what is told is known in the next session.

use std::path::PathBuf;

use serde_json::json;

use crate::desk::{Desk, Who};
use crate::model::Part;

const TOLD: &str = "We decided to keep sessions in Postgres instead of Redis because Redis lost \
                    them twice.";
const QUESTION: &str = "Where do we keep sessions, and why not in Redis?";

const NOTE: &str = "Please note what you found out about the plant.";

fn script() -> Vec<Part> {
    let content = json!({"content": "The office plant is called Gertrude"});
    vec![Part::says(TOLD, "Understood."), Part::calls(NOTE, "remember", content, "That is noted.")]
}

/// The folder of plugins.
fn plugins() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
    folder.canonicalize().expect("plugins are part of the repository")
}

/// Validates and installs a plugin the way its agent wants it.
fn install(desk: &Desk, who: Who) {
    let path = |name: &str| plugins().join(name).to_str().expect("a plain name").to_owned();
    let (market, gemini) = (plugins().to_str().expect("a plain name").to_owned(), path("gemini"));
    match who {
        Who::Claude => {
            for folder in [&market, &path("throughline")] {
                let said = desk.run(who, &["plugin", "validate", folder]);
                assert!(said.contains("Validation passed"), "{said}");
            }
            desk.run(who, &["plugin", "marketplace", "add", &market]);
            desk.run(who, &["plugin", "install", "throughline@throughline"]);
        }
        Who::Codex => {
            desk.run(who, &["plugin", "marketplace", "add", &market]);
            desk.run(who, &["plugin", "add", "throughline@throughline"]);
        }
        Who::Gemini => {
            let said = desk.run(who, &["extensions", "validate", &gemini]);
            assert!(said.contains("successfully validated"), "{said}");
            desk.run(who, &["extensions", "link", &gemini, "--consent"]);
        }
        Who::Opencode => {
            let folder = desk.home().join(".config/opencode/plugin");
            std::fs::create_dir_all(&folder).expect("a folder can be made");
            std::fs::copy(path("opencode/throughline.js"), folder.join("throughline.js"))
                .expect("a file can be copied");
        }
    }
}

#[test]
fn plugins_install_and_fire_in_every_agent() {
    let Some(clients) = crate::clients() else { return };
    for who in Who::ALL {
        let desk = Desk::new(&clients, script());
        desk.put_on_path();
        install(&desk, who);
        desk.say(who, TOLD);
        let asked = desk.say(who, QUESTION);
        let pages = asked.pages().join("\n");
        assert!(pages.contains("Postgres instead of Redis"), "{who:?}: {pages}");
        // The plugin of opencode has no way to bring a server along.
        if who != Who::Opencode {
            let noted = desk.say(who, NOTE).returned().join("\n");
            assert!(noted.contains("Gertrude"), "{who:?}: {noted}");
            let held = desk.json(&["list"]).to_string();
            assert_eq!(held.matches("Gertrude").count(), 2, "label and content, once: {held}");
        }
        desk.assert_nothing_runs();
        desk.assert_no_failures();
        for other in Who::ALL {
            let fired = desk.fired(other);
            assert_eq!(fired.is_empty(), other != who, "{who:?} calls as {other:?}: {fired:?}");
        }
    }
}
