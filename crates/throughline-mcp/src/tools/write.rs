//! What an agent may change: reversible, within its scope, logged as an agent's.

use serde_json::{Value, json};
use throughline_core::scope::Level;
use throughline_core::watermark::Referent;
use throughline_core::{Authority, Kind, Memory, MemoryId, Relation, Slot};
use throughline_engine::{
    AgentCorrection, Context, Error, NewMemory, Put, Remembered, Showed, procedure_of,
};

use crate::answer::{Answer, ToldByTool, ToolFailure, quoted};
use crate::arguments::{self, word};
use crate::desk::Desk;
use crate::view;

pub(super) fn remember(desk: &mut Desk, args: &arguments::Remember) -> ToldByTool {
    let mut context = desk.context(&args.place())?;
    context.level = level(args.scope.as_deref(), &context)?;
    let by_form = if args.steps.is_some() { Kind::Procedure } else { Kind::Fact };
    let content = match &args.steps {
        Some(steps) => procedure_of(&args.content, steps)?,
        None => args.content.clone(),
    };
    let watch = args.watch.iter().flatten().map(|one| one.parse::<Referent>());
    let new = NewMemory {
        kind: args.kind.as_deref().map_or(Ok(by_form), word)?,
        slot: slot(args.slot.as_deref())?,
        tags: args.tags.clone().unwrap_or_default(),
        because: args.because.clone().unwrap_or_default(),
        triggers: args.triggers.clone().unwrap_or_default(),
        watch: watch.collect::<Result<_, _>>().map_err(ToolFailure::usage)?,
        authority: source(args.source.as_deref())?,
        shown: desk.shown(&context),
        ..NewMemory::new(&content)
    };
    let kept = match desk.engine()?.keeping(&context).remember(&new) {
        Err(Error::Blocked(throughline_core::reconcile::Blocked::Erased(at))) => {
            return Err(ToolFailure::for_the_user(
                format!("the user erased this on {}; it stays out", at.date()),
                format!("throughline remember {} --revive", quoted(&args.content)),
            ));
        }
        kept => kept?,
    };
    desk.show(&context, [kept.card.memory.id]);
    Ok(stored(&kept))
}

/// How far what is remembered holds: as far as the agent says, within what it was started with.
fn level(said: Option<&str>, context: &Context) -> Result<Level, ToolFailure> {
    match said.map(|said| said.trim().to_lowercase()).as_deref() {
        None | Some("") => Ok(context.level),
        Some("project") => Ok(Level::Project),
        Some("session") if context.session.is_some() => Ok(Level::Session),
        Some("session") => {
            Err(ToolFailure::usage("which session? Give your session id as session"))
        }
        Some(other) => {
            Err(ToolFailure::usage(format!("unknown scope {other:?} (choose: project, session)")))
        }
    }
}

/// What an agent says ranks as an agent's, and may rank lower.
fn source(said: Option<&str>) -> Result<Authority, ToolFailure> {
    match said.map(|said| said.trim().to_lowercase()).as_deref() {
        None | Some("" | "observed") => Ok(Authority::Observed),
        Some("inferred") => Ok(Authority::Inferred),
        Some("external") => Ok(Authority::External),
        Some(other) => Err(ToolFailure::usage(format!(
            "unknown source {other:?} (choose: observed, inferred, external)"
        ))),
    }
}

fn slot(written: Option<&str>) -> Result<Option<Slot>, ToolFailure> {
    written.filter(|slot| !slot.is_empty()).map(Slot::parse).transpose().map_err(ToolFailure::usage)
}

