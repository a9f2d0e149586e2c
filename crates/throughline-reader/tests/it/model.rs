//! The weights are the ones that were measured, and broken ones are refused in plain words.

use sha2::{Digest, Sha256};
use throughline_reader::{TrainedReader, Unusable, WEIGHTS_SHA256};

static FILE: &[u8] = include_bytes!("../../model/reader-int8.bin");

/// Bytes in the header, and where in it the size of a state stands.
const HEADER_BYTES: usize = 64;
const DIMENSIONS_AT: usize = 16;

fn refused(file: Vec<u8>) -> Option<Unusable> {
    TrainedReader::from_file(file.leak()).err()
}

/// The header and the table of sections, without the weights.
fn head() -> Vec<u8> {
    FILE[..HEADER_BYTES + 16 * 55].to_vec()
}

#[test]
fn the_weights_are_the_pinned_ones() {
    let digest: String = Sha256::digest(FILE).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, WEIGHTS_SHA256);
}

#[test]
fn no_weights_and_foreign_ones_are_refused() {
    assert_eq!(refused(Vec::new()), Some(Unusable::Empty));
    assert_eq!(refused(b"version https://git-lfs".to_vec()), Some(Unusable::Foreign));
    assert_eq!(refused(b"TLEMBED1".to_vec()), Some(Unusable::Foreign));
    assert_eq!(refused(b"TLREAD0".to_vec()), Some(Unusable::Foreign));
}

#[test]
fn weights_of_another_shape_are_refused() {
    let mut smaller = head();
    smaller[DIMENSIONS_AT] ^= 1;
    assert_eq!(refused(smaller), Some(Unusable::OtherShape));

    // The first section is as long as the second one should be.
    let mut mixed = FILE.to_vec();
    mixed.copy_within(HEADER_BYTES + 16..HEADER_BYTES + 32, HEADER_BYTES);
    assert_eq!(refused(mixed), Some(Unusable::OtherShape));

    // The heads are one number short.
    let mut short = FILE.to_vec();
    short[HEADER_BYTES + 16 * 54 + 8] -= 4;
    assert_eq!(refused(short), Some(Unusable::OtherShape));
}

#[test]
fn weights_that_end_too_early_are_refused_wherever_they_end() {
    for bytes in [8, 60, HEADER_BYTES, HEADER_BYTES + 16, head().len(), 1 << 20, FILE.len() - 1] {
        assert_eq!(refused(FILE[..bytes].to_vec()), Some(Unusable::CutShort), "{bytes} bytes");
    }
    let mut beyond = head();
    beyond[HEADER_BYTES..HEADER_BYTES + 16].fill(0xff);
    assert_eq!(refused(beyond), Some(Unusable::CutShort));
}

#[test]
fn a_refusal_says_what_is_wrong() {
    assert_eq!(Unusable::Empty.to_string(), "the file of weights is empty");
    assert_eq!(Unusable::CutShort.to_string(), "the file of weights ends too early");
}
