//! The reader from outside: like the reference, lawful about ranges, calm about any text.

mod form;
mod golden;
mod hostile;
mod laws;
mod model;

use throughline_reader::{Piece, Speaker, TrainedReader};

fn reader() -> &'static TrainedReader {
    TrainedReader::builtin().expect("the weights in this program can be used")
}

fn read(turn: &str) -> Vec<Piece> {
    reader().read(Speaker::User, None, turn)
}

/// The words of each piece.
fn texts(turn: &str) -> Vec<&str> {
    read(turn).into_iter().map(|piece| &turn[piece.span]).collect()
}

/// All probabilities of a piece by their bits, where nearly is not enough.
fn bits(piece: &Piece) -> Vec<u32> {
    let shares = piece.roles.iter().chain(&piece.cautions).chain([&piece.lasting]);
    shares.map(|share| share.to_bits()).collect()
}
