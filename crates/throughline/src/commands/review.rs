//! `review`: what waits for a person's word, and the word.

mod one_by_one;

use std::fmt::Write as _;
use std::process::ExitCode;

use throughline_core::patch::Amendment;
use throughline_core::{MemoryId, text};
use throughline_engine::{
    Card, Context, Engine, Error, Graduation, Keep, Later, Review, Stuck, Undecided,
};
use throughline_view::{WireDecided, WireReview};

use super::truth;
use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, GOOD, ID, Ui, paint, safe};
use crate::view;

/// Characters of an operation shown to a person.
const OPERATION_CHARS: usize = 240;

/// What was decided, and how it is told.
struct Decided {
    wire: WireDecided,
    in_words: String,
}

pub(super) fn review(
    args: &args::Review,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    if args.one_by_one {
        return one_by_one::go_through(&engine, &context, ui);
    }
    let decided = decide(args, &engine, &context)?;
    engine.recalling(&context).settle_recalls().ok();
    engine.reviewing(&context).refresh_graduations()?;
    let review = engine.reviewing(&context).review()?;
    let (wire, told) = decided.map(|one| (one.wire, one.in_words)).unzip();
    ui.answer(&WireReview::new(&review, wire), || match told {
        Some(told) => format!("{told}\n{}", paint(DIM, what_is_left(&review))),
        None => page(&review),
    })
}

/// Carries out the decision that was given, if any.
fn decide(
    args: &args::Review,
    engine: &Engine,
    context: &Context,
) -> anyhow::Result<Option<Decided>> {
    if let Some(decided) = about_gap(args, engine, context)? {
        return Ok(Some(decided));
    }
    if let Some(handle) = &args.reject {
        let pending = engine.reviewing(context).reject_pending(handle, args.reason.as_deref())?;
        let wire = WireDecided { ids: vec![pending.id.to_string()], ruling: "rejected" };
        let in_words = format!("{} {}", paint(GOOD, "Rejected"), paint(ID, pending.id.handle()));
        return Ok(Some(Decided { wire, in_words }));
    }
    if let Some(handle) = &args.accept
        && engine.reviewing(context).is_graduation(handle)?
    {
        let done = engine.reviewing(context).accept_graduation(handle)?;
        let ids = vec![done.card.memory.id.to_string()];
        let told = format!("{} is changed", safe(&done.file));
        let in_words = format!("{}\n{}", paint(GOOD, told), safe(&done.diff));
        return Ok(Some(Decided { wire: WireDecided { ids, ruling: "accepted" }, in_words }));
    }
    if let Some(handle) = &args.accept {
        let by = Amendment { text: args.text.as_deref(), memory: args.about.as_deref() };
        let applied = engine.keeping(context).accept_pending(handle, by)?;
        let ids: Vec<MemoryId> =
            applied.memories.iter().chain(&applied.reinforced).copied().collect();
        let cards = engine.looking(context).cards_of(&ids)?;
        let cards: Vec<String> = cards.iter().map(view::brief).collect();
        let replaced = engine.looking(context).cards_of(&applied.superseded)?;
        let replaced = replaced
            .iter()
            .map(|card| format!("{}  {}", view::handle(&card.memory), safe(&card.memory.content)));
        let replaced = replaced.map(|line| format!("no longer holds: {line}"));
        let lines: Vec<String> =
            std::iter::once(paint(GOOD, "Applied")).chain(cards).chain(replaced).collect();
        let in_words = lines.join("\n");
        let ids = ids.iter().map(ToString::to_string).collect();
        return Ok(Some(Decided { wire: WireDecided { ids, ruling: "accepted" }, in_words }));
    }
    for (handle, keep, ruling, done) in [
        (&args.keep_a, Keep::A, "keep_a", "Now current"),
        (&args.keep_b, Keep::B, "keep_b", "Now current"),
        (&args.both, Keep::Both, "both", "Both kept"),
    ] {
        if let Some(handle) = handle {
            let kept = engine.reviewing(context).resolve_contest(handle, keep)?;
            let ids = kept.iter().map(|card| card.memory.id.to_string()).collect();
            let cards: Vec<String> = kept.iter().map(view::brief).collect();
            let in_words = format!("{}\n{}", paint(GOOD, done), cards.join("\n"));
            return Ok(Some(Decided { wire: WireDecided { ids, ruling }, in_words }));
        }
    }
    if let (Some(handle), Some(text)) = (&args.merge, &args.text) {
        let card = engine.reviewing(context).merge_contest(handle, text)?;
        let in_words = format!("{}\n{}", paint(GOOD, "Replaces both"), view::brief(&card));
        let ids = vec![card.memory.id.to_string()];
        return Ok(Some(Decided { wire: WireDecided { ids, ruling: "merge" }, in_words }));
    }
    if let Some(handle) = &args.later {
        let cards = engine.reviewing(context).postpone_contest(handle)?;
        let ids = cards.iter().map(|card| card.memory.id.to_string()).collect();
        let in_words = paint(GOOD, "Postponed");
        return Ok(Some(Decided { wire: WireDecided { ids, ruling: "later" }, in_words }));
    }
    Ok(None)
}

