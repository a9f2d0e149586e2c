//! What tools are called with. Unknown and missing arguments are errors that name them.

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::Failure;
use crate::desk::Place;

/// Reads the arguments of a call.
pub(crate) fn read<T: DeserializeOwned>(arguments: Option<JsonObject>) -> Result<T, Failure> {
    serde_json::from_value(Value::Object(arguments.unwrap_or_default()))
        .map_err(|error| Failure::usage(error.to_string()))
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
            pub(crate) fn place(&self) -> Place {
                Place { project: self.project.clone(), session: self.session.clone() }
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
pub(crate) fn word<T: std::str::FromStr<Err = String>>(text: &str) -> Result<T, Failure> {
    text.trim().to_lowercase().parse().map_err(Failure::usage)
}
