//! JSON as hosts write it: cut-off characters are mended, what is nested too deep is read as a text,
//! and a field of the wrong type is a missing field.

use serde_json::Value;

use crate::Unreadable;

/// How deep values are nested that are read as such; a reader that goes deeper runs out of room.
const DEPTH_MAX: usize = 120;

/// Reads one value. Half a character, which hosts leave behind when they cut a text, becomes `�`, and
/// what is nested deeper than anything sensible becomes a text, so that the rest is read all the same.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, Unreadable> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let error = match serde_json::from_slice(bytes) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mended = flatten(&mend(&String::from_utf8_lossy(bytes)));
    serde_json::from_str(&mended).map_err(|_| Unreadable::new(error.to_string()))
}

/// Hands every text to `clean`, under the name of the field that holds it.
pub(crate) fn clean(value: &mut Value, name: &str, clean_text: &mut dyn FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => clean_text(name, text),
        Value::Array(parts) => parts.iter_mut().for_each(|part| clean(part, name, clean_text)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(name, part)| clean(part, name, clean_text));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Writes what is nested too deep as a text.
fn flatten(json: &str) -> String {
    let mut flat = String::with_capacity(json.len());
    let (mut depth, mut is_text, mut escaped) = (0_usize, false, false);
    let (mut kept_until, mut deep_from) = (0, None);
    for (at, byte) in json.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if is_text => escaped = true,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => {
                depth += 1;
                if depth == DEPTH_MAX + 1 {
                    deep_from = Some(at);
                }
            }
            b']' | b'}' if !is_text => {
                if depth == DEPTH_MAX + 1
                    && let Some(from) = deep_from.take()
                {
                    flat.push_str(&json[kept_until..from]);
                    flat.push_str(&Value::from(&json[from..=at]).to_string());
                    kept_until = at + 1;
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    flat.push_str(&json[kept_until..]);
    flat
}

/// Replaces every escaped half of a surrogate pair that has lost its other half.
fn mend(json: &str) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let width = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                mended.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            // The escaped character, so that a second backslash is not taken for a first one.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        mended.push_str(&rest[..width]);
        rest = &rest[width..];
    }
    mended.push_str(rest);
    mended
}

/// The UTF-16 unit that a text starts with, if it starts with `\uXXXX`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

/// A field that is a text with something in it.
pub(crate) fn text<'a>(object: &'a Value, field: &str) -> Option<&'a str> {
    object.get(field)?.as_str().filter(|text| !text.is_empty())
}

/// A field that is `true`.
pub(crate) fn flag(object: &Value, field: &str) -> bool {
    object.get(field).and_then(Value::as_bool).unwrap_or(false)
}

/// The members of a field that is a list.
pub(crate) fn list<'a>(object: &'a Value, field: &str) -> &'a [Value] {
    object.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_was_cut_in_half_does_not_spoil_the_rest() {
        for (json, expected) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ude00b""#, "\u{fffd}b"),
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\\ud83d \ud83d""#, "\\ud83d \u{fffd}"),
            (r#""\ud83d\ud83d\ude00\n""#, "\u{fffd}\u{1f600}\n"),
        ] {
            assert_eq!(parse(json.as_bytes()), Ok(Value::from(expected)), "{json}");
        }
        assert_eq!(parse(b"\"a\xff\""), Ok(Value::from("a\u{fffd}")));
        assert_eq!(parse(b"\xef\xbb\xbf1"), Ok(Value::from(1)));
    }
}
