//! The page: its built files, which are part of the program.

use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use sha2::{Digest as _, Sha256};

use crate::Problem;
use crate::given::header_text;
use crate::token::hex;

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Paths that are no part of the page.
const NOT_PAGE: [&str; 7] =
    ["/api", "/mcp", "/login", "/logout", "/health", "/metrics", "/openapi.json"];

/// Whether a path is one of the page: a file of it, or a place in it.
pub(crate) fn is_page_path(path: &str) -> bool {
    let below = |root: &str| {
        path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    !NOT_PAGE.iter().any(|root| below(root))
}

/// Answers with a file of the page, or with the page itself for a place in it.
pub(crate) async fn file(request: Request) -> Response {
    let path = request.uri().path();
    if !is_page_path(path) {
        return Problem::not_found(format!("there is nothing at {path}"))
            .with_hint("GET /openapi.json lists everything there is")
            .into_response();
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return not_allowed().await.into_response();
    }
    let name = path.trim_start_matches('/');
    let found = FILES.iter().find(|(file, _)| *file == name);
    let place = || {
        // A place in the page has no ending; a file that is missing is missing.
        let last = name.rsplit('/').next().unwrap_or_default();
        FILES.iter().find(|(file, _)| *file == "index.html").filter(|_| !last.contains('.'))
    };
    let Some((name, bytes)) = found.or_else(place) else {
        if name.is_empty() {
            return without_page();
        }
        return Problem::not_found(format!("there is no file {path}")).into_response();
    };
    serve(name, bytes, &request)
}

fn serve(name: &str, bytes: &'static [u8], request: &Request) -> Response {
    let etag = format!("\"{}\"", &hex(&Sha256::digest(bytes))[..32]);
    let keep = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let known = header_text(request.headers(), header::IF_NONE_MATCH);
    let mut response = if known.is_some_and(|known| known.split(',').any(|one| one.trim() == etag))
    {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        bytes.into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(name)));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// What is said where the program was built without the page.
fn without_page() -> Response {
    let page = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Throughline</title>\
        <h1>Throughline</h1><p>This program was built without its page. The interface is there: \
        <a href=\"/openapi.json\">/openapi.json</a></p></html>";
    axum::response::Html(page).into_response()
}

/// A path that is there, asked in a way that it does not answer.
pub(crate) async fn not_allowed() -> Problem {
    Problem::new(405, "wrong_method", "this path does not answer this method")
        .with_hint("GET /openapi.json lists everything there is")
}
