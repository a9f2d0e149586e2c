//! Every shape of secret that we claim to know disappears.
//!
//! The secrets are invented and put together here from pieces, so that no scanner takes this file
//! for a leak.

use throughline_redact::redact;

/// Signs that look random and are the same every time.
pub(crate) fn signs(alphabet: &str, length: usize) -> String {
    let alphabet = alphabet.as_bytes();
    let mut state = 0x2545_F491_4F6C_DD1D_u64 ^ (length as u64) << 7;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(alphabet[usize::from(state.to_le_bytes()[3]) % alphabet.len()])
        })
        .collect()
}

pub(crate) fn hex(length: usize) -> String {
    signs("0123456789abcdef", length)
}

pub(crate) fn mixed(length: usize) -> String {
    signs("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", length)
}

pub(crate) fn capitals(length: usize) -> String {
    signs("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length)
}

/// Tokens that are known by themselves: the rule, and the secret.
pub(crate) fn tokens() -> Vec<(&'static str, String)> {
    let mut all: Vec<(&str, String)> = [
        ("github-token", "gh", "p_", mixed(36)),
        ("github-token", "gh", "o_", mixed(36)),
        ("github-token", "gh", "u_", mixed(36)),
        ("github-token", "gh", "s_", mixed(36)),
        ("github-token", "gh", "r_", mixed(76)),
        ("github-token", "github", "_pat_", format!("{}_{}", mixed(22), mixed(59))),
        ("gitlab-token", "gl", "pat-", mixed(20)),
        ("gitlab-token", "gl", "dt-", mixed(20)),
        ("gitlab-token", "gl", "rt-", mixed(20)),
        ("npm-token", "np", "m_", mixed(36)),
        ("pypi-token", "py", "pi-AgEIcHlwaS5vcmc", mixed(120)),
        ("rubygems-token", "ruby", "gems_", hex(48)),
        ("docker-token", "dckr", "_pat_", mixed(27)),
        ("aws-access-key", "AK", "IA", capitals(16)),
        ("aws-access-key", "AS", "IA", capitals(16)),
        ("google-api-key", "AI", "za", mixed(35)),
        ("google-oauth-secret", "GOC", "SPX-", mixed(28)),
        ("google-oauth-token", "ya", "29.", mixed(120)),
        ("digitalocean-token", "do", "p_v1_", hex(64)),
        ("heroku-key", "HR", "KU-AA", mixed(58)),
        ("cloudflare-key", "v1", ".0-", format!("{}-{}", hex(24), hex(146))),
        ("fly-token", "fo", "1_", mixed(43)),
        ("vault-token", "hv", "s.", mixed(95)),
        ("terraform-token", &mixed(14), ".atlas", format!("v1.{}", mixed(67))),
        ("pulumi-token", "pu", "l-", hex(40)),
        ("doppler-token", "dp", ".pt.", mixed(43)),
        ("planetscale-token", "pscale", "_tkn_", mixed(43)),
        ("supabase-token", "sb", "p_", hex(40)),
        ("databricks-token", "da", "pi", hex(32)),
        ("tailscale-key", "ts", "key-", format!("auth-{}-{}", mixed(12), mixed(32))),
        ("azure-client-secret", "aB3", "8Q", format!("~{}", mixed(34))),
        ("anthropic-key", "sk-", "ant-", format!("api03-{}AA", mixed(93))),
        ("openai-key", "sk", "-", format!("{}T3BlbkFJ{}", mixed(20), mixed(20))),
        ("openai-key", "sk", "-proj-", format!("{}T3BlbkFJ{}", mixed(74), mixed(74))),
        ("openai-key", "sk", "-or-v1-", hex(64)),
        ("huggingface-token", "h", "f_", mixed(34)),
        ("groq-key", "gs", "k_", mixed(52)),
        ("replicate-token", "r", "8_", mixed(37)),
        ("slack-token", "xo", "xb-", format!("123456789012-123456789012-{}", mixed(24))),
        ("slack-token", "xo", "xp-", format!("1234567890-1234567890-1234567890-{}", hex(32))),
        ("slack-token", "xa", "pp-1-", format!("A01ABCDEF-1234567890123-{}", hex(64))),
        ("telegram-token", "12345", "67890", format!(":AA{}", mixed(33))),
        ("sendgrid-key", "S", "G.", format!("{}.{}", mixed(22), mixed(43))),
        ("mailgun-key", "ke", "y-", hex(32)),
        ("brevo-key", "xkey", "sib-", format!("{}-{}", hex(64), mixed(16))),
        ("twilio-key", "S", "K", hex(32)),
        ("stripe-key", "sk_", "live_", mixed(24)),
        ("stripe-key", "rk_", "test_", mixed(24)),
        ("stripe-webhook-secret", "wh", "sec_", mixed(32)),
        ("shopify-token", "shp", "at_", hex(32)),
        ("square-token", "sq0", "atp-", mixed(22)),
        ("linear-key", "lin", "_api_", mixed(40)),
        ("notion-token", "nt", "n_", format!("12345678901{}", mixed(35))),
        ("figma-token", "fi", "gd_", mixed(40)),
        ("postman-key", "PM", "AK-", format!("{}-{}", hex(24), hex(34))),
        ("airtable-token", "pa", "t", format!("{}.{}", mixed(14), hex(64))),
        ("age-key", "AGE-SECRET", "-KEY-1", capitals(58)),
        ("sentry-token", "sntr", "yu_", hex(64)),
        ("newrelic-key", "NR", "AK-", capitals(27)),
        ("grafana-token", "gl", "sa_", format!("{}_{}", mixed(32), hex(8))),
        ("dynatrace-token", "dt0", "c01.", format!("{}.{}", capitals(24), capitals(64))),
        ("circleci-token", "CCI", "PAT_", format!("{}_{}", mixed(22), hex(40))),
    ]
    .into_iter()
    .map(|(rule, first, second, rest)| (rule, [first, second, &rest].concat()))
    .collect();
    all.push(("jwt", jwt()));
    all.extend(key_blocks());
    all
}

fn key_blocks() -> [(&'static str, String); 4] {
    [
        ("private-key", key_block("RSA PRIVATE KEY", "\n")),
        ("private-key", key_block("OPENSSH PRIVATE KEY", "\n")),
        ("private-key", key_block("PGP PRIVATE KEY BLOCK", "\n")),
        ("private-key", key_block("PRIVATE KEY", "\\n")),
    ]
}

fn jwt() -> String {
    ["ey", "JhbGciOiJIUzI1NiJ9.ey", "JzdWIiOiIxMjM0NSJ9.", &mixed(43)].concat()
}

fn key_block(label: &str, line_end: &str) -> String {
    let lines: Vec<String> = (0..6).map(|line| mixed(64 - line)).collect();
    let (begin, end) = (format!("-----BEGIN {label}-----"), format!("-----END {label}-----"));
    [&begin, line_end, &lines.join(line_end), line_end, &end].concat()
}

/// Secrets that their surroundings give away: what is before, the secret, what is behind.
pub(crate) fn in_place() -> Vec<(String, String, String)> {
    let random = mixed(40);
    let plain = ["hun", "ter2"].concat();
    let signs = ["p@ss", "W0rd!"].concat();
    let slack = format!("T0{}/B0{}/{}", capitals(8), capitals(8), mixed(24));
    let azure = format!("{}==", mixed(86));
    [
        ("DB_PASSWORD=", &plain, "\nDEBUG=1"),
        ("export PGPASSWORD='", &signs, "'"),
        ("PASSWORD=", &signs, ""),
        ("password: ", &plain, "\nuser: root"),
        ("\"password\": \"", &plain, "\","),
        ("{\\\"password\\\":\\\"", &plain, "\\\"}"),
        ("{'passwd': '", &signs, "'}"),
        ("db.password = \"", &plain, "\" # for staging"),
        ("spring.datasource.password=", &plain, "\n"),
        ("const password = `", &signs, "`;"),
        ("let password: &str = \"", &plain, "\";"),
        ("password := \"", &plain, "\""),
        ("if password == \"", &plain, "\" {"),
        ("config[\"password\"] = \"", &plain, "\""),
        ("<password>", &plain, "</password>"),
        ("<add key=\"ClearTextPassword\" value=\"", &signs, "\" />"),
        ("login --password ", &plain, " --verbose"),
        ("login --password=", &plain, " --verbose"),
        ("my password is ", &plain, ", please keep it"),
        ("**Password:** ", &plain, "\n"),
        ("password: String::from(\"", &plain, "\"),"),
        ("POSTGRES_PASSWORD: ", &signs, "\n"),
        ("passphrase: \"", &"maple otter violin quartz".to_owned(), "\""),
        ("aws_secret_access_key = ", &random, "\nregion = eu-west-1"),
        ("AWS_SECRET_ACCESS_KEY=", &random, " aws s3 ls"),
        ("\"secretAccessKey\": \"", &random, "\""),
        ("client_secret=", &random, "&grant_type=x"),
        ("DATADOG_API_KEY=", &hex(32), "\n"),
        ("api_key = \"", &hex(32), "\""),
        ("apiKey: '", &random, "',"),
        ("X-Api-Key: ", &random, "\r\n"),
        ("HEROKU_API_KEY=", &"8a3f1c52-77de-4b0c-9a1e-5d2c6f7b8a90".to_owned(), "\n"),
        ("API key: ", &random, ""),
        ("STRIPE_KEY=", &random, "\n"),
        ("SECRET_KEY_BASE=", &hex(128), "\n"),
        ("headers.set('x-auth-token', '", &random, "')"),
        ("--token ", &random, " deploy"),
        ("?access_token=", &random, "&page=2"),
        ("//registry.local/:_authToken=", &random, "\n"),
        ("The token is ", &random, "."),
        ("DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=", &azure, ";Suffix=net"),
        ("Server=db;User Id=sa;Password=", &signs, ";Encrypt=true"),
        ("postgres://app:", &plain, "@db:5432/app"),
        ("postgres://app:", &"let/me#in".to_owned(), "@db:5432/app"),
        ("mongodb+srv://app:", &signs.replace('@', "%40"), "@cluster0.mongodb.net/?retry=1"),
        ("redis://:", &plain, "@cache:6379"),
        ("amqps://app:", &plain, "@queue"),
        ("https://bot:", &random, "@git.local/acme/app.git"),
        ("https://", &hex(40), "@git.local/acme/app.git"),
        ("Authorization: Bearer ", &random, "\r\nAccept: */*"),
        ("-H 'Authorization: Bearer ", &random, "' https://api.local"),
        ("Authorization: Basic ", &["YWRtaW4", "6aHVudGVyMg=="].concat(), "\r\n"),
        ("\"auth\": \"", &["YWRtaW4", "6aHVudGVyMg=="].concat(), "\""),
        ("Authorization: token ", &hex(40), "\n"),
        ("curl -u admin:", &plain, " https://api.local"),
        ("curl -s \\\n  --user 'admin:", &signs, "' https://api.local"),
        ("mysql -h db -uroot -p", &plain, " app"),
        ("sshpass -p '", &signs, "' ssh host"),
        ("Cookie: theme=dark; sessionid=", &mixed(32), "; lang=en"),
        ("Set-Cookie: connect.sid=", &format!("s%3A{}.{}", mixed(32), mixed(43)), "; Path=/"),
        ("https://hooks.slack.com/services/", &slack, " posts"),
        ("https://discord.com/api/webhooks/", &format!("123456789012345678/{}", mixed(68)), ""),
        ("https://acme.blob.local/c?sv=2024&sig=", &format!("{}%3D", mixed(43)), "&se=1"),
    ]
    .into_iter()
    .map(|(before, secret, after)| (before.to_owned(), secret.clone(), after.to_owned()))
    .collect()
}

#[test]
fn a_token_disappears_and_the_mark_says_what_it_was() {
    let tokens = tokens();
    assert!(tokens.len() >= 60);
    let missed: Vec<_> = tokens
        .into_iter()
        .filter(|(rule, token)| {
            let text = format!("before {token} after");
            redact(&text).text != format!("before [redacted:{rule}] after")
        })
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_secret_in_its_place_disappears_and_its_place_stays() {
    let in_place = in_place();
    assert!(in_place.len() >= 60);
    let missed: Vec<_> = in_place
        .into_iter()
        .filter(|(before, secret, after)| {
            let text = format!("{before}{secret}{after}");
            let redacted = redact(&text).text;
            let rest = redacted.strip_prefix(before.as_str());
            let mark = rest.and_then(|rest| rest.strip_suffix(after.as_str())).unwrap_or_default();
            !mark.starts_with("[redacted:") || mark.find(']') != Some(mark.len() - 1)
        })
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_most_telling_rule_names_the_secret() {
    let (_, token) = tokens().swap_remove(0);
    assert_eq!(redact(&format!("TOKEN={token}")).text, "TOKEN=[redacted:github-token]");
}

#[test]
fn a_private_key_that_was_cut_off_disappears_as_far_as_it_goes() {
    let block = key_block("RSA PRIVATE KEY", "\n");
    let head: String = block.split_inclusive('\n').take(4).collect();
    assert_eq!(redact(&head).text, "[redacted:private-key]\n");
    let cut = &block[..200];
    assert_eq!(redact(cut).text, "[redacted:private-key]");
}
