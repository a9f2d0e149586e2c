//! JSON out of whatever a model wrote around it.

use serde_json::Value;

use crate::{Error, Result};

/// Bytes of an answer that an error keeps.
const SAID_BYTES_MAX: usize = 16_000;

/// The object in an answer: all of it, in a fenced block, or between other words.
pub(crate) fn object_in(text: &str) -> Result<Value> {
    let text = text.trim().trim_start_matches('\u{feff}');
    let whole = match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => return Ok(value),
        Ok(_) => "it is JSON, but not an object".to_owned(),
        Err(error) if text.starts_with('{') => error.to_string(),
        Err(_) => {
            let begins: String = text.chars().filter(|c| !c.is_control()).take(60).collect();
            format!("it is not JSON; it begins with {begins:?}")
        }
    };
    let found = fenced(text).into_iter().chain(first_object(text));
    for part in found {
        if let Ok(value @ Value::Object(_)) = serde_json::from_str(part) {
            return Ok(value);
        }
    }
    let said = text[..text.floor_char_boundary(SAID_BYTES_MAX)].to_owned();
    Err(Error::Malformed { why: whole, said })
}

/// What stands between code fences, the last block first: models correct themselves.
fn fenced(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split("```").collect();
    let inside = parts.iter().skip(1).step_by(2).rev();
    inside.map(|part| part.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).trim()).collect()
}

/// The first object that opens and closes, strings minded.
fn first_object(text: &str) -> Option<&str> {
    let start = text.find('{')?;
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, c) in text[start..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[start..=start + at]);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_found_in_whatever_stands_around_it() {
        for text in [
            r#"{"a":1}"#,
            "\u{feff} {\"a\":1}\n",
            "Sure!\n```json\n{\"a\":1}\n```\nAnything else?",
            "```\n{\"a\":1}\n```",
            "Here: {\"a\":1} and that is all }",
            "First ```json\n{\"a\":2,}\n``` no, ```json\n{\"a\":1}\n```",
        ] {
            assert_eq!(object_in(text).unwrap(), serde_json::json!({"a": 1}), "{text}");
        }
        let tricky = object_in(r#"so {"a":"} \" {"} it is"#).unwrap();
        assert_eq!(tricky, serde_json::json!({"a": "} \" {"}));
    }

    #[test]
    fn what_is_no_object_is_kept_for_whoever_looks_into_it() {
        for text in ["", "no", "[1]", "{\"a\":", "{\"a\": NaN}", "```json\n{\"a\":\n```"] {
            let Err(Error::Malformed { said, .. }) = object_in(text) else { panic!("{text}") };
            assert_eq!(said, text.trim());
        }
        let deep = "{\"a\":".repeat(100_000);
        assert!(object_in(&deep).is_err());
    }
}
