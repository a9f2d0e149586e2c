//! The words between a noun or a verb and its value, and those that say what it is for.

/// What links a noun to its value.
pub(super) const LINKS: [&str; 20] = [
    "is", "was", "are", "ist", "lautet", "heißt", "heisst", "war", "est", "c'est", "c’est", "es",
    "era", "è", "é", "siendo", "'s", "’s", "it's", "it’s",
];
/// The same in languages where the word means something else in English.
pub(super) const LINKS_LATIN: [&str; 22] = [
    "to",
    "jest",
    "brzmi",
    "это",
    "-",
    "—",
    "är",
    "er",
    "on",
    "este",
    "e",
    "je",
    "là",
    "la",
    "adalah",
    "είναι",
    "هي",
    "هو",
    "היא",
    "है",
    "теперь",
    "сейчас",
];
/// What may stand between `is` and a value.
pub(super) const ADVERBS: [&str; 34] = [
    "now",
    "still",
    "just",
    "currently",
    "actually",
    "always",
    "simply",
    "again",
    "then",
    "probably",
    "jetzt",
    "nun",
    "noch",
    "immer",
    "einfach",
    "wieder",
    "aktuell",
    "maintenant",
    "toujours",
    "encore",
    "ahora",
    "todavía",
    "siempre",
    "teraz",
    "nadal",
    "теперь",
    "сейчас",
    "ora",
    "ancora",
    "agora",
    "ainda",
    "nu",
    "nog",
    "called",
];
/// What does so right behind the noun: `changed the password to …`.
pub(super) const LINKS_TO: [&str; 6] = ["to", "from", "auf", "à", "a", "as"];
/// What may stand between a noun and those: `password was changed to …`.
pub(super) const CHANGED: [&str; 13] = [
    "changed", "rotated", "reset", "updated", "set", "moved", "switched", "was", "got", "has",
    "been", "hasn't", "hasn’t",
];
/// What links a value to the noun behind it: `… as the password`.
pub(super) const LINKS_AS: [&str; 6] = ["as", "als", "comme", "como", "come", "jako"];
/// What stands between a password and the one that it replaces.
pub(super) const LINKS_OLD: [&str; 8] =
    ["to", "auf", "statt", "instead", "not", "nicht", "lieu", "vez"];
/// What begins a clause that says which password it is: `the password we agreed on is …`.
pub(super) const RELATIVES: [&str; 14] = [
    "i",
    "we",
    "you",
    "they",
    "he",
    "she",
    "everyone",
    "everybody",
    "that",
    "which",
    "there",
    "here",
    "people",
    "who",
];
/// What says to whom to give a password: `when it asks for the password, enter …`.
pub(super) const GIVES: [&str; 9] =
    ["enter", "type", "use", "give", "answer", "put", "paste", "say", "try"];
/// What links a verb of access to a value.
pub(super) const WITH: [&str; 14] = [
    "with", "using", "use", "uses", "needs", "takes", "wants", "mit", "avec", "con", "com", "met",
    "med", "need",
];
/// What something is typed for.
pub(super) const PURPOSES: [&str; 32] = [
    "get in",
    "getting in",
    "log in",
    "log on",
    "login",
    "sign in",
    "unlock",
    "to open",
    "opens",
    "to decrypt",
    "prompt",
    "it asks",
    "asked",
    "you are in",
    "you're in",
    "lets you in",
    "let you in",
    "pour entrer",
    "pour ouvrir",
    "para entrar",
    "per entrare",
    "om in te loggen",
    "żeby wejść",
    "чтобы войти",
    "you are through",
    "password",
    "passphrase",
    "Passwort",
    "mot de passe",
    "contraseña",
    "passwd",
    "lock screen",
];
/// What a key opens.
pub(super) const LOCKED: [&str; 47] = [
    "archive",
    "archives",
    "backup",
    "backups",
    "safe",
    "vault",
    "drive",
    "disk",
    "box",
    "zip",
    "server",
    "laptop",
    "encrypted",
    "dump",
    "keystore",
    "wallet",
    "door",
    "cabinet",
    "partition",
    "volume",
    "nas",
    "router",
    "wifi",
    "kdbx",
    "keepass",
    "tarball",
    "stick",
    "phone",
    "machine",
    "rack",
    "gate",
    "coffre",
    "porte",
    "portail",
    "cassaforte",
    "tresor",
    "tür",
    "alarm",
    "garage",
    "panel",
    "lockbox",
    "caja",
    "puerta",
    "cofre",
    "keys",
    "pdf",
    "pdfs",
];
/// What a key finds, and does not open.
pub(super) const FINDS: [&str; 16] = [
    "map",
    "row",
    "rows",
    "table",
    "cache",
    "dict",
    "dictionary",
    "index",
    "hash",
    "lock",
    "column",
    "record",
    "entry",
    "field",
    "bucket",
    "object",
];
/// What says whose password it is, or where it lies.
pub(super) const PLACES: [&str; 67] = [
    "for", "of", "on", "to", "at", "in", "from", "by", "with", "via", "into", "under", "not",
    "für", "von", "vom", "auf", "an", "am", "im", "bei", "mit", "aus", "nicht", "pour", "du", "de",
    "des", "dans", "en", "sur", "chez", "par", "avec", "pas", "del", "para", "con", "por", "no",
    "do", "od", "z", "от", "к", "для", "на", "k", "ke", "till", "til", "för", "voor", "van", "per",
    "da", "di", "della", "dello", "dos", "fürs", "zum", "zur", "beim", "dla", "na", "w",
];
/// `pin the version`: the verb.
pub(super) const OBJECTS: [&str; 11] =
    ["the", "a", "an", "it", "this", "that", "these", "to", "your", "our", "all"];
