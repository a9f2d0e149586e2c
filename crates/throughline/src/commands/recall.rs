//! `recall`, `why-not`, `expand`, `feedback`: what comes to mind, and why.

use std::process::ExitCode;

use throughline_core::{Episode, MemoryId, NodeId, text};
use throughline_engine::{
    Ask, CandidateFate, CutReason, Engine, Error, Expanded, Recall, RecallCandidate,
    RecallJudgement,
};
use throughline_view::{
    WireCandidate, WireExpanded, WireJudgement, WireRecall, WireWhyNot, reason,
};

use super::answer_memory;
use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, ID, Ui, WARN, own, paint, safe};
use crate::view;
use crate::xray;

/// A question must ask something.
fn check_question(query: &str) -> anyhow::Result<()> {
    if query.trim().is_empty() {
        anyhow::bail!(Error::BadInput("the question is empty".to_owned()));
    }
    Ok(())
}

pub(super) fn recall(
    args: &args::Recall,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    // A service that is not set up rightly is `doctor`'s business: the built-in model looks.
    let engine = settings.engine_with_services().or_else(|_| settings.engine())?;
    let context = settings.context()?;
    let query = args::joined(&args.query);
    check_question(&query)?;
    let mut limits = engine.policy().recall;
    limits.budget_tokens = args.budget.unwrap_or(limits.budget_tokens);
    limits.items_max = args.limit.unwrap_or(limits.items_max);
    let ask = Ask {
        as_of: settings.moment(args.as_of.as_deref())?,
        episodes: args.episodes,
        replaced: args.include_superseded,
        ..Ask::new(&query, limits)
    };
    let mut recall = engine.recalling(&context).recall(&ask)?;
    let mut verified = None;
    if args.verify {
        let Some(llm) = settings.llm()? else {
            anyhow::bail!(super::model::no_model("--verify asks a model, and none is configured"));
        };
        let judged = engine.working(&context).judge_recall(&llm, &recall, usize::from(args.votes));
        let (judged, failed) = match judged {
            Ok(judged) => (judged, None),
            // Whoever asks memory gets an answer, with or without a model.
            Err(Error::Model(why)) => (RecallJudgement::default(), Some(why)),
            Err(error) => return Err(error.into()),
        };
        let (votes, tokens, set_aside) = (judged.votes, judged.tokens, judged.unfit.len());
        if set_aside > 0 {
            recall =
                engine.recalling(&context).recall(&Ask { unfit: judged.unfit, ..ask.clone() })?;
        }
        verified = Some(WireJudgement { votes, tokens, set_aside, failed });
    }
    let done = answer(&engine, &recall, verified, args.explain, ui)?;
    // Looking at the past or into the works is no use of a memory. That attention could not be
    // noted is no reason to fail: the answer was given.
    if ask.as_of.is_none() && !args.explain {
        engine.recalling(&context).note_recall(&recall).ok();
        engine.vectors().catch_up(&context).ok();
    }
    Ok(done)
}

fn answer(
    engine: &Engine,
    recall: &Recall,
    verified: Option<WireJudgement>,
    explain: bool,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let titles = if explain { recall.titles(&*engine.now_reader()?)? } else { Vec::new() };
    let wire = WireRecall::new(recall, explain.then_some(&*titles), verified);
    ui.answer(&wire, || {
        let mut said = if recall.text.is_empty() {
            paint(DIM, silence(recall))
        } else {
            let cost = format!("{} of {} tokens", recall.tokens, recall.budget);
            format!("{}\n{}", own(&recall.text), paint(DIM, cost))
        };
        if let Some(line) = wire.verified.as_ref().and_then(verified_line) {
            said.push_str(&format!("\n{line}"));
        }
        if explain { format!("{said}\n\n{}", xray::page(recall, &titles)) } else { said }
    })
}

/// What a model thought of it, if it was asked.
fn verified_line(verified: &WireJudgement) -> Option<String> {
    match &verified.failed {
        Some(why) => Some(paint(WARN, format!("not verified: {}", safe(why)))),
        None if verified.votes == 0 => None,
        None => {
            let line = format!("verified by a model, which left out {}", verified.set_aside);
            Some(paint(DIM, line))
        }
    }
}

