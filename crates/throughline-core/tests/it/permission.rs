//! The page that people read says what the rules say.

use throughline_core::permission;

#[test]
fn the_page_about_trust_shows_the_table_of_permissions() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/trust.md");
    let page = std::fs::read_to_string(page).expect("the page is part of the repository");
    let table = permission::table();
    assert!(page.contains(&table), "docs/trust.md should show this table:\n\n{table}");
}
