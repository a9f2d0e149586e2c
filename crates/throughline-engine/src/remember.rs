//! Remember: something new comes in.

mod left;

use throughline_core::evidence::Testimony;
use throughline_core::patch::{self, Operation};
use throughline_core::permission::Act;
use throughline_core::reconcile::{self, Candidate, Plan};
use throughline_core::watermark::Referent;
use throughline_core::{
    Authority, BatchId, Cause, Kind, Memory, MemoryId, Relation, RowKey, Slot, SpaceId, form, text,
};
use throughline_language::{closeness, instruction, lesson, occasion, probe};

use crate::apply::as_event;
use crate::engine::is_handle;
use crate::flows::Keeping;
use crate::neighbours::{neighbours, read_ahead};
use crate::permit::{as_allowed, is_kept_out, may_add, may_adopt};
use crate::reading::Bearings;
use crate::things::with_things;
use crate::transaction::Transaction;
use crate::watch::Stated;
use crate::{Card, Context, Engine, Error, Result};

/// What is to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
    /// The claim.
    pub content: String,
    /// What sort of claim.
    pub kind: Kind,
    /// Its structured form.
    pub slot: Option<Slot>,
    /// Labels.
    pub tags: Vec<String>,
    /// A title.
    pub label: Option<String>,
    /// The area it belongs to.
    pub domain: Option<String>,
    /// How much it matters.
    pub importance: Option<f64>,
    /// How sure the source is.
    pub confidence: f64,
    /// Whether to keep it in front.
    pub pinned: bool,
    /// The reasons: ids of memories, or words that become memories.
    pub because: Vec<String>,
    /// Who says so.
    pub authority: Authority,
    /// Patterns that bring it up: commands, file names, calls.
    pub triggers: Vec<String>,
    /// What it is tied to, named by hand; what its words name is found without.
    pub watch: Vec<Referent>,
    /// Take it back in although it was erased.
    pub revive: bool,
    /// What the speaker was shown before: whoever repeats it adds no evidence.
    pub shown: Vec<MemoryId>,
}

impl NewMemory {
    /// A plain fact stated by the user.
    pub fn new(content: &str) -> Self {
        Self {
            content: content.to_owned(),
            kind: Kind::Fact,
            slot: None,
            tags: Vec::new(),
            label: None,
            domain: None,
            importance: None,
            confidence: 1.0,
            pinned: false,
            because: Vec::new(),
            authority: Authority::UserStated,
            triggers: Vec::new(),
            watch: Vec::new(),
            revive: false,
            shown: Vec::new(),
        }
    }

    /// The same as an operation of a patch.
    fn as_operation(&self) -> String {
        let operation = Operation::Remember(patch::Remember {
            kind: self.kind,
            content: self.content.clone(),
            label: self.label.clone(),
            domain: self.domain.clone(),
            slot: self.slot.clone(),
            because: self.because.clone(),
            triggers: self.triggers.clone(),
            entities: Vec::new(),
            confidence: self.confidence,
            quote: None,
            turn: None,
        });
        serde_json::to_string(&operation).expect("plain data serialises")
    }

