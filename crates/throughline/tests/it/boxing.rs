//! Boxes: memories are put together by stretches of work on one topic, sealed, and connected by traces.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::assert_sound;

fn boxes(home: &Home) -> Vec<Value> {
    home.json(&["boxes"])["items"].as_array().expect("boxes").clone()
}

/// What each box holds, the latest box first.
fn held(home: &Home) -> Vec<Vec<String>> {
    let text = |id: &Value| {
        let id = id.as_str().expect("an id");
        home.show(id)["content"].as_str().expect("a text").to_owned()
    };
    boxes(home)
        .iter()
        .map(|one| one["memories"].as_array().expect("memories").iter().map(text).collect())
        .collect()
}

const KAFKA: [&str; 3] = [
    "The Kafka consumer of the orders topic retries three times",
    "Retries of the Kafka consumer wait ten seconds each",
    "The orders consumer of Kafka runs in two replicas",
];
const BREAD: [&str; 2] = [
    "Sourdough bread needs a hot oven and a steam tray",
    "The oven for sourdough is heated with a steam tray inside",
];

#[test]
fn another_topic_seals_a_box_and_what_came_last_stays_open() {
    let home = Home::new();
    for text in KAFKA.iter().chain(&BREAD) {
        home.remember(text);
    }
    let slept = home.json(&["sleep"]);
    assert_eq!((&slept["boxes"]["memories"], &slept["boxes"]["sealed"]), (&5.into(), &1.into()));
    assert_eq!(held(&home), [BREAD.to_vec(), KAFKA.to_vec()]);
    let [bread, kafka] = boxes(&home).try_into().expect("two boxes");
    assert_eq!((&bread["open"], &bread["trace"]), (&true.into(), &Value::Null));
    assert_eq!((&kafka["open"], &kafka["sealed"]), (&false.into(), &"another topic".into()));
    assert!(kafka["trace"].is_string(), "{kafka}");
    let title = kafka["title"].as_str().expect("a title");
    assert!(title.contains("Kafka") && title.contains("consumer"), "{title}");
    assert_eq!(kafka["from"], "2026-03-02T09:00:00.000Z");
    let page = home.page(&["boxes"]);
    assert!(page.contains("sealed (another topic)") && page.contains("open"), "{page}");
    assert_sound(&home);
}

#[test]
fn half_an_hour_of_silence_seals_a_box_and_the_same_topic_goes_on_the_trace() {
    let home = Home::new();
    home.remember(KAFKA[0]);
    home.remember(KAFKA[1]);
    home.json(&["sleep"]);
    assert_eq!(boxes(&home).len(), 1);
    assert_eq!(boxes(&home)[0]["open"], true);
    home.wait(31);
    home.json(&["sleep"]);
    assert_eq!(boxes(&home)[0]["sealed"], "quiet", "nothing came for half an hour");
    home.travel("2026-03-08");
    home.remember(KAFKA[2]);
    home.travel("2026-03-09");
    home.remember(BREAD[0]);
    home.travel("2026-03-25");
    home.remember("Kafka consumer retries of the orders topic are logged");
    home.wait(40);
    home.json(&["sleep"]);
    home.json(&["sleep"]);
    let [late, bread, again, first] = boxes(&home).try_into().expect("four boxes");
    assert_eq!(again["trace"], first["trace"], "the same topic within a week");
    assert_ne!(bread["trace"], first["trace"]);
    assert!(
        late["open"] == false && late["trace"] != first["trace"],
        "more than a week later: {late}"
    );
}

#[test]
fn a_box_holds_fifty_memories_and_the_next_one_begins_another() {
    let home = Home::new();
    let lines: Vec<String> = (0..52)
        .map(|n| {
            format!(
                r#"{{"session":"s","at":"2026-03-02T09:00:{:02}Z","speaker":"user","text":"Remember that the Kafka consumer shard {n} reads the orders topic"}}"#,
                n % 60
            )
        })
        .collect();
    let file = home.outside("turns.jsonl");
    std::fs::write(&file, lines.join("\n")).expect("a file can be written");
    home.json(&["ingest", file.to_str().expect("plain")]);
    let kept = home.texts(&["list", "--limit", "100"]).len();
    assert!(kept > 50, "{kept}");
    home.json(&["sleep"]);
    let sizes: Vec<usize> = held(&home).iter().map(Vec::len).collect();
    assert_eq!(sizes, [kept - 50, 50]);
    assert_eq!(boxes(&home)[1]["sealed"], "full");
}

