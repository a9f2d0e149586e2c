//! The pages in `docs` say what the program says.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use crate::harness::{Home, bare};
use crate::served::Served;

fn page(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
}

#[test]
fn the_page_about_configuration_has_every_setting_with_its_default_and_meaning() {
    let page = page("docs/configuration.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let told = Home::new().page(&["config"]);
    let lines: Vec<&str> = told.lines().collect();
    for pair in lines.chunks(2) {
        let (key, value) = pair[0].split_once(" = ").unwrap();
        let (default, about) = (value.trim_end_matches(" (default)"), pair[1].trim());
        let row = format!("| `{key}` | `{default}` | {about} |");
        assert!(rows.contains(&row.as_str()), "docs/configuration.md should have:\n{row}");
    }
    let of_settings = rows.iter().filter(|row| !row.contains("_HOME") && !row.contains("| `THR"));
    let known = of_settings.filter(|row| row.split(" | ").count() == 3).count();
    assert_eq!(known, lines.len() / 2, "no setting that is not there");
}

#[test]
fn commands_named_on_the_pages_for_users_exist() {
    let mut seen = 0;
    for name in ["README.md", "docs/tutorial.md", "docs/faq.md", "docs/privacy.md"] {
        let page = page(name);
        for part in page.split("throughline ").skip(1) {
            let command: String =
                part.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            let is_code = page.contains(&format!("`throughline {command}"))
                || page.contains(&format!("$ throughline {command}"));
            if command.is_empty() || !is_code {
                continue;
            }
            let help = bare().args([&command, "--help"]).output().unwrap();
            assert!(help.status.success(), "{name}: throughline {command}");
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn links_between_the_pages_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for entry in std::fs::read_dir(root.join("docs")).unwrap() {
        pages.push(entry.unwrap().path());
    }
    for page in pages.iter().filter(|page| page.extension().is_some_and(|end| end == "md")) {
        let text = std::fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            let here = !file.is_empty() && !file.contains("://");
            let there = page.parent().unwrap().join(file);
            assert!(!here || there.exists(), "{}: {link}", page.display());
        }
    }
}

#[test]
fn the_glossary_has_twenty_one_words_in_order() {
    let page = page("docs/glossary.md");
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    let words: Vec<&str> = rows.filter_map(|row| row.split(" | ").next()).collect();
    assert_eq!(words.len(), 21);
    assert!(words.is_sorted(), "{words:?}");
}

/// The services of a compose file, each with its settings: as much of YAML as the page uses.
fn services(compose: &str) -> BTreeMap<&str, BTreeMap<&str, String>> {
    let mut services: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    let (mut within, mut service, mut setting) = (false, "", "");
    for line in compose.lines().map(|line| line.split("  #").next().unwrap_or_default().trim_end())
    {
        let rest = line.trim_start();
        let depth = line.len() - rest.len();
        assert!(depth % 2 == 0 && !line.contains('\t'), "YAML is indented by two: {line}");
        let (key, value) = rest.split_once(':').unwrap_or((rest, ""));
        match depth {
            0 => within = key == "services",
            2 if within => service = key,
            4 if within => {
                setting = key;
                let old = services.entry(service).or_default().insert(key, value.trim().to_owned());
                assert_eq!(old, None, "{service} has {key} twice");
            }
            6 if within => {
                let known = services.get_mut(service).and_then(|known| known.get_mut(setting));
                known.expect("a setting stands above").push_str(&format!(" {rest}"));
            }
            _ => assert!(!within, "{line}"),
        }
    }
    services
}

#[test]
fn the_compose_file_publishes_the_ports_where_they_are_and_mounts_what_it_names() {
    let page = page("docs/team.md");
    let compose = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next());
    let services = services(compose.expect("there is a compose file"));
    assert_eq!(services.keys().copied().collect::<Vec<_>>(), ["memory", "proxy", "server"]);
    let setting =
        |service: &str, name: &str| services[service].get(name).cloned().unwrap_or_default();
    // Who has the network of another publishes nothing: that one does.
    for service in services.keys() {
        if let Some(host) = setting(service, "network_mode").strip_prefix("service:") {
            assert_eq!(setting(service, "ports"), "", "{service}");
            assert!(setting(host, "ports").contains("443:443"), "{host}");
        }
        // What lies in a folder that is mounted is mounted where it is named.
        let (command, environment) = (setting(service, "command"), setting(service, "environment"));
        let named = format!("{command} {environment}");
        for path in named.split(['=', ' ']).filter(|path| path.starts_with("/certs/")) {
            let volumes = setting(service, "volumes");
            assert!(volumes.contains(":/certs:") || volumes.contains(path), "{service}: {path}");
        }
        for secret in named.split("/run/secrets/").skip(1) {
            let secret = secret.split([' ', '}']).next().unwrap_or_default();
            assert!(setting(service, "secrets").contains(secret), "{service}: {secret}");
        }
    }
    // The proxy asks where the server listens, and by the name that the server answers to.
    let port = throughline_server_port();
    let proxy = setting("proxy", "command");
    assert!(proxy.contains(&format!("--to 127.0.0.1:{port}")), "{proxy}");
    assert!(proxy.contains("--change-host-header"), "{proxy}");
}

/// The port that the server takes where none is named, as its help says.
fn throughline_server_port() -> String {
    let help = bare().args(["serve", "--help"]).output().expect("the program starts");
    let help = String::from_utf8(help.stdout).expect("UTF-8");
    let (_, rest) = help.split_once("The port [default: ").expect("it says so");
    rest.split(']').next().unwrap_or_default().to_owned()
}

#[test]
fn behind_a_proxy_programs_with_a_token_are_answered_and_pages_are_not() {
    let home = Home::new();
    let served = Served::start(&home);
    let bearer = format!("Bearer {}", served.token);
    let ask = |path: &str, headers: &[(&str, &str)]| {
        let with = [&[("Authorization", bearer.as_str())], headers].concat();
        served.plain("GET", path, &with, "")
    };
    assert_eq!(ask("/api/v1/memories", &[("X-Forwarded-Host", "memory.example.com")]).status, 200);
    let page = [("Origin", "https://memory.example.com")];
    let refused = ask("/api/v1/memories", &page);
    assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("foreign_origin")));
}