    /// What is said beyond the words, by the names that the tools give it. `kind` is the one that the
    /// claim has.
    fn added(&self, kind: Kind) -> Vec<&'static str> {
        let given = [
            ("kind", self.kind != Kind::Fact && self.kind != kind),
            ("slot", self.slot.is_some()),
            ("tags", !self.tags.is_empty()),
            ("label", self.label.is_some()),
            ("domain", self.domain.is_some()),
            ("confidence", self.confidence < 1.0),
            ("because", !self.because.is_empty()),
            ("triggers", !self.triggers.is_empty()),
            ("watch", !self.watch.is_empty()),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// The same without what must not be kept, and how much that was.
    fn cleaned(&self, engine: &Engine, context: &Context) -> (Self, usize) {
        let mut new = self.clone();
        let slot = new.slot.iter_mut();
        let slot = slot.flat_map(|slot| [&mut slot.subject, &mut slot.predicate, &mut slot.object]);
        let texts = std::iter::once(&mut new.content)
            .chain(slot)
            .chain(&mut new.tags)
            .chain(&mut new.label)
            .chain(&mut new.domain)
            .chain(&mut new.because)
            .chain(&mut new.triggers);
        let taken = engine.clean_texts(context, texts);
        (new, taken)
    }
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// The memory that now holds the claim.
    pub card: Card,
    /// It was known; this added evidence.
    pub deduped: bool,
    /// What it replaced.
    pub superseded: Vec<MemoryId>,
    /// What it contradicts without replacing it.
    pub contested: Vec<MemoryId>,
    /// Secrets that were taken out of it.
    pub redacted: usize,
    /// What the caller added and may not add, because the claim is a person's.
    pub left_out: Vec<&'static str>,
    /// The memories that it replaced or contradicts, as they were said.
    pub met: Vec<Memory>,
    /// What stays of those that it replaced, as memories of their own.
    pub left: Vec<Memory>,
    /// A file that it names and that is not there, so that it is not tied to it.
    pub not_found: Option<String>,
    /// The batch that undoes it.
    pub batch: BatchId,
}

impl Keeping<'_> {
    /// Takes in something new: adds it, or recognises it, or lets it replace what it contradicts.
    pub fn remember(&self, new: &NewMemory) -> Result<Remembered> {
        let (new, redacted) = new.cleaned(self.engine, self.context);
        self.check_new(&new)?;
        let (new, redacted) = (&as_allowed(self.context, new)?, &redacted);
        if !new.authority.is_user() && self.context.session.is_some() {
            // What a hook of this session has just shown is on record from here on.
            self.engine.recalling(self.context).settle_recalls().ok();
        }
        let repeats = self.repeats_shown(new)?;
        let unread = self.unread_turns(new)?;
        // A server that has just gone is waited for when it is written to; until then forms decide what is met.
        let bearings = self.engine.capturing(self.context).bearings_by_hand(new);
        let is_gone = bearings.as_ref().is_err_and(|error| error.code() == "unreachable");
        let mut bearings = if is_gone { Bearings::default() } else { bearings? };
        let stands = form::also_stands(new.kind, &new.content);
        if let Some(stands) = &stands {
            bearings.reword(&new.content, stands);
        }
        let written = self.engine.write(self.context, Cause::Remember, None, |tx| {
            tx.bearings = bearings.clone();
            let mut own = candidate(new, tx);
            own.testimony.echo = repeats || self.repeats_record(&**tx, new)?;
            let mut quote = self.quoted(tx, new, &unread)?;
            let event = part_event(tx, stands.as_deref(), &mut own, &mut quote);
            let (plan, said) = self.take_in_said(tx, own.clone(), quote)?;
            let root = &self.context.project.root;
            let may = |act| may_add(&**tx, self.context.door, act, &plan, &said);
            let (reasons, binds) = (may(Act::Link)?, may(Act::Watch)?);
            // Reasons are whoever's who gives them, even for what somebody else said.
            for reason in new.because.iter().filter(|_| reasons) {
                self.give_reason(tx, &plan, said.kind, reason, &own.testimony)?;
            }
            if let Some(event) = event.filter(|_| reasons) {
                let event = take_in(tx, &event)?.memory;
                tx.link(plan.memory, Relation::DerivedFrom, event);
            }
            let by_user = said.testimony.authority.is_user();
            let by_words = if binds {
                self.engine.watching(self.context).watch_by_hand(
                    tx,
                    root,
                    plan.memory,
                    &new.watch,
                )?;
                new.watch.is_empty()
            } else {
                by_user && (!plan.deduped || plan.taken_over)
            };
            if by_words {
                let (memory, content) = (plan.memory, said.content.as_str());
                let stated = Stated { memory, content, kind: said.kind, by_user, turns: &[] };
                self.engine.watching(self.context).watch_by_words(tx, root, &stated)?;
            }
            Ok((plan, reasons && binds))
        });
        let ((plan, adds), batch) = match written {
            // Nobody's words are dropped: a person may see what was kept out.
            Err(error) if is_kept_out(&error) && !new.authority.is_user() => {
                self.engine.reviewing(self.context).defer(
                    &new.as_operation(),
                    &error.to_string(),
                    new.authority,
                )?;
                return Err(error);
            }
            written => written?,
        };
        let mut kept = self.remembered(self.context.scope().space, plan, *redacted, batch)?;
        if !adds {
            kept.left_out = new.added(kept.card.memory.kind);
        }
        Ok(kept)
    }

