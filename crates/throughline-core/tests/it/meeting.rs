//! Which statements give the same thing two values, and which only look as if they did.

use proptest::prelude::*;
use throughline_core::Kind;
use throughline_core::meet::{
    Beside, Difference, can_meet, meeting_keys, same_thing, stands_beside,
};

fn meet(kind: Kind, one: &str, other: &str) -> Option<Difference> {
    let found = same_thing((kind, one), (kind, other));
    assert_eq!(same_thing((kind, other), (kind, one)), found, "either way round: {one} / {other}");
    let theirs = meeting_keys(other);
    let shared = meeting_keys(one).iter().any(|key| theirs.contains(key));
    assert!(found.is_none() || shared, "who meets shares a key: {one} / {other}");
    if found.is_some() {
        assert!(can_meet(kind, one) && can_meet(kind, other), "{one} / {other}");
    }
    found
}

#[test]
fn another_number_version_port_date_or_path_of_the_same_thing_is_another_value() {
    for (one, other) in [
        ("Prod runs MySQL 8", "Prod runs MySQL 9"),
        ("Prod runs MySQL 8.", "Prod now runs MySQL v9.1"),
        ("The API listens on port 8080", "The API listens on port 9090"),
        ("The admin port is 8080", "the admin port is 8081"),
        ("Decode throughput: +229 %", "Decode throughput: +31 %"),
        ("The p95 latency is 120 ms", "The p95 latency is 2 s"),
        ("Sessions expire after 30 minutes", "Sessions expire after 45 minutes"),
        ("Sessions expire after 30 minutes", "Sessions expire after 2 hours"),
        ("We keep 30 days of logs", "We keep 60 days of logs"),
        ("The search index rebuilds every 6 hours", "The search index rebuilds every 12 hours"),
        ("Sessions end after 30 minutes of silence", "Sessions end after 45 minutes of silence"),
        ("upload timeout=30", "upload timeout=45"),
        ("Upload limit: 10MB", "Upload limit: 25MB"),
        ("The next release is on March 3", "The next release is on March 10"),
        ("The code freeze is on 2026-11-20", "The code freeze is on 2026-12-01"),
        ("Staging's port is 5432", "Staging port is 5433"),
        ("The config lives in config/app.toml", "The config lives in deploy/app.toml"),
        ("The entry point is src/main.rs", "The entry point is src/bin/cli.rs"),
        ("The database host is db1.internal", "The database host is db2.internal"),
        ("We use port 8080 for the api", "We use port 9090 for the api now"),
        ("We use Node 18 for the worker", "We use Node 20 for the worker"),
        ("We run MySQL 8 because the vendor asks for it", "We run MySQL 9 because 8 is old"),
    ] {
        assert_eq!(meet(Kind::Fact, one, other), Some(Difference::Value), "{one} / {other}");
    }
    let (one, other) = ("Never wait longer than 5 seconds", "Never wait longer than 10 seconds");
    assert_eq!(meet(Kind::Principle, one, other), Some(Difference::Value));
}

#[test]
fn another_name_in_the_same_place_is_for_a_person_to_decide() {
    for (kind, one, other) in [
        (
            Kind::Decision,
            "We decided to use MySQL for the orders database",
            "We decided to use SQLite for the orders database",
        ),
        (Kind::Fact, "we use mysql for the orders db", "we use sqlite for the orders db"),
        (Kind::Fact, "The orders database is MySQL", "The orders database is SQLite"),
        (Kind::Fact, "The orders database is Postgres 16", "The orders database is MySQL 8"),
        (Kind::Fact, "The docs are hosted on Netlify", "The docs are hosted on Vercel"),
        (
            Kind::Decision,
            "We settled on Kafka for the event bus because it scales",
            "We settled on RabbitMQ for the event bus",
        ),
        (Kind::Fact, "The maintainer is Ada", "The maintainer is Grace"),
        (Kind::Decision, "We chose Terraform for the setup", "We chose Pulumi for the setup"),
        (
            Kind::Fact,
            "Our asset bucket is acme-prod-assets",
            "Our asset bucket is acme-live-assets",
        ),
        (Kind::Fact, "Backups go out at 02:00 by mail", "Backups go out at 04:00 by mail"),
        // Which latency, which port?
        (Kind::Fact, "latency 12 ms", "latency 15 ms"),
        (Kind::Fact, "Latency is 12 ms", "Latency is 15 ms"),
        (Kind::Fact, "The port is 8080", "The port is 9090"),
        (Kind::Fact, "timeout=30", "timeout=45"),
        (Kind::Fact, "Builds run on Node 18", "Builds run on Node 20"),
    ] {
        assert_eq!(meet(kind, one, other), Some(Difference::Open), "{one} / {other}");
    }
}

