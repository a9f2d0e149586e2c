//! `recall`, `why-not`, `expand`, `feedback`: what comes to mind, and why.

use std::process::ExitCode;

use serde::Serialize;
use throughline_core::page::{Detail, DomainCount};
use throughline_core::{Episode, MemoryId, NodeId, text};
use throughline_engine::{
    Ask, CandidateFate, CutReason, Engine, Error, Expanded, Recall, RecallCandidate,
    RecallJudgement, Recalled, RecalledThing,
};

use super::answer_memory;
use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, ID, Ui, WARN, own, paint, safe};
use crate::view::{self, WireMemory, rounded};
use crate::xray::{self, WireCandidate};

#[derive(Debug, Serialize)]
struct WireRecall<'a> {
    query: &'a str,
    tokens: usize,
    budget: usize,
    items: Vec<WireRecalled>,
    counts: Vec<WireCount>,
    text: &'a str,
    /// What linked projects know: a count and a name.
    elsewhere: Vec<WireElsewhere>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<WireVerified>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<WireCandidate>>,
}

/// What a model thought of it.
#[derive(Debug, Serialize)]
struct WireVerified {
    votes: usize,
    tokens: u64,
    set_aside: usize,
    /// Why it could not be asked; then nothing is set aside.
    failed: Option<String>,
}

#[derive(Debug, Serialize)]
struct WireRecalled {
    rank: usize,
    detail: &'static str,
    score: f64,
    memory: Option<WireMemory>,
    episode: Option<WireEpisode>,
    history: Option<String>,
    why: WireCandidate,
}

/// A turn as callers see it.
#[derive(Debug, Serialize)]
pub(super) struct WireEpisode {
    id: String,
    session: String,
    turn: Option<String>,
    at: String,
    speaker: String,
    text: String,
}

impl From<&Episode> for WireEpisode {
    fn from(episode: &Episode) -> Self {
        Self {
            id: episode.id.to_string(),
            session: episode.session.to_string(),
            turn: episode.turn.clone(),
            at: episode.at.to_string(),
            speaker: episode.speaker.clone(),
            text: episode.text.clone(),
        }
    }
}

/// That a linked project knows something of what was asked.
#[derive(Debug, Serialize)]
struct WireElsewhere {
    project: String,
    label: String,
    n: usize,
}

#[derive(Debug, Serialize)]
struct WireCount {
    domain: String,
    n: usize,
    min: f64,
    max: f64,
}

impl From<&DomainCount> for WireCount {
    fn from(count: &DomainCount) -> Self {
        Self {
            domain: count.domain.clone(),
            n: count.n,
            min: rounded(count.min),
            max: rounded(count.max),
        }
    }
}

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
        verified = Some(WireVerified { votes, tokens, set_aside, failed });
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
    verified: Option<WireVerified>,
    explain: bool,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let titles = if explain { recall.titles(&*engine.now_reader()?)? } else { Vec::new() };
    let wire = WireRecall {
        query: &recall.query,
        tokens: recall.tokens,
        budget: recall.budget,
        items: recall.items.iter().enumerate().map(|(at, item)| recalled(at + 1, item)).collect(),
        counts: recall.counts.iter().map(WireCount::from).collect(),
        text: &recall.text,
        elsewhere: recall
            .elsewhere
            .iter()
            .map(|one| WireElsewhere {
                project: one.project.clone(),
                label: one.label.clone(),
                n: one.memories,
            })
            .collect(),
        verified,
        candidates: explain.then(|| {
            let titled = recall.candidates.iter().zip(&titles);
            titled.map(|(one, title)| WireCandidate::titled(one, title)).collect()
        }),
    };
    ui.answer(&wire, || {
        let mut said = if recall.text.is_empty() {
            paint(DIM, silence(recall))
        } else {
            let cost = format!("{} of {} tokens", recall.tokens, recall.budget);
            format!("{}\n{}", own(&recall.text), paint(DIM, cost))
        };
        if let Some(verified) = wire.verified.as_ref().filter(|one| one.is_telling()) {
            said.push_str(&format!("\n{}", verified.line()));
        }
        if explain { format!("{said}\n\n{}", xray::page(recall, &titles)) } else { said }
    })
}

