//! The official memory server as its clients see it on the wire: who it says it is, its list of tools
//! word for word, and its complaints about messages that cannot be read.

use rmcp::ErrorData;
use rmcp::model::{
    CustomRequest, CustomResult, ErrorCode, Implementation, ServerCapabilities, ServerConfig,
    ServerResult,
};
use serde::Serialize;
use serde_json::Value;

use super::check::name;

/// What it says of itself.
pub(crate) fn info() -> ServerConfig {
    let capabilities = ServerCapabilities::builder()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_resources_subscribe()
        .build();
    ServerConfig::new(capabilities).with_server_info(Implementation::new("memory-server", "0.6.3"))
}

/// The list of tools as it was recorded, with what the library has no name for.
pub(super) fn recorded() -> Value {
    serde_json::from_str(include_str!("tools.json")).expect("the list is part of the program")
}

/// An answer in its words.
pub(crate) fn dressed(answer: Result<ServerResult, ErrorData>) -> Result<ServerResult, ErrorData> {
    match answer {
        Ok(ServerResult::ListToolsResult(list)) => {
            let mut whole = serde_json::to_value(list).expect("plain data serialises");
            whole["tools"] = recorded()["tools"].take();
            Ok(ServerResult::CustomResult(CustomResult::new(whole)))
        }
        Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => {
            Err(ErrorData::new(error.code, "Method not found", None))
        }
        answer => answer,
    }
}

/// One complaint, in the order of its keys.
#[derive(Serialize)]
struct Issue {
    expected: &'static str,
    code: &'static str,
    path: Vec<&'static str>,
    message: String,
}

/// What is wrong with a request that came here because its parameters could not be read. `None` where
/// it is the method that is not known.
pub(crate) fn unreadable(request: &CustomRequest) -> Option<ErrorData> {
    let wanted: &[(&str, &str, bool)] = match request.method.as_str() {
        "tools/call" => &[("name", "string", true), ("arguments", "record", false)],
        "tools/list" | "resources/list" | "resources/templates/list" => {
            &[("cursor", "string", false)]
        }
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
            &[("uri", "string", true)]
        }
        "initialize" => &[
            ("protocolVersion", "string", true),
            ("capabilities", "object", true),
            ("clientInfo", "object", true),
        ],
        _ => return None,
    };
    let given = request.params.as_ref();
    let issue = |path: Vec<&'static str>, expected: &'static str, given: Option<&Value>| {
        let received = given.map_or("undefined", name);
        let fits = received == expected || (expected, received) == ("record", "object");
        let message = format!("Invalid input: expected {expected}, received {received}");
        (!fits).then_some(Issue { expected, code: "invalid_type", path, message })
    };
    let whole = issue(vec!["params"], "object", given);
    let parts = wanted.iter().filter_map(|(part, expected, needed)| {
        let given = given.and_then(|given| given.get(part));
        (*needed || given.is_some()).then(|| issue(vec!["params", part], expected, given))?
    });
    let issues: Vec<Issue> = match whole {
        Some(whole) => vec![whole],
        None => parts.collect(),
    };
    Some(ErrorData::internal_error(super::pretty(&issues), None))
}

/// An address that is none, in its words.
pub(crate) fn no_resource(uri: &str) -> ErrorData {
    let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
    let mut letters = scheme.chars();
    let is_address = letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|one| one.is_ascii_alphanumeric() || "+-.".contains(one));
    if !is_address {
        return ErrorData::internal_error("Invalid URL", None);
    }
    let message = format!("MCP error -32602: Resource {uri} not found");
    ErrorData::invalid_params(message, None)
}
