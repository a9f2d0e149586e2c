//! A server that lets nobody in without encryption and a password: whose certificate is trusted, where passwords come from, and
//! what is said where one is missing.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Home, Run};
use crate::hooking::Agent;

const PASSWORD: &str = "right horse";

/// A cluster of the test's own.
struct Guarded {
    folder: PathBuf,
    port: u16,
}

impl Guarded {
    fn start() -> Self {
        let kept = tempfile::Builder::new().prefix("tl-guarded").tempdir_in("/tmp");
        let folder = kept.expect("a folder can be made").keep();
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let guarded = Self { folder, port };
        guarded.script(&["start", text(&guarded.folder), &port.to_string()]);
        guarded
    }

    /// Fails where openssl or PostgreSQL is not there: `tools/postgres/start.sh` installs both.
    fn script(&self, args: &[&str]) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/postgres/guarded.sh");
        let ran = Command::new(script).args(args).output().expect("bash is there");
        assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    /// The address by a name, with further settings.
    fn url(&self, host: &str, settings: &str) -> String {
        format!("postgresql://tl_guarded@{host}:{}/postgres?schema=ours{settings}", self.port)
    }

    /// The setting that trusts an authority.
    fn trusting(&self, authority: &str) -> String {
        format!("&sslrootcert={}", text(&self.folder.join(authority)))
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.script(&["stop", text(&self.folder)]);
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}

/// Runs the program with further variables: the answer, or the error.
fn run(home: &Home, env: &[(&str, &str)], args: &[&str]) -> (i32, Value) {
    let run = home.command().envs(env.iter().copied()).arg("--json").args(args).output();
    let run = Run::from(run.expect("the program starts"));
    let told = if run.code == 0 { &run.stdout } else { &run.stderr };
    (run.code, serde_json::from_str(told).expect("it is JSON"))
}

#[test]
fn only_the_right_authority_and_the_right_name_are_trusted_and_what_to_do_is_said() {
    let guarded = Guarded::start();
    let password = [("PGPASSWORD", PASSWORD)];
    let (right, other) = (guarded.trusting("authority.crt"), guarded.trusting("other.crt"));
    let home = Home::at(&guarded.url("localhost", &right));
    let (code, told) = run(&home, &password, &["remember", "Staging runs Postgres 16"]);
    assert_eq!(code, 0, "{told}");
    let (_, status) = run(&home, &password, &["status"]);
    assert_eq!(status["memories"], 1, "{status}");
    for (what, url, code, says) in [
        (
            "another authority",
            guarded.url("localhost", &other),
            "unreachable",
            "signed by an authority that is not trusted here; name the file with the right one: ?sslrootcert=FILE",
        ),
        (
            "the usual authorities",
            guarded.url("localhost", "&sslmode=require"),
            "unreachable",
            "?sslrootcert=FILE in the address, or PGSSLROOTCERT",
        ),
        (
            "another name",
            guarded.url("127.0.0.1", &right),
            "unreachable",
            "and not for 127.0.0.1; write the name that it is for into the address",
        ),
        (
            "no encryption",
            guarded.url("localhost", ""),
            "denied",
            "?sslmode=require in the address",
        ),
        (
            "a file that is no certificate",
            guarded.url("localhost", &guarded.trusting("server.ext")),
            "bad_address",
            "server.ext",
        ),
    ] {
        let (exit, told) = run(&Home::at(&url), &password, &["list"]);
        let error = &told["error"];
        assert_eq!((exit, &error["code"]), (1, &json!(code)), "{what}: {told}");
        assert!(error["message"].as_str().is_some_and(|it| it.contains(says)), "{what}: {told}");
        assert!(!told.to_string().contains(PASSWORD), "{what}: {told}");
    }
    // A server that speaks no TLS is not talked to without.
    let plain = Home::on_server(18);
    let url = format!("{}&sslmode=require", plain.store_url().expect("it is on a server"));
    let (_, told) = run(&Home::at(&url), &[], &["list"]);
    assert!(told["error"]["message"].to_string().contains("does not speak TLS"), "{told}");
}

/// A file that its owner alone can read, or everybody.
fn write(path: &Path, text: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, text).expect("a file can be written");
    let mode = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(path, mode).expect("it is ours");
}

#[test]
fn passwords_come_from_the_password_file_or_a_service_and_from_no_file_that_others_can_read() {
    let guarded = Guarded::start();
    let url = guarded.url("localhost", &guarded.trusting("authority.crt"));
    let home = Home::at(&url);
    let own = home.outside("own");
    std::fs::create_dir(&own).expect("a folder can be made");
    let env = [("HOME", text(&own))];
    let missing = |env: &[(&str, &str)]| {
        let (code, told) = run(&home, env, &["list"]);
        let error = &told["error"];
        assert_eq!((code, &error["code"]), (1, &json!("denied")), "{told}");
        assert!(error["message"].to_string().contains("asks for a password"), "{told}");
    };
    missing(&env);

    let line = format!("localhost:{}:postgres:tl_guarded:{PASSWORD}\n", guarded.port);
    let file = own.join(".pgpass");
    write(&file, &line, 0o644);
    missing(&env);
    write(&file, &line, 0o600);
    let (code, told) = run(&home, &env, &["remember", "Staging runs Postgres 16"]);
    assert_eq!(code, 0, "{told}");
    let agent = Agent::new(&home, "a");
    agent.call("UserPromptSubmit", &json!({"prompt": "Where is the total?"}), &env);
    let answered = json!({"stop_hook_active": false, "last_assistant_message": "In the cart."});
    agent.call("Stop", &answered, &env);
    let (_, stats) = run(&home, &env, &["stats"]);
    assert_eq!(stats["rows"]["episode"], 2, "{stats}");
    let elsewhere = home.outside("elsewhere");
    write(&elsewhere, &line.replace(PASSWORD, "wrong"), 0o600);
    let (_, told) = run(&home, &[("PGPASSFILE", text(&elsewhere))], &["list"]);
    assert!(told["error"]["message"].to_string().contains("password authentication"), "{told}");

    // A service names everything.
    let services = format!(
        "[team]\nhost=localhost\nport={}\ndbname=postgres\nuser=tl_guarded\npassword={PASSWORD}\nsslrootcert={}\n",
        guarded.port,
        text(&guarded.folder.join("authority.crt"))
    );
    write(&own.join(".pg_service.conf"), &services, 0o600);
    std::fs::remove_file(&file).expect("it is ours");
    let by_service = Home::at("postgresql://?service=team&schema=ours");
    let (code, found) = run(&by_service, &env, &["stats", "--all"]);
    assert_eq!((code, &found["rows"]["episode"]), (0, &json!(2)), "{found}");
    let by_variable = Home::at("postgresql://?schema=ours");
    let named = [env[0], ("PGSERVICE", "team")];
    assert_eq!(run(&by_variable, &named, &["stats", "--all"]).0, 0);
    assert!(home.files_holding(PASSWORD).is_empty(), "no password is kept");
    assert_eq!(rows_of(&by_service, &env), 1);
}

/// What is remembered in all projects.
fn rows_of(home: &Home, env: &[(&str, &str)]) -> u64 {
    run(home, env, &["stats", "--all"]).1["rows"]["memory"].as_u64().unwrap_or(0)
}
