//! What a request gives: its query, its path, its body; and what comes back.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use throughline_core::scope::Level;
use utoipa::IntoParams;

use crate::Problem;
use crate::app::level;

/// Bytes of a body at most.
pub(crate) const BODY_BYTES_MAX: usize = 1 << 20;

/// Where the answer is looked for: parameters that every operation takes.
#[derive(Debug, Clone, Default, serde::Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AskerQuery {
    /// The key of a project [default: that of the folder in which the server was started]
    project: Option<String>,
    /// `project` (also what holds everywhere) or `global` (only that)
    scope: Option<String>,
}

/// Person: who was let in by a token of their own, as the guard found.
#[derive(Debug, Clone)]
pub(crate) struct Person(pub(crate) String);

/// Who asks: the person, the project, and how far new memories reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Asker {
    /// Whoever has a token of their own; `None` is the user of this home.
    pub(crate) person: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) level: Option<Level>,
}

impl IntoParams for Asker {
    fn into_params(
        parameter_in_provider: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
    ) -> Vec<utoipa::openapi::path::Parameter> {
        AskerQuery::into_params(parameter_in_provider)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Asker {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let RequestQuery(query) =
            RequestQuery::<AskerQuery>::from_request_parts(parts, state).await?;
        let scope = query.scope.filter(|scope| !scope.is_empty());
        Ok(Self {
            person: parts.extensions.get::<Person>().map(|Person(name)| name.clone()),
            project: query.project.filter(|project| !project.is_empty()),
            level: scope.as_deref().map(level).transpose()?,
        })
    }
}

/// Request query: the query of a request.
pub(crate) struct RequestQuery<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for RequestQuery<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let found = Query::<T>::from_request_parts(parts, state).await;
        found.map(|Query(query)| Self(query)).map_err(|error| Problem::bad_input(error.body_text()))
    }
}

/// Path name: what the path of a request names.
pub(crate) struct PathName(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathName {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let found = Path::<String>::from_request_parts(parts, state).await;
        found.map(|Path(name)| Self(name)).map_err(|error| Problem::bad_input(error.body_text()))
    }
}

/// Given: the body of a request. One that is left out is an empty object.
pub(crate) struct Given<T> {
    pub(crate) body: T,
    /// As it was sent, to be handed back where it could not be used.
    pub(crate) sent: Value,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Given<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).cloned();
        let bytes = match Bytes::from_request(request, state).await {
            Err(error) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                return Err(too_large());
            }
            Err(error) => return Err(Problem::bad_input(error.body_text())),
            Ok(bytes) => bytes,
        };
        let sent: Value = if bytes.is_empty() {
            Value::Object(serde_json::Map::new())
        } else if !kind.is_some_and(|kind| is_json(&kind)) {
            let detail = "the body is not application/json";
            return Err(Problem::new(415, "not_json", detail));
        } else {
            serde_json::from_slice(&bytes)
                .map_err(|error| Problem::bad_input(format!("the body is not JSON: {error}")))?
        };
        let body = T::deserialize(&sent)
            .map_err(|error| Problem::bad_input(format!("the body cannot be used: {error}")))?;
        Ok(Self { body, sent })
    }
}

pub(crate) fn too_large() -> Problem {
    let detail = format!("the body has more than {BODY_BYTES_MAX} bytes");
    Problem::new(413, "too_large", detail)
}

fn is_json(kind: &HeaderValue) -> bool {
    let kind = kind.to_str().unwrap_or_default().to_ascii_lowercase();
    kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json")
}

/// JSON reply: an answer in JSON.
#[derive(Debug)]
pub(crate) struct JsonReply<T>(pub(crate) T);

/// What a handler returns.
pub(crate) type JsonAnswer<T> = Result<JsonReply<T>, Problem>;

impl<T: Serialize> IntoResponse for JsonReply<T> {
    fn into_response(self) -> Response {
        json(StatusCode::OK, &self.0)
    }
}

/// An answer in JSON with a status. Signs that a terminal or a reader would obey are escaped.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match json_text(value) {
        Ok(text) => as_json(status, text.into()),
        Err(problem) => problem.into_response(),
    }
}

/// The same as text.
pub(crate) fn json_text(value: &impl Serialize) -> Result<String, Problem> {
    let text = serde_json::to_string(value);
    let text = text.map_err(|error| Problem::new(500, "failed", error.to_string()))?;
    Ok(throughline_core::text::printable_json(&text))
}

/// A text in JSON as an answer.
pub(crate) fn as_json(status: StatusCode, text: Bytes) -> Response {
    let kind = HeaderValue::from_static("application/json");
    let mut response = (status, text).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// The words of a header, if it is there and has any.
pub(crate) fn header_text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok()).filter(|text| !text.is_empty())
}
