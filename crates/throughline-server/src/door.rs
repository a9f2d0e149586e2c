//! The door: the token is exchanged for a cookie, so that the page never sees it.

use axum::Form;
use axum::extract::{FromRequest as _, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::given::{Given, RequestQuery, header_text};
use crate::{Problem, Token};

/// Seconds that a browser keeps the cookie.
const COOKIE_SECONDS: u32 = 30 * 24 * 60 * 60;

/// What is sent to be let in.
#[derive(Debug, Deserialize, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct LetIn {
    /// The token
    #[serde(default)]
    token: String,
}

/// Open the link that the server printed
#[utoipa::path(get, path = "/login", tag = "door", params(LetIn), security(()),
    responses((status = 200, description = "a page that goes on to `/`, with the cookie", body = String, content_type = "text/html"),
        (status = "default", description = "a page that asks for the token", body = String, content_type = "text/html")))]
pub(crate) async fn link(
    State(app): State<App>,
    asked: Result<RequestQuery<LetIn>, Problem>,
) -> Response {
    let token = asked.map(|RequestQuery(asked)| asked.token).unwrap_or_default();
    let Some(cookie) = cookie_for(&app, &token) else { return ask_for_token() };
    // The page asks for the next one itself: a browser that comes from elsewhere sends no cookie along.
    let page = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Throughline</title>\
        <meta http-equiv=\"refresh\" content=\"0; url=/\"><p><a href=\"/\">Go on</a></p></html>";
    with_cookie(&app, &cookie, Html(page).into_response())
}

/// Exchange the token for a cookie
#[utoipa::path(post, path = "/login", tag = "door", request_body = LetIn, security(()),
    responses((status = 204, description = "the cookie is set"),
        (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn login(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let kind = header_text(request.headers(), header::CONTENT_TYPE).unwrap_or_default();
    let is_form = kind.starts_with("application/x-www-form-urlencoded");
    let given: LetIn = if is_form {
        let form = Form::<LetIn>::from_request(request, &()).await;
        form.map_err(|error| Problem::bad_input(error.body_text()))?.0
    } else {
        Given::<LetIn>::from_request(request, &()).await?.body
    };
    let said = given.token.trim();
    let Some(cookie) = known_cookie(&app, said) else {
        if is_form {
            return Ok(ask_for_token());
        }
        return Err(Problem::new(401, "no_token", "this is not the token of the server"));
    };
    let response = if is_form {
        (StatusCode::SEE_OTHER, [(header::LOCATION, "/")]).into_response()
    } else {
        StatusCode::NO_CONTENT.into_response()
    };
    Ok(with_cookie(&app, &cookie, response))
}

/// Forget the cookie
#[utoipa::path(post, path = "/logout", tag = "door", responses((status = 204, description = "the cookie is gone")))]
pub(crate) async fn logout(State(app): State<App>) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    set_cookie(&mut response, &format!("{}=; Max-Age=0", name(app.port)));
    response
}

/// What a browser is given for a token that somebody knows: the user's, or that of a person.
fn known_cookie(app: &App, said: &str) -> Option<String> {
    if app.setup.token.is(said) {
        return Some(app.setup.token.cookie());
    }
    app.people.by_token(said)?;
    Token::given(said).ok().map(|token| token.cookie())
}

/// The same, also for a browser that `--open` starts.
fn cookie_for(app: &App, said: &str) -> Option<String> {
    let once = || Token::take_once(&app.setup.home, said).then(|| app.setup.token.cookie());
    known_cookie(app, said).or_else(once)
}

fn with_cookie(app: &App, value: &str, mut response: Response) -> Response {
    set_cookie(&mut response, &format!("{}={value}; Max-Age={COOKIE_SECONDS}", name(app.port)));
    response
}

fn set_cookie(response: &mut Response, cookie: &str) {
    let cookie = format!("{cookie}; Path=/; HttpOnly; SameSite=Strict");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
}

/// The name of the cookie. Browsers send cookies to every port of a machine, so it says which it is for.
fn name(port: u16) -> String {
    format!("throughline_{port}")
}

/// What a browser was given, if it sends it.
pub(crate) fn cookie_of(port: u16, headers: &HeaderMap) -> Option<&str> {
    let name = name(port);
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|text| text.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

/// A page for whoever comes without the token.
pub(crate) fn ask_for_token() -> Response {
    let page = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
        <meta name=\"viewport\" content=\"width=device-width\"><title>Throughline</title>\
        <h1>Throughline</h1>\
        <p>Open the link that <code>throughline serve</code> printed, or enter its token.</p>\
        <form method=\"post\" action=\"/login\"><label>Token \
        <input name=\"token\" type=\"password\" autocomplete=\"off\" required></label> \
        <button>Open</button></form></html>";
    (StatusCode::UNAUTHORIZED, Html(page)).into_response()
}
