//! Import of the official memory server's file: one entity or relation a line.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use throughline_core::Authority;
use throughline_engine::{Context, Engine, Error, Result};

use super::{
    Addition, ENTITY, SOURCE, ServedEntity, ServedRelation, add_observations, create_entities,
    create_relations, keeping,
};
use crate::clean::clean_value;

/// Bytes of a file that are read at most.
const FILE_MAX: u64 = 256 << 20;

/// Graph import: what an import did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GraphImport {
    /// Number of entities that are new here.
    pub entities: usize,
    /// Number of observations that are new here, those of new entities included.
    pub observations: usize,
    /// Number of relations that are new here.
    pub relations: usize,
    /// Number of things that were here already.
    pub known: usize,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Entity(ServedEntity),
    Relation(ServedRelation),
}

impl Line {
    fn entity(&self) -> Option<&ServedEntity> {
        if let Self::Entity(entity) = self { Some(entity) } else { None }
    }

    fn relation(&self) -> Option<&ServedRelation> {
        if let Self::Relation(relation) = self { Some(relation) } else { None }
    }
}

/// Whether a file looks like one of the official memory server.
pub fn is_graph(file: &Path) -> bool {
    let Ok(open) = std::fs::File::open(file) else { return false };
    let mut head = Vec::new();
    let read = std::io::Read::read_to_end(&mut std::io::Read::take(open, 64 << 10), &mut head);
    let text = String::from_utf8_lossy(&head);
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    // The line may be longer than what was read of it: its beginning tells, however it is spaced.
    let first: String = first.chars().filter(|c| !c.is_whitespace()).take(24).collect();
    read.is_ok()
        && (first.starts_with(r#"{"type":"entity""#) || first.starts_with(r#"{"type":"relation""#))
}

/// Imports a file, all of it or nothing. Importing it twice changes nothing more.
pub fn import(engine: &Engine, context: &Context, file: &Path) -> Result<GraphImport> {
    let lines = read(engine, context, file)?;
    take_in(engine, context, &lines, None)
}

/// Reads a file in unless that was done before. A file that is not there holds nothing.
pub(super) fn once(engine: &Engine, context: &Context, file: &Path) -> Result<()> {
    if !file.is_file() {
        return Ok(());
    }
    let name = file.to_string_lossy();
    let mut before = engine.keeping(context).shelves(&[SOURCE])?;
    if before.on(SOURCE).iter().any(|one| one.name == name) {
        return Ok(());
    }
    take_in(engine, context, &read(engine, context, file)?, Some(&name))?;
    Ok(())
}

fn take_in(
    engine: &Engine,
    context: &Context,
    lines: &[Line],
    source: Option<&str>,
) -> Result<GraphImport> {
    let keeping = keeping(Authority::External);
    let shelved = engine.keeping(context).reshelve(keeping, |shelves| {
        let mut done = GraphImport::default();
        if let Some(source) = source {
            let entry = shelves.entry(source, "");
            if !shelves.on(SOURCE).iter().any(|one| one.name == entry.name) {
                shelves.on(SOURCE).push(entry);
            }
        }
        let mut met: BTreeSet<String> =
            shelves.on(ENTITY).iter().map(|one| one.name.clone()).collect();
        let entities = lines.iter().filter_map(Line::entity).cloned();
        let (new, known): (Vec<ServedEntity>, Vec<ServedEntity>) =
            entities.partition(|entity| met.insert(entity.name.clone()));
        create_entities(shelves, &new);
        let addition = |one: &ServedEntity| Addition {
            entity_name: one.name.clone(),
            contents: one.observations.clone(),
        };
        let additions: Vec<Addition> = known.iter().map(addition).collect();
        let added = add_observations(shelves, &additions)?;
        let all: Vec<ServedRelation> = lines.iter().filter_map(Line::relation).cloned().collect();
        let mut told = BTreeSet::new();
        let relations: Vec<ServedRelation> =
            all.iter().filter(|one| told.insert((*one).clone())).cloned().collect();
        done.entities = new.len();
        done.observations = new.iter().map(|one| one.observations.len()).sum::<usize>()
            + added.iter().map(|one| one.added_observations.len()).sum::<usize>();
        done.relations = create_relations(shelves, &relations).len();
        done.known = known.len() + all.len() - done.relations;
        Ok(done)
    })?;
    Ok(shelved.outcome)
}

fn read(engine: &Engine, context: &Context, file: &Path) -> Result<Vec<Line>> {
    let failed = |source| Error::File { path: file.to_owned(), source };
    let size = std::fs::metadata(file).map_err(failed)?.len();
    if size > FILE_MAX {
        let detail = format!("it has {size} bytes; {FILE_MAX} at most are read");
        return Err(Error::BadFile { path: file.to_owned(), line: 1, detail });
    }
    let text = std::fs::read_to_string(file).map_err(failed)?;
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut value: serde_json::Value =
            serde_json::from_str(line).map_err(|error| bad(file, at, &error))?;
        // What the official server does not know either is passed over.
        let kind = value.get("type").and_then(|kind| kind.as_str()).unwrap_or_default();
        if !["entity", "relation"].contains(&kind) {
            continue;
        }
        clean_value(engine.home(), context.session.as_ref(), &mut value);
        lines.push(serde_json::from_value(value).map_err(|error| bad(file, at, &error))?);
    }
    Ok(lines)
}

fn bad(file: &Path, at: usize, error: &serde_json::Error) -> Error {
    Error::BadFile { path: file.to_owned(), line: at + 1, detail: error.to_string() }
}