/// A decision about a question that nobody could answer.
fn about_gap(
    args: &args::Review,
    engine: &Engine,
    context: &Context,
) -> anyhow::Result<Option<Decided>> {
    let reviewing = engine.reviewing(context);
    let means_gap = |handle: &&String| reviewing.is_gap(handle);
    if let Some(handle) = args.reject.as_ref().filter(means_gap) {
        let card = reviewing.dismiss_gap(handle, args.reason.as_deref())?;
        let ids = vec![card.memory.id.to_string()];
        let in_words = format!("{} {}", paint(GOOD, "Left open"), view::handle(&card.memory));
        return Ok(Some(Decided { wire: WireDecided { ids, ruling: "rejected" }, in_words }));
    }
    if let Some(handle) = args.accept.as_ref().filter(means_gap) {
        let Some(text) = &args.text else {
            return Err(Error::Needs {
                why: "this is a question without an answer".to_owned(),
                hint: format!("give the answer: review --accept {handle} --text \"…\""),
            }
            .into());
        };
        let card = reviewing.answer_gap(handle, text)?;
        let ids = vec![card.memory.id.to_string()];
        let in_words = format!("{}\n{}", paint(GOOD, "Answered"), view::brief(&card));
        return Ok(Some(Decided { wire: WireDecided { ids, ruling: "answered" }, in_words }));
    }
    Ok(None)
}

fn page(review: &Review) -> String {
    if review.is_empty() {
        return paint(DIM, "nothing waits for your decision");
    }
    let mut page = String::new();
    section(&mut page, "Not applied", review.pending.iter().map(in_lines));
    section(&mut page, "To check", review.to_check.iter().map(truth::in_lines));
    section(&mut page, "Contested", review.contested.iter().map(|(a, b)| side_by_side(a, b)));
    section(&mut page, "Questioned", review.questioned.iter().map(questioned));
    section(&mut page, "For a file", review.graduation.iter().map(proposed));
    section(&mut page, "Asked about, not known", review.gaps.iter().map(gap_in_lines));
    section(&mut page, "Not confirmed for long", review.reconfirm.iter().map(truth::to_reconfirm));
    page
}

fn section(page: &mut String, title: &str, entries: impl ExactSizeIterator<Item = String>) {
    if entries.len() == 0 {
        return;
    }
    let gap = if page.is_empty() { "" } else { "\n" };
    writeln!(page, "{gap}{} ({})", paint(BOLD, title), entries.len())
        .expect("writing to a String cannot fail");
    for entry in entries {
        writeln!(page, "{entry}").expect("writing to a String cannot fail");
    }
}

