//! Versions: what an answer says, in short (`ETag`), so that whoever has it already need not be sent it again, and whoever
//! changes something can say what they read.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use throughline_view::WireMemory;

use crate::token::hex;

/// What stands before a number that fades with every second.
const FADING: &str = "\"salience\":";
/// Letters of a version.
const LETTERS: usize = 20;

/// The version of a memory: what it says, and how it was used. Only the first counts as a change.
pub(crate) fn etag_of(memory: &WireMemory) -> String {
    let mut said = serde_json::to_value(memory).unwrap_or_default();
    let mut used = Vec::new();
    if let Value::Object(parts) = &mut said {
        // It fades with every second.
        parts.remove("salience");
        let uses = ["uses", "sessions", "helpful", "unhelpful"];
        used.extend(uses.iter().filter_map(|name| parts.remove(*name)));
    }
    let short = |text: String, letters: usize| hex(&Sha256::digest(text))[..letters].to_owned();
    format!("\"{}-{}\"", short(said.to_string(), 20), short(Value::from(used).to_string(), 8))
}

/// Whether a version that a caller read still says what the memory says.
pub(crate) fn still_says(etag: &str, if_match: &str) -> bool {
    let said = |tag: &str| {
        let tag = tag.trim().trim_start_matches("W/").trim_matches('"');
        tag.split('-').next().unwrap_or_default().to_owned()
    };
    if_match.split(',').any(|one| one.trim() == "*" || said(one) == said(etag))
}

pub(crate) fn with_etag(mut response: Response, etag: &str) -> Response {
    if let Ok(etag) = HeaderValue::from_str(etag) {
        response.headers_mut().insert(header::ETAG, etag);
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    response
}

/// The version of an answer in JSON. What fades with every second is left out, so it is a weak one.
pub(crate) fn weak_etag_of(text: &str) -> String {
    let mut parts = text.split(FADING);
    let mut digest = Sha256::new().chain_update(parts.next().unwrap_or_default());
    for part in parts {
        digest.update(&part[part.find([',', '}']).unwrap_or(0)..]);
    }
    format!("W/\"{}\"", &hex(&digest.finalize())[..LETTERS])
}

/// An answer in JSON with its version.
pub(crate) fn versioned(text: Bytes) -> Response {
    let etag = std::str::from_utf8(&text).ok().map(weak_etag_of);
    let mut response = crate::given::as_json(StatusCode::OK, text);
    let etag = etag.and_then(|etag| HeaderValue::from_str(&etag).ok());
    response.headers_mut().extend(etag.map(|etag| (header::ETAG, etag)));
    response
}

/// What a caller has already, if it looks and says so.
pub(crate) fn known_to(method: &Method, headers: &HeaderMap) -> Option<HeaderValue> {
    let looks = [Method::GET, Method::HEAD].contains(method);
    headers.get(header::IF_NONE_MATCH).filter(|_| looks).cloned()
}

/// The answer, or that it is what the caller has already.
pub(crate) fn unless_known(known: Option<&HeaderValue>, response: Response) -> Response {
    let plain = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let text = |value: Option<&HeaderValue>| {
        value.and_then(|value| value.to_str().ok().map(str::to_owned))
    };
    let (Some(known), Some(etag)) = (text(known), text(response.headers().get(header::ETAG)))
    else {
        return response;
    };
    let is_known = known.split(',').map(plain).any(|one| one == "*" || one == plain(&etag));
    if response.status() != StatusCode::OK || !is_known {
        return response;
    }
    let mut short = StatusCode::NOT_MODIFIED.into_response();
    for name in [header::ETAG, header::CACHE_CONTROL] {
        let kept = response.headers().get(&name).cloned();
        short.headers_mut().extend(kept.map(|value| (name, value)));
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_another_one_when_anything_but_what_fades_is() {
        let first = r#"{"content":"a","salience":0.91,"total":1}"#;
        let faded = r#"{"content":"a","salience":0.2,"total":1}"#;
        assert_eq!(weak_etag_of(first), weak_etag_of(faded));
        for other in [
            r#"{"content":"b","salience":0.91,"total":1}"#,
            r#"{"content":"a","salience":0.91,"total":2}"#,
            r#"{"content":"\"salience\":0.91","total":1}"#,
        ] {
            assert_ne!(weak_etag_of(first), weak_etag_of(other), "{other}");
        }
        let quoted = |text: &str| serde_json::json!({ "content": text }).to_string();
        assert_ne!(
            weak_etag_of(&quoted("\"salience\":1,")),
            weak_etag_of(&quoted("\"salience\":2,"))
        );
    }

    #[test]
    fn only_whoever_has_just_that_is_not_sent_it_again() {
        let answer = || versioned(Bytes::from_static(b"{}"));
        let etag = weak_etag_of("{}");
        let status = |known: &str| {
            let known = HeaderValue::from_str(known).unwrap();
            unless_known(Some(&known), answer()).status().as_u16()
        };
        assert_eq!(status(&etag), 304);
        assert_eq!(status(etag.trim_start_matches("W/")), 304);
        assert_eq!(status(&format!("\"other\", {etag}")), 304);
        assert_eq!(status("*"), 304);
        assert_eq!(status("\"other\""), 200);
        assert_eq!(unless_known(None, answer()).status(), 200);
    }
}
