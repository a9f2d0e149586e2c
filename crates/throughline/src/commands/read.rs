//! `read`: the X-ray of reading. What would be kept of a text, what it would change, and why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;
use throughline_core::reading::{Bearing, Caution, Effect, Judged, Piece, Role};
use throughline_core::{Memory, State, text};
use throughline_engine::{Comes, Meets, ReadAside, ReadPiece};
use throughline_language::probe::{PieceFate, share};

use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, GOOD, Ui, WARN, paint, safe};
use crate::view::{self, rounded};

/// Memories that are left alone and shown to people; JSON has them all.
const LEFT_ALONE_SHOWN: usize = 2;
/// From this share on, what is likeliest is told without the next best.
const CLEAR_FROM: f32 = 0.8;

/// What would come of a text, as callers see it.
#[derive(Debug, Serialize)]
struct WireRead<'a> {
    text: &'a str,
    before: Option<&'a str>,
    redacted: usize,
    unread_bytes: usize,
    /// Whether the reader's weights can be used, and why not.
    usable: bool,
    unusable: Option<&'a str>,
    /// It is only a question, so it is not read in pieces.
    only_asks: bool,
    /// It is in English, as far as that can be told. Else it is not read in pieces.
    english: bool,
    erased: bool,
    pieces: Vec<WirePiece<'a>>,
    /// What comes of it and rests on none of the pieces.
    comes: Vec<WireComes>,
}

#[derive(Debug, Serialize)]
struct WirePiece<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    lasting: f64,
    role: &'static str,
    role_share: f64,
    roles: BTreeMap<&'static str, f64>,
    caution: &'static str,
    caution_share: f64,
    cautions: BTreeMap<&'static str, f64>,
    /// It gives something held another value, which its words do not tell; how likely.
    changes: Option<f64>,
    kept: bool,
    why_not: Option<String>,
    comes: Vec<WireComes>,
    meets: Vec<WireMeets>,
}

#[derive(Debug, Serialize)]
struct WireComes {
    does: String,
    kept: Option<WireKept>,
    reasons: Vec<WireKept>,
    waits: Option<String>,
    overtaken: bool,
    meets: Vec<WireMeets>,
}

#[derive(Debug, Serialize)]
struct WireKept {
    kind: &'static str,
    content: String,
    state: &'static str,
    authority: &'static str,
    /// Stated, and not on probation.
    stated: bool,
}

#[derive(Debug, Serialize)]
struct WireMeets {
    id: String,
    kind: &'static str,
    content: String,
    bearing: Option<&'static str>,
    share: Option<f64>,
    /// How likely it does not hold any more as it stands.
    touches: Option<f64>,
    /// What is done to it is done because of that; else because of its form or its past.
    by_reader: bool,
    effect: &'static str,
}

pub(super) fn read(
    args: &args::Read,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let text = super::text_or_stdin(&args.text)?;
    let read = engine.capturing(&context).read_aside(args.before.as_deref(), &text)?;
    ui.answer(&wire(&read), || page(&read))
}

fn wire(read: &ReadAside) -> WireRead<'_> {
    WireRead {
        text: &read.text,
        before: read.before.as_deref(),
        redacted: read.redacted,
        unread_bytes: read.unread,
        usable: read.unusable.is_none(),
        unusable: read.unusable.as_deref(),
        only_asks: read.only_asks,
        english: read.english,
        erased: read.erased,
        pieces: read.pieces.iter().map(|one| wire_piece(&read.text, one)).collect(),
        comes: read.comes.iter().map(wire_comes).collect(),
    }
}

fn wire_piece<'a>(turn: &'a str, one: &ReadPiece) -> WirePiece<'a> {
    let piece = &one.piece;
    let number = |share: f32| rounded(f64::from(share));
    let roles = Role::ALL.iter().map(|role| (role.as_str(), number(piece.share(*role))));
    let cautions = Caution::ALL.iter().zip(piece.cautions);
    WirePiece {
        text: &turn[piece.span.clone()],
        start: piece.span.start,
        end: piece.span.end,
        lasting: number(piece.lasting),
        role: piece.role().as_str(),
        role_share: number(piece.share(piece.role())),
        roles: roles.collect(),
        caution: piece.caution().as_str(),
        caution_share: number(piece.cautions[piece.caution() as usize]),
        cautions: cautions.map(|(caution, share)| (caution.as_str(), number(share))).collect(),
        changes: one.changes.map(number),
        kept: one.comes.iter().any(|comes| comes.kept.is_some()),
        why_not: why_not(one),
        comes: one.comes.iter().map(wire_comes).collect(),
        meets: one.meets.iter().map(wire_meets).collect(),
    }
}

fn wire_comes(comes: &Comes) -> WireComes {
    let kept = |memory: &Memory| WireKept {
        kind: memory.kind.as_str(),
        content: memory.content.clone(),
        state: memory.state.as_str(),
        authority: memory.authority.as_str(),
        stated: is_stated(memory),
    };
    WireComes {
        does: comes.operation.in_words(),
        kept: comes.kept.as_ref().map(kept),
        reasons: comes.reasons.iter().map(kept).collect(),
        waits: comes.waits.clone(),
        overtaken: comes.overtaken,
        meets: comes.meets.iter().map(wire_meets).collect(),
    }
}

fn wire_meets(meets: &Meets) -> WireMeets {
    let (judged, held) = (meets.judged, &meets.held);
    let number = |share: f32| rounded(f64::from(share));
    WireMeets {
        id: held.id.to_string(),
        kind: held.kind.as_str(),
        content: held.content.clone(),
        bearing: judged.map(|judged| judged.likeliest().as_str()),
        share: judged.map(|judged| number(judged.share(judged.likeliest()))),
        touches: judged.map(|judged| number(judged.touches())),
        by_reader: meets.by_reader,
        effect: meets.effect.as_str(),
    }
}

fn is_stated(memory: &Memory) -> bool {
    memory.state == State::Confirmed
}

/// Why nothing comes of a piece. `None` where something does.
fn why_not(one: &ReadPiece) -> Option<String> {
    if !one.comes.is_empty() {
        return None;
    }
    Some(if is_beside(one) { "with the words beside it".to_owned() } else { one.fate.to_string() })
}

/// Whether what comes of a piece rests on one beside it.
fn is_beside(one: &ReadPiece) -> bool {
    one.comes.is_empty() && matches!(one.fate, PieceFate::Kept | PieceFate::ByForm)
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
        if let Some(likely) = one.changes {
            let told = "a change: it gives something known another value";
            page.line("taken as", DIM, &format!("{told} {}", share(likely)));
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
        if let Some(why) = &comes.waits {
            self.line("waits", WARN, &format!("for your decision in `review`: {}", safe(why)));
        }
        self.meets(&comes.meets);
    }

    fn meets(&mut self, meets: &[Meets]) {
        let (left, met): (Vec<&Meets>, Vec<&Meets>) =
            meets.iter().partition(|one| one.effect == Effect::Leaves);
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
