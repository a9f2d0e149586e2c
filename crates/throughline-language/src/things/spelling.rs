//! Spelling: when two names are one, written differently. `React.js`, `ReactJS` and "react js" are.

use throughline_core::text;

/// A name without its capitals, blanks and marks: equal where two names differ only in how they are written.
///
/// Marks that tell names apart stay: "C", "C++" and "C#" are three, and so are "v1.11" and "v11.1".
pub fn squeezed(name: &str) -> String {
    let joins = |c: char| c.is_whitespace() || matches!(c, '-' | '_' | '.');
    let mut squeezed = String::new();
    let mut between = false;
    for c in text::normalise(name).chars() {
        if joins(c) {
            between = true;
            continue;
        }
        let numbers = c.is_ascii_digit() && squeezed.ends_with(|c: char| c.is_ascii_digit());
        if std::mem::take(&mut between) && numbers {
            squeezed.push('.');
        }
        squeezed.push(c);
    }
    squeezed
}

/// The comparable forms under which a name may be known already, its own first.
pub fn spellings(name: &str) -> Vec<String> {
    let own = text::normalise(name);
    if own.contains('/') {
        return vec![own];
    }
    let mut parts = parts(name);
    if let [only] = parts.as_slice()
        && let Some(stem) = only.strip_suffix("js").filter(|stem| stem.len() > 1)
    {
        parts = vec![stem.to_owned(), "js".to_owned()];
    }
    let mut found = vec![own];
    for joiner in ["", " ", "-", ".", "_"] {
        let other = text::normalise(&parts.join(joiner));
        if !other.is_empty() && !found.contains(&other) {
            found.push(other);
        }
    }
    found
}

/// The parts of a name, at its joiners and where a capital follows a small letter.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    let mut before: Option<char> = None;
    for c in name.trim().chars() {
        let joins = c.is_whitespace() || matches!(c, '-' | '_' | '.');
        let hump = c.is_uppercase() && before.is_some_and(char::is_lowercase);
        if (joins || hump) && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if !joins {
            part.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// A tag in the form in which similar ones are equal: as [`squeezed`], and in the singular.
pub fn tag_key(tag: &str) -> String {
    let key = squeezed(tag.trim_start_matches('#'));
    let plain = key.chars().all(|c| c.is_ascii_lowercase()) && key.len() > 3;
    let stem = if !plain {
        None
    } else if let Some(stem) = key.strip_suffix("ies") {
        Some(format!("{stem}y"))
    } else if key.ends_with("ss") || key.ends_with("us") || key.ends_with("is") {
        None
    } else {
        key.strip_suffix('s').map(str::to_owned)
    };
    stem.unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_how_they_are_written_are_one() {
        for same in
            [["React.js", "ReactJS"], ["rate-limiter", "Rate Limiter"], ["nodejs", "Node.js"]]
        {
            assert_eq!(squeezed(same[0]), squeezed(same[1]), "{same:?}");
            let known = text::normalise(same[1]);
            assert!(spellings(same[0]).contains(&known), "{same:?}: {:?}", spellings(same[0]));
        }
        assert_ne!(squeezed("C"), squeezed("C++"));
        assert_ne!(squeezed("Postgres 14"), squeezed("Postgres 16"));
        assert_ne!(squeezed("v1.11"), squeezed("v11.1"));
        assert_eq!(spellings("src/a.rs"), ["src/a.rs"]);
    }

    #[test]
    fn similar_tags_have_one_key() {
        for same in [["deploys", "deploy"], ["#CI", "ci"], ["Code-Style", "code style"]] {
            assert_eq!(tag_key(same[0]), tag_key(same[1]), "{same:?}");
        }
        for other in [["class", "clas"], ["status", "statu"], ["db", "dbs"], ["v1", "v2"]] {
            assert_ne!(tag_key(other[0]), tag_key(other[1]), "{other:?}");
        }
    }
}