/// What became of a claim, with the text as it is stored.
fn stored(kept: &Remembered) -> Answer {
    let mut map = view::memory(&kept.card, view::TEXT_CHARS);
    let mut text =
        if kept.deduped { "Known already; evidence added: " } else { "Kept: " }.to_owned();
    text.push_str(&view::words(&kept.card));
    if kept.deduped {
        map.insert("known".to_owned(), true.into());
    }
    for (name, ids, said) in [
        ("replaced", &kept.superseded, "It replaces"),
        ("contested", &kept.contested, "It disagrees with"),
    ] {
        if !ids.is_empty() {
            let handles: Vec<String> = ids.iter().map(|id| id.handle()).collect();
            for met in kept.met.iter().filter(|met| ids.contains(&met.id)) {
                let says = view::cut(&met.content, view::LINE_CHARS);
                text.push_str(&format!("\n{said} [{}] {says}", met.id.handle()));
            }
            map.insert(name.to_owned(), handles.into());
        }
    }
    for left in &kept.left {
        let says = view::cut(&left.content, view::LINE_CHARS);
        text.push_str(&format!("\nOf that stays [{}] {says}", left.id.handle()));
    }
    if !kept.left_out.is_empty() {
        let names = kept.left_out.join(", ");
        text.push_str(&format!(
            "\nLeft out: {names}. These are the user's words, so only the user can add to them."
        ));
        map.insert("left_out".to_owned(), json!(kept.left_out));
    }
    if !kept.contested.is_empty() {
        text.push_str("\nBoth are shown until the user decides with `throughline review`.");
    }
    for mark in &kept.card.watermarks {
        text.push_str(&format!("\nTied to {}.", mark.referent.place()));
    }
    if let Some(path) = &kept.not_found {
        let path = view::cut(path, view::LINE_CHARS);
        text.push_str(&format!("\nNot found: {path}. It is kept, and not tied to that file."));
        map.insert("not_found".to_owned(), path.into());
    }
    Answer::of(&text, Value::Object(map))
}

pub(super) fn relate(desk: &mut Desk, args: &arguments::Relate) -> ToldByTool {
    let context = desk.context(&args.place())?;
    let relation: Relation = word(&args.relation)?;
    if relation == Relation::Tagged {
        let card = desk.engine()?.keeping(&context).tag(
            &args.from,
            std::slice::from_ref(&args.to),
            &[],
        )?;
        let text = format!("Labelled: {}", view::words(&card));
        return Ok(Answer::of(&text, Value::Object(view::memory(&card, view::TEXT_CHARS))));
    }
    let engine = desk.engine()?;
    let (from, to) = {
        let reader = engine.now_reader().map_err(ToolFailure::from)?;
        (
            engine.resolve(&*reader, &context, &args.from)?,
            engine.resolve(&*reader, &context, &args.to)?,
        )
    };
    if relation == Relation::Supersedes {
        let command = format!("throughline supersede {} {}", to.id.handle(), from.id.handle());
        return Err(ToolFailure::for_the_user(
            "only the user can replace one memory with another",
            command,
        ));
    }
    let reason = told(args.reason.as_deref());
    engine.keeping(&context).link(&from.id.to_string(), relation, &to.id.to_string(), reason)?;
    let text = format!(
        "Connected: [{}] {} → {relation} → [{}] {}",
        from.id.handle(),
        from.title(),
        to.id.handle(),
        to.title()
    );
    let data =
        json!({ "from": view::line(&from), "relation": relation.as_str(), "to": view::line(&to) });
    Ok(Answer::of(&text, data))
}

pub(super) fn correct(desk: &mut Desk, args: &arguments::Correct) -> ToldByTool {
    let context = desk.context(&args.place())?;
    let slot = slot(args.slot.as_deref())?;
    let evidence = args.evidence.as_deref().filter(|words| !words.trim().is_empty());
    let proposal = AgentCorrection { content: &args.content, slot: slot.as_ref(), evidence };
    let engine = desk.engine()?;
    let old = {
        let reader = engine.now_reader().map_err(ToolFailure::from)?;
        engine.resolve(&*reader, &context, &args.id)?
    };
    let kept = engine.keeping(&context).propose(&args.id, &proposal)?;
    let mut answer = stored(&kept);
    if kept.contested.contains(&old.id) {
        let command = format!(
            "throughline correct {} {}",
            old.id.handle(),
            quoted(&kept.card.memory.content)
        );
        let stands = old.authority.as_str().replace('_', " ");
        answer.text.push_str(&format!(
            "\n[{}] stays as it is, because it ranks higher ({stands}); both are shown. To settle it the user would run: \
             {command}",
            old.id.handle()
        ));
        answer.data["stands"] = view::line(&old);
        answer.data["user_would_run"] = command.into();
    }
    desk.show(&context, [kept.card.memory.id]);
    Ok(answer)
}

