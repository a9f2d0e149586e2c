//! The plugins of the repository say what `init` writes: there is one table of events.

use std::path::{Path, PathBuf};

use serde_json::Value;
use throughline_agents::Host;
use throughline_agents::install::{add, project_places};

const PROGRAM: &str = "/usr/bin/throughline";

fn plugins() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins")
}

fn json(name: &str) -> Value {
    let text = std::fs::read_to_string(plugins().join(name)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What `init` writes for a host, with a program that is found by its name.
fn written(host: Host, file: usize) -> Value {
    let place = project_places(host, Path::new("/p")).swap_remove(file);
    let text = add(place.form, "", PROGRAM).unwrap().after;
    serde_json::from_str(&text.replace(PROGRAM, "throughline")).unwrap()
}

#[test]
fn plugins_register_what_init_registers() {
    for (host, file) in [
        (Host::ClaudeCode, "throughline/hooks/hooks.json"),
        (Host::Codex, "throughline/hooks/codex.json"),
        (Host::Gemini, "gemini/hooks/hooks.json"),
    ] {
        assert_eq!(json(file)["hooks"], written(host, 0)["hooks"], "{file}");
    }
    let server = &written(Host::Gemini, 0)["mcpServers"];
    assert_eq!(&json("gemini/gemini-extension.json")["mcpServers"], server);
    assert_eq!(&json("throughline/.mcp.json")["mcpServers"], server);
    // Codex hands a server nothing of its environment that is not named, in a plugin as in settings.
    let manifest = json("throughline/.codex-plugin/plugin.json");
    assert_eq!(manifest["mcpServers"], "./codex.mcp.json");
    let settings = written_toml(Host::Codex, 1);
    let packed = &json("throughline/codex.mcp.json")["mcpServers"];
    assert_eq!(packed, &settings["mcp_servers"]);
}

/// The same for settings in TOML.
fn written_toml(host: Host, file: usize) -> Value {
    let place = project_places(host, Path::new("/p")).swap_remove(file);
    let text = add(place.form, "", PROGRAM).unwrap().after.replace(PROGRAM, "throughline");
    let settings = text.parse::<toml_edit::DocumentMut>().unwrap();
    let server = &settings["mcp_servers"]["throughline"];
    let list = |name: &str| {
        let items = server[name].as_array().unwrap().iter();
        items.map(|one| one.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let command = server["command"].as_str().unwrap();
    serde_json::json!({"mcp_servers": {"throughline": {
        "command": command, "args": list("args"), "env_vars": list("env_vars")}}})
}

#[test]
fn the_plugin_of_opencode_is_the_file_that_init_writes() {
    let place = project_places(Host::Opencode, Path::new("/p")).swap_remove(1);
    let written = add(place.form, "", PROGRAM).unwrap().after.replace(PROGRAM, "throughline");
    let shipped = std::fs::read_to_string(plugins().join("opencode/throughline.js")).unwrap();
    assert_eq!(shipped, written);
}

#[test]
fn all_plugins_have_the_version_of_the_program() {
    let version = env!("CARGO_PKG_VERSION");
    for name in [
        "throughline/.claude-plugin/plugin.json",
        "throughline/.codex-plugin/plugin.json",
        "gemini/gemini-extension.json",
    ] {
        assert_eq!(json(name)["version"], version, "{name}");
    }
    let market = json(".claude-plugin/marketplace.json");
    assert_eq!(market["plugins"][0]["version"], version);
}

#[test]
fn every_command_is_a_skill_and_a_command_of_gemini() {
    for name in ["recall", "remember", "why", "forget", "graph", "consolidate"] {
        let skill = plugins().join(format!("throughline/skills/{name}/SKILL.md"));
        let skill = std::fs::read_to_string(skill).unwrap();
        assert!(skill.starts_with(&format!("---\nname: {name}\n")), "{skill}");
        assert!(skill.contains("throughline ") && skill.contains("$ARGUMENTS"), "{skill}");
        let command = plugins().join(format!("gemini/commands/{name}.toml"));
        let command = std::fs::read_to_string(command).unwrap();
        assert!(command.contains("!{throughline "), "{command}");
        command.parse::<toml_edit::DocumentMut>().unwrap();
    }
}
