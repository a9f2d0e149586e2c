//! Recall from a server: the same answers as from a file, without the corpus being moved.

mod desk;
mod kept;

use std::sync::Arc;

use throughline_core::Memory;
use throughline_engine::{Arms, Ask, Context, Engine, NewMemory, Recall, Remembered};
use throughline_store::{PgStore, Store};

use desk::{Desk, Schema};

/// The ways in which the same may be asked.
fn ways<'q>(engine: &Engine, query: &'q str) -> Vec<Ask<'q>> {
    let plain = Ask { episodes: true, ..Ask::new(query, engine.policy().recall) };
    let mut all = Ask { ungated: true, ..plain.clone() };
    all.limits.items_max = 40;
    let arms = |words, vectors| Arms { words, vectors, ..Arms::default() };
    vec![
        Ask { episodes: false, ..plain.clone() },
        Ask { replaced: true, ..plain.clone() },
        Ask { arms: arms(true, false), ..all.clone() },
        Ask { arms: arms(false, true), ..all.clone() },
        plain,
        all,
    ]
}

fn ask(engine: &Engine, context: &Context, ask: &Ask<'_>) -> Recall {
    engine.recalling(context).recall(ask).unwrap()
}

/// Recall gives the same from both, to the last digit of every score.
fn agree(desk: &mut Desk, file: &Engine, server: &Engine, questions: usize) {
    for question in desk.questions(questions) {
        for way in ways(file, &question) {
            let (expected, found) =
                (ask(file, &desk.context, &way), ask(server, &desk.context, &way));
            assert_eq!(found.text, expected.text, "{question}");
            assert_eq!(found.candidates.len(), expected.candidates.len(), "{question}");
            for (one, other) in found.candidates.iter().zip(&expected.candidates) {
                assert_eq!(one, other, "{question}");
            }
            assert_eq!(found, expected, "{question}");
        }
    }
}

#[test]
fn a_small_memory_is_recalled_from_a_server_as_from_a_file() {
    for version in [15, 18] {
        let mut desk = Desk::new(1);
        desk.add_memories(40);
        desk.live_on(60);
        desk.add_turns(150);
        let schema = Schema::new(version);
        let file = desk.file();
        file.copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
        for hold in ["", "&hold_max=0"] {
            let server = desk.server(&schema.address(hold));
            agree(&mut desk, &file, &server, 4);
        }
    }
}

#[test]
fn a_large_memory_is_recalled_from_a_server_as_from_a_file() {
    let mut desk = Desk::new(2);
    desk.add_memories(700);
    desk.live_on(40);
    desk.add_turns(1_600);
    let schema = Schema::new(15);
    let file = desk.file();
    file.copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    for hold in ["", "&hold_max=0"] {
        let server = desk.server(&schema.address(hold));
        agree(&mut desk, &file, &server, 5);
    }
}

#[test]
fn the_index_of_vectors_finds_what_is_near_and_without_it_everything_is_looked_at() {
    let mut desk = Desk::new(3);
    desk.add_memories(700);
    desk.add_turns(900);
    let schema = Schema::new(18);
    let file = desk.file();
    file.copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    let by_index = desk.server(&schema.address("&scan_max=0&hold_max=0"));
    let questions = desk.questions(12);
    let shown = |engine: &Engine, question: &str| {
        let mut way =
            Ask { episodes: true, ungated: true, ..Ask::new(question, engine.policy().recall) };
        way.limits.items_max = 10;
        let found = ask(engine, &desk.context, &way);
        found.candidates.iter().take(10).map(|one| one.node).collect::<Vec<_>>()
    };
    let agreement = |engine: &Engine| {
        let mut same = (0, 0);
        for question in &questions {
            let (expected, found) = (shown(&file, question), shown(engine, question));
            same.0 += expected.iter().filter(|node| found.contains(node)).count();
            same.1 += expected.len();
        }
        same
    };
    let (same, of) = agreement(&by_index);
    assert!(same * 100 >= of * 97, "{same} of {of}");

    schema.run(&format!("DROP INDEX {0}.near_turns; DROP INDEX {0}.near_memories", schema.name));
    let (same, of) = agreement(&by_index);
    assert!(same * 100 >= of * 97, "{same} of {of}");
    // Nor is the index of words needed for the same answer, and what is said meanwhile is kept.
    let by_words: Vec<_> =
        questions.iter().map(|one| found_by(&by_index, &desk.context, one)).collect();
    schema.run(&format!("ALTER TABLE {0}.posting DROP CONSTRAINT posting_pkey", schema.name));
    for (question, before) in questions.iter().zip(&by_words) {
        assert_eq!(&found_by(&by_index, &desk.context, question), before, "{question}");
    }
    let said = NewMemory::new("Hugo feeds the walrus of the queue at noon");
    let kept = by_index.keeping(&desk.context).remember(&said).unwrap().card.memory.id.to_string();
    let found = found_by(&by_index, &desk.context, "who feeds the walrus of the queue?");
    assert!(found.iter().any(|node| node.contains(&kept)), "{found:?}");
    let store = PgStore::open(&schema.address("")).unwrap();
    let found: Vec<String> = store.verify().unwrap().into_iter().map(|one| one.detail).collect();
    let missing = |name| format!("index {name} is not there, or not valid");
    let keyless = "table posting has no primary key".to_owned();
    assert_eq!(found, [missing("near_memories"), missing("near_turns"), keyless]);
}

