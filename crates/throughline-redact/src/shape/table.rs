//! The table of shapes. A new kind of token is one line here and one in `tests/it/secrets.rs`.
//!
//! The facts (prefixes, alphabets, lengths) are from what the services document and from the rule
//! data of gitleaks; see NOTICE.md.

use super::Body::{Alphanumeric, Base64, Capitals, Dotted, Hex, Path, Word};
use super::{Body, Shape};

/// A token with at least so many signs behind its prefix.
const fn open(
    rule: &'static str,
    prefixes: &'static [&'static str],
    body: Body,
    least: usize,
) -> Shape {
    Shape { rule, prefixes, body, least, most: usize::MAX }
}

/// A token with so many signs behind its prefix, no fewer and no more.
const fn exact(
    rule: &'static str,
    prefixes: &'static [&'static str],
    body: Body,
    length: usize,
) -> Shape {
    Shape { rule, prefixes, body, least: length, most: length }
}

pub(crate) static SHAPES: &[Shape] = &[
    // Code hosts and registries.
    open("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Word, 36),
    open("github-token", &["github_pat_"], Word, 60),
    open(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "gloas-", "glimt-",
            "glffct-", "glagent-",
        ],
        Dotted,
        20,
    ),
    exact("gitlab-token", &["GR1348941"], Word, 20),
    open("bitbucket-token", &["ATBB"], Alphanumeric, 28),
    open("atlassian-token", &["ATATT3", "ATCTT3"], Base64, 60),
    exact("npm-token", &["npm_"], Alphanumeric, 36),
    open("pypi-token", &["pypi-AgE"], Word, 50),
    open("rubygems-token", &["rubygems_"], Hex, 48),
    open("docker-token", &["dckr_pat_", "dckr_oat_"], Word, 24),
    exact("crates-token", &["cio"], Alphanumeric, 32),
    exact("artifactory-token", &["AKCp"], Alphanumeric, 69),
    exact("artifactory-token", &["cmVmd"], Alphanumeric, 59),
    // Clouds.
    exact("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], Capitals, 16),
    open("aws-bedrock-key", &["ABSK"], Base64, 100),
    exact("google-api-key", &["AIza"], Word, 35),
    open("google-oauth-secret", &["GOCSPX-"], Word, 24),
    open("google-oauth-token", &["ya29."], Word, 30),
    open("google-oauth-token", &["1//0"], Word, 40),
    exact("alibaba-access-key", &["LTAI"], Alphanumeric, 20),
    exact("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], Hex, 64),
    open("heroku-key", &["HRKU-"], Word, 36),
    open("cloudflare-key", &["v1.0-"], Word, 160),
    open("cloudflare-token", &["cfut_", "cfat_", "cfk_"], Word, 40),
    open("fly-token", &["fo1_"], Word, 40),
    open("fly-token", &["fm1a_", "fm1r_", "fm2_"], Base64, 60),
    open("vault-token", &["hvs.", "hvb.", "hvr."], Word, 24),
    open("pulumi-token", &["pul-"], Hex, 40),
    open("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."], Dotted, 40),
    open("planetscale-token", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], Dotted, 32),
    open("supabase-token", &["sbp_"], Hex, 40),
    open("supabase-token", &["sb_secret_"], Word, 20),
    open("databricks-token", &["dapi"], Hex, 32),
    open("neon-token", &["napi_"], Alphanumeric, 40),
    open("netlify-token", &["nfp_"], Alphanumeric, 36),
    open("tailscale-key", &["tskey-"], Word, 20),
    // Models.
    open("anthropic-key", &["sk-ant-"], Word, 20),
    open("openai-key", &["sk-"], Word, 20),
    open("huggingface-token", &["hf_", "api_org_"], Alphanumeric, 34),
    open("groq-key", &["gsk_"], Alphanumeric, 40),
    open("xai-key", &["xai-"], Alphanumeric, 60),
    open("perplexity-key", &["pplx-"], Alphanumeric, 40),
    exact("replicate-token", &["r8_"], Alphanumeric, 37),
    open("nvidia-key", &["nvapi-"], Word, 50),
    open("langsmith-key", &["lsv2_pt_", "lsv2_sk_"], Word, 32),
    open("pinecone-key", &["pcsk_"], Word, 40),
    open("tavily-key", &["tvly-"], Word, 28),
    // Chat and mail.
    open(
        "slack-token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-"],
        Base64,
        20,
    ),
    open("slack-token", &["xapp-", "xoxe-", "xoxe."], Dotted, 24),
    open(
        "slack-webhook",
        &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"],
        Path,
        30,
    ),
    open(
        "discord-webhook",
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        Path,
        60,
    ),
    open("teams-webhook", &["webhook.office.com/webhookb2/"], Path, 60),
    open("sendgrid-key", &["SG."], Dotted, 60),
    exact("mailgun-key", &["key-"], Hex, 32),
    open("brevo-key", &["xkeysib-"], Word, 64),
    exact("twilio-key", &["SK"], Hex, 32),
    // Money and shops.
    open(
        "stripe-key",
        &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
        Alphanumeric,
        16,
    ),
    open("stripe-webhook-secret", &["whsec_"], Base64, 24),
    exact("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], Hex, 32),
    open("square-token", &["sq0atp-", "sq0csp-", "EAAAE", "EAAAl"], Word, 22),
    open("facebook-token", &["EAAC", "EAAM", "EAAG"], Alphanumeric, 80),
    // What teams work with.
    open("linear-key", &["lin_api_", "lin_oauth_"], Alphanumeric, 32),
    open("notion-token", &["ntn_"], Alphanumeric, 40),
    exact("notion-token", &["secret_"], Alphanumeric, 43),
    open("figma-token", &["figd_", "figo_", "figu_"], Word, 36),
    open("postman-key", &["PMAK-"], Word, 50),
    exact("airtable-token", &["pat"], Dotted, 79),
    open("typeform-token", &["tfp_"], Dotted, 40),
    open("1password-token", &["ops_eyJ"], Base64, 100),
    open("1password-key", &["A3-"], Word, 30),
    open("age-key", &["AGE-SECRET-KEY-1"], Capitals, 58),
    // What watches.
    open("sentry-token", &["sntrys_", "sntryu_"], Base64, 60),
    open("newrelic-key", &["NRAK-", "NRII-", "NRJS-", "NRRA-"], Word, 19),
    open("grafana-token", &["glc_", "eyJrIjoi"], Base64, 32),
    open("grafana-token", &["glsa_"], Word, 40),
    open("dynatrace-token", &["dt0c01."], Dotted, 80),
    open("sonar-token", &["squ_", "sqp_", "sqa_"], Hex, 40),
    open("buildkite-token", &["bkua_"], Hex, 40),
    open("circleci-token", &["CCIPAT_", "CCIPRJ_"], Word, 40),
    open("posthog-key", &["phx_"], Alphanumeric, 40),
];