pub(super) fn verify(desk: &mut Desk, args: &arguments::Verify) -> ToldByTool {
    let context = desk.context(&args.place())?;
    let outcome = match args.outcome.trim().to_lowercase().as_str() {
        "confirmed" => Showed::Confirmed,
        "refuted" => Showed::Refuted,
        other => {
            return Err(ToolFailure::usage(format!(
                "unknown outcome {other:?} (choose: confirmed, refuted)"
            )));
        }
    };
    let evidence = args.evidence.as_deref().filter(|words| !words.trim().is_empty());
    let done = desk.engine()?.watching(&context).verify(&args.id, outcome, evidence)?;
    let said = match (outcome, done.waits) {
        (Showed::Confirmed, _) => "It still holds, and is fresh again: ",
        (Showed::Refuted, false) => "Retracted: ",
        (Showed::Refuted, true) => "The user said this, so it waits for them: ",
    };
    let mut answer = Answer::of(
        &format!("{said}{}", view::words(&done.card)),
        Value::Object(view::memory(&done.card, view::TEXT_CHARS)),
    );
    if let Some(lesson) = done.lesson {
        answer.text.push_str(&format!("\nA lesson was kept: {}.", lesson.handle()));
        answer.data["lesson"] = lesson.handle().into();
    }
    if done.waits {
        let command = format!("throughline verify {} --refuted", done.card.memory.id.handle());
        answer.text.push_str(&format!("\nThe user would run: {command}"));
        answer.data["waits"] = true.into();
        answer.data["user_would_run"] = command.into();
    }
    Ok(answer)
}

pub(super) fn feedback(desk: &mut Desk, args: &arguments::Feedback) -> ToldByTool {
    let context = desk.context(&args.place())?;
    let card = desk.engine()?.looking(&context).rate(&args.id, args.helpful)?;
    let said = if args.helpful { "Noted that it helped: " } else { "Noted that it did not help: " };
    let data = json!({
        "id": card.memory.id.handle(),
        "text": view::cut(&card.memory.content, view::LINE_CHARS),
        "helpful": card.usage.helpful,
        "unhelpful": card.usage.unhelpful,
    });
    Ok(Answer::of(&format!("{said}{}", view::words(&card)), data))
}

pub(super) fn archive(desk: &mut Desk, args: &arguments::Archive) -> ToldByTool {
    let context = desk.context(&args.place())?;
    let Some(reason) = told(Some(&args.reason)) else {
        return Err(ToolFailure::usage("say why it is no longer useful"));
    };
    let memory = {
        let engine = desk.engine()?;
        let reader = engine.now_reader().map_err(ToolFailure::from)?;
        engine.resolve(&*reader, &context, &args.id)?
    };
    let command = |memory: &Memory| {
        format!("throughline archive {} --reason {}", memory.id.handle(), quoted(reason))
    };
    if !desk.has_seen(&context, &memory)? {
        return Err(ToolFailure {
            hint: Some("recall it first, and read what it says".to_owned()),
            ..ToolFailure::for_the_user(
                format!(
                    "“{}” was not recalled in this session, so it was not put away",
                    view::cut(&memory.content, view::LINE_CHARS)
                ),
                command(&memory),
            )
        });
    }
    let id: MemoryId = memory.id;
    let Put { card, waits } =
        desk.engine()?.keeping(&context).archive(&id.to_string(), Some(reason))?;
    if let Some(why) = waits {
        let command = command(&memory);
        let mut data = Value::Object(view::memory(&card, view::TEXT_CHARS));
        data["waits"] = true.into();
        data["user_would_run"] = command.clone().into();
        let text = format!(
            "Not put away: {why}. It waits in the user's review, and stays until they decide: {}\n\
             The user would run: {command}",
            view::words(&card)
        );
        return Ok(Answer::of(&text, data));
    }
    let undo = format!("throughline unarchive {}", id.handle());
    let mut data = Value::Object(view::memory(&card, view::TEXT_CHARS));
    data["user_can_undo"] = undo.clone().into();
    let text = format!("Put away: {}\nThe user can bring it back: {undo}", view::words(&card));
    Ok(Answer::of(&text, data))
}

/// A text, if there is something in it.
fn told(said: Option<&str>) -> Option<&str> {
    said.filter(|said| !said.trim().is_empty())
}
