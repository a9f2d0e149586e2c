//! What is secret only because of a name beside it: a tag, the thing that a note describes, a file.

use serde_json::json;

use crate::harness::Home;
use crate::secrets::assert_gone;

/// A value that nothing but its name gives away.
fn value() -> String {
    ["hR3x", "Vt96", "wNcy", "27Gp"].concat()
}

#[test]
fn a_value_beside_the_tag_password_is_not_kept() {
    let (home, value) = (Home::new(), value());
    let tags = json!(["password", value, "staging", "rotation"]);
    let kept = home.mcp().call("remember", json!({"content": "Staging is locked", "tags": tags}));
    assert_eq!(kept["redacted"], 1, "{kept}");
    assert_gone(&home, &[&value], "tags");
    assert!(!home.files_holding("rotation").is_empty(), "other tags are kept");
}

#[test]
fn what_describes_a_password_is_not_kept_in_a_graph() {
    let (home, value) = (Home::new(), value());
    let mut client = home.mcp_profile("server-memory");
    let entity = |name: &str, kind: &str, said: &str| json!({"entities": [{"name": name, "entityType": kind, "observations": [said]}]});
    client.call("create_entities", entity("db password", "thing", &value));
    client.call("create_entities", entity("staging", "password", &value));
    client.call("create_entities", entity("queue", "service", "runs on Kafka"));
    let more = json!({"observations": [{"entityName": "db password", "contents": [value]}]});
    client.try_call("add_observations", more);
    assert_gone(&home, &[&value], "a graph");
    assert!(!home.files_holding("runs on Kafka").is_empty(), "other things are kept");
}

#[test]
fn secret_files_of_the_memory_tool_are_not_kept() {
    let (home, value) = (Home::new(), value());
    let mut client = home.mcp_profile("memory-tool");
    for path in ["/memories/.env", "/memories/db-password.txt", "/memories/passwords.md"] {
        let file = json!({"command": "create", "path": path, "file_text": format!("{value}\n")});
        client.text("memory", file);
        let more =
            json!({"command": "insert", "path": path, "insert_line": 0, "insert_text": value});
        client.text("memory", more);
    }
    let notes = json!({
        "command": "create", "path": "/memories/password-policy.md",
        "file_text": "Passwords are rotated in May.\nAsk marigold first.\n",
    });
    client.text("memory", notes);
    assert_gone(&home, &[&value], "files");
    assert!(!home.files_holding("marigold").is_empty(), "notes about passwords are kept");
}
