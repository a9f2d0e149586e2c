//! Twelve weeks of work on three projects, played through the hooks: what is known at the end, and what is not said.

use crate::harness::Home;
use crate::story::Player;

const STORY: &str = include_str!("story/twelve_weeks.txt");

#[test]
fn twelve_weeks_explored() {
    let home = Home::new();
    let played = Player::new(&home).play(STORY);
    for one in &played.told {
        println!("--- {} {} {}\n{}", one.day, one.project, one.event, one.text);
    }
    println!("sessions {}", played.sessions);
    for project in ["webshop", "firmware", "infra"] {
        let all = home.from(project).json(&["list", "--all", "--limit", "500"]);
        for item in all["items"].as_array().unwrap() {
            println!(
                "{project} [{}] {} {} {} uses {} {}",
                item["state"].as_str().unwrap(),
                item["kind"],
                item["authority"],
                item["flags"],
                item["uses"],
                item["content"]
            );
            let by = all["items"]
                .as_array()
                .unwrap()
                .iter()
                .find(|one| one["id"] == item["superseded_by"]);
            if let Some(by) = by {
                println!("      replaced by {}", by["content"]);
            }
        }
        println!("{}", home.from(project).run(&["review"]).stdout);
    }
}
