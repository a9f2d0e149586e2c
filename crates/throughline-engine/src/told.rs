//! Told: everything that was put before an agent, on record.
//!
//! One file a day, one line for each telling, written once it was said. It is a record and no
//! memory: nothing is derived from it, and it goes after thirty days. What is erased leaves it.

use std::io::{self, BufRead as _, BufReader, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_core::page::Detail;
use throughline_core::{
    Episode, EpisodeId, MemoryId, NodeId, Relation, SessionId, SpaceId, Timestamp,
};
use uuid::Uuid;

use crate::engine::{is_handle, not_an_id};
use crate::flows::Looking;
use crate::journal::file::{self, Hold};
use crate::purge::Gone;
use crate::recall::{Recall, Recalled, RecalledThing};
use crate::{Brief, Card, Context, Error, Result, clean_name, clean_text, mint};

/// Days that the record is kept.
pub const TOLD_DAYS: u32 = 30;
/// Bytes that it may have; the oldest days go first.
const BYTES_MAX: u64 = 64 << 20;
/// Bytes of one day.
const DAY_BYTES_MAX: u64 = 32 << 20;
/// Letters from which a beginning or an end names something.
const HANDLE_MIN: usize = 6;

/// Something that was put before an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Telling {
    /// What it is called by.
    pub id: Uuid,
    /// When.
    pub at: Timestamp,
    /// Where its project keeps its memories.
    pub space: SpaceId,
    /// To which session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// To which agent.
    pub agent: String,
    /// To which of the agent's helpers, if it was not the agent itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub helper: Option<String>,
    /// At which event, in the host's own words; of a tool its name.
    pub event: String,
    /// What the text costs.
    pub tokens: usize,
    /// The text as it was told; empty where something in it was erased since.
    pub text: String,
    /// The memories in it.
    #[serde(default)]
    pub memories: Vec<MemoryId>,
    /// The turns that it quotes.
    #[serde(default)]
    pub turns: Vec<EpisodeId>,
    /// Why each of them is in it.
    #[serde(default)]
    pub why: Vec<Because>,
    /// Something in it was erased since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub erased: bool,
}

/// Why a memory or a turn was told. It holds no words of theirs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Because {
    /// The short form of its id.
    pub id: String,
    /// In words.
    pub reason: String,
    /// How much of it was shown.
    pub detail: Detail,
    /// What it was ranked by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// How fitting it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// How retrievable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salience: Option<f64>,
    /// How true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<f64>,
}

/// A text that is put before an agent, with what it is made of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    /// The text; empty when there is nothing to say.
    pub text: String,
    /// What it costs.
    pub tokens: usize,
    /// The memories in it.
    pub memories: Vec<MemoryId>,
    /// The turns that it quotes.
    pub turns: Vec<EpisodeId>,
    /// Why each of them is in it.
    pub why: Vec<Because>,
}

/// Who is told, and when.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Audience {
    /// The agent.
    pub agent: String,
    /// One of its helpers.
    pub helper: Option<String>,
    /// The event, or the tool.
    pub event: String,
}

/// Which tellings are wanted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wanted {
    /// Those of every project.
    pub all: bool,
    /// Those to one session, by its id or a beginning of it.
    pub session: Option<String>,
    /// Those from a moment on.
    pub since: Option<Timestamp>,
    /// So many at most, the latest.
    pub limit: Option<usize>,
}

/// The record under one home.
#[derive(Debug, Clone)]
pub struct Tellings {
    folder: PathBuf,
}

impl Looking<'_> {
    /// What was told, the latest first, and how much there is in all.
    pub fn told(&self, wanted: &Wanted) -> Result<(Vec<Telling>, usize)> {
        let space = self.context.project.space();
        let is_wanted = |one: &Telling| {
            (wanted.all || one.space == space)
                && wanted.since.is_none_or(|since| one.at >= since)
                && wanted.session.as_deref().is_none_or(|session| is_session(one, session))
        };
        let mut found = Tellings::new(&self.engine.home).read(&is_wanted)?;
        found.sort_by_key(|one| std::cmp::Reverse((one.at, one.id)));
        let total = found.len();
        found.truncate(wanted.limit.unwrap_or(usize::MAX));
        Ok((found, total))
    }

    /// One of them, by its id or an end or beginning of it.
    pub fn told_one(&self, handle: &str) -> Result<Telling> {
        let wanted = handle.trim().trim_start_matches('#').to_ascii_lowercase();
        if !is_handle(&wanted) {
            return Err(not_an_id(handle));
        }
        let space = self.context.project.space();
        let is_it = |one: &Telling| {
            let (whole, plain) = (one.id.to_string(), one.id.simple().to_string());
            let named = [whole, plain];
            one.space == space
                && named.iter().any(|id| id.starts_with(&wanted) || id.ends_with(&wanted))
        };
        let mut found = Tellings::new(&self.engine.home).read(&is_it)?;
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => Err(Error::NotFound { what: "telling", handle: handle.to_owned() }),
            _ => Err(Error::Ambiguous {
                what: "telling",
                handle: handle.to_owned(),
                found: found.len(),
                candidates: found.iter().take(5).map(Telling::handle).collect(),
            }),
        }
    }

    /// What is to be put on record once it was said.
    pub fn telling(&self, to: &Audience, said: &Said) -> Telling {
        Telling::new(self.engine.now(), self.context, to, said)
    }
}