#[test]
fn the_opposite_in_the_same_words_is_for_a_person_to_decide() {
    for (kind, one, other) in [
        (Kind::Principle, "Always push to main", "Never push to main"),
        (Kind::Principle, "Always push to main.", "never push to the main!"),
        (Kind::Principle, "You must use tabs in YAML", "You must not use tabs in YAML"),
        (Kind::Principle, "You mustn't log card numbers", "You must log card numbers"),
        (Kind::Principle, "You mustn\u{2019}t log card numbers", "You may log card numbers"),
        (Kind::Principle, "Do squash commits", "Don't squash commits"),
        (Kind::Principle, "Squash commits before merging", "Do not squash commits before merging"),
        (Kind::Fact, "Force pushes are allowed on main", "Force pushes are forbidden on main"),
        (Kind::Fact, "Force pushes are allowed on main", "Force pushes aren't allowed on main"),
        (Kind::Fact, "The worker is allowed to retry", "The worker is not allowed to retry"),
        (Kind::Preference, "I always want emojis", "I never want emojis"),
        (Kind::Fact, "The client is thread-safe", "The client is not thread-safe"),
    ] {
        assert_eq!(meet(kind, one, other), Some(Difference::Open), "{one} / {other}");
    }
}

#[test]
fn the_opposite_of_something_else_stands_beside() {
    for (one, other) in [
        ("Always push to main", "Never push to develop"),
        ("Always push to main", "Always push to main"),
        ("Never push to main", "Do not push to main"),
        ("Always push to main", "Never push to main on Fridays"),
        ("Always run the linter", "Never skip the linter"),
        ("You must not use tabs in YAML", "You must use spaces in YAML"),
        ("Never not push to main", "Always push to main"),
        ("Always", "Never"),
        ("Never force-push", "Force-push is okay if Lena signs off"),
        ("Do not deploy on Fridays", "We also deploy on Fridays"),
    ] {
        assert_eq!(meet(Kind::Principle, one, other), None, "{one} / {other}");
    }
}

#[test]
fn two_things_are_not_one_thing_with_two_values() {
    for (one, other) in [
        // Several at once.
        ("The project uses TypeScript", "The project uses DuckDB"),
        ("The API depends on Redis", "The API depends on Kafka"),
        ("Supported ports are 80, 443", "Supported ports are 80, 8080"),
        ("We support Chrome and Firefox", "We support Chrome and Safari"),
        // Another subject.
        ("Staging runs on port 5432", "Prod runs on port 5433"),
        ("Staging runs on port 5432", "Prod runs on port 5432"),
        ("Billing uses Postgres 15", "Orders uses Postgres 16"),
        ("Ada owns the billing service", "Grace owns the billing service"),
        // A label of what is spoken of.
        ("Step 1 installs the tools", "Step 2 installs the tools"),
        ("Run step 1 first", "Run step 2 first"),
        ("Ticket 123 is blocked by infra", "Ticket 124 is blocked by infra"),
        ("Worker 1 runs Debian", "Worker 2 runs Debian"),
        ("Writer 3 says 1", "Writer 3 says 2"),
        ("The diary of day number 17", "The diary of day number 18"),
        ("Another note about the parser, number 5", "Another note about the parser, number 6"),
        ("Note: item 5", "Note: item 6"),
        ("The fix is described in step 1", "The fix is described in step 2"),
        ("See issue #12 for the plan", "See issue #13 for the plan"),
        ("Fixed in PR 12", "Fixed in PR 13"),
        ("The fix is described in #12", "The fix is described in #13"),
        // Things that happened, each at its time.
        ("We deployed version 1.2 to prod", "We deployed version 1.3 to prod"),
        ("We met the client on March 3", "We met the client on March 10"),
        ("The outage on March 3 took 2 hours", "The outage on April 5 took 3 hours"),
        ("The incident on 2026-01-03 hit checkout", "The incident on 2026-02-11 hit checkout"),
        ("The cache is read-only", "The cache is write-only"),
        // Names in code: two rules.
        ("Call parse_line first", "Call parse_page first"),
        ("Edit src/a.rs before a release", "Edit src/b.rs before a release"),
        // Opposites: no value differs. They stay two claims.
        (
            "The cache layer stores encrypted session data",
            "The cache layer stores unencrypted session data",
        ),
        ("Migrations run before the deploy", "Migrations run after the deploy"),
        ("The worker reads the queue", "The worker writes the queue"),
        ("The gateway exposes an internal API", "The gateway exposes an external API"),
        ("The client is sync", "The client is async"),
        ("Batches should be larger for imports", "Batches should be smaller for imports"),
        ("Retries increase the load", "Retries decrease the load"),
        ("We use Redis for caching", "We do not use Redis for caching"),
        // A pronoun is no subject.
        ("It is 3 times faster", "It is 5 times faster"),
        // The same.
        ("Prod runs MySQL 8", "prod runs mysql v8."),
    ] {
        assert_eq!(meet(Kind::Fact, one, other), None, "{one} / {other}");
    }
    for kind in [Kind::Event, Kind::Negative, Kind::Lesson, Kind::Gap] {
        assert_eq!(meet(kind, "Prod runs MySQL 8", "Prod runs MySQL 9"), None, "{kind}");
    }
    let (one, other) = ("Never edit src/gen.rs", "Never edit src/api.rs");
    assert_eq!(meet(Kind::Principle, one, other), None);
}

