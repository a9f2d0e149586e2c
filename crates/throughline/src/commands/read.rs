//! `read`: the X-ray of reading. What would be kept of a text, what it would change, and why.

use std::fmt::Write as _;
use std::process::ExitCode;

use throughline_core::reading::{Bearing, Effect, Judged, Piece, Role};
use throughline_core::text;
use throughline_engine::{Comes, Meets, ReadAside};
use throughline_language::probe::share;
use throughline_view::{WireRead, is_beside, is_stated, why_not};

use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, GOOD, Ui, WARN, paint, safe};
use crate::view;

/// Memories that are left alone and shown to people; JSON has them all.
const LEFT_ALONE_SHOWN: usize = 2;
/// From this share on, what is likeliest is told without the next best.
const CLEAR_FROM: f32 = 0.8;

pub(super) fn read(
    args: &args::Read,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let text = super::text_or_stdin(&args.text)?;
    let read = engine.capturing(&context).read_aside(args.before.as_deref(), &text)?;
    ui.answer(&WireRead::from(&read), || page(&read))
}

fn page(read: &ReadAside) -> String {
    let mut page = LabelledLines(String::new());
    if let Some(why) = &read.unusable {
        let told = format!("{why}: only forms are understood; `throughline doctor` says more");
        page.0.push_str(&format!("{}\n", paint(WARN, told)));
    }
    if read.erased {
        page.0.push_str("this was erased before, so it is not kept again\n");
    }
    if read.only_asks && !read.erased {
        page.0.push_str("only a question, so it is not read in pieces\n");
    }
    if !read.english && !read.erased {
        page.0.push_str(
            "not in English: nothing is kept automatically; the agent is asked to keep what matters\n",
        );
    }
    for one in &read.pieces {
        let words = text::headline(&read.text[one.piece.span.clone()], 300);
        page.0.push_str(&format!("{}\n", paint(BOLD, format!("“{}”", safe(&words)))));
        page.line("read as", DIM, &judgement(&one.piece));
        if one.changes.is_some() {
            page.line("taken as", DIM, "a change: it gives something known another value");
        }
        if let Some(why) = why_not(one) {
            let label = if is_beside(one) { "goes" } else { "not kept" };
            page.line(label, DIM, &why);
        }
        one.comes.iter().for_each(|comes| page.comes(comes));
        page.meets(&one.meets);
    }
    if read.unusable.is_none() && !read.comes.is_empty() {
        page.0.push_str(&format!("{}\n", paint(BOLD, "besides")));
    }
    read.comes.iter().for_each(|comes| page.comes(comes));
    let mut notes = vec!["nothing was written".to_owned()];
    if read.redacted > 0 {
        notes.push(format!("{} taken out first", text::plural(read.redacted, "secret")));
    }
    if read.unread > 0 {
        notes.push(format!("the last {} are not read", text::plural(read.unread, "byte")));
    }
    write!(page.0, "{}", paint(DIM, notes.join("; "))).expect("writing to a String cannot fail");
    page.0
}

/// What the reader makes of a piece, on one line.
fn judgement(piece: &Piece) -> String {
    let role = piece.role();
    let mut told = format!("{} {}", role.in_words(), share(piece.share(role)));
    let others = Role::ALL.iter().copied().filter(|other| *other != role);
    let next = others.max_by(|a, b| piece.share(*a).total_cmp(&piece.share(*b)));
    if let Some(next) = next.filter(|_| piece.share(role) < CLEAR_FROM) {
        told.push_str(&format!(" or {} {}", next.in_words(), share(piece.share(next))));
    }
    let caution = piece.caution();
    let against = share(piece.cautions[caution as usize]);
    format!("{told} · lasting {} · {} {against}", share(piece.lasting), caution.in_words())
}

/// Lines with a label each.
struct LabelledLines(String);

impl LabelledLines {
    fn line(&mut self, label: &str, style: anstyle::Style, value: &str) {
        writeln!(self.0, "{}  {value}", paint(style, format!("{label:>16}")))
            .expect("writing to a String cannot fail");
    }

    fn comes(&mut self, comes: &Comes) {
        let known = comes.meets.iter().any(|one| one.effect == Effect::Same);
        if let Some(kept) = &comes.kept {
            let how = if is_stated(kept) { "as stated" } else { "on probation" };
            let words = safe(&kept.content);
            self.line("kept", GOOD, &format!("{how}: {} “{words}”", kept.kind));
        } else if comes.overtaken {
            self.line("passed over", DIM, "the text says something else about it later");
        } else if comes.waits.is_none() && known {
            self.line("known", GOOD, "known already; this becomes further evidence");
        } else {
            self.line("would", DIM, &safe(&comes.operation.in_words()));
            if comes.waits.is_none() && comes.meets.iter().all(|one| one.effect == Effect::Leaves) {
                self.line("but", DIM, "no memory is clearly meant");
            }
        }
        for reason in &comes.reasons {
            self.line("because", DIM, &format!("{} “{}”", reason.kind, safe(&reason.content)));
        }
        for left in &comes.stays {
            self.line("stays", GOOD, &format!("{} “{}”", left.kind, safe(&left.content)));
        }
        if let Some(why) = &comes.waits {
            self.line("waits", WARN, &format!("for your decision in `review`: {}", safe(why)));
        }
        self.meets(&comes.meets);
    }

    fn meets(&mut self, meets: &[Meets]) {
        let (mut left, met): (Vec<&Meets>, Vec<&Meets>) =
            meets.iter().partition(|one| one.effect == Effect::Leaves);
        // What is about something else says nothing to whoever reads this.
        left.retain(|one| one.judged.is_none_or(|judged| judged.likeliest() != Bearing::Other));
        for one in met.into_iter().chain(left.into_iter().take(LEFT_ALONE_SHOWN)) {
            let style = match one.effect {
                Effect::Replaces | Effect::Withdraws | Effect::Questions | Effect::Outranks => WARN,
                Effect::Same | Effect::Adds | Effect::Beside | Effect::Leaves => DIM,
            };
            let read = one.judged.as_ref().map(bearings);
            let why = match read {
                Some(read) if one.by_reader => read,
                Some(read) => format!("by its wording or its history; read as {read}"),
                None => "by its wording or its history".to_owned(),
            };
            let words = text::headline(&safe(&one.held.content), 90);
            let told =
                format!("{} {words} {}", view::handle(&one.held), paint(DIM, format!("({why})")));
            self.line(one.effect.in_words(), style, &told);
        }
    }
}

/// How the reader thinks that words bear on a memory; where that is not clear, with the next best.
fn bearings(judged: &Judged) -> String {
    let likeliest = judged.likeliest();
    let told = |one: Bearing| format!("{} {}", bearing(one), share(judged.share(one)));
    let others = Bearing::ALL.iter().copied().filter(|other| *other != likeliest);
    let next = others.max_by(|a, b| judged.share(*a).total_cmp(&judged.share(*b)));
    match next.filter(|_| judged.share(likeliest) < CLEAR_FROM) {
        Some(next) => format!("{} or {}", told(likeliest), told(next)),
        None => told(likeliest),
    }
}

fn bearing(bearing: Bearing) -> &'static str {
    match bearing {
        Bearing::Replaces => "another value",
        Bearing::Withdraws => "no longer holds",
        Bearing::Same => "the same",
        Bearing::Refines => "adds to it",
        Bearing::Other => "something else",
        Bearing::Unclear => "unclear",
    }
}