#[test]
fn a_recall_of_memories_asks_the_server_four_times_and_one_with_quotes_eight_times() {
    let mut desk = Desk::new(4);
    desk.add_memories(600);
    desk.live_on(40);
    desk.add_turns(600);
    let schema = Schema::new(18);
    let file = desk.file();
    file.copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    for hold in ["", "&hold_max=0"] {
        let server = desk.server(&schema.address(hold));
        let most = most_round_trips(&mut desk, &server);
        // Of memories; of turns as well, all of them; and with a look at whether turns may be quoted.
        println!("{hold}: {most:?}");
        assert!(most[0] <= 4 && most[1] <= 5 && most[2] <= 8, "{hold}: {most:?}");
    }
}

fn most_round_trips(desk: &mut Desk, server: &Engine) -> [u64; 3] {
    let (mut most, mut asked) = ([0; 3], 0);
    // The second time: a new connection prepares its statements when they are used again, one round trip each.
    for question in [desk.questions(20), desk.questions(20)].concat() {
        let plain = Ask { episodes: true, ..Ask::new(&question, server.policy().recall) };
        let memories = Ask { episodes: false, ..plain.clone() };
        let all = Ask { ungated: true, ..plain.clone() };
        asked += 1;
        for (most, way) in most.iter_mut().zip([memories, all, plain]) {
            let before = server.checking().round_trips();
            ask(server, &desk.context, &way);
            let trips = server.checking().round_trips() - before;
            if asked > 20 {
                *most = trips.max(*most);
            }
        }
    }
    most
}

/// The nodes that a question finds, all of them.
fn found_by(engine: &Engine, context: &Context, question: &str) -> Vec<String> {
    let way = Ask { episodes: true, ungated: true, ..Ask::new(question, engine.policy().recall) };
    let found = ask(engine, context, &way);
    found.candidates.iter().map(|one| one.node.to_string()).collect()
}

#[test]
fn a_process_that_stays_recalls_what_others_wrote_and_archived_meanwhile() {
    let mut desk = Desk::new(5);
    desk.add_memories(60);
    desk.add_turns(600);
    let schema = Schema::new(18);
    desk.file().copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    let stays = desk.server(&schema.address(""));
    let other = desk.server(&schema.address("&hold_max=0"));
    for question in desk.questions(4) {
        ask(&stays, &desk.context, &Ask::new(&question, stays.policy().recall));
        found_by(&stays, &desk.context, &question);
    }
    let question = "who feeds the walrus of the queue?";
    let before = found_by(&stays, &desk.context, question);
    assert_eq!(before, found_by(&other, &desk.context, question));
    let said = NewMemory::new("Hugo feeds the walrus of the queue at noon");
    let kept = other.keeping(&desk.context).remember(&said).unwrap().card.memory.id;
    let after = found_by(&stays, &desk.context, question);
    assert_eq!(after, found_by(&other, &desk.context, question));
    assert!(after.iter().any(|node| node.contains(&kept.to_string())), "{after:?}");
    other.keeping(&desk.context).archive(&kept.to_string(), None).unwrap();
    let gone = found_by(&stays, &desk.context, question);
    assert_eq!(gone, found_by(&other, &desk.context, question));
    assert!(gone.iter().all(|node| !node.contains(&kept.to_string())), "{gone:?}");
}

