//! Questions to programs.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use serde_json::json;
use throughline_llm::{Asked, Client, Error, ModelRequest, ModelSettings};

/// Asks a program that is written as a script.
fn ask(script: &str, arguments: &[&str], total: Duration) -> Asked {
    let folder = tempfile::tempdir().expect("it can be made");
    let program = folder.path().join("model");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("it can be made");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700))
        .expect("it can be made");
    let mut command = vec![program.display().to_string()];
    command.extend(arguments.iter().map(|one| (*one).to_owned()));
    let settings =
        ModelSettings { total, ..ModelSettings::program(command).expect("it can be made") };
    let schema = json!({"type": "object"});
    let request = ModelRequest {
        system: "Be brief.",
        prompt: "Is it so?",
        name: "answer",
        schema: &schema,
        tokens_max: 10,
    };
    Client::new(settings).expect("it can be made").ask(&request)
}

const PATIENT: Duration = Duration::from_secs(20);

#[test]
fn a_program_reads_the_prompt_and_writes_the_answer() {
    let script = r#"read -r first; rest=$(cat)
case "$rest" in *"Is it so?"*"JSON Schema"*) said=yes;; *) said=no;; esac
printf 'Here it is: {"first":"%s","said":"%s","inside":"%s","arg":"%s"}' "$first" "$said" "$THROUGHLINE_INSIDE" "$1""#;
    let asked = ask(script, &["$(touch pwned); echo"], PATIENT);
    let expected = json!({"first": "Be brief.", "said": "yes", "inside": "1",
        "arg": "$(touch pwned); echo"});
    assert_eq!(asked.answer, Ok(expected), "no shell reads its arguments, and hooks know us");
    assert!(asked.usage.total() > 0, "where nobody counts, it is guessed");
}

#[test]
fn a_program_that_hangs_is_ended_with_what_it_started() {
    let began = Instant::now();
    let asked = ask("sleep 60 & sleep 60", &[], Duration::from_millis(300));
    assert_eq!(asked.answer, Err(Error::TooSlow(Duration::from_millis(300))));
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_program_that_fails_says_how() {
    let error = ask("echo 'not logged in' >&2; exit 3", &[], PATIENT).answer.unwrap_err();
    assert!(error.to_string().contains("not logged in"), "{error}");
    let nobody = ModelSettings::program(vec!["/no/such/program".to_owned()]).unwrap();
    let schema = json!({});
    let request =
        ModelRequest { system: "", prompt: "", name: "a", schema: &schema, tokens_max: 1 };
    let error = Client::new(nobody).unwrap().ask(&request).answer.unwrap_err();
    assert!(error.to_string().starts_with("/no/such/program failed"), "{error}");
    assert!(ModelSettings::program(vec![" ".to_owned()]).is_err());
}

#[test]
fn a_program_that_never_stops_talking_is_not_read_to_the_end() {
    let asked = ask("head -c 6000000 /dev/zero", &[], PATIENT);
    assert_eq!(asked.answer, Err(Error::TooLarge(4 << 20)));
}
