//! The guard: who is let in. It stands before every route, MCP and the page included.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::Problem;
use crate::app::App;
use crate::given::{Person, header_text};
use crate::slow::in_time;
use crate::version::{known_to, unless_known};
use crate::{door, page};

/// What browsers may load, and from where: only from here, and nothing that stands within the page.
pub(crate) const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; font-src 'self'; worker-src 'self'; manifest-src 'self'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Requests a second that are answered, on average; short bursts may be so many times that.
const PER_SECOND: f64 = 2_000.0;
const BURST: f64 = 4_000.0;

/// The rate limit: a bucket that fills with time.
pub(crate) struct RateLimit(Mutex<(f64, Instant)>);

impl RateLimit {
    pub(crate) fn new() -> Self {
        Self(Mutex::new((BURST, Instant::now())))
    }

    /// Whether one more may pass now.
    fn lets_pass(&self) -> bool {
        let mut bucket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (left, at) = *bucket;
        let left = (left + at.elapsed().as_secs_f64() * PER_SECOND).min(BURST);
        let passes = left >= 1.0;
        *bucket = (if passes { left - 1.0 } else { left }, Instant::now());
        passes
    }
}

/// Lets a request pass, or answers it; and counts it.
pub(crate) async fn guard(
    State((app, rate)): State<Guarding>,
    mut request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let mut response = match check(&app, &rate, &request) {
        Ok(person) => {
            app.note_asked();
            if let Some(person) = person {
                request.extensions_mut().insert(person);
            }
            let (request, late) = in_time(request);
            let known = known_to(&method, request.headers());
            let response = unless_known(known.as_ref(), next.run(request).await);
            late.problem().map_or(response, Problem::into_response)
        }
        Err(problem) => {
            if problem.status().as_u16() == 401 && wants_page(&request) {
                door::ask_for_token()
            } else {
                problem.into_response()
            }
        }
    };
    protect(response.headers_mut());
    let route = route.as_deref().unwrap_or("other");
    let named = if method_is_known(&method) { method.as_str() } else { "other" };
    app.metrics.count(named, route, response.status().as_u16(), began.elapsed());
    response
}

/// What the guard needs.
pub(crate) type Guarding = (App, std::sync::Arc<RateLimit>);

fn method_is_known(method: &Method) -> bool {
    [Method::GET, Method::POST, Method::PATCH, Method::DELETE, Method::HEAD].contains(method)
}

/// Whether a person looks, and not a program.
fn wants_page(request: &Request) -> bool {
    request.method() == Method::GET && page::is_page_path(request.uri().path())
}

/// Who is not refused: from our own pages or from no page, and with the token where one is needed.
fn check(app: &App, rate: &RateLimit, request: &Request) -> Result<Option<Person>, Problem> {
    let headers = request.headers();
    check_target(app.port, request)?;
    check_host(app.port, headers)?;
    check_origin(app.port, headers)?;
    if !rate.lets_pass() {
        return Err(Problem::new(429, "too_many", "too many requests in a short time")
            .with_hint("wait a second, then go on"));
    }
    if ["/health", "/login"].contains(&request.uri().path()) {
        return Ok(None);
    }
    if let Some(said) = bearer(headers) {
        if app.setup.token.is(said) {
            return Ok(None);
        }
        if let Some(person) = app.people.by_token(said) {
            return check_place(request, person).map(Some);
        }
    }
    let cookie = door::cookie_of(app.port, headers);
    let users = cookie.is_some_and(|said| app.setup.token.is_cookie(said));
    let persons = cookie.filter(|_| !users).and_then(|said| app.people.by_cookie(said));
    if !users && persons.is_none() {
        let hint = "open the link that `throughline serve` printed, or send the token: \
            Authorization: Bearer TOKEN";
        return Err(
            Problem::new(401, "no_token", "this needs the token of the server").with_hint(hint)
        );
    }
    check_site(request)?;
    persons.map(|person| check_place(request, person)).transpose()
}

/// How the home and the process do is told to whoever runs them.
fn check_place(request: &Request, person: String) -> Result<Person, Problem> {
    if ["/api/v1/doctor", "/metrics"].contains(&request.uri().path()) {
        let detail = "this is for whoever runs the server";
        return Err(Problem::new(403, "only_the_user", detail)
            .with_hint("it needs the token of the server itself"));
    }
    Ok(Person(person))
}

/// A request names a path and nothing else. One that names a whole address is meant for a proxy, and says beside
/// `Host` whom it is meant for.
fn check_target(port: u16, request: &Request) -> Result<(), Problem> {
    match request.uri().authority() {
        None => Ok(()),
        Some(named) => Err(wrong_host(port, &format!("a proxy to {:?}", named.as_str()))),
    }
}

/// A name that leads to us may belong to somebody else's page, whose script would then be let in.
fn check_host(port: u16, headers: &HeaderMap) -> Result<(), Problem> {
    // Of two, another program between here and there may have read the other one.
    if headers.get_all(header::HOST).iter().nth(1).is_some() {
        return Err(wrong_host(port, "two servers at once"));
    }
    let host = header_text(headers, header::HOST).unwrap_or_default();
    if hosts(port).iter().any(|ours| ours.eq_ignore_ascii_case(host)) {
        return Ok(());
    }
    Err(wrong_host(port, &format!("{host:?}")))
}

/// Says that somebody else is meant.
fn wrong_host(port: u16, meant: &str) -> Problem {
    let hint = format!("use 127.0.0.1:{port} or localhost:{port}");
    Problem::new(421, "wrong_host", format!("this server is not {meant}")).with_hint(hint)
}

/// The names by which we are called.
fn hosts(port: u16) -> Vec<String> {
    ["127.0.0.1", "localhost", "[::1]"].iter().map(|name| format!("{name}:{port}")).collect()
}

fn check_origin(port: u16, headers: &HeaderMap) -> Result<(), Problem> {
    if !headers.contains_key(header::ORIGIN) {
        return Ok(());
    }
    let origin = header_text(headers, header::ORIGIN).unwrap_or_default();
    let ours = |host: &String| origin.eq_ignore_ascii_case(&format!("http://{host}"));
    if hosts(port).iter().any(ours) {
        return Ok(());
    }
    Err(Problem::new(403, "foreign_origin", format!("pages of {origin:?} may not use this server")))
}

/// A cookie goes along whoever asks; only our own pages may use it.
fn check_site(request: &Request) -> Result<(), Problem> {
    let site = header_text(request.headers(), HeaderName::from_static("sec-fetch-site"));
    let looks = request.method() == Method::GET && page::is_page_path(request.uri().path());
    match site {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) if looks => Ok(()),
        Some(_) => Err(Problem::new(403, "foreign_site", "another page may not use this server")),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let said = header_text(headers, header::AUTHORIZATION)?;
    let (scheme, token) = said.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// What every answer tells a browser.
fn protect(headers: &mut HeaderMap) {
    let mut set = |name: &'static str, value: &'static str| {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    };
    set("content-security-policy", CONTENT_POLICY);
    set("x-content-type-options", "nosniff");
    set("x-frame-options", "DENY");
    set("referrer-policy", "no-referrer");
    set("cross-origin-opener-policy", "same-origin");
    set("cross-origin-resource-policy", "same-origin");
    set("permissions-policy", "camera=(), geolocation=(), microphone=()");
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}
