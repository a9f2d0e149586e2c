//! The copy of a server's index that a home keeps: whoever has just started and has little time maps it and asks the
//! server what changed since. It tells nothing that the server would not tell.

use std::sync::Arc;
use std::time::{Duration, Instant};

use throughline_core::SessionId;
use throughline_core::event::{Event, Start, What};
use throughline_engine::{Engine, NewMemory};
use throughline_store::PgStore;

use super::desk::{Desk, Schema};
use super::{agree, found_by};

/// A memory that was copied to a server, by a process that stays: it holds the index, and leaves a copy in its home.
fn with_copy(seed: u64, version: usize) -> (Desk, Schema) {
    let mut desk = Desk::new(seed);
    desk.add_memories(500);
    desk.live_on(30);
    desk.add_turns(600);
    let schema = Schema::new(version);
    desk.file().copying().copy_to(&schema.address(""), &mut |_, _| ()).unwrap();
    leave_copy(&mut desk, &schema.address(""));
    (desk, schema)
}

fn leave_copy(desk: &mut Desk, address: &str) {
    let stays = desk.server(address);
    for question in desk.questions(4) {
        found_by(&stays, &desk.context, &question);
    }
    stays.vectors().catch_up(&desk.context).unwrap();
    assert_eq!(copies(desk, address), 4, "of memories and turns, of the project and everywhere");
}

/// How many copies the home for an address has.
fn copies(desk: &Desk, address: &str) -> usize {
    let folder = desk.folder.path().join(format!("home{}", address.len())).join("index");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter(|file| file.path().extension().is_some_and(|end| end == "idx")).count()
}

/// A process that has just started, and whose caller does not wait for long.
fn hook(desk: &Desk, address: &str) -> Engine {
    desk.server(address).in_time(Instant::now(), Duration::from_secs(60))
}

#[test]
fn a_kept_copy_is_searched_instead_of_the_server_and_follows_what_others_write() {
    let (mut desk, schema) = with_copy(9, 18);
    let address = schema.address("");
    let file = desk.file();
    let server = hook(&desk, &address);
    // Without the vectors of its search the server finds nothing itself.
    schema.run(&format!("ALTER TABLE {0}.near RENAME TO away", schema.name));
    agree(&mut desk, &file, &server, 2);
    schema.run(&format!("ALTER TABLE {0}.away RENAME TO near", schema.name));

    let other = desk.server(&schema.address("&hold_max=0"));
    let question = "who feeds the walrus of the queue?";
    let said = NewMemory::new("Hugo feeds the walrus of the queue at noon");
    let kept = other.keeping(&desk.context).remember(&said).unwrap().card.memory.id.to_string();
    let found = found_by(&hook(&desk, &address), &desk.context, question);
    assert_eq!(found, found_by(&other, &desk.context, question));
    assert!(found.iter().any(|node| node.contains(&kept)), "{found:?}");
    other.keeping(&desk.context).archive(&kept, None).unwrap();
    let found = found_by(&hook(&desk, &address), &desk.context, question);
    assert_eq!(found, found_by(&other, &desk.context, question));
    assert!(found.iter().all(|node| !node.contains(&kept)), "{found:?}");
}

#[test]
fn what_somebody_else_erased_is_not_found_by_a_kept_copy_which_goes_with_the_next_session() {
    let (mut desk, schema) = with_copy(10, 15);
    let address = schema.address("");
    let question = "who was blamed for the outage of the rate limiter?";
    let found = found_by(&hook(&desk, &address), &desk.context, question);
    let erased = found.iter().find_map(|node| node.strip_prefix("m:")).unwrap().to_owned();
    let other = desk.server(&schema.address("&hold_max=0"));
    other.erasing().purge(&desk.context, std::slice::from_ref(&erased), false).unwrap();
    let server = hook(&desk, &address);
    let found = found_by(&server, &desk.context, question);
    assert!(found.iter().all(|node| !node.contains(&erased)), "{found:?}");
    assert_eq!(found, found_by(&other, &desk.context, question));

    assert_eq!(copies(&desk, &address), 4);
    let what = What::Started(Start::Startup);
    let session = SessionId("next".to_owned());
    let event = Event { session, folder: None, transcript: None, helper: None, what };
    let server = desk.server(&address);
    let reply = server.listening(&desk.context).listen(&event).unwrap();
    server.listening(&desk.context).rest(&event, &reply).unwrap();
    assert_eq!(copies(&desk, &address), 0);

    // Where no session starts, whoever answers by tools looks for it.
    leave_copy(&mut desk, &address);
    let erased = found.iter().find_map(|node| node.strip_prefix("m:")).unwrap().to_owned();
    other.erasing().purge(&desk.context, &[erased], false).unwrap();
    server.vectors().catch_up(&desk.context).unwrap();
    assert_eq!(copies(&desk, &address), 0);
}

#[test]
fn who_is_dismissed_finds_nothing_by_what_their_home_kept_and_it_is_removed() {
    let (mut desk, schema) = with_copy(11, 15);
    let role = format!("tl_{}", schema.name);
    let (name, space) = (&schema.name, desk.context.project.space().0);
    schema.run(&format!(
        "CREATE ROLE {role} LOGIN PASSWORD '{role}'; GRANT USAGE ON SCHEMA {name} TO {role};
         INSERT INTO {name}.member (space, role, standing) VALUES ({space}, '{role}', 'reader')"
    ));
    let (_, place) = schema.url.rsplit_once('@').unwrap();
    let address = format!("postgresql://{role}:{role}@{place}?schema={name}");
    leave_copy(&mut desk, &address);
    let questions = desk.questions(2);
    assert!(!found_by(&hook(&desk, &address), &desk.context, &questions[0]).is_empty());
    schema.run(&format!("DELETE FROM {name}.member WHERE role = '{role}'"));
    for question in questions {
        let found = found_by(&hook(&desk, &address), &desk.context, &question);
        assert_eq!(found, [""; 0], "{question}");
        assert_eq!(copies(&desk, &address), 0);
    }
    schema.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

#[test]
fn a_kept_copy_of_other_tables_is_removed_and_the_server_is_searched() {
    let (desk, schema) = with_copy(12, 18);
    let address = schema.address("");
    schema.run(&format!("DROP SCHEMA {} CASCADE", schema.name));
    let mut other = Desk::new(13);
    other.context = desk.context.clone();
    other.memo = Arc::clone(&desk.memo);
    other.add_memories(500);
    other.add_turns(620);
    drop(PgStore::open(&address).unwrap());
    other.file().copying().copy_to(&address, &mut |_, _| ()).unwrap();
    let server = hook(&desk, &address);
    let file = other.file();
    agree(&mut other, &file, &server, 1);
    assert_eq!(copies(&desk, &address), 0);
}