impl WireVerified {
    fn is_telling(&self) -> bool {
        self.votes > 0 || self.failed.is_some()
    }

    fn line(&self) -> String {
        match &self.failed {
            Some(why) => paint(WARN, format!("not verified: {}", safe(why))),
            None => paint(DIM, format!("verified by a model, which left out {}", self.set_aside)),
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

fn recalled(rank: usize, item: &Recalled) -> WireRecalled {
    let (memory, episode) = match &item.what {
        RecalledThing::Memory(card) => (Some((&**card).into()), None),
        RecalledThing::Episode(episode) => (None, Some(episode.into())),
    };
    WireRecalled {
        rank,
        detail: item.detail.as_str(),
        score: rounded(item.candidate.score),
        memory,
        episode,
        history: item.history.clone(),
        why: WireCandidate::from(&item.candidate),
    }
}

#[derive(Debug, Serialize)]
struct WireWhyNot<'a> {
    memory: WireMemory,
    query: &'a str,
    shown: bool,
    rank: Option<usize>,
    reason: String,
    why: Option<WireCandidate>,
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
        query: &query,
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

fn reason(memory: &throughline_core::Memory, found: Option<&RecallCandidate>) -> String {
    let Some(found) = found else {
        return if memory.state.is_active() {
            "it shares no word with the question and is not near in meaning".to_owned()
        } else {
            format!("it is {}; `recall` looks at what is current", memory.state)
        };
    };
    match &found.fate {
        CandidateFate::Cut(CutReason::NotInView) => {
            format!("it is {}; `recall` looks at what is current", memory.state)
        }
        CandidateFate::Shown(Detail::Full) => "it is shown in full".to_owned(),
        CandidateFate::Shown(Detail::Line) => "it is shown as a line".to_owned(),
        CandidateFate::Considered => "others fit better".to_owned(),
        CandidateFate::ReplacedBy(head) => format!("it was replaced by {}", head.handle()),
        CandidateFate::Counted(why) => format!("it is only counted: {why}"),
        CandidateFate::Cut(why) => why.to_string(),
    }
}

#[derive(Debug, Serialize)]
struct WireExpanded {
    memory: Option<WireMemory>,
    related: Vec<WireRelated>,
    turns: Vec<WireEpisode>,
}

#[derive(Debug, Serialize)]
struct WireRelated {
    relation: &'static str,
    outward: bool,
    id: String,
    label: String,
    state: &'static str,
}

pub(super) fn expand(
    args: &args::Expand,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    match engine.looking(&settings.context()?).expand(&args.id)? {
        Expanded::Memory { card, related } => {
            let node = NodeId::Memory(card.memory.id);
            let wire = WireExpanded {
                memory: Some((&*card).into()),
                related: related
                    .iter()
                    .map(|(edge, other)| WireRelated {
                        relation: edge.relation.as_str(),
                        outward: edge.from == node,
                        id: other.id.to_string(),
                        label: other.title(),
                        state: other.state.as_str(),
                    })
                    .collect(),
                turns: Vec::new(),
            };
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
        Expanded::Turn { id, turns } => {
            let wire = WireExpanded {
                memory: None,
                related: Vec::new(),
                turns: turns.iter().map(WireEpisode::from).collect(),
            };
            ui.answer(&wire, || {
                let line = |turn: &Episode| {
                    let said = text::headline(&turn.text, 400);
                    let line = format!("{} {}: {}", turn.at.date(), turn.speaker, said);
                    if turn.id == id { paint(BOLD, safe(&line)) } else { paint(DIM, safe(&line)) }
                };
                turns.iter().map(line).collect::<Vec<_>>().join("\n")
            })
        }
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