impl Telling {
    /// What was said, to whom, and when.
    pub fn new(at: Timestamp, context: &Context, to: &Audience, said: &Said) -> Self {
        let mut text = said.text.clone();
        clean_text(&mut text);
        Self {
            id: mint::id(at),
            at,
            space: context.project.space(),
            session: context.session.clone(),
            agent: clean_name(&to.agent),
            helper: to.helper.as_deref().map(clean_name),
            event: clean_name(&to.event),
            tokens: said.tokens,
            text,
            memories: said.memories.clone(),
            turns: said.turns.clone(),
            why: said.why.clone(),
            erased: false,
        }
    }

    /// The short form of its id.
    pub fn handle(&self) -> String {
        MemoryId(self.id).handle()
    }

    /// Takes out what must not be said anywhere any more. Says whether there was anything.
    fn forget(&mut self, gone: &Gone) -> bool {
        let is_gone = |node: NodeId| gone.is_node(node);
        let holds = self.memories.iter().any(|id| is_gone((*id).into()))
            || self.turns.iter().any(|id| is_gone(NodeId::Episode(*id)))
            || gone.is_named_in(&self.text)
            || gone.spaces.contains(&self.space) && gone.is_told_in(&self.text);
        if holds {
            self.text.clear();
            self.why.clear();
            self.erased = true;
            self.memories.retain(|id| !is_gone((*id).into()));
            self.turns.retain(|id| !is_gone(NodeId::Episode(*id)));
        }
        holds
    }
}

impl Said {
    /// One text after another.
    pub fn and(mut self, more: Self) -> Self {
        if !self.text.is_empty() && !more.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&more.text);
        self.tokens += more.tokens;
        self.memories.extend(more.memories);
        self.turns.extend(more.turns);
        self.why.extend(more.why);
        self
    }

    /// What a recall says.
    pub fn by_recall(recall: &Recall) -> Self {
        let memories = recall.memories().into_iter().map(|(_, id)| id);
        let hinted = recall.hinted.iter().map(|(_, id)| *id);
        let mut why: Vec<Because> = recall.items.iter().map(Because::of).collect();
        why.extend(hinted.clone().map(|id| Because {
            id: id.handle(),
            reason: "overlaps with the prompt, only named".to_owned(),
            detail: Detail::Line,
            score: None,
            relevance: None,
            salience: None,
            trust: None,
        }));
        Self {
            text: recall.text.clone(),
            tokens: recall.tokens,
            memories: memories.chain(hinted).collect(),
            turns: recall.turns(),
            why,
        }
    }

    /// What a brief says.
    pub fn by_brief(brief: Brief) -> Self {
        Self {
            text: brief.text,
            tokens: brief.tokens,
            memories: brief.memories.into_iter().map(|(_, id)| id).collect(),
            turns: brief.turns,
            why: brief.why,
        }
    }
}

impl Because {
    fn of(item: &Recalled) -> Self {
        let candidate = &item.candidate;
        let id = match &item.what {
            RecalledThing::Memory(card) => card.memory.id.handle(),
            RecalledThing::Episode(Episode { id, .. }) => id.handle(),
        };
        let via = candidate.path.last().map(|step| step.relation);
        Self {
            id,
            reason: reason(candidate.signals.named, via),
            detail: item.detail,
            score: Some(candidate.score),
            relevance: Some(candidate.relevance),
            salience: candidate.salience,
            trust: candidate.trust,
        }
    }

    /// Why a memory was told that nobody ranked.
    pub(crate) fn of_card(card: &Card, reason: &str, detail: Detail) -> Self {
        Self {
            id: card.memory.id.handle(),
            reason: reason.to_owned(),
            detail,
            score: None,
            relevance: None,
            salience: Some(card.salience.value),
            trust: Some(card.trust.value()),
        }
    }

    /// The same of a memory or a turn of which only the name is at hand.
    pub(crate) fn named(id: String, reason: String, detail: Detail) -> Self {
        Self { id, reason, detail, score: None, relevance: None, salience: None, trust: None }
    }
}

