//! Vectors from a service: kept beside those of the built-in model, under their own name, and never
//! compared with them. A hook knows of no service.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use throughline_core::{NodeId, SpaceId};
use throughline_llm::Client;
use throughline_store::{TextOf, Vector};

use super::text_of;
use crate::clean::clean_text;
use crate::flows::Vectors;
use crate::{Ask, Context, Engine, Result};

/// Texts of one question.
const AT_ONCE: usize = 64;
/// Texts of one run.
const RUN_MAX: usize = 10_000;
/// Bytes of a text that are sent.
const TEXT_BYTES: usize = 8_000;
/// How long a question is waited for; then the built-in model looks.
const WAIT: Duration = Duration::from_secs(5);
/// Texts of one run that it may refuse before it is the service that is wrong.
const REFUSED_MAX: usize = 8;
/// The share of texts that must have a vector before they are used.
const ENOUGH: f64 = 0.9;

/// A question and what is within reach, as a service sees them.
#[derive(Debug)]
pub(crate) struct Far {
    query: Vec<f32>,
    vectors: HashMap<NodeId, Vec<f32>>,
}

impl Far {
    /// How near something is to the question, if it has a vector.
    pub(crate) fn cosine(&self, node: NodeId) -> Option<f32> {
        let vector = self.vectors.get(&node).filter(|one| one.len() == self.query.len())?;
        Some(vector.iter().zip(&self.query).map(|(a, b)| a * b).sum())
    }
}

impl Engine {
    /// The same engine, with a service that makes vectors.
    pub fn with_embeddings(mut self, client: Client) -> Self {
        self.meaning.elsewhere = Some(client);
        self
    }
}

impl Vectors<'_> {
    /// The question as a service sees it. `None` where there is none, it does not answer, or too
    /// little has a vector yet: then the built-in model looks.
    pub(crate) fn service_vectors(&self, context: &Context, ask: &Ask<'_>) -> Option<Far> {
        let client = self.engine.meaning.elsewhere.as_ref()?;
        if !ask.arms.vectors || ask.as_of.is_some() || ask.query.trim().is_empty() {
            return None;
        }
        let name = client.embedding_name();
        let mut vectors = HashMap::new();
        let mut texts = 0;
        {
            let reader = self.engine.now_reader().ok()?;
            for space in context.reach().spaces {
                let kept = reader.vectors(space, &name, 0).ok()?;
                vectors.extend(kept.into_iter().map(|one| (one.node, one.values)));
                texts += self
                    .engine
                    .indexes
                    .present(&*reader, space, TextOf::Memories)
                    .ok()?
                    .nodes()
                    .count();
            }
        }
        let memories = vectors.keys().filter(|node| matches!(node, NodeId::Memory(_))).count();
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let enough = memories > 0 && memories as f64 >= texts as f64 * ENOUGH;
        if !enough {
            return None;
        }
        let mut query = ask.query.to_owned();
        clean_text(&mut query);
        query.truncate(query.floor_char_boundary(TEXT_BYTES));
        let query = client.hurried(WAIT).embed(&[&query]).ok()?.pop()?;
        Some(Far { query, vectors })
    }

    /// Gives vectors of the service to what has none, memories before turns, newest first. Says why
    /// it stopped, where it did; what was made is kept.
    pub(crate) fn embed_elsewhere(
        &self,
        progress: &mut dyn FnMut(usize),
    ) -> std::result::Result<usize, String> {
        let Some(client) = &self.engine.meaning.elsewhere else { return Ok(0) };
        let name = client.embedding_name();
        let missing = self.without_far_vectors(&name).map_err(|error| error.to_string())?;
        let (mut made, mut refused) = (0, 0);
        for (space, nodes) in missing {
            for some in nodes.chunks(AT_ONCE) {
                if made >= RUN_MAX {
                    return Ok(made);
                }
                made += self.embed_some(client, space, some, &mut refused)?;
                progress(made);
            }
        }
        Ok(made)
    }

    fn embed_some(
        &self,
        client: &Client,
        space: SpaceId,
        nodes: &[NodeId],
        refused: &mut usize,
    ) -> std::result::Result<usize, String> {
        let (seq, texts) = self.texts_of(space, nodes).map_err(|error| error.to_string())?;
        let plain: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        if plain.is_empty() {
            return Ok(0);
        }
        let vectors = match client.embed(&plain) {
            Ok(vectors) => vectors,
            // One of them may be what it cannot read: the others need not suffer for it.
            Err(error) if error.is_about_the_question() && nodes.len() > 1 => {
                let (some, others) = nodes.split_at(nodes.len() / 2);
                return Ok(self.embed_some(client, space, some, refused)?
                    + self.embed_some(client, space, others, refused)?);
            }
            Err(error) if error.is_about_the_question() && *refused < REFUSED_MAX => {
                *refused += 1;
                return Ok(0);
            }
            Err(error) => return Err(format!("vectors: {error}")),
        };
        let vectors: Vec<Vector> = texts
            .iter()
            .zip(vectors)
            .map(|((node, _), values)| Vector { node: *node, seq, values, packed: Vec::new() })
            .collect();
        let name = client.embedding_name();
        self.engine.store.put_vectors(space, &name, &vectors).map_err(|error| error.to_string())?;
        Ok(vectors.len())
    }

    fn texts_of(&self, space: SpaceId, nodes: &[NodeId]) -> Result<(u64, Vec<(NodeId, String)>)> {
        let reader = self.engine.now_reader()?;
        let keys: Vec<_> =
            nodes.iter().map(|node| throughline_core::RowKey::node(space, *node)).collect();
        let texts = nodes
            .iter()
            .zip(reader.rows(&keys)?)
            .filter_map(|(node, row)| {
                let mut text = text_of(row?)?;
                clean_text(&mut text);
                text.truncate(text.floor_char_boundary(TEXT_BYTES));
                (!text.trim().is_empty()).then_some((*node, text))
            })
            .collect();
        Ok((self.engine.latest_change(&*reader)?, texts))
    }

    /// What has no vector of the service, by space, memories before turns, newest first.
    fn without_far_vectors(&self, name: &str) -> Result<Vec<(SpaceId, Vec<NodeId>)>> {
        let reader = self.engine.now_reader()?;
        let mut missing = Vec::new();
        for of in [TextOf::Memories, TextOf::Episodes] {
            for space in reader.spaces()? {
                let space = space.space;
                let kept = reader.vectors(space, name, 0)?;
                let kept: BTreeSet<NodeId> = kept.into_iter().map(|one| one.node).collect();
                let index = self.engine.indexes.present(&*reader, space, of)?;
                let mut nodes: Vec<NodeId> =
                    index.nodes().filter(|one| !kept.contains(one)).collect();
                nodes.reverse();
                missing.push((space, nodes));
            }
        }
        Ok(missing)
    }

    /// The service's name for its vectors, and how many texts have none yet.
    pub fn far_vectors_missing(&self) -> Result<Option<(String, usize)>> {
        let Some(client) = &self.engine.meaning.elsewhere else { return Ok(None) };
        let name = client.embedding_name();
        let missing = self.without_far_vectors(&name)?;
        Ok(Some((name, missing.iter().map(|(_, nodes)| nodes.len()).sum())))
    }
}
