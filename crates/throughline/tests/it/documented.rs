//! The pages in `docs` say what the program says.

use std::path::Path;

use crate::harness::{Home, bare};

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
