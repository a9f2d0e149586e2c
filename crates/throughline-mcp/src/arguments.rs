//! What tools are called with. Models write arguments in many ways: what can only mean one thing is
//! taken for that, what is not known is left out and named, what is missing is an error that names it.

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::answer::ToolFailure;
use crate::desk::CallerPlace;

/// Reads the arguments of a call.
pub(crate) fn read<T: DeserializeOwned>(given: Value) -> Result<T, ToolFailure> {
    serde_json::from_value(given).map_err(|error| ToolFailure::usage(error.to_string()))
}

/// Makes arguments what the schema of their tool asks for, where that is plain. Returns the names of
/// those that the tool does not know; they are taken out.
pub(crate) fn fit(schema: &JsonObject, given: &mut JsonObject) -> Vec<String> {
    let known = schema.get("properties");
    let of = |name: &str| match known.and_then(|known| known.get(name)) {
        Some(property) => property["type"].as_str(),
        None if PLACE.contains(&name) => Some("string"),
        None => None,
    };
    let mut strange = Vec::new();
    given.retain(|name, value| match of(name) {
        // What is nothing was not given.
        Some(_) if value.is_null() => false,
        Some(wanted) => {
            bend(wanted, value);
            true
        }
        None => {
            // Names that begin so are the client's, and no business of the model's.
            if !name.starts_with('_') {
                strange.push(name.clone());
            }
            false
        }
    });
    strange
}

/// Arguments that every tool takes, whether it says so or not.
const PLACE: [&str; 2] = ["project", "session"];

fn bend(wanted: &str, value: &mut Value) {
    let bent = match (wanted, &*value) {
        ("integer", Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        ("integer", Value::Number(number)) => whole(number),
        ("boolean", Value::String(text)) => {
            text.trim().to_lowercase().parse::<bool>().ok().map(Value::from)
        }
        ("string", Value::Number(number)) => Some(number.to_string().into()),
        ("string", Value::Bool(truth)) => Some(truth.to_string().into()),
        ("array", Value::String(text)) => {
            // Some write a list as the text of one.
            let list = serde_json::from_str::<Vec<String>>(text);
            Some(list.map_or_else(|_| json!([text]), Value::from))
        }
        ("array", Value::Number(_) | Value::Bool(_)) => Some(json!([value.to_string()])),
        _ => None,
    };
    if let Some(bent) = bent {
        *value = bent;
    }
    if let Value::Array(items) = value {
        items.retain(|item| !item.is_null());
        items.iter_mut().for_each(|item| bend("string", item));
    }
}

/// 5.0 as 5.
fn whole(number: &serde_json::Number) -> Option<Value> {
    let number = number.as_f64().filter(|_| number.as_i64().is_none())?;
    let fits = number.fract() == 0.0 && number.abs() < 1e9;
    fits.then(|| format!("{number:.0}").parse::<i64>().ok().map(Value::from))?
}

/// Declares the arguments of a tool, with where it is called from.
macro_rules! arguments {
    ($(#[$meta:meta])* $name:ident { $( $field:ident: $type:ty ),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $( pub(crate) $field: $type, )*
            project: Option<String>,
            session: Option<String>,
        }

        impl $name {
            pub(crate) fn place(&self) -> CallerPlace {
                CallerPlace { project: self.project.clone(), session: self.session.clone() }
            }
        }
    };
}

arguments!(Recall {
    query: String,
    limit: Option<usize>,
    budget: Option<usize>,
    episodes: Option<bool>,
    as_of: Option<String>,
    mode: Option<String>,
    tag: Option<String>,
});
arguments!(Remember {
    content: String,
    kind: Option<String>,
    tags: Option<Vec<String>>,
    because: Option<Vec<String>>,
    slot: Option<String>,
    watch: Option<Vec<String>>,
    triggers: Option<Vec<String>>,
    source: Option<String>,
    steps: Option<Vec<String>>,
    scope: Option<String>,
});
arguments!(
    /// Of expand and why.
    One { id: String, }
);
arguments!(Relate { from: String, relation: String, to: String, reason: Option<String>, });
arguments!(Correct { id: String, content: String, evidence: Option<String>, slot: Option<String>, });
arguments!(Verify { id: String, outcome: String, evidence: Option<String>, });
arguments!(Feedback { id: String, helpful: bool });
arguments!(Archive { id: String, reason: String });
arguments!(Review { limit: Option<usize>, });

/// Reads a word of a closed set, in any case.
pub(crate) fn word<T: std::str::FromStr<Err = String>>(text: &str) -> Result<T, ToolFailure> {
    text.trim().to_lowercase().parse().map_err(ToolFailure::usage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    fn fitted(tool: &str, given: Value) -> (Value, Vec<String>) {
        let tools = catalog::tools();
        let tool = tools.iter().find(|one| one.name == tool).unwrap();
        let Value::Object(mut given) = given else { panic!("{given}") };
        let strange = fit(&tool.input_schema, &mut given);
        (Value::Object(given), strange)
    }

    #[test]
    fn what_can_only_mean_one_thing_is_taken_for_that() {
        let given = json!({
            "query": 404, "limit": "3", "budget": 500.0, "episodes": "True", "as_of": null,
            "session": null, "_meta": { "x": 1 }, "wait_for_previous": true,
        });
        let (fit, strange) = fitted("recall", given);
        assert_eq!(fit, json!({ "query": "404", "limit": 3, "budget": 500, "episodes": true }));
        assert_eq!(strange, ["wait_for_previous"]);
        let given = json!({
            "content": "x", "tags": "db", "because": "[\"a\", \"b\"]", "triggers": ["x", null, 7],
        });
        let (fit, _) = fitted("remember", given);
        assert_eq!(
            fit,
            json!({ "content": "x", "tags": ["db"], "because": ["a", "b"], "triggers": ["x", "7"] })
        );
    }

    #[test]
    fn what_could_mean_several_things_is_left_to_be_refused() {
        let given = json!({ "query": ["a"], "limit": "three", "budget": 1.5, "episodes": "yes" });
        let (fit, strange) = fitted("recall", given.clone());
        assert_eq!((fit, strange), (given, vec![]));
    }
}
