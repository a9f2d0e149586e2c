//! What memory put before a model, found again in a request.

use serde_json::Value;

use crate::model::{blocks, text_of};

/// How our pages begin.
pub(crate) const FENCE: &str = "<memory-";

/// The pages in a text, each from its fence to its end.
pub(crate) fn pages_in(text: &str) -> Vec<String> {
    let mut pages = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(FENCE) {
        rest = &rest[at..];
        let name = rest[1..].split('>').next().unwrap_or_default();
        let closing = format!("</{name}>");
        let end = rest.find(&closing).map(|at| at + closing.len());
        let end = end.unwrap_or_else(|| panic!("a page is not closed: {rest}"));
        pages.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    pages
}

/// The pages in some messages of a request, in order.
pub(crate) fn pages_of(messages: &[Value]) -> Vec<String> {
    let blocks = messages.iter().flat_map(blocks);
    blocks.flat_map(|block| pages_in(&text_of(&block))).collect()
}

/// The messages of a request.
pub(crate) fn messages(request: &Value) -> &[Value] {
    request["messages"].as_array().map_or(&[], Vec::as_slice)
}

/// The memories that pages speak of, a line each. Quotes are not among them.
pub(crate) fn memories(pages: &[String]) -> Vec<&str> {
    pages.iter().flat_map(|page| page.lines()).filter(|line| line.starts_with("- [")).collect()
}

/// A line says that the old value holds, unless it says what holds now before that.
pub(crate) fn asserts(line: &str, old: &str, new: &str) -> bool {
    let told = |value: &str| line.find(value);
    told(old).is_some_and(|old| told(new).is_none_or(|new| new > old))
}

#[test]
fn an_old_value_is_asserted_unless_the_new_one_goes_before_it() {
    let asserts = |line| asserts(line, "Postgres 14", "Postgres 16");
    assert!(asserts("- [a] fact: staging runs on Postgres 14"));
    assert!(asserts("“Staging runs on Postgres 14” — user"));
    assert!(!asserts("- [b] fact: staging runs on Postgres 16 (until 2026-05-11: on Postgres 14)"));
    assert!(!asserts("- [b] fact: staging runs on Postgres 16"));
}

#[test]
fn pages_are_found_between_other_words() {
    let text =
        "Hook says: <memory-00aa11bb> Data.\n- [x] one\n</memory-00aa11bb>\n\nToday is Monday.";
    let pages = pages_in(text);
    assert_eq!(pages, ["<memory-00aa11bb> Data.\n- [x] one\n</memory-00aa11bb>"]);
    assert_eq!(memories(&pages), ["- [x] one"]);
}
