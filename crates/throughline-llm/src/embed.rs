//! Embedding: vectors of texts, from a service.

use serde_json::{Value, json};

use crate::{Client, Error, Provider, Result};

/// Texts of one question.
const TEXTS_MAX: usize = 64;
/// Numbers of one vector.
const DIMENSIONS_MAX: usize = 8_192;

impl Client {
    /// The name under which vectors of this model are stored. Vectors of different names are never
    /// compared.
    pub fn embedding_name(&self) -> String {
        format!("{}/{}", self.settings.provider.as_str(), self.settings.model)
    }

    /// Embeds texts: one vector each, in the order of the texts, normalised to length one.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for some in texts.chunks(TEXTS_MAX) {
            vectors.extend(self.embed_some(some)?);
        }
        let length = vectors.first().map_or(0, Vec::len);
        if vectors.iter().any(|one| one.len() != length) {
            return Err(malformed("its vectors are of different lengths"));
        }
        Ok(vectors)
    }

    fn embed_some(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let model = &self.settings.model;
        let rows = match self.settings.provider {
            Provider::Openai | Provider::OpenaiResponses => {
                let body = json!({"model": model, "input": texts, "encoding_format": "float"});
                let answer = self.post_json("/v1/embeddings", &body)?;
                in_order(answer.get("data").and_then(Value::as_array))
            }
            Provider::Ollama => {
                let body = json!({"model": model, "input": texts});
                let answer = self.post_json("/api/embed", &body)?;
                let rows = answer.get("embeddings").and_then(Value::as_array);
                rows.map(|rows| rows.iter().map(numbers).collect()).unwrap_or_default()
            }
            Provider::Anthropic | Provider::Command => {
                let who = self.settings.provider.as_str();
                return Err(Error::Settings(format!(
                    "{who} makes no vectors: use openai or ollama"
                )));
            }
        };
        if rows.len() != texts.len() {
            let why = format!("{} vectors for {} texts", rows.len(), texts.len());
            return Err(malformed(&why));
        }
        rows.into_iter()
            .map(|row| unit(row.ok_or_else(|| malformed("a vector is not a list of numbers"))?))
            .collect()
    }
}

/// Rows that say which text they belong to.
fn in_order(rows: Option<&Vec<Value>>) -> Vec<Option<Vec<f32>>> {
    let rows = rows.map(Vec::as_slice).unwrap_or_default();
    let mut placed: Vec<Option<Vec<f32>>> = vec![None; rows.len()];
    for (at, row) in rows.iter().enumerate() {
        let index =
            row.get("index").and_then(Value::as_u64).and_then(|one| usize::try_from(one).ok());
        if let Some(place) = placed.get_mut(index.unwrap_or(at)) {
            *place = row.get("embedding").and_then(numbers);
        }
    }
    placed
}

fn numbers(row: &Value) -> Option<Vec<f32>> {
    let row = row.as_array().filter(|row| (1..=DIMENSIONS_MAX).contains(&row.len()))?;
    #[expect(clippy::cast_possible_truncation, reason = "vectors are kept in single precision")]
    row.iter().map(|one| one.as_f64().map(|one| one as f32)).collect()
}

/// The same direction with length one.
fn unit(mut vector: Vec<f32>) -> Result<Vec<f32>> {
    let length = vector.iter().map(|one| one * one).sum::<f32>().sqrt();
    if !length.is_finite() || length <= f32::EPSILON {
        return Err(malformed("a vector is zero"));
    }
    vector.iter_mut().for_each(|one| *one /= length);
    Ok(vector)
}

fn malformed(why: &str) -> Error {
    Error::Malformed { why: why.to_owned(), said: String::new() }
}
