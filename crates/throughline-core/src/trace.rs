//! Traces: what remains of a secret that was kept before anybody recognised it. A trace finds the
//! value wherever it still stands, and cannot be read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::row::{Image, Tombstone};
use crate::text::{self, Fingerprint};
use crate::{Batch, Change, MemoryId, Row, SpaceId, Timestamp, Write};

/// Trace of a secret value: its length and keyed hashes of it, whatever the case of its letters.
///
/// Only of values that are long and random: nobody can guess those, so that a hash tells nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Trace {
    /// What the hashes are keyed with, in hexadecimal digits.
    pub salt: String,
    /// Number of bytes of the value.
    pub length: u16,
    /// A small hash that rolls over a text and lets nearly every place go at once.
    pub filter: u16,
    /// The first half of a SHA-256, which decides.
    pub hash: String,
    /// The kind of secret, as the mark in its place names it.
    pub kind: String,
}

/// Bytes of the longest value that leaves a trace.
const LENGTH_MAX: usize = 4_096;

impl Trace {
    /// The trace of a value; `None` where it is too long.
    pub fn of(value: &str, kind: &str, salt: u64) -> Option<Self> {
        let length = u16::try_from(value.len()).ok().filter(|_| value.len() <= LENGTH_MAX)?;
        let (salt, bytes) = (format!("{salt:016x}"), value.as_bytes().to_ascii_lowercase());
        let sum = bytes.iter().fold(0, |sum, byte| rolled(sum, base(&salt), *byte));
        let (filter, hash) = (filtered(sum), hashed(&salt, &bytes));
        Some(Self { salt, length, filter, hash, kind: kind.to_owned() })
    }

    /// What stands in the place of the value.
    pub fn mark(&self) -> String {
        format!("[redacted:{}]", self.kind)
    }

    /// The places where the value stands, in order, each with the byte after it.
    pub fn places(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        let (length, base) = (usize::from(self.length), base(&self.salt));
        let mut found = Vec::new();
        if length == 0 || bytes.len() < length {
            return found;
        }
        let leaving = (0..length).fold(1_u64, |power, _| power.wrapping_mul(base));
        let (mut sum, mut free) = (0, 0);
        for (at, byte) in bytes.iter().enumerate() {
            sum = rolled(sum, base, byte.to_ascii_lowercase());
            if let Some(left) = at.checked_sub(length) {
                let left = u64::from(bytes[left].to_ascii_lowercase()) + 1;
                sum = sum.wrapping_sub(left.wrapping_mul(leaving));
            }
            let end = at + 1;
            if end >= free + length && filtered(sum) == self.filter {
                let stretch = bytes[end - length..end].to_ascii_lowercase();
                if hashed(&self.salt, &stretch) == self.hash {
                    found.push((end - length, end));
                    free = end;
                }
            }
        }
        found
    }

    /// The tombstone that stands for the value in a space.
    pub fn stone(&self, space: SpaceId, at: Timestamp) -> Tombstone {
        let fingerprint = Fingerprint(text::sha256_hex(
            format!("secret:{}:{}:{}", self.salt, self.length, self.hash).as_bytes(),
        ));
        let id = u128::from_str_radix(&fingerprint.0[..32], 16).unwrap_or_default();
        let memory = MemoryId(uuid::Uuid::from_u128(id));
        Tombstone { space, fingerprint, slot: None, memory, at, trace: Some(self.clone()) }
    }
}

/// A sum of bytes, each step times a base, with one byte more.
fn rolled(sum: u64, base: u64, byte: u8) -> u64 {
    sum.wrapping_mul(base).wrapping_add(u64::from(byte) + 1)
}

fn base(salt: &str) -> u64 {
    u64::from_str_radix(salt, 16).unwrap_or_default() | 1
}

