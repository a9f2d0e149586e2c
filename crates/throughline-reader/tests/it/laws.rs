//! Laws of pieces: for any text, on every kernel.

use proptest::prelude::*;
use throughline_reader::{Kernel, Piece, Speaker};

use crate::{bits, reader};

/// The first law of pieces that is broken, if any.
pub(crate) fn check(turn: &str, pieces: &[Piece]) -> Result<(), TestCaseError> {
    let mut at = 0;
    for piece in pieces {
        let range = piece.span.clone();
        prop_assert!(at <= range.start && range.start < range.end, "{range:?} after {at}");
        prop_assert!(
            turn[at..range.start].trim().is_empty(),
            "words before {range:?} are left out"
        );
        let text = &turn[range.clone()];
        prop_assert_eq!(text.trim(), text);
        at = range.end;
        for shares in [&piece.roles[..], &piece.cautions[..]] {
            let total: f32 = shares.iter().sum();
            prop_assert!((total - 1.0).abs() < 1e-3, "shares add up to {total}");
        }
        prop_assert!((0.0..=1.0).contains(&piece.lasting));
    }
    Ok(())
}

/// Texts with what matters to form: blank lines, fences, odd spaces, accents, invisible marks.
fn turns(parts_max: usize) -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-zA-Z]{1,9}[.,!?]? ",
        1 => Just("\n".to_owned()),
        1 => Just("\n\n".to_owned()),
        1 => Just("\n```\n".to_owned()),
        1 => Just("\n```rust\nlet a = b;\n```\n".to_owned()),
        1 => Just("src/a_b.rs:12 `x` ".to_owned()),
        1 => "[ \\t\\u{a0}\\u{200b}\\u{c}é雲한🙂\\u{301}]{1,3}",
        1 => any::<String>(),
    ];
    proptest::collection::vec(part, 0..=parts_max).prop_map(|parts| parts.concat())
}

fn speakers() -> impl Strategy<Value = Speaker> {
    proptest::sample::select(Speaker::ALL)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pieces_are_in_order_and_leave_out_white_space_only(
        turn in turns(40), speaker in speakers(), before in proptest::option::of(turns(40)),
    ) {
        let pieces = reader().read(speaker, before.as_deref(), &turn);
        check(&turn, &pieces)?;
        // So short a turn is read whole, unless there is nothing in it to read.
        if let Some(last) = pieces.last() {
            prop_assert!(turn[last.span.end..].trim().is_empty());
        }
    }

    #[test]
    fn reading_again_gives_the_same_bits(turn in turns(40), speaker in speakers()) {
        let [first, again] = [(); 2].map(|()| reader().read(speaker, None, &turn));
        prop_assert_eq!(&first, &again);
        let [first, again] = [first, again].map(|all| all.iter().map(bits).collect::<Vec<_>>());
        prop_assert_eq!(first, again);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn every_kernel_gives_the_bits_of_the_portable_one(turn in turns(10), held in turns(5)) {
        let on = |kernel| reader().with_kernel(kernel).expect("only available kernels are asked for");
        let portable = on(Kernel::Portable);
        let pieces = portable.read(Speaker::User, None, &turn);
        let relations = portable.relate(&held, None, &turn).shares.map(f32::to_bits);
        for kernel in Kernel::available() {
            let found = on(kernel).read(Speaker::User, None, &turn);
            prop_assert_eq!(&found, &pieces, "{}", kernel);
            let found: Vec<_> = found.iter().map(bits).collect();
            prop_assert_eq!(found, pieces.iter().map(bits).collect::<Vec<_>>(), "{}", kernel);
            let found = on(kernel).relate(&held, None, &turn).shares.map(f32::to_bits);
            prop_assert_eq!(found, relations, "{}", kernel);
        }
    }
}
