//! Erasure to the last byte: no file of the folder holds a word of what was erased.

use std::path::Path;
use std::time::Duration;

use throughline_core::Change;
use throughline_core::words;
use throughline_store::{Erasure, Store, Vector};
use throughline_testing::sample::{HERE, batch, day, evidence, fact, memory_id, node, revise};

use crate::home::{Home, erase, tell};

/// The files of a folder that hold these bytes.
fn holding(folder: &Path, needle: &[u8]) -> Vec<String> {
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder).expect("the folder") {
        let path = file.expect("a file").path();
        let bytes = std::fs::read(&path).expect("the file");
        if bytes.windows(needle.len()).any(|window| window == needle) {
            files.push(path.file_name().expect("a name").to_string_lossy().into_owned());
        }
    }
    files
}

const SECRET: &str = "xylophone quetzalcoatl marzipan";

#[test]
fn no_file_holds_a_word_of_what_was_erased() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &[SECRET, "stays"]);
    let later = vec![
        Change::Reinforce(evidence(HERE, 1, "she said xylophone")),
        revise(&fact(HERE, 1, "marzipan, quetzalcoatl, xylophone")),
    ];
    store.apply(&batch(9, HERE, day(2), later)).expect("the batch is accepted");
    let values = vec![0.123_456_f32; 8];
    let vector: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let packed = vec![0xa7; 64];
    let kept = Vector { node: node(1), seq: 1, packed: packed.clone(), values };
    store.put_vectors(HERE, "small", &[kept]).expect("vectors are kept");

    let mut needles: Vec<Vec<u8>> = words::terms(SECRET).into_iter().map(Vec::from).collect();
    needles.extend(SECRET.split(' ').map(Vec::from));
    // A document holds the id as it is; elsewhere it stands as text, which a tombstone keeps.
    needles.extend([vector, packed, memory_id(1).0.as_bytes().to_vec()]);
    for needle in &needles {
        assert_ne!(holding(home.folder(), needle), [""; 0], "not there to be erased");
    }
    erase(&store, 1, "marzipan, quetzalcoatl, xylophone");
    assert_eq!(store.finish_erasure().expect("erasure"), Erasure::Done);
    for needle in &needles {
        let word = String::from_utf8_lossy(needle);
        assert_eq!(holding(home.folder(), needle), [""; 0], "{word} is still there");
    }
    assert_ne!(holding(home.folder(), b"stays"), [""; 0]);
}

#[test]
fn a_word_erased_from_the_middle_of_a_large_file_is_gone() {
    let texts: Vec<String> = (1..=150)
        .map(|n| format!("zyx{n}qwv {} end{n}", "filler words here ".repeat(n % 40)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let home = Home::new();
    let store = home.store();
    tell(&store, &texts);
    let erased = [1, 37, 38, 39, 75, 111, 150];
    for number in erased {
        erase(&store, number, texts[usize::try_from(number).expect("small") - 1]);
    }
    assert_eq!(store.finish_erasure().expect("erasure"), Erasure::Done);
    for number in 1..=150 {
        let word = format!("zyx{number}qwv");
        let gone = holding(home.folder(), word.as_bytes()).is_empty();
        assert_eq!(gone, erased.contains(&number), "{word}");
    }
    assert_eq!(store.verify().expect("verify runs"), []);
}

#[test]
fn somebody_reading_an_older_state_delays_erasure_and_is_reported() {
    let home = Home::new();
    let store = home.store();
    tell(&store, &[SECRET]);
    let other = home.foreign_connection();
    other.busy_timeout(Duration::ZERO).expect("no waiting");
    other.execute_batch("BEGIN; SELECT count(*) FROM memory;").expect("the other reads");
    let stone = erase(&store, 1, SECRET);
    assert_eq!(store.erasure_due().expect("what is due"), [stone]);
    assert_eq!(store.finish_erasure().expect("erasure"), Erasure::Pending);
    assert_eq!(store.erasure_due().expect("what is due"), [], "only the reader is waited for");
    assert_ne!(holding(home.folder(), b"xylophone"), [""; 0], "the other may still read it");

    other.execute_batch("COMMIT").expect("the other is done");
    assert_eq!(store.finish_erasure().expect("erasure"), Erasure::Done);
    assert_eq!(holding(home.folder(), b"xylophone"), [""; 0]);
}
