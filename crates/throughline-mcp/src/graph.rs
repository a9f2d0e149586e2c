//! The profile `server-memory`: the nine tools of the official memory server, with its words, its
//! order and its answers, over our store. What is put there is also remembered as an agent's claim.

mod check;
mod import;
pub(crate) mod wire;

use std::collections::{BTreeMap, BTreeSet};

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Resource, ResourceContents, Tool};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use throughline_core::{Authority, EntityKind, LeafId};
use throughline_engine::{
    Context, Engine, Error, Result as Done, ShelfClaim, ShelfEntry, ShelfRules, Shelved, Shelves,
};

use crate::answer::ToolFailure;
use crate::desk::{CallerPlace, Desk};

pub use import::{GraphImport, import, is_graph};

/// The whole graph, as a resource.
pub(crate) const GRAPH: &str = "memory://knowledge-graph";

const ENTITY: &str = "graph.entity";
const OBSERVATION: &str = "graph.observation";
const RELATION: &str = "graph.relation";
const SOURCE: &str = "graph.source";
const SHELVES: [&str; 3] = [ENTITY, OBSERVATION, RELATION];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServedEntity {
    name: String,
    entity_type: String,
    observations: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServedRelation {
    from: String,
    to: String,
    relation_type: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct ServedGraph {
    entities: Vec<ServedEntity>,
    relations: Vec<ServedRelation>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Addition {
    entity_name: String,
    contents: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Added {
    entity_name: String,
    added_observations: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Deletion {
    entity_name: String,
    observations: Vec<String>,
}

/// The tools, as far as the library has names for what they say. On the wire they go word for word.
pub(crate) fn tools() -> Vec<Tool> {
    serde_json::from_value(wire::recorded()["tools"].take())
        .expect("the list is part of the program")
}

/// The one resource.
pub(crate) fn resource() -> Resource {
    Resource::new(GRAPH, "knowledge-graph")
        .with_title("Knowledge Graph")
        .with_description("The full knowledge graph with all entities and relations")
        .with_mime_type("application/json")
}

/// Reads the whole graph.
pub(crate) fn read(desk: &mut Desk) -> Result<ResourceContents, ToolFailure> {
    let graph = open(desk)?;
    Ok(ResourceContents::text(pretty(&graph), GRAPH).with_mime_type("application/json"))
}

/// Whether a tool changes the graph.
pub(crate) fn changes(name: &str) -> bool {
    ["create_", "add_", "delete_"].iter().any(|verb| name.starts_with(verb))
}

/// Calls a tool.
pub(crate) fn call(desk: &mut Desk, name: &str, arguments: Option<JsonObject>) -> CallToolResult {
    let Some(tool) = tools().into_iter().find(|tool| tool.name == name) else {
        return refused(&format!("MCP error -32602: Tool {name} not found"));
    };
    let mut given = Value::Object(arguments.unwrap_or_default());
    let issues = check::issues(&Value::Object((*tool.input_schema).clone()), &given);
    if !issues.is_empty() {
        return refused(&format!(
            "MCP error -32602: Input validation error: Invalid arguments for tool {name}: {}",
            issues.join("\n")
        ));
    }
    desk.clean(&mut given);
    match answer(desk, name, &given) {
        Ok((text, data)) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.is_error = None;
            result.structured_content = Some(data);
            result
        }
        Err(failure) => refused(&failure.message),
    }
}

fn refused(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

type ServedObservation = Result<(String, Value), ToolFailure>;

fn answer(desk: &mut Desk, name: &str, given: &Value) -> ServedObservation {
    match name {
        "create_entities" => {
            let entities: Vec<ServedEntity> = part(given, "entities")?;
            let new = change(desk, |shelves| Ok(create_entities(shelves, &entities)))?;
            Ok((pretty(&new), json!({ "entities": new })))
        }
        "create_relations" => {
            let relations: Vec<ServedRelation> = part(given, "relations")?;
            let new = change(desk, |shelves| Ok(create_relations(shelves, &relations)))?;
            Ok((pretty(&new), json!({ "relations": new })))
        }
        "add_observations" => {
            let additions: Vec<Addition> = part(given, "observations")?;
            let added = change(desk, |shelves| add_observations(shelves, &additions))?;
            Ok((pretty(&added), json!({ "results": added })))
        }
        "delete_entities" => {
            let names: BTreeSet<String> = part(given, "entityNames")?;
            change(desk, |shelves| {
                delete_entities(shelves, &names);
                Ok(())
            })?;
            Ok(done("Entities deleted successfully"))
        }
        "delete_observations" => {
            let deletions: Vec<Deletion> = part(given, "deletions")?;
            change(desk, |shelves| {
                delete_observations(shelves, &deletions);
                Ok(())
            })?;
            Ok(done("Observations deleted successfully"))
        }
        "delete_relations" => {
            let relations: BTreeSet<ServedRelation> = part(given, "relations")?;
            change(desk, |shelves| {
                shelves.on(RELATION).retain(|entry| !relations.contains(&relation(entry)));
                Ok(())
            })?;
            Ok(done("Relations deleted successfully"))
        }
        "search_nodes" => {
            let query: String = part(given, "query")?;
            let query = query.to_lowercase();
            let fits = |text: &String| text.to_lowercase().contains(&query);
            let graph = open(desk)?.only(|entity| {
                fits(&entity.name)
                    || fits(&entity.entity_type)
                    || entity.observations.iter().any(fits)
            });
            Ok(told(&graph))
        }
        "open_nodes" => {
            let names: BTreeSet<String> = part(given, "names")?;
            Ok(told(&open(desk)?.only(|entity| names.contains(&entity.name))))
        }
        _ => Ok(told(&open(desk)?)),
    }
}

fn part<T: serde::de::DeserializeOwned>(given: &Value, name: &str) -> Result<T, ToolFailure> {
    serde_json::from_value(given[name].clone())
        .map_err(|error| ToolFailure::usage(error.to_string()))
}

fn done(message: &str) -> (String, Value) {
    (message.to_owned(), json!({ "success": true, "message": message }))
}

fn told(graph: &ServedGraph) -> (String, Value) {
    (pretty(graph), json!(graph))
}

fn pretty<T: Serialize>(value: &T) -> String {
    serde_json::to_string_pretty(value).expect("plain data serialises")
}

impl ServedGraph {
    fn of(shelves: &mut Shelves) -> Self {
        let mut observed: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in shelves.on(OBSERVATION).iter() {
            observed.entry(owner(entry).to_owned()).or_default().push(entry.text.clone());
        }
        let entity = |entry: &ShelfEntry| ServedEntity {
            name: entry.name.clone(),
            entity_type: entry.text.clone(),
            observations: observed.remove(&entry.id.to_string()).unwrap_or_default(),
        };
        let entities = shelves.on(ENTITY).iter().map(entity).collect();
        Self { entities, relations: shelves.on(RELATION).iter().map(relation).collect() }
    }

    /// The entities that fit, and the relations that touch one of them.
    fn only(mut self, fits: impl Fn(&ServedEntity) -> bool) -> Self {
        self.entities.retain(fits);
        let names: BTreeSet<&str> = self.entities.iter().map(|one| one.name.as_str()).collect();
        self.relations
            .retain(|one| names.contains(one.from.as_str()) || names.contains(one.to.as_str()));
        self
    }
}

/// The entity that an observation belongs to, by the id of its entry: names may occur twice.
fn owner(entry: &ShelfEntry) -> &str {
    entry.notes.first().map_or("", String::as_str)
}

fn relation(entry: &ShelfEntry) -> ServedRelation {
    ServedRelation {
        from: entry.name.clone(),
        to: entry.text.clone(),
        relation_type: entry.notes.first().cloned().unwrap_or_default(),
    }
}

fn create_entities(shelves: &mut Shelves, entities: &[ServedEntity]) -> Vec<ServedEntity> {
    let known: BTreeSet<String> = shelves.on(ENTITY).iter().map(|one| one.name.clone()).collect();
    let new: Vec<ServedEntity> =
        entities.iter().filter(|one| !known.contains(&one.name)).cloned().collect();
    for entity in &new {
        let entry = shelves.entry(&entity.name, &entity.entity_type);
        let id = entry.id;
        shelves.on(ENTITY).push(entry);
        observe(shelves, &entity.name, id, &entity.observations);
    }
    new
}

fn observe(shelves: &mut Shelves, name: &str, entity: LeafId, observations: &[String]) {
    for observation in observations {
        let mut entry = shelves.entry(name, observation);
        entry.notes.push(entity.to_string());
        shelves.on(OBSERVATION).push(entry);
    }
}

fn create_relations(shelves: &mut Shelves, relations: &[ServedRelation]) -> Vec<ServedRelation> {
    let known: BTreeSet<ServedRelation> = shelves.on(RELATION).iter().map(relation).collect();
    let new: Vec<ServedRelation> =
        relations.iter().filter(|one| !known.contains(*one)).cloned().collect();
    for one in &new {
        let mut entry = shelves.entry(&one.from, &one.to);
        entry.notes.push(one.relation_type.clone());
        shelves.on(RELATION).push(entry);
    }
    new
}

fn add_observations(shelves: &mut Shelves, additions: &[Addition]) -> Done<Vec<Added>> {
    // The first of a name is meant.
    let mut entities: BTreeMap<String, LeafId> = BTreeMap::new();
    for entry in shelves.on(ENTITY).iter() {
        entities.entry(entry.name.clone()).or_insert(entry.id);
    }
    let mut held: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in shelves.on(OBSERVATION).iter() {
        held.entry(owner(entry).to_owned()).or_default().insert(entry.text.clone());
    }
    let mut results = Vec::new();
    for addition in additions {
        let name = &addition.entity_name;
        let Some(entity) = entities.get(name) else {
            return Err(Error::BadInput(format!("Entity with name {name} not found")));
        };
        let held = held.entry(entity.to_string()).or_default();
        let added: Vec<String> =
            addition.contents.iter().filter(|one| !held.contains(*one)).cloned().collect();
        held.extend(added.iter().cloned());
        observe(shelves, name, *entity, &added);
        results.push(Added { entity_name: name.clone(), added_observations: added });
    }
    Ok(results)
}

fn delete_entities(shelves: &mut Shelves, names: &BTreeSet<String>) {
    let gone: BTreeSet<String> = shelves
        .on(ENTITY)
        .iter()
        .filter(|one| names.contains(&one.name))
        .map(|one| one.id.to_string())
        .collect();
    shelves.on(ENTITY).retain(|one| !names.contains(&one.name));
    shelves.on(OBSERVATION).retain(|one| !gone.contains(owner(one)));
    shelves.on(RELATION).retain(|one| !names.contains(&one.name) && !names.contains(&one.text));
}

fn delete_observations(shelves: &mut Shelves, deletions: &[Deletion]) {
    for deletion in deletions {
        let entities = shelves.on(ENTITY).iter();
        let found =
            entities.filter(|one| one.name == deletion.entity_name).map(|one| one.id).next();
        let Some(entity) = found.map(|id| id.to_string()) else { continue };
        shelves
            .on(OBSERVATION)
            .retain(|one| owner(one) != entity || !deletion.observations.contains(&one.text));
    }
}

/// What an entry claims.
fn claim(shelf: &str, entry: &ShelfEntry) -> ShelfClaim {
    let (name, text) = (&entry.name, &entry.text);
    let note = entry.notes.first().map_or("", String::as_str);
    let content = match shelf {
        ENTITY => format!("{name} is a {text}"),
        OBSERVATION => format!("{name}: {text}"),
        RELATION => format!("{name} {} {text}", note.replace('_', " ")),
        _ => format!("What the knowledge graph holds was read in from {name}"),
    };
    let about = (shelf != SOURCE).then(|| (EntityKind::Concept, name.clone()));
    ShelfClaim { content, about }
}

fn keeping(authority: Authority) -> ShelfRules<'static> {
    const ALL: &[&str] = &[ENTITY, OBSERVATION, RELATION, SOURCE];
    ShelfRules { shelves: ALL, claims: &claim, authority }
}

fn change<T>(desk: &mut Desk, work: impl FnMut(&mut Shelves) -> Done<T>) -> Result<T, ToolFailure> {
    let (engine, context) = ready(desk)?;
    let Shelved { outcome, .. } =
        engine.keeping(&context).reshelve(keeping(Authority::Observed), work)?;
    Ok(outcome)
}

fn open(desk: &mut Desk) -> Result<ServedGraph, ToolFailure> {
    let (engine, context) = ready(desk)?;
    Ok(ServedGraph::of(&mut engine.keeping(&context).shelves(&SHELVES)?))
}

/// The engine, with what the official server left behind read in, once.
fn ready(desk: &mut Desk) -> Result<(&Engine, Context), ToolFailure> {
    let context = desk.context(&CallerPlace::default())?;
    let file = desk.take_graph_file();
    if let Some(file) = &file {
        let read_in = desk.engine().and_then(|engine| Ok(import::once(engine, &context, file)?));
        if let Err(failure) = read_in {
            desk.give_back_graph_file(file);
            return Err(failure);
        }
    }
    Ok((desk.engine()?, context))
}
