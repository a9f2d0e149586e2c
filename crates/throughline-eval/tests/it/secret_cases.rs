//! Secrets in their surroundings, put together here so that none stands in a file. The program's own tests read this
//! file too.

/// Letters that look like chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn of(&mut self, letters: &str, length: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        let one = |_| {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            letters[(self.0 >> 33) as usize % letters.len()]
        };
        (0..length).map(one).collect()
    }

    fn mixed(&mut self, length: usize) -> String {
        self.of("ABCDEFGHIJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789", length)
    }
}

/// How tokens of vendors begin, in two parts so that no token stands here, and how long the rest is.
const PREFIXES: [(&str, &str, usize); 24] = [
    ("gh", "p_", 36),
    ("gh", "o_", 36),
    ("gh", "s_", 36),
    ("github", "_pat_", 82),
    ("gl", "pat-", 20),
    ("sk", "_live_", 24),
    ("rk", "_live_", 24),
    ("xo", "xb-123456789012-", 24),
    ("xo", "xp-123456789012-", 24),
    ("AI", "za", 35),
    ("np", "m_", 36),
    ("h", "f_", 34),
    ("dop", "_v1_", 64),
    ("shp", "at_", 32),
    ("pyp", "i-AgEIcHlwaS5vcmc", 60),
    ("S", "G.abcdefghijklmnopqrstuv.", 43),
    ("lin", "_api_", 40),
    ("sk", "-ant-api03-", 93),
    ("sk", "-proj-", 48),
    ("glsa", "_", 32),
    ("hvs", ".", 90),
    ("pul", "-", 40),
    ("dckr", "_pat_", 27),
    ("figd", "_", 40),
];

/// What stands around a secret in code and settings.
const TEMPLATES: [(&str, &str); 16] = [
    ("var acmeToken string = \"", "\""),
    ("ACME_TOKEN ?= \"", "\""),
    ("ACME_TOKEN ::= \"", "\""),
    ("$acmeToken .= \"", "\";"),
    ("acmeToken := `", "`"),
    ("  \"acmeToken\" => \"", "\""),
    ("<acmeToken>\n    ", "\n</acmeToken>"),
    ("acme_token = '", "'"),
    ("acme_token: ", ""),
    ("\"acme_token\": \"", "\""),
    ("System.setProperty(\"ACME_TOKEN\", \"", "\")"),
    ("export ACME_TOKEN=", ""),
    ("ACME_TOKEN := ", ""),
    ("acmeToken = '''", "'''"),
    ("#define ACME_TOKEN \"", "\""),
    ("https://example.com/?token=", "&v=1"),
];

/// A secret where it may be met.
pub(crate) struct Case {
    pub(crate) family: &'static str,
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) secret: String,
}

pub(crate) fn cases() -> Vec<Case> {
    let mut chance = Chance(42);
    let mut cases = Vec::new();
    for (one, other, length) in PREFIXES {
        let kind = format!("{one}{other}");
        for around in ["use {} for the bot", "TOKEN={}\n", "curl -H 'Authorization: Bearer {}' x"] {
            let hex = ["dop_v1_", "shpat_"].contains(&kind.as_str());
            let rest =
                if hex { chance.of("0123456789abcdef", length) } else { chance.mixed(length) };
            let secret = format!("{kind}{rest}");
            let text = around.replace("{}", &secret);
            cases.push(Case { family: "prefixes", kind: kind.clone(), text, secret });
        }
    }
    for (before, after) in TEMPLATES {
        for length in [20, 32, 40] {
            let secret = chance.mixed(length);
            let text = format!("{before}{secret}{after}");
            cases.push(Case { family: "templates", kind: before.to_owned(), text, secret });
        }
    }
    cases
}