/// Why nothing is said, as far as a person may want to know.
fn silence(recall: &Recall) -> String {
    let count = |reason: CutReason| {
        let held = |one: &&RecallCandidate| {
            one.fate == CandidateFate::Cut(reason) || one.fate == CandidateFate::Counted(reason)
        };
        recall.candidates.iter().filter(held).count()
    };
    match (count(CutReason::NoRoom), count(CutReason::AlreadyShown), count(CutReason::Dormant)) {
        (1.., _, _) => format!("there is no room for it within {} tokens", recall.budget),
        (_, 1.., _) => "this session has seen it already".to_owned(),
        (_, _, 1..) => {
            "only memories that have long been unused; name one, or use `search`".to_owned()
        }
        _ => "nothing fits".to_owned(),
    }
}

pub(super) fn why_not(
    args: &args::WhyNot,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let query = args::joined(&args.query);
    check_question(&query)?;
    let engine = settings.engine()?;
    let context = settings.context()?;
    let card = engine.looking(&context).show(&*engine.now_reader()?, &args.id)?;
    let ask = Ask::new(&query, engine.policy().recall);
    let recall = engine.recalling(&context).recall(&ask)?;
    let node = NodeId::Memory(card.memory.id);
    let place = recall.candidates.iter().position(|one| one.node == node);
    let found = place.map(|at| &recall.candidates[at]);
    let reason = reason(&card.memory, found);
    let shown = matches!(found.map(|one| &one.fate), Some(CandidateFate::Shown(_)));
    let wire = WireWhyNot {
        memory: (&card).into(),
        query: query.clone(),
        shown,
        rank: place.map(|at| at + 1),
        reason: reason.clone(),
        why: found.map(WireCandidate::from),
    };
    ui.answer(&wire, || {
        let verdict = if shown { "It comes up" } else { "It does not come up" };
        let mut page = format!("{}\n{}: {reason}", view::brief(&card), paint(BOLD, verdict));
        if let Some(found) = found {
            page.push_str(&format!("\n\n{}", xray::parts(found, ask.enough(&recall.question))));
        }
        page
    })
}

pub(super) fn expand(
    args: &args::Expand,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    let expanded = engine.looking(&settings.context()?).expand(&args.id)?;
    let wire = WireExpanded::from(&expanded);
    match expanded {
        Expanded::Memory { card, related } => {
            let node = NodeId::Memory(card.memory.id);
            ui.answer(&wire, || {
                let mut page = view::page(&card);
                for (edge, other) in &related {
                    let arrow = if edge.from == node { "→" } else { "←" };
                    let relation = edge.relation.as_str().replace('_', " ");
                    page.push_str(&format!(
                        "\n{arrow} {relation} {} {}",
                        paint(ID, other.id.handle()),
                        safe(&other.title())
                    ));
                }
                page
            })
        }
        Expanded::Turn { id, turns } => ui.answer(&wire, || {
            let line = |turn: &Episode| {
                let said = text::headline(&turn.text, 400);
                let line = format!("{} {}: {}", turn.at.date(), turn.speaker, said);
                if turn.id == id { paint(BOLD, safe(&line)) } else { paint(DIM, safe(&line)) }
            };
            turns.iter().map(line).collect::<Vec<_>>().join("\n")
        }),
    }
}

pub(super) fn feedback(
    args: &args::Feedback,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    let card = engine.looking(&settings.context()?).rate(&args.id, args.helpful)?;
    let noted = if args.helpful { "Noted: it helped" } else { "Noted: it did not help" };
    answer_memory(ui, noted, &card)
}

/// The short name of a candidate.
pub(crate) fn handle(node: NodeId) -> String {
    match node {
        NodeId::Memory(id) => id.handle(),
        NodeId::Episode(id) => id.handle(),
        NodeId::Entity(id) => MemoryId(id.0).handle(),
    }
}
