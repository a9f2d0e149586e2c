//! The nouns of passwords, and the words that link them to a value.

/// What a keyword is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// A password's noun in English, where a noun behind it makes another thing of it: `password
    /// policy`.
    English,
    /// The same in a language whose compounds are one word, or end with what they are.
    Latin,
    /// The same in a script that puts no blanks between words.
    Joined,
    /// The noun of a secret that is a number.
    Pin,
    /// The same in a script without blanks.
    JoinedPin,
    /// `log in as NAME with VALUE`
    Login,
    /// `credentials: NAME/VALUE`
    Pair,
}

pub(crate) const KEYWORDS: [(&str, Told); 48] = [
    ("password", Told::English),
    ("passphrase", Told::English),
    ("pw ", Told::English),
    ("pass ", Told::English),
    ("wifi key", Told::English),
    ("passwort", Told::Latin),
    ("kennwort", Told::Latin),
    ("mot de passe", Told::Latin),
    ("phrase secrète", Told::Latin),
    ("wlan-schlüssel", Told::Latin),
    ("mdp ", Told::Latin),
    ("mdp:", Told::Latin),
    ("contraseña", Told::Latin),
    ("contrasena", Told::Latin),
    ("clave ", Told::Latin),
    ("clave:", Told::Latin),
    ("密码", Told::Joined),
    ("密碼", Told::Joined),
    ("口令", Told::Joined),
    ("パスワード", Told::Joined),
    ("合言葉", Told::Joined),
    ("パスコード", Told::JoinedPin),
    ("暗証番号", Told::JoinedPin),
    ("pin ", Told::Pin),
    ("pin:", Told::Pin),
    ("passcode", Told::Pin),
    ("unlock code", Told::Pin),
    ("door code", Told::Pin),
    ("alarm code", Told::Pin),
    ("recovery code", Told::English),
    ("backup code", Told::English),
    ("2fa code", Told::English),
    ("one-time code", Told::English),
    ("log in ", Told::Login),
    ("log into ", Told::Login),
    ("login ", Told::Login),
    ("logged in ", Told::Login),
    ("sign in ", Told::Login),
    ("signed in ", Told::Login),
    ("credentials", Told::Pair),
    ("creds", Told::Pair),
    ("login:", Told::Pair),
    ("login is ", Told::Pair),
    ("user/pass", Told::Pair),
    ("username/password", Told::Pair),
    ("zugangsdaten", Told::Pair),
    ("identifiants", Told::Pair),
    ("credenciales", Told::Pair),
];

/// What links a noun to its value.
pub(super) const LINKS: [&str; 13] = [
    "is", "was", "are", "ist", "lautet", "heißt", "heisst", "war", "est", "c'est", "c’est", "es",
    "era",
];
/// What does so right behind the noun: `changed the password to …`.
pub(super) const LINKS_TO: [&str; 5] = ["to", "from", "auf", "à", "a"];
/// What may stand between a noun and those: `password was changed to …`.
pub(super) const CHANGED: [&str; 11] = [
    "changed", "rotated", "reset", "updated", "set", "moved", "switched", "was", "got", "has",
    "been",
];
/// What links a value to the noun behind it: `… as the password`.
pub(super) const LINKS_AS: [&str; 4] = ["as", "als", "comme", "como"];
/// What stands between a password and the one that it replaces.
pub(super) const LINKS_OLD: [&str; 8] =
    ["to", "auf", "statt", "instead", "not", "nicht", "lieu", "vez"];
/// What says whose password it is, or where it lies.
pub(super) const PLACES: [&str; 40] = [
    "for", "of", "on", "to", "at", "in", "from", "by", "with", "via", "into", "under", "not",
    "für", "von", "vom", "auf", "an", "am", "im", "bei", "mit", "aus", "nicht", "pour", "du", "de",
    "des", "dans", "en", "sur", "chez", "par", "avec", "pas", "del", "para", "con", "por", "no",
];
/// `pin the version`: the verb.
pub(super) const OBJECTS: [&str; 11] =
    ["the", "a", "an", "it", "this", "that", "these", "to", "your", "our", "all"];