    /// Takes in what an agent quotes of the user, or what it says itself.
    fn take_in_said(
        &self,
        tx: &mut Transaction<'_>,
        own: Candidate,
        quote: Option<Candidate>,
    ) -> Result<(Plan, Candidate)> {
        if let Some(quote) = quote {
            let before = tx.changes().len();
            let plan = take_in(tx, &quote)?;
            // An old sentence of the user's puts none of their newer ones in doubt.
            if plan.contested.is_empty() {
                return Ok((plan, quote));
            }
            tx.roll_back(before);
        }
        let plan = take_in(tx, &own)?;
        Ok((plan, own))
    }

    /// What came of a plan that was carried out.
    pub(crate) fn remembered(
        &self,
        space: SpaceId,
        plan: Plan,
        redacted: usize,
        batch: BatchId,
    ) -> Result<Remembered> {
        let Plan { memory, deduped, superseded, contested, left, .. } = plan;
        let card = self.engine.card_of(space, memory)?;
        let said = |ids: &mut dyn Iterator<Item = &MemoryId>| -> Result<Vec<Memory>> {
            let keys: Vec<RowKey> = ids.map(|id| RowKey::memory(space, *id)).collect();
            let rows = match keys.is_empty() {
                true => Vec::new(),
                false => self.engine.now_reader()?.rows(&keys)?,
            };
            Ok(rows.into_iter().filter_map(|row| row?.into_memory()).collect())
        };
        let met = said(&mut superseded.iter().chain(&contested))?;
        let left = said(&mut left.iter())?;
        let left_out = Vec::new();
        let not_found = self.engine.watching(self.context).named_in_vain(&card.memory);
        Ok(Remembered {
            card,
            deduped,
            superseded,
            contested,
            redacted,
            left_out,
            met,
            left,
            not_found,
            batch,
        })
    }

    fn check_new(&self, new: &NewMemory) -> Result<()> {
        self.check_content(&new.content)?;
        if self.context.scope().session.is_none()
            && self.context.level == throughline_core::scope::Level::Session
        {
            return Err(Error::BadInput(
                "session scope needs a session: give --session ID".to_owned(),
            ));
        }
        let max = self.engine.policy.limits.tags_max;
        for (what, count) in [
            ("tags", new.tags.len()),
            ("reasons", new.because.len()),
            ("triggers", new.triggers.len()),
            ("things to watch", new.watch.len()),
        ] {
            if count > max {
                return Err(Error::BadInput(format!("{count} {what} are too many: {max} at most")));
            }
        }
        for share in [Some(new.confidence), new.importance].into_iter().flatten() {
            check_share(share)?;
        }
        check_lesson(new.kind, &new.content)?;
        check_failure(new)?;
        self.check_slot(new.slot.as_ref())?;
        let mut fields = new.tags.iter().chain(&new.label).chain(&new.domain).chain(&new.triggers);
        fields.try_for_each(|field| self.check_field(field))
    }

    /// A claim must say something and not be a book.
    pub(crate) fn check_content(&self, content: &str) -> Result<()> {
        let max = self.engine.policy.limits.content_bytes_max;
        if text::normalise(content).is_empty() {
            return Err(Error::BadInput(
                "there is nothing to remember in an empty text".to_owned(),
            ));
        }
        if let Some(closeness) = closeness::claimed(content) {
            return Err(Error::Closeness(closeness));
        }
        if content.len() > max {
            return Err(Error::BadInput(format!(
                "the text has {} bytes; a memory holds {max} at most. Keep what matters, or split it",
                content.len()
            )));
        }
        Ok(())
    }

    pub(crate) fn check_slot(&self, slot: Option<&Slot>) -> Result<()> {
        let mut parts =
            slot.into_iter().flat_map(|slot| [&slot.subject, &slot.predicate, &slot.object]);
        parts.try_for_each(|part| self.check_field(part))
    }

    pub(crate) fn check_field(&self, field: &str) -> Result<()> {
        let max = self.engine.policy.limits.field_bytes_max;
        if text::normalise(field).is_empty() {
            return Err(Error::BadInput(format!("{field:?} is empty")));
        }
        if field.len() > max {
            return Err(Error::BadInput(format!(
                "a tag, label, domain or slot part has {max} bytes at most"
            )));
        }
        Ok(())
    }