fn reason(named: bool, via: Option<Relation>) -> String {
    match via {
        _ if named => "the prompt names it".to_owned(),
        Some(relation) => format!("linked to what fits: {}", relation.as_str().replace('_', " ")),
        None => "it fits the prompt".to_owned(),
    }
}

fn is_session(telling: &Telling, wanted: &str) -> bool {
    let session = telling.session.as_ref().map_or("", |session| session.0.as_str());
    session == wanted || wanted.len() >= HANDLE_MIN && session.starts_with(wanted)
}

impl Tellings {
    /// The record under `home`. Touches nothing.
    pub fn new(home: &Path) -> Self {
        Self { folder: home.join("told") }
    }

    /// Puts something on record that was said.
    pub fn append(&self, telling: &Telling) -> io::Result<()> {
        let mut line = serde_json::to_vec(telling)?;
        line.push(b'\n');
        let path = self.folder.join(format!("{}.jsonl", telling.at.date()));
        let (mut file, _) = file::open_to_append(&path)?;
        if file.metadata()?.len() > DAY_BYTES_MAX {
            let full = format!("{} is full", path.display());
            return Err(io::Error::new(ErrorKind::QuotaExceeded, full));
        }
        file.write_all(&line)
    }

    /// Those that are wanted, in the order in which they were written. A line that a crash tore is
    /// passed over.
    pub(crate) fn read(&self, is_wanted: &dyn Fn(&Telling) -> bool) -> Result<Vec<Telling>> {
        let mut found = Vec::new();
        for path in self.days() {
            let failed = |source| Error::File { path: path.clone(), source };
            let file = match file::open_to_read(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            for line in BufReader::new(file).split(b'\n') {
                let line = line.map_err(failed)?;
                let telling = serde_json::from_slice(&line).ok();
                found.extend(telling.filter(|telling| is_wanted(telling)));
            }
        }
        Ok(found)
    }

    /// Puts other lines in the place of those for which `clean` has one. Returns the files that could not be
    /// rewritten.
    pub(crate) fn rewrite(&self, clean: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>) -> Vec<PathBuf> {
        let mut fails = |path: &PathBuf| rewrite_lines(path, clean).is_err() && path.exists();
        self.days().into_iter().filter(|path| fails(path)).collect()
    }

    /// Takes what is erased out of every telling. Returns the files that could not be cleaned.
    pub(crate) fn forget(&self, gone: &Gone) -> Vec<PathBuf> {
        let fails = |path: &PathBuf| forget_in(path, gone).is_err() && path.exists();
        self.days().into_iter().filter(fails).collect()
    }

    /// Removes what is older than it is kept, and the oldest days where there is too much.
    pub(crate) fn sweep(&self, now: Timestamp) {
        let oldest = now.plus_days(-f64::from(TOLD_DAYS)).date();
        let mut bytes = 0;
        for (at, path) in self.days().into_iter().rev().enumerate() {
            bytes += std::fs::metadata(&path).map_or(0, |data| data.len());
            let day = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if day < oldest || at > 0 && bytes > BYTES_MAX {
                // A file that stays is no harm.
                file::remove(&path).ok();
            }
        }
    }

    /// The files, the oldest day first.
    fn days(&self) -> Vec<PathBuf> {
        let mut days = file::with_extension(&self.folder, "jsonl").unwrap_or_default();
        days.sort();
        days
    }
}

/// Writes a day anew without what is erased, while nobody else writes.
fn forget_in(path: &Path, gone: &Gone) -> io::Result<()> {
    let held = file::open_locked(path, Hold::Exclusive)?;
    let (mut kept, mut any) = (Vec::new(), false);
    for line in BufReader::new(&held).split(b'\n') {
        let line = line?;
        // What nobody can read any more nobody misses, and it may hold anything.
        let Ok(mut telling) = serde_json::from_slice::<Telling>(&line) else {
            any |= !line.is_empty();
            continue;
        };
        if telling.forget(gone) {
            any = true;
            serde_json::to_writer(&mut kept, &telling)?;
        } else {
            kept.extend_from_slice(&line);
        }
        kept.push(b'\n');
    }
    if any { file::replace(path, &kept) } else { Ok(()) }
}

/// Puts other lines in the place of those for which `clean` has one.
pub(crate) fn rewrite_lines(
    path: &Path,
    clean: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>,
) -> io::Result<()> {
    let held = file::open_locked(path, Hold::Exclusive)?;
    let (mut kept, mut any) = (Vec::new(), false);
    let mut reader = BufReader::new(&held);
    loop {
        let mut line = Vec::new();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let other = clean(&line);
        any |= other.is_some();
        kept.extend_from_slice(other.as_deref().unwrap_or(&line));
    }
    if any { file::replace(path, &kept) } else { Ok(()) }
}
