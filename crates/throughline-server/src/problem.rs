//! Problem: why a request was not carried out, as `application/problem+json`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use throughline_engine::{Error, ErrorKind};
use utoipa::ToSchema;

/// Problem: what went wrong, where, and what to do: the same code, words and hint as on the command line.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`: the code says which problem it is.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    kind: AboutBlank,
    /// The status in words.
    title: &'static str,
    /// The status of the answer.
    status: u16,
    /// A stable name of the problem.
    #[schema(value_type = String)]
    pub code: &'static str,
    /// What went wrong.
    pub detail: String,
    /// What the caller can do.
    pub hint: Option<String>,
    /// After a concurrent change: the memory as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    current: Option<Box<Value>>,
    /// After a concurrent change: what the caller wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    yours: Option<Box<Value>>,
    /// The version of what is there now.
    #[serde(skip)]
    etag: Option<Box<str>>,
}

/// The type of every problem. A name of its own, because it takes no room.
#[derive(Debug, Clone, Copy)]
struct AboutBlank;

impl Serialize for AboutBlank {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("about:blank")
    }
}

impl Problem {
    /// A problem with a status.
    pub fn new(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        let title = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
        Self {
            kind: AboutBlank,
            title: title.unwrap_or("Problem"),
            status,
            code,
            detail: detail.into(),
            hint: None,
            current: None,
            yours: None,
            etag: None,
        }
    }

    /// The same with what the caller can do.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// What was sent cannot be used.
    pub(crate) fn bad_input(detail: impl Into<String>) -> Self {
        Self::new(400, "bad_input", detail)
    }

    /// What was named is not there.
    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(404, "not_found", detail)
    }

    /// Somebody changed the memory meanwhile: both versions are handed back.
    pub(crate) fn changed_meanwhile(current: Value, yours: Value, etag: String) -> Self {
        let detail = "the memory was changed after you read it";
        let hint = "`current` is what it says now, `yours` is what you sent; send yours again with \
            the new ETag in If-Match if it still holds";
        Self {
            current: Some(Box::new(current)),
            yours: Some(Box::new(yours)),
            etag: Some(etag.into()),
            ..Self::new(409, "changed_meanwhile", detail).with_hint(hint)
        }
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// The status that a failure of the engine is answered with.
fn status_of(error: &Error) -> u16 {
    match (error.kind(), error.code()) {
        (ErrorKind::NotFound, _) => 404,
        (ErrorKind::Usage, _) | (_, "bad_input" | "no_cause") => 400,
        (_, "only_the_user" | "another_said" | "denied") => 403,
        (
            _,
            "off" | "busy" | "disk_full" | "not_writable" | "disk" | "damaged" | "newer"
            | "not_ours" | "io" | "database" | "file" | "unsafe_home" | "no_folder" | "model"
            | "unreachable" | "unfit" | "bad_address",
        ) => 503,
        (ErrorKind::Failed, _) => 409,
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let problem = Self::new(status_of(&error), error.code(), error.to_string());
        Self { hint: error.hint(), ..problem }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_string(&self).unwrap_or_default();
        let mut response = (self.status(), body).into_response();
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, kind);
        if let Some(etag) = self.etag.and_then(|etag| HeaderValue::from_str(&etag).ok()) {
            headers.insert(header::ETAG, etag);
        }
        if self.status == 429 || self.status == 503 {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.status == 401 {
            let scheme = HeaderValue::from_static("Bearer realm=\"throughline\"");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}