#[test]
fn sealed_boxes_are_written_as_files_by_their_day() {
    let home = Home::new();
    for text in KAFKA.iter().chain(&BREAD) {
        home.remember(text);
    }
    home.json(&["sleep"]);
    std::fs::create_dir(home.outside("notes")).expect("a folder can be made");
    let wrote = home.json(&["boxes", "--write", &home.arg("notes")]);
    let [file] = wrote["files"].as_array().expect("files").as_slice() else { panic!("{wrote}") };
    let file = file.as_str().expect("a path");
    assert!(file.contains("/boxes/2026-03-02/box-") && file.ends_with(".md"), "{file}");
    let text = std::fs::read_to_string(file).expect("the file is there");
    assert!(KAFKA.iter().all(|one| text.contains(one)), "{text}");
    assert!(!text.contains("Sourdough"), "the open one is not written: {text}");
    home.json(&["boxes", "--write", &home.arg("notes")]);
    assert_eq!(
        std::fs::read_to_string(file).expect("still there"),
        text,
        "written again, the same"
    );
    assert_eq!(home.error(&["boxes", "--write", &home.arg("nowhere")]).0, 1);
    let inside = home.path();
    assert_ne!(home.error(&["boxes", "--write", inside.to_str().expect("plain")]).0, 0);
}

#[test]
fn boxes_are_made_once_undone_by_undo_and_change_nothing_that_is_recalled() {
    let home = Home::new();
    for text in KAFKA.iter().chain(&BREAD) {
        home.remember(text);
    }
    let asked = ["recall", "how often does the Kafka consumer retry?"];
    let before = home.texts(&asked);
    assert_eq!(home.json(&["sleep", "--dry-run"])["boxes"]["memories"], 0);
    assert!(boxes(&home).is_empty(), "a dry run writes nothing");
    let slept = home.json(&["sleep"]);
    let batch = slept["boxes"]["batches"][0].as_str().expect("a batch").to_owned();
    assert_eq!(home.texts(&asked), before);
    assert!(!home.page(&["graph"]).contains("box"), "they are not drawn");
    let again = home.json(&["sleep"])["boxes"].clone();
    assert_eq!((&again["memories"], &again["batches"]), (&json!(0), &json!([])), "once");
    home.json(&["undo", &batch]);
    assert!(boxes(&home).is_empty());
    assert_sound(&home);
}

#[test]
fn plain_undo_takes_back_what_a_person_did_and_not_the_boxes() {
    let home = Home::new();
    home.remember(KAFKA[0]);
    home.remember(KAFKA[1]);
    home.json(&["sleep"]);
    home.json(&["undo"]);
    assert_eq!(home.texts(&["list"]), [KAFKA[0]], "the last thing remembered");
    assert_eq!(held(&home), [[KAFKA[0]]], "and it lies in no box");
}

#[test]
fn what_is_erased_leaves_no_word_in_its_box() {
    let home = Home::new();
    let id = home.remember("The Kafka consumer is called QuixoticZebra internally");
    home.remember(KAFKA[0]);
    home.json(&["sleep"]);
    assert!(boxes(&home)[0]["title"].as_str().expect("a title").contains("Kafka"));
    home.json(&["purge", &id, "--yes"]);
    assert_eq!(held(&home), [[KAFKA[0]]]);
    assert!(home.files_holding("quixotic").is_empty());
    assert_sound(&home);
}

#[test]
fn boxes_are_made_when_a_session_ends() {
    use crate::hooking::{Agent, DECISION};
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.starts();
    agent.hears(DECISION);
    agent.answers("Noted.");
    agent.ends();
    assert_eq!(boxes(&home).len(), 1, "{:?}", boxes(&home));
}
