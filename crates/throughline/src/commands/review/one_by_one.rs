//! `review --one-by-one`: two words side by side, and one key.

use std::process::ExitCode;

use throughline_engine::{Card, Context, Engine, Keep};
use throughline_view::{WireDecided, WireReview};

use super::later_words;
use crate::ui::{DIM, GOOD, Ui, paint};
use crate::view;

/// The older words, what stands against them, and the handle that names both.
struct OpenQuestion {
    handle: String,
    a: String,
    b: String,
}

impl OpenQuestion {
    fn of_pair(a: &Card, b: &Card) -> Self {
        let handle = format!("{}/{}", a.memory.id.handle(), b.memory.id.handle());
        Self { handle, a: view::brief(a), b: view::brief(b) }
    }

    fn of_later(card: &Card) -> Self {
        let handle = card.memory.id.handle();
        Self { handle, a: view::brief(card), b: later_words(card) }
    }

    fn in_words(&self) -> String {
        let below = |words: &str| words.replace('\n', "\n  ");
        let keys =
            "[a] the older stands  [b] the later holds  [2] both stand  [Enter] later  [q] stop";
        format!("a {}\nb {}\n{}", below(&self.a), below(&self.b), paint(DIM, keys))
    }
}

/// What a key means; `None` leaves the question open.
fn ruling_of_key(key: &str) -> Option<(Keep, &'static str, &'static str)> {
    match key {
        "a" => Some((Keep::A, "keep_a", "the older stands")),
        "b" => Some((Keep::B, "keep_b", "the later holds")),
        "2" => Some((Keep::Both, "both", "both stand")),
        _ => None,
    }
}

/// Asks about each, until there are none or nobody answers any more.
pub(super) fn go_through(
    engine: &Engine,
    context: &Context,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let review = engine.reviewing(context).review()?;
    let pairs = review.contested.iter().map(|(a, b)| OpenQuestion::of_pair(a, b));
    let questions = pairs.chain(review.questioned.iter().map(OpenQuestion::of_later));
    let mut decided = 0;
    let mut last = None;
    for question in questions {
        let Some(key) = ui.ask_key(&question.in_words())? else { break };
        if key == "q" {
            break;
        }
        let Some((keep, ruling, told)) = ruling_of_key(&key) else { continue };
        let kept = engine.reviewing(context).resolve_contest(&question.handle, keep)?;
        let ids = kept.iter().map(|card| card.memory.id.to_string()).collect();
        ui.tell_aside(&paint(GOOD, told))?;
        decided += 1;
        last = Some(WireDecided { ids, ruling });
    }
    let left = engine.reviewing(context).review()?;
    ui.answer(&WireReview::new(&left, last), || {
        let open = left.contested.len() + left.questioned.len();
        paint(DIM, format!("{decided} decided, {open} left"))
    })
}
