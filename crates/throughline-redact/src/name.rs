//! Names that announce a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`, `access token`.

use crate::words::{self, Words};

/// What the value behind a name is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// May be anything that a person would type.
    Password,
    /// A word or two, or something random.
    Secret,
    /// Something random, mostly.
    Token,
    /// The name alone is no reason; the value must look like one, too.
    Perhaps,
    /// The name is hardly a reason; the value must look random without doubt.
    Hardly,
}

/// A name together with what it announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Announced {
    pub(crate) kind: Kind,
    /// What the mark says.
    pub(crate) rule: &'static str,
    /// Words with blanks between them may be the secret.
    pub(crate) is_phrase: bool,
}

/// What to look for in a text. A name that holds one of these is read whole.
pub(crate) const KEYWORDS: [&str; 34] = [
    "passw",
    "passphrase",
    "passcode",
    "mnemonic",
    "seed phrase",
    "seed_phrase",
    "pwd",
    "_pass",
    "-pass",
    "\"pass\"",
    "'pass'",
    "userpass",
    "storepass",
    "keypass",
    "pass:",
    "pass=",
    "kennwort",
    "mot de passe",
    "contraseña",
    "pw ",
    "pw:",
    "pw=",
    "secret",
    "token",
    "credential",
    "creds",
    "key",
    "auth",
    "login",
    "pat ",
    "access",
    "private",
    "crumb",
    "bundle_",
];

/// What `name` announces, if it does.
pub(crate) fn announced(name: &str) -> Option<Announced> {
    let mut room = Words::default();
    let parts = words::lowered(name, &mut room);
    // `API_KEY_PROD`, `password2`: which of several it is does not change what it is.
    let which = parts.iter().rev().take_while(|part| is_which(part)).count();
    let parts = &parts[..parts.len() - which.min(parts.len().saturating_sub(1))];
    let last = *parts.last()?;
    let before = parts.len().checked_sub(2).map_or("", |at| parts[at]);
    let found = |kind, rule| Some(Announced { kind, rule, is_phrase: false });

    // What stands behind the word says what of the secret it is; what stands before mostly whose.
    let word = parts.iter().position(|part| is_secret_word(part)).unwrap_or(0);
    if parts[..word].iter().any(|part| is_unsaid_before(part))
        || parts[word..].iter().any(|part| is_unsaid(part))
    {
        return None;
    }
    // The login of a server, as Bundler names it: `BUNDLE_GEMS__EXAMPLE__COM`.
    if parts[0] == "bundle" && name.contains("__") {
        return found(Kind::Password, "credential");
    }
    match last {
        "password" | "passwd" | "passcode" | "pwd" | "pass" | "pw" | "userpass" | "storepass"
        | "keypass" | "passwort" | "kennwort" | "contraseña" => found(Kind::Password, "password"),
        "passe" if before == "de" => found(Kind::Password, "password"),
        // As the client of Redis names it.
        "auth" if before == "rediscli" => found(Kind::Password, "password"),
        "passphrase" | "mnemonic" | "phrase" => {
            Some(Announced { kind: Kind::Password, rule: "passphrase", is_phrase: true })
        }
        "secret" => found(Kind::Secret, "secret"),
        "token" => found(Kind::Token, "token"),
        // Also short for a pattern.
        "pat" => found(Kind::Perhaps, "token"),
        "key" if is_owner(before) => found(Kind::Token, "api-key"),
        "secrets" | "passwords" | "tokens" | "credential" | "credentials" | "creds" | "keys" => {
            found(Kind::Hardly, "credential")
        }
        _ if ["password", "passwd", "passwort"].iter().any(|end| last.ends_with(end)) => {
            found(Kind::Password, "password")
        }
        _ if last.ends_with("secret") => found(Kind::Secret, "secret"),
        _ if last.ends_with("token") => found(Kind::Token, "token"),
        _ if is_glued_key(last) => found(Kind::Token, "api-key"),
        "key" if parts.len() == 1 || finds_something(before) => None,
        _ if last.ends_with("key") => found(Kind::Perhaps, "api-key"),
        "auth" | "login" | "access" | "private" | "crumb" | "api" => {
            found(Kind::Perhaps, "credential")
        }
        _ if parts.iter().any(|part| is_secret_word(part)) => found(Kind::Hardly, "credential"),
        _ => None,
    }
}

