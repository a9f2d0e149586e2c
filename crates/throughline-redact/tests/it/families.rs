//! Recall by family, on secrets that are put together here, and time that grows with the text.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use throughline_redact::{KnownSecrets, redact};

use crate::secrets::{hex, mixed, signs};

/// A family, what stands before the secret, the secret, what stands behind.
type Case = (&'static str, String, String, String);

#[expect(clippy::too_many_lines, reason = "a table of cases, one for each family")]
fn cases() -> Vec<Case> {
    let (random, plain) = (mixed(32), ["hun", "ter2x9"].concat());
    let uuid = [hex(8), hex(4), hex(4), hex(4), hex(12)].join("-");
    let azure = format!("{}==", signs("ABCDEFGHabcdefgh0123456789+/", 86));
    let discord = [&["MTk4", &mixed(20)].concat(), "Cl2FMQ", &mixed(27)].join(".");
    let azdo = [&mixed(76), "AZ", "DO", &mixed(4)].concat();
    let named = |family, before: &str, secret: &str, after: &str| {
        (family, before.to_owned(), secret.to_owned(), after.to_owned())
    };
    let mut cases = vec![
        named("sign", "var stripeToken string = \"", &random, "\""),
        named("sign", "ACME_TOKEN ?= \"", &random, "\"\n"),
        named("sign", "ACME_TOKEN ::= \"", &random, "\"\n"),
        named("sign", "ACME_TOKEN :::= \"", &random, "\"\n"),
        named("sign", "$acmeToken .= \"", &random, "\";"),
        named("sign", "acmeToken := `", &random, "`"),
        named("sign", "  \"acmeToken\" => \"", &random, "\""),
        named("sign", "<acmeToken>\n    ", &random, "\n</acmeToken>"),
        named("sign", "#define ACME_KEY    \"", &random, "\""),
        named("sign", "{\"config.ini\": \"ACME_TOKEN=", &random, "\\nBACKUP=1\"}"),
        named("name", "alchemy_key = \"", &random, "\""),
        named("name", "\"rapidapiKey\":\"", &random, "\""),
        named("name", "https://maps.local/js?key=", &random, "&v=3"),
        named("name", "\"auth\": \"", &random, "\""),
        named("name", "ado_pat = \"", &random, "\""),
        named("name", "ACME_KEY=", &uuid, "\n"),
        named("name", "acme-secret-", &hex(32), " is set"),
        named("name", "PresharedKey = ", &format!("{}=", mixed(43)), "\n"),
        named("name", "-Dsonar.login=", &hex(40), " -X"),
        named("name", "BUNDLE_GEMS__ACME__COM=", "cafebabe:deadbeef", "\n"),
        named("prose", "password:\n  ", &plain, "\n"),
        named("prose", "password: |\n  ", &plain, "\nuser: me"),
        named("prose", "the wifi password is ", &plain, ", ask Ann"),
        named("prose", "the password for the staging box is ", &plain, "."),
        named("prose", "use the pw ", &plain, " for now"),
        named("prose", "acme KEY ", &random, " works"),
        named("prose", "Unseal Key 2: ", &format!("{}=", mixed(43)), "\n"),
        named("prose", "machine api.local login me password ", &plain, "\n"),
        named("dressed", "export ACME_TOKEN=", &format!("{}\\\n{}", mixed(20), hex(20)), ""),
        named("dressed", "&quot;password&quot;: &quot;", &random, "&quot;"),
        named("dressed", "\u{1b}[31mpassword\u{1b}[0m: ", &random, "\n"),
        named("connection", "Server=db;User Id=sa;Pwd=", &plain, ";Encrypt=true"),
        named("connection", "\"Data Source=x;User ID=b2b;Password=", "#gets0m3", ";Trusted=no\""),
        named("connection", "jdbc:mysql://db/app?user=app&password=", &plain, "&ssl=1"),
        named("connection", "password=", "ab&cd9x", "\n"),
        named("connection", "DB_PASSWORD=", "p&ss9word", " ./run"),
        named("connection", "mongodb+srv://app:", &plain, "@cluster0.local/?w=1"),
        named("connection", "Connect-VIServer -User me -Password ", "VMware1!", "\n"),
        named("connection", "curl -u \":", &plain, "\" https://x.local"),
        named("connection", "curl --user kevin:'", &plain, "' https://x.local"),
        named("discord", "it is ", &discord, " now"),
        named(
            "discord",
            "https://ptb.discord.com/api/webhooks/",
            &format!("123456789012345678/{}", mixed(68)),
            "",
        ),
        named("docker", "see ", &["dckr", "_pat_", &mixed(27)].concat(), " here"),
        named("docker", "see ", &["dckr", "_oat_", &mixed(32)].concat(), " here"),
        named("docker", "docker login -u me -p ", &plain, " registry.local"),
        named("google", "see ", &["AI", "za", &mixed(35)].concat(), " here"),
        named("google", "see ", &["ya", "29.", &mixed(60)].concat(), " here"),
        named("google", "see ", &["GOC", "SPX-", &mixed(28)].concat(), " here"),
        named("azure", "SharedAccessKeyName=rw;SharedAccessKey=", &azure, "\"\n"),
        named("azure", "Endpoint=https://x.azconfig.io;Id=ab-l0:xy;Secret=", &azure, "\";"),
        named("azure", "see ", &azdo, " here"),
        named("azure", "see ", &["aB3", "8Q", "~", &mixed(34)].concat(), " here"),
    ];
    for (prefix, rest, length) in [
        ("pn", "u_", 36),
        ("aio", "_", 28),
        ("jin", "a_", 60),
        ("rdm", "e_", 70),
        ("CLOJ", "ARS_", 60),
        ("da", "2-", 26),
        ("sg", "p_", 64),
        ("sm_", "pat_", 16),
        ("ico", "-", 32),
        ("EZ", "AK", 54),
        ("shi", "ppo_live_", 0),
        ("sk", "_", 48),
        ("BBFF", "-", 30),
        ("CFP", "AT-", 43),
    ] {
        let body = match (rest, length) {
            ("ppo_live_", _) => hex(40),
            ("_", 48) => hex(48),
            _ => mixed(length),
        };
        cases.push(named("prefix", "it answered ", &[prefix, rest, &body].concat(), " and then"));
    }
    cases
}

#[test]
fn every_family_is_recognised_whole() {
    let mut families: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    for (family, before, secret, after) in cases() {
        let text = redact(&format!("{before}{secret}{after}")).text.into_owned();
        let (count, missed) = families.entry(family).or_default();
        *count += 1;
        if text.contains(&secret) || !text.starts_with(&before) || !text.ends_with(&after) {
            missed.push(text);
        }
    }
    assert!(families.len() >= 9, "{families:?}");
    let missed: Vec<_> = families.iter().filter(|(_, (_, missed))| !missed.is_empty()).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_value_that_comes_again_goes_with_it() {
    let value = mixed(14);
    let text = format!("NAME_TOKEN={value} and again {value}, in x{value}y and \"{value}\".");
    assert!(!redact(&text).text.contains(&value));
    // A plain word is a word everywhere else.
    let text = "SMTP_PASSWORD=swordfish and a swordfish in the sea";
    assert_eq!(redact(text).text, "SMTP_PASSWORD=[redacted:password] and a swordfish in the sea");
}

#[test]
fn a_value_is_known_again_by_its_hash_alone() {
    let (value, other) = (mixed(14), mixed(15));
    let mut first = KnownSecrets::default();
    first.salt(7, []);
    first.redact(&format!("password: \"{value}\""));
    let mut later = KnownSecrets::default();
    later.salt(7, first.fresh().into_iter().map(|fresh| fresh.hash));
    let text = format!("say ({value}) or \"{value}\", not {other} nor {value}x");
    let clean = later.take_out(&text).text.into_owned();
    assert_eq!(
        clean,
        format!(
            "say ([redacted:known-secret]) or \"[redacted:known-secret]\", not {other} nor {value}x"
        )
    );
    let phrase = "correct horse battery staple";
    first.redact(&format!("password: \"{phrase}\""));
    later.salt(7, first.fresh().into_iter().map(|fresh| fresh.hash));
    let said = format!("it was {phrase} once");
    assert_eq!(later.take_out(&said).text, "it was [redacted:known-secret] once");
    let mut stranger = KnownSecrets::default();
    stranger.salt(8, first.fresh().into_iter().map(|fresh| fresh.hash));
    assert_eq!(stranger.take_out(&text).text, text, "another salt, another hash");
}

#[test]
fn only_a_long_and_random_value_is_looked_for_in_what_was_kept_before() {
    let rare = |text: &str| {
        let mut known = KnownSecrets::default();
        known.salt(7, []);
        known.redact(text);
        known.rare(false).map(|(value, _)| value.to_owned()).collect::<Vec<_>>()
    };
    let value = mixed(20);
    assert_eq!(rare(&format!("STAGING_TOKEN={value}")), [value]);
    for weak in [
        "staging",
        "postgres16",
        "staging-server-berlin",
        "correct horse battery staple",
        "4532015112830366",
        "aaaaaaaaaaaa11111111",
    ] {
        assert_eq!(rare(&format!("password = \"{weak}\"")), Vec::<String>::new(), "{weak}");
    }
}

#[test]
fn ordinary_numbers_are_nobodys() {
    for text in [
        "took 1731731731731 ms, 1731731731731731 us, 1731731731731731731 ns",
        "order 4532015112830366, order_id=4532015112830366, trace: 4532015112830366",
        "let table = [4532015112830366, 5425233430109903, 374245455400126];",
        "0.4532015112830366 and 4532015112830366.5 and 4532-0151-1283-0367",
        "part 219-09-9999, phone 555-12-3456, 2026-03-02, 10.0.0.1, 1.2.3-4532015112830366",
        "DE89370400440532013001 is no account, and neither is XX89370400440532013000",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

/// How long this thread has been at work, which does not grow while others are. Where the system
/// does not say, how late it is.
pub(crate) fn busy() -> Duration {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let since = BEGAN.elapsed();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanos.map_or(since, Duration::from_nanos)
}

#[test]
fn time_grows_with_the_text_and_with_nothing_else() {
    let line = "let token = self.next_token()?; // the key of a secret is its name\n";
    let secret = format!("API_TOKEN={}\n", mixed(40));
    let id = ["AK", "IAQ2W3E4R5", "T6Y7Z7HK "].concat();
    for unit in [
        line,
        &secret,
        "token=",
        "\"token\": \"",
        "token='",
        "key:",
        "https://a:",
        " -p",
        " -u",
        "eyJ",
        "4111 ",
        "</private>",
        "`<private>`",
        "password is ",
        "log in with ",
        "kommst mit ",
        "sudo wifi ",
        "is a / ",
        "use a to ",
        "пароль ",
        "p\u{430}\u{200b}",
        "password is `a` ",
        &id,
        "-----BEGIN PRIVATE KEY-----\n",
        "=",
        "\"",
        "-----END PRIVATE KEY-----\n",
        "QWxhZGRpbjpvcGVuIHNlc2FtZVRoaXMgaXM\n-----END",
        "kind: Secret\ndata:\n",
        "kind: secret",
        "a,password\n",
        "a,password,",
        "h:5432:d:u:",
        "u:pw1@h:5432",
        "gh secret set A --body ",
        "ghp\u{1b}[0m_",
        "a%5F",
        "\\u005f",
        "Z2hwX",
        "PASSWORD=\"\n",
        "password=\"a b ",
        "TOKEN=a\\\n",
        "<name>password</name>",
    ] {
        let time = |bytes: usize| {
            let text = unit.repeat(bytes / unit.len());
            let start = busy();
            redact(&text);
            (busy() - start).max(Duration::from_millis(5))
        };
        let (small, large) = (time(20_000), time(160_000));
        let ratio = large.as_secs_f64() / small.as_secs_f64();
        assert!(ratio < 20.0, "{unit:?}: eight times the text took {ratio:.1} times as long");
    }
}