    /// Connects a claim to its reason, which may be a memory or words that become one.
    fn give_reason(
        &self,
        tx: &mut Transaction<'_>,
        claim: &reconcile::Plan,
        kind: Kind,
        reason: &str,
        testimony: &Testimony,
    ) -> Result<()> {
        let to = if is_handle(reason) {
            let memory = self.engine.resolve(&**tx, self.context, reason)?;
            if memory.space != tx.scope.space {
                return Err(Error::NotPossible(format!(
                    "memory {} is in another scope; give the reason in words",
                    memory.id.handle()
                )));
            }
            memory.id
        } else {
            self.check_content(reason)?;
            let words = NewMemory { authority: testimony.authority, ..NewMemory::new(reason) };
            let words = candidate(&words, tx);
            reason_in_words(tx, &words)?
        };
        if to == claim.memory {
            return Err(Error::BadInput("a claim cannot be its own reason".to_owned()));
        }
        tx.link(claim.memory, rests_by(kind), to);
        Ok(())
    }
}

/// Parts what stands from when it was settled: returns the event, and leaves the rest in the claims.
fn part_event(
    tx: &Transaction<'_>,
    stands: Option<&str>,
    own: &mut Candidate,
    quote: &mut Option<Candidate>,
) -> Option<Candidate> {
    let stands = stands?;
    let event = as_event(tx, quote.as_ref().unwrap_or(own));
    for claim in quote.iter_mut().chain([own]) {
        stands.clone_into(&mut claim.content);
    }
    Some(event)
}

/// Lets the rules decide, and adds what they decided to the transaction.
pub(crate) fn take_in(tx: &mut Transaction<'_>, candidate: &Candidate) -> Result<reconcile::Plan> {
    wall(candidate)?;
    may_adopt(tx, candidate)?;
    read_ahead(tx, candidate)?;
    let mut candidate = with_things(tx, candidate)?;
    let person = &mut candidate.testimony.person;
    *person = person.take().or_else(|| tx.person.clone());
    let neighbours = neighbours(tx, &candidate)?;
    let now = tx.now;
    let mut plan = reconcile::plan(&candidate, &neighbours, &mut || crate::mint::id(now))?;
    tx.extend(std::mem::take(&mut plan.changes));
    for replaced in &plan.superseded {
        plan.left.extend(left::keep(tx, &candidate.content, plan.memory, *replaced)?);
    }
    Ok(plan)
}

/// The memory that says a reason: one of this very batch, or one that takes it in.
pub(crate) fn reason_in_words(tx: &mut Transaction<'_>, reason: &Candidate) -> Result<MemoryId> {
    match tx.made_saying(&reason.content) {
        Some(id) => Ok(id),
        None => Ok(take_in(tx, reason)?.memory),
    }
}

/// How a claim rests on what is given for it: a procedure follows from facts, everything else has reasons.
pub(crate) fn rests_by(kind: Kind) -> Relation {
    if kind == Kind::Procedure { Relation::DerivedFrom } else { Relation::Because }
}

/// What comes from outside and gives orders does not come in by itself, whoever repeats it.
fn wall(candidate: &Candidate) -> Result<()> {
    if candidate.testimony.authority.is_user() || candidate.revive {
        return Ok(());
    }
    match instruction::commands_the_reader(&candidate.content) {
        Some(why) => Err(Error::Walled(why)),
        None => Ok(()),
    }
}

/// A lesson must say something that one can act on.
pub(crate) fn check_lesson(kind: Kind, content: &str) -> Result<()> {
    if kind != Kind::Lesson {
        return Ok(());
    }
    lesson::check(content).map_err(|vague| Error::BadInput(vague.to_string()))
}

/// A failure without its cause warns of nothing: nobody could tell whether it would fail again.
fn check_failure(new: &NewMemory) -> Result<()> {
    if new.kind != Kind::Negative || !new.because.is_empty() || probe::tells_why(&new.content) {
        return Ok(());
    }
    Err(Error::NoCause)
}

pub(crate) fn check_share(share: f64) -> Result<()> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(Error::BadInput(format!("{share} is not a share: write a number from 0 to 1")))
}

pub(crate) fn candidate(new: &NewMemory, tx: &Transaction<'_>) -> Candidate {
    let testimony = Testimony {
        session: tx.session.clone(),
        by_agent: tx.door.is_agents(),
        ..Testimony::new(new.authority, tx.now)
    };
    Candidate {
        slot: new.slot.clone(),
        tags: new.tags.clone(),
        label: new.label.clone(),
        domain: new.domain.clone(),
        importance: new.importance,
        confidence: new.confidence,
        pinned: new.pinned,
        triggers: occasion::triggers(
            new.kind,
            &new.content,
            &new.triggers,
            new.authority.is_user(),
        ),
        revive: new.revive,
        ..tx.candidate(new.kind, &new.content, testimony)
    }
}