/// `DATABASE_KEY`, as the environment spells its names.
pub(crate) fn is_constant(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_uppercase())
        && !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn is_which(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_digit())
        || matches!(
            part,
            "prod"
                | "production"
                | "dev"
                | "development"
                | "staging"
                | "stage"
                | "test"
                | "testing"
                | "live"
                | "local"
                | "old"
                | "new"
                | "current"
                | "previous"
                | "primary"
                | "secondary"
                | "base"
                | "value"
                | "raw"
                | "plain"
                | "plaintext"
                | "string"
        )
}

/// `…_key` is a secret when it is the key of one of these, and perhaps one otherwise.
fn is_owner(part: &str) -> bool {
    matches!(
        part,
        "api"
            | "access"
            | "secret"
            | "private"
            | "account"
            | "auth"
            | "encryption"
            | "decryption"
            | "signing"
            | "master"
            | "license"
            | "licence"
            | "app"
            | "application"
            | "storage"
            | "shared"
            | "subscription"
            | "admin"
            | "cipher"
            | "hmac"
            | "jwt"
            | "session"
            | "service"
            | "role"
            | "anon"
            | "deploy"
            | "integration"
            | "webhook"
            | "preshared"
            | "unseal"
    )
}

/// Keys that find something and open nothing.
fn finds_something(part: &str) -> bool {
    matches!(
        part,
        "primary"
            | "foreign"
            | "sort"
            | "partition"
            | "row"
            | "cache"
            | "group"
            | "map"
            | "hash"
            | "index"
            | "lookup"
            | "idempotency"
            | "routing"
            | "shard"
            | "object"
            | "unique"
            | "composite"
            | "natural"
            | "candidate"
            | "surrogate"
            | "dictionary"
            | "dict"
            | "json"
            | "yaml"
            | "column"
            | "the"
            | "a"
    )
}

/// `apikey`, `acmeaccesskey`.
fn is_glued_key(part: &str) -> bool {
    const OF: [&str; 9] = [
        "api",
        "access",
        "secret",
        "private",
        "account",
        "auth",
        "encryption",
        "signing",
        "preshared",
    ];
    part.strip_suffix("key").is_some_and(|of| OF.iter().any(|end| of.ends_with(end)))
}

/// Names that hold one of these tell something about a secret, not the secret.
fn is_unsaid(part: &str) -> bool {
    matches!(
        part,
        "id" | "ids"
            | "name"
            | "names"
            | "type"
            | "types"
            | "url"
            | "uri"
            | "file"
            | "files"
            | "path"
            | "paths"
            | "dir"
            | "hash"
            | "hashed"
            | "hasher"
            | "digest"
            | "count"
            | "counts"
            | "limit"
            | "length"
            | "len"
            | "size"
            | "min"
            | "max"
            | "expiry"
            | "expires"
            | "expiration"
            | "ttl"
            | "lifetime"
            | "age"
            | "field"
            | "fields"
            | "label"
            | "placeholder"
            | "hint"
            | "help"
            | "message"
            | "error"
            | "policy"
            | "rules"
            | "strength"
            | "validator"
            | "regex"
            | "pattern"
            | "format"
            | "prefix"
            | "suffix"
            | "header"
            | "param"
            | "ref"
            | "refs"
            | "arn"
            | "version"
            | "usage"
            | "cost"
            | "budget"
            | "index"
            | "kind"
            | "status"
            | "endpoint"
            | "selector"
            | "public"
            | "pub"
            | "fingerprint"
            | "thumbprint"
            | "checksum"
    )
}

fn is_unsaid_before(part: &str) -> bool {
    matches!(
        part,
        "public"
            | "pub"
            | "hash"
            | "hashed"
            | "digest"
            | "count"
            | "max"
            | "min"
            | "error"
            | "next"
            | "page"
            | "change"
            | "continuation"
            | "idempotency"
            | "no"
    )
}

/// A secret's name with something unknown behind it.
fn is_secret_word(part: &str) -> bool {
    matches!(
        part,
        "password" | "passwd" | "passphrase" | "secret" | "token" | "apikey" | "credential"
    )
}