#[test]
fn who_is_dismissed_recalls_nothing_of_what_their_process_held() {
    let mut desk = Desk::new(6);
    desk.add_memories(40);
    desk.add_turns(200);
    let schema = Schema::new(15);
    desk.file().copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    let role = format!("tl_{}", schema.name);
    let (name, space) = (&schema.name, desk.context.project.space().0);
    schema.run(&format!(
        "CREATE ROLE {role} LOGIN PASSWORD '{role}'; GRANT USAGE ON SCHEMA {name} TO {role};
         INSERT INTO {name}.member (space, role, standing) VALUES ({space}, '{role}', 'reader')"
    ));
    let (_, place) = schema.url.rsplit_once('@').unwrap();
    let reader = desk.server(&format!("postgresql://{role}:{role}@{place}?schema={name}"));
    for question in desk.questions(4) {
        assert!(!found_by(&reader, &desk.context, &question).is_empty(), "{question}");
    }
    schema.run(&format!("DELETE FROM {name}.member WHERE role = '{role}'"));
    for question in desk.questions(2) {
        assert_eq!(found_by(&reader, &desk.context, &question), [""; 0], "{question}");
    }
    drop(reader);
    schema.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

#[test]
fn what_was_held_is_read_anew_when_the_tables_are_others() {
    let mut desk = Desk::new(7);
    desk.add_memories(40);
    desk.add_turns(200);
    let schema = Schema::new(15);
    desk.file().copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    let server = desk.server(&schema.address(""));
    let file = desk.file();
    agree(&mut desk, &file, &server, 1);
    // Other memories in the same place, counted up to about the same number.
    schema.run(&format!("DROP SCHEMA {} CASCADE", schema.name));
    let mut other = Desk::new(8);
    other.context = desk.context.clone();
    other.memo = Arc::clone(&desk.memo);
    other.add_memories(40);
    other.add_turns(220);
    drop(PgStore::open(&schema.address("")).unwrap());
    other.file().copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    let file = other.file();
    agree(&mut other, &file, &server, 2);
}

/// Claims that bear on each other: said again, given another value, of things with several names, and in doubt.
const CLAIMS: [&str; 12] = [
    "The staging database runs on Postgres 14",
    "Hugo owns the GitHub Actions runners",
    "The staging database runs on Postgres 14",
    "The staging database runs on Postgres 16",
    "The API listens on port 8080",
    "The API no longer listens on port 8080 but on port 9090",
    "Anna prefers tabs over spaces",
    "hugo owns the github actions runners",
    "Deploys never happen on a Friday",
    "Deploys always happen on a Friday",
    "We moved the invoices from Redis to Postgres because Redis lost them twice",
    "Greta leads the team since May",
];

#[test]
fn a_server_decides_about_claims_as_a_file_does() {
    let desk = Desk::new(14);
    let schema = Schema::new(15);
    let (file, server) = (desk.file(), desk.server(&schema.address("")));
    let keep = |engine: &Engine, text: &str| {
        let new = NewMemory { tags: vec!["infra".to_owned()], ..NewMemory::new(text) };
        let kept = engine.keeping(&desk.context).remember(&new).unwrap();
        let said = |met: &[Memory]| -> Vec<String> {
            let mut said: Vec<String> = met.iter().map(|one| one.content.clone()).collect();
            said.sort();
            said
        };
        let Remembered { card, deduped, superseded, contested, met, left, .. } = kept;
        let counts = [superseded.len(), contested.len(), card.edges, card.evidence.len()];
        (card.memory.content, card.tags, deduped, counts, said(&met), said(&left))
    };
    for claim in CLAIMS {
        assert_eq!(keep(&server, claim), keep(&file, claim), "{claim}");
    }
}

#[test]
fn a_claim_is_remembered_with_few_round_trips() {
    let mut desk = Desk::new(15);
    desk.add_memories(60);
    let schema = Schema::new(18);
    desk.file().copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    let server = desk.server(&schema.address(""));
    let mut most = 0;
    for number in 0..40 {
        let said =
            format!("Worker {number} of the walrus queue listens on port {}", 7_000 + number);
        let before = server.checking().round_trips();
        server.keeping(&desk.context).remember(&NewMemory::new(&said)).unwrap();
        // The first ones prepare statements, and the server finds its index for them.
        if number >= 20 {
            most = most.max(server.checking().round_trips() - before);
        }
    }
    assert!(most <= 14, "{most}");
}
