//! Named values: environment variables, and keys in files.

use std::ffi::OsString;

use throughline_core::watermark::{Reading, Referent};

use crate::content::{hash_of_text, short};
use crate::stamp::{KeyStamp, read_variable, write_variable};
use crate::{Binding, Deadline, Look, Stamped, Unresolved, World, file, path};

/// Where a key is looked for that comes without a file, in order.
const MANIFESTS: [&str; 8] = [
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "Dockerfile",
    ".tool-versions",
    "rust-toolchain.toml",
    ".nvmrc",
];

/// What is shown of a value, in characters.
const SHOWN_CHARS: usize = 40;

/// A word this long is a key or a checksum.
const WORD_CHARS_MAX: usize = 32;

/// Parts of a name that say: this is nobody's business.
const SECRET_NAMES: [&str; 8] =
    ["password", "passwd", "passphrase", "secret", "token", "credential", "auth", "key"];

/// Notes a value, wherever it is.
pub(crate) fn stamp(
    world: &World,
    written: &str,
    deadline: Deadline,
) -> Result<Stamped, Unresolved> {
    if let Some(name) = written.strip_prefix("env:") {
        return stamp_variable(world, name).ok_or(Unresolved::UnknownFlag);
    }
    if let Some((path, key)) = file_and_key(written) {
        return stamp_key(world, path, key, deadline);
    }
    if let Some(stamped) = stamp_variable(world, written) {
        return Ok(stamped);
    }
    let mut stamped = MANIFESTS.iter().map(|path| stamp_key(world, path, written, deadline));
    stamped.find_map(Result::ok).ok_or(Unresolved::UnknownFlag)
}

/// `FILE#key`, taken apart.
pub(crate) fn file_and_key(name: &str) -> Option<(&str, &str)> {
    if name.starts_with("env:") {
        return None;
    }
    name.split_once('#').filter(|(path, key)| !path.is_empty() && !key.is_empty())
}

/// Looks at the environment.
pub(crate) fn look_at_variables(world: &World, bindings: &[Binding<'_>], looks: &mut [Look]) {
    for (look, binding) in looks.iter_mut().zip(bindings) {
        let Referent::Flag { name } = binding.referent else { continue };
        if file_and_key(name).is_some() {
            continue;
        }
        *look = look_at_variable(world, name, binding.stamp);
    }
}

/// The hash of a value. The name goes into it, so that equal secrets do not show as such.
pub(crate) fn hash(name: &str, value: &str) -> String {
    hash_of_text(&format!("{name}\0{value}"))
}

/// What people see of a value from a file.
pub(crate) fn shown(key: &str, value: &str) -> String {
    let name = key.to_lowercase();
    let is_secret = SECRET_NAMES.iter().any(|part| name.contains(part))
        || (value.contains("://") && value.contains('@'))
        || value.split_whitespace().any(|word| word.chars().count() > WORD_CHARS_MAX);
    if is_secret {
        return short(&hash(key, value)).to_owned();
    }
    let value: String = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match value.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value,
    }
}

fn look_at_variable(world: &World, name: &str, stamp: &str) -> Look {
    let (Some(name), Some(then)) = (name.strip_prefix("env:"), read_variable(stamp)) else {
        return Look::unknown("the stamp cannot be read");
    };
    // Another shell may have it.
    let Some(value) = variable(world, name) else { return Look::unknown("not set here") };
    let now = hash(name, &value);
    if now == then { Look::unchanged() } else { Look::new(Reading::Moved, short(&now)) }
}

fn stamp_variable(world: &World, name: &str) -> Option<Stamped> {
    let hash = hash(name, &variable(world, name)?);
    Some(Stamped {
        referent: Referent::Flag { name: format!("env:{name}") },
        stamp: write_variable(&hash),
        then: short(&hash).to_owned(),
    })
}

fn variable(world: &World, name: &str) -> Option<String> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return None;
    }
    match &world.variables {
        Some(variables) => variables.get(name).cloned(),
        None => std::env::var_os(name).map(|value: OsString| {
            // Told apart byte by byte, as the lossy text would not.
            value.into_string().unwrap_or_else(|value| format!("{:?}", value.as_encoded_bytes()))
        }),
    }
}

fn stamp_key(
    world: &World,
    written: &str,
    key: &str,
    deadline: Deadline,
) -> Result<Stamped, Unresolved> {
    if path::is_secret(written) {
        return Err(Unresolved::UnknownFlag);
    }
    let (path, content) = file::read(world, written, deadline)?;
    if path::is_secret(&path) {
        return Err(Unresolved::UnknownFlag);
    }
    let manifest = content.manifest(&path).ok_or(Unresolved::Unreadable)?;
    let value = manifest.value(key).ok_or(Unresolved::UnknownFlag)?;
    Ok(Stamped {
        referent: Referent::Flag { name: format!("{path}#{key}") },
        stamp: KeyStamp::write(&hash(key, &value), &content.mark),
        then: shown(key, &value),
    })
}