/// A line for a file, with the difference that accepting it makes.
fn proposed(one: &Graduation) -> String {
    let handle = one.id.handle();
    let diff = match &one.stuck {
        Some(stuck) => paint(DIM, safe(stuck)),
        None if one.diff.is_empty() => {
            paint(DIM, "the file is so already; accepting it notes that")
        }
        None => safe(one.diff.trim_end()).replace('\n', "\n          "),
    };
    let ways = match &one.stuck {
        Some(_) => format!("review --reject {handle}"),
        None => format!("review --accept {handle} (writes it), or --reject {handle}"),
    };
    let why = if one.worded {
        format!("{}; a model worded the line", safe(&one.why))
    } else {
        safe(&one.why)
    };
    format!(
        "{}  {}\n          {}\n          {diff}\n          {}",
        paint(ID, &handle),
        text::headline(&safe(&one.card.memory.content), OPERATION_CHARS),
        paint(DIM, why),
        paint(DIM, ways)
    )
}

fn in_lines(waiting: &Undecided) -> String {
    let pending = &waiting.pending;
    let handle = pending.id.handle();
    let mut notes = vec![pending.at.date(), pending.authority.to_string()];
    let why = safe(&pending.why).replace('\n', " ");
    notes.push(match &waiting.stuck {
        Some(stuck) if stuck.why != pending.why => format!("{why}; {}", safe(&stuck.why)),
        _ => why,
    });
    format!(
        "{}  {}\n          {}\n          {}",
        paint(ID, &handle),
        text::headline(&safe(&waiting.says), OPERATION_CHARS),
        paint(DIM, notes.join(" · ")),
        paint(DIM, ways_out(&handle, waiting.stuck.as_ref()))
    )
}

/// A question without an answer, and what can be done about it.
fn gap_in_lines(card: &Card) -> String {
    let handle = card.memory.id.handle();
    let ways = format!("review --accept {handle} --text \"…\" (the answer), or --reject {handle}");
    format!("{}\n          {}", view::brief(card), paint(DIM, ways))
}

/// How it can be decided: only what would work.
fn ways_out(handle: &str, stuck: Option<&Stuck>) -> String {
    let accept = match stuck {
        None => format!("review --accept {handle}"),
        Some(Stuck { needs_memory: true, .. }) => {
            format!("review --accept {handle} --for MEMORY (which one is meant)")
        }
        Some(_) => format!("review --accept {handle} --text \"…\" (in your words)"),
    };
    format!("{accept}, or --reject {handle}")
}

fn side_by_side(a: &Card, b: &Card) -> String {
    let pair = format!("{}/{}", a.memory.id.handle(), b.memory.id.handle());
    let way_out = format!(
        "review --keep-a {pair} · --keep-b {pair} · --both {pair} · --merge {pair} --text … · \
         --later {pair}"
    );
    let named = |name: &str, card: &Card| {
        let by = card.said_by().join(", ");
        let by = if by.is_empty() { by } else { format!("{} ", paint(BOLD, safe(&by))) };
        format!("{name} {by}{}", view::brief(card).replace('\n', "\n  "))
    };
    format!("{}\n{}\n            {}", named("a", a), named("b", b), paint(DIM, way_out))
}

/// A memory and what was said later, one below the other.
fn questioned(card: &Card) -> String {
    let handle = card.memory.id.handle();
    let ways =
        format!("review --keep-a {handle} (it stands) · --keep-b {handle} (the later words do)");
    let both = format!("a {}\nb {}", view::brief(card).replace('\n', "\n  "), later_words(card));
    format!("{both}\n            {}", paint(DIM, ways))
}

fn later_words(card: &Card) -> String {
    let told = |later: &Later| format!("later said, {}: “{}”", later.at.date(), safe(&later.words));
    card.later.as_ref().map(told).unwrap_or_default()
}

fn what_is_left(review: &Review) -> String {
    let undecided = review.contested.len() + review.questioned.len();
    match review.pending.len() + undecided + review.graduation.len() {
        0 => "nothing else waits for your decision".to_owned(),
        left => format!("{left} more to decide: `review` shows them"),
    }
}