fn words() -> impl Strategy<Value = Vec<&'static str>> {
    let some = prop::sample::select(vec![
        "prod",
        "runs",
        "the",
        "api",
        "is",
        "on",
        "port",
        "stores",
        "encrypted",
        "data",
        "after",
        "before",
        "reads",
        "always",
        "must",
        "for",
    ]);
    prop::collection::vec(some, 0..10)
}

proptest! {
    #[test]
    fn any_two_texts_are_compared_alike_either_way(one in ".{0,80}", other in ".{0,80}") {
        meet(Kind::Fact, &one, &other);
    }

    #[test]
    fn nothing_meets_itself_however_it_is_written(text in ".{0,80}") {
        prop_assert_eq!(meet(Kind::Fact, &text, &text.to_lowercase()), None);
        prop_assert_eq!(meet(Kind::Fact, &text, &format!("{text}.")), None);
    }

    /// Similarity alone never makes a pair: without a value on both sides, or a word that denies on one, there is
    /// nothing to meet.
    #[test]
    fn plain_words_never_meet(one in words(), other in words()) {
        prop_assert_eq!(meet(Kind::Fact, &one.join(" "), &other.join(" ")), None);
    }

    #[test]
    fn a_number_that_differs_in_a_plain_frame_always_meets(a in 1..10_000_u32, b in 1..10_000_u32) {
        let of = |n: u32| format!("The admin port is {n}");
        let expected = (a != b).then_some(Difference::Value);
        prop_assert_eq!(meet(Kind::Fact, &of(a), &of(b)), expected);
    }
}

#[test]
fn what_adds_counts_otherwise_or_means_another_one_of_several_stands_beside_what_is_held() {
    use Beside::{Addition, Exception, OtherQualifier, OtherUnit};
    for (held, said, why) in [
        ("We deploy on Thursdays.", "we also deploy on Mondays now", Addition),
        ("The api listens on port 8080.", "the api listens on port 9090 as well", Addition),
        ("Anna reviews the payments code.", "Tom reviews the payments code too", Addition),
        ("Never force-push to main.", "force-push is okay if Lena signs off", Exception),
        ("The client retries 3 times.", "the client waits 30 seconds between retries", OtherUnit),
        ("The cache holds 512 MB.", "the cache keeps entries for 30 minutes", OtherUnit),
        (
            "The nightly import takes 40 minutes.",
            "the hourly import takes 5 minutes",
            OtherQualifier,
        ),
        ("Staging runs on Postgres 15.", "prod's on Postgres 16 now", OtherQualifier),
        ("The staging database is small.", "the prod database is huge", OtherQualifier),
    ] {
        assert_eq!(stands_beside(held, said), Some(why), "{held} / {said}");
        assert_eq!(meet(Kind::Fact, held, said), None, "{held} / {said}");
    }
}

#[test]
fn a_change_is_not_taken_for_an_addition() {
    for (held, said) in [
        ("Staging runs on Postgres 15.", "staging's on Postgres 16 now"),
        ("Staging runs on Postgres 15.", "also staging's on Postgres 16 now"),
        ("Staging runs on Postgres 15.", "we bumped staging to 16 yesterday"),
        ("Sessions expire after 30 minutes.", "sessions expire after 2 hours now"),
        ("Releases go out weekly.", "releases go out monthly now"),
        ("The nightly import takes 40 minutes.", "the nightly import is hourly now"),
        ("The cron runs on staging.", "the cron runs on prod now"),
        ("The client retries 3 times.", "the client makes 5 attempts now"),
        ("The client retries 3 times.", "3 is too many, make it 5 retries"),
        ("The upload limit is 10MB.", "the upload limit is 2 GB now"),
        ("Prod runs MySQL 8", "Prod runs MySQL 9"),
    ] {
        assert_eq!(stands_beside(held, said), None, "{held} / {said}");
    }
}