/// The upper bits of a sum, stirred.
fn filtered(sum: u64) -> u16 {
    let stirred = (sum ^ sum >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    u16::try_from(stirred >> 48).expect("sixteen bits")
}

fn hashed(salt: &str, bytes: &[u8]) -> String {
    let keyed = [salt.as_bytes(), b":", bytes].concat();
    text::sha256_hex(&keyed)[..32].to_owned()
}

/// Whether one of the values stands in a text, as it is or as JSON writes it.
pub fn holds(traces: &[Trace], text: &str) -> bool {
    let stands = |bytes: &[u8]| traces.iter().any(|trace| !trace.places(bytes).is_empty());
    stands(text.as_bytes()) || text.contains('\\') && stands(text::unescaped(text).as_bytes())
}

/// A text with a mark in the place of every value; `None` where there was none.
pub fn take_out(traces: &[Trace], text: &str) -> Option<String> {
    let mut clean: Option<String> = None;
    for trace in traces {
        let now = clean.as_deref().unwrap_or(text);
        let mut places = trace.places(now.as_bytes());
        places.retain(|(from, to)| now.is_char_boundary(*from) && now.is_char_boundary(*to));
        if places.is_empty() {
            continue;
        }
        let (mut next, mut until) = (String::with_capacity(now.len()), 0);
        for (from, to) in places {
            next.push_str(&now[until..from]);
            next.push_str(&trace.mark());
            until = to;
        }
        next.push_str(&now[until..]);
        clean = Some(next);
    }
    clean
}

/// Takes the values out of every text of a JSON value. A memory whose text changes gets the
/// fingerprint of what is left. Says whether there were any.
pub fn take_out_of_json(traces: &[Trace], json: &mut Value) -> bool {
    match json {
        Value::String(text) => take_out(traces, text).is_some_and(|clean| {
            *text = clean;
            true
        }),
        Value::Array(list) => {
            list.iter_mut().fold(false, |any, one| take_out_of_json(traces, one) | any)
        }
        Value::Object(fields) => {
            let mut any = false;
            let named: Vec<(String, String)> = fields
                .keys()
                .filter_map(|name| Some((name.clone(), take_out(traces, name)?)))
                .collect();
            for (name, clean) in named {
                if let Some(value) = fields.remove(&name) {
                    fields.insert(clean, value);
                    any = true;
                }
            }
            let content = |fields: &serde_json::Map<String, Value>| {
                fields.get("content").and_then(Value::as_str).map(str::to_owned)
            };
            let before = content(fields);
            for value in fields.values_mut() {
                any |= take_out_of_json(traces, value);
            }
            let after = content(fields);
            if after != before
                && let (Some(after), Some(print)) = (after, fields.get_mut("fingerprint"))
            {
                *print = Value::String(Fingerprint::of(&after).0);
            }
            any
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The same for anything that is written as JSON; `None` where there was none, or where what is left
/// cannot be read back.
fn cleaned<T: Serialize + for<'de> Deserialize<'de>>(traces: &[Trace], what: &T) -> Option<T> {
    let mut json = serde_json::to_value(what).ok()?;
    if !take_out_of_json(traces, &mut json) {
        return None;
    }
    serde_json::from_value(json).ok()
}

/// A row without the values; `None` where it holds none.
pub fn clean_row(traces: &[Trace], row: &Row) -> Option<Row> {
    // A tombstone holds no text, and what finds a value must stay as it is.
    if let Row::Tombstone(_) = row { None } else { cleaned(traces, row) }
}

/// The rows that take the place of one that holds a value. What is tied to something by name has
/// another key without it.
pub fn images(traces: &[Trace], row: &Row) -> Vec<Image> {
    let Some(clean) = clean_row(traces, row) else { return Vec::new() };
    let (old, key) = (row.key(), clean.key());
    let gone = (old != key).then_some(Image { key: old, row: None });
    gone.into_iter().chain([Image { key, row: Some(clean) }]).collect()
}

/// The writes that put rows without a value in the place of those that held it.
pub(crate) fn writes(stone: &Tombstone, rows: &[Image]) -> Vec<Write> {
    let stone = Write::Put(Row::Tombstone(stone.clone()));
    let rows = rows.iter().map(|image| match &image.row {
        Some(row) => Write::Put(row.clone()),
        None => Write::Delete(image.key.clone()),
    });
    rows.chain([stone]).collect()
}

/// Takes the values out of a change of the log. Says whether there were any.
pub fn clean_change(traces: &[Trace], change: &mut Change) -> bool {
    let Some(mut clean) = cleaned(traces, change) else { return false };
    if let Change::Restore { rows, .. } | Change::Redact { rows, .. } = &mut clean {
        rename(rows);
    }
    *change = clean;
    true
}

/// Takes the values out of rows as they were before a change. Says whether there were any.
pub fn clean_images(traces: &[Trace], images: &mut Vec<Image>) -> bool {
    let Some(mut clean) = cleaned(traces, images) else { return false };
    rename(&mut clean);
    *images = clean;
    true
}

/// Takes the values out of what a batch says besides its changes. Says whether there were any.
pub fn clean_header(traces: &[Trace], batch: &mut Batch) -> bool {
    let Some(reason) = cleaned(traces, &(batch.reason.clone(), batch.extra.clone())) else {
        return false;
    };
    (batch.reason, batch.extra) = reason;
    true
}

/// Gives rows the keys that they have without a value.
fn rename(images: &mut [Image]) {
    for image in images {
        if let Some(row) = &image.row {
            image.key = row.key();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> String {
        ["kV9xQ2m", "Tz7Lw4R", "bN8sYp"].concat()
    }

    fn traces() -> Vec<Trace> {
        Trace::of(&value(), "token", 0x1234_5678_9ABC_DEF1).into_iter().collect()
    }

    #[test]
    fn a_trace_finds_its_value_and_does_not_hold_it() {
        let (value, traces) = (value(), traces());
        let text = format!("Use {value}, \"{}\" and x{value}y.", value.to_lowercase());
        let mark = "[redacted:token]";
        let clean = take_out(&traces, &text).expect("it stands there");
        assert_eq!(clean, format!("Use {mark}, \"{mark}\" and x{mark}y."));
        assert_eq!(take_out(&traces, &clean), None);
        let written = serde_json::to_string(&traces).unwrap();
        assert!(!holds(&traces, &written) && !written.contains(&value[..6]), "{written}");
    }

    #[test]
    fn a_value_with_signs_is_found_as_json_writes_it() {
        let value = ["p\"q2Lx\\8", "vZ7-Kd3Rw"].concat();
        let traces: Vec<Trace> = Trace::of(&value, "password", 7).into_iter().collect();
        let mut json = serde_json::json!({"text": [format!("It is {value}!")], value.as_str(): 1});
        assert!(holds(&traces, &json.to_string()));
        assert!(take_out_of_json(&traces, &mut json));
        let mark = "[redacted:password]";
        assert_eq!(json, serde_json::json!({"text": [format!("It is {mark}!")], mark: 1}));
    }

    #[test]
    fn a_memory_without_the_value_has_the_fingerprint_of_what_is_left() {
        let text = format!("Use {} for staging", value());
        let mut json =
            serde_json::json!({"content": text, "fingerprint": Fingerprint::of(&text).0});
        assert!(take_out_of_json(&traces(), &mut json));
        let clean = "Use [redacted:token] for staging";
        assert_eq!(json["content"], clean);
        assert_eq!(json["fingerprint"], Fingerprint::of(clean).0);
    }

    proptest! {
        #[test]
        fn only_the_value_is_taken_out(before in ".{0,40}", after in ".{0,40}", salt: u64) {
            let value = value();
            let traces: Vec<Trace> = Trace::of(&value, "token", salt).into_iter().collect();
            prop_assume!(!before.contains('k') && !after.contains('k'));
            let clean = take_out(&traces, &format!("{before}{value}{after}"));
            prop_assert_eq!(clean, Some(format!("{before}[redacted:token]{after}")));
            prop_assert_eq!(take_out(&traces, &format!("{before}{after}")), None);
        }
    }
}
