//! Commands that failed, and what made them work.

use super::*;

/// What is kept of these runs, one after the other.
fn failures(runs: &[ToolRun]) -> Vec<String> {
    let turns: Vec<Turn<'_>> = runs.iter().map(tool).collect();
    let negative = remembered(&turns).into_iter().filter(|it| it.kind == Kind::Negative);
    negative.map(|it| it.content).collect()
}

#[test]
fn a_failed_command_is_remembered_with_the_line_that_says_why() {
    for (command, output, exit, kept) in [
        (
            "cd app && nomad job run web.nomad 2>&1",
            "==> Submitting\nnomad token expired, run vault login first\n",
            1,
            "`nomad job run` failed: nomad token expired, run vault login first",
        ),
        (
            "cargo build",
            "Compiling x\nerror: feature `let_chains` requires nightly\n",
            101,
            "`cargo build` failed: feature `let_chains` requires nightly",
        ),
        (
            "terraform apply",
            "\u{1b}[31m2026-03-02T10:00:00Z Error: state is locked by ci\u{1b}[0m\n\nexit status 1\n",
            1,
            "`terraform apply` failed: state is locked by ci",
        ),
        (
            "npm ci",
            "npm ERR! The package-lock.json was made with lockfileVersion@3\nnpm ERR! A complete log of this run can be found in: /x/y.log",
            1,
            "`npm ci` failed: The package-lock.json was made with lockfileVersion@3",
        ),
        (
            "make build",
            "make: *** No rule to make target 'gen'.  Stop.",
            2,
            "`make build` failed: make: *** No rule to make target 'gen'. Stop",
        ),
        (
            "go build ./...",
            "# app\nmain.go:3:8: package foo is not in std\nmain.go:9:2: undefined: bar",
            1,
            "`go build` failed: main.go:3:8: package foo is not in std",
        ),
        (
            "docker build .",
            "ERROR: failed to solve: process \"npm ci\" did not complete successfully: exit code: 1",
            1,
            "`docker build .` failed: failed to solve: process \"npm ci\" did not complete successfully: exit code: 1",
        ),
        (
            "git push",
            "! [rejected] main -> main (fetch first)\nerror: failed to push some refs",
            1,
            "`git push` failed: failed to push some refs",
        ),
        (
            "FOO=1 make deploy",
            "no such target host\nmake: *** [deploy] Error 2",
            2,
            "`make deploy` failed: no such target host",
        ),
    ] {
        assert_eq!(failures(&[ran(command, output, exit)]), [kept], "{command}");
    }
    // Of a pipe the last part failed; what stands between quotation marks is no command.
    let piped = ran("go run . | python3.12 -m json.tool", "command not found: python3.12", 127);
    let kept = "`python3.12 -m json.tool` failed: command not found: python3.12";
    assert_eq!(failures(&[piped]), [kept]);
    let quoted = ran("awk 'a && found{print}' x | tail -3", "awk: illegal statement here", 2);
    assert_eq!(failures(&[quoted]), ["`awk` failed: awk: illegal statement here"]);
    let [it] = &remembered(&[tool(&ran("psql -h db", "FATAL: role \"me\" does not exist", 2))])[..]
    else {
        panic!("one")
    };
    assert_eq!((it.kind, it.triggers.as_slice()), (Kind::Negative, &["psql -h db".to_owned()][..]));
}

#[test]
fn a_script_is_part_of_the_command_that_failed() {
    let why = "django.db.utils.OperationalError: no such table: auth_user";
    for (command, called) in [
        ("cd backend && python manage.py migrate", "python manage.py migrate"),
        ("python backend/manage.py migrate", "python backend/manage.py migrate"),
    ] {
        let kept = format!("`{called}` failed: {why}");
        assert_eq!(failures(&[ran(command, why, 1)]), [kept], "{command}");
    }
}

#[test]
fn what_only_found_nothing_and_code_that_is_wrong_is_no_failure_of_the_command() {
    for (command, output, exit) in [
        ("grep -rn needle src", "", 1),
        ("rg needle", "", 1),
        ("diff a b", "1c1\n< this line\n> that line", 1),
        ("make deploy", "", 2),
        ("cargo build", "fine, only a warning", 0),
        (
            "cargo test",
            "thread 'x' panicked at src/a.rs:12:5:\nassertion failed: left is not right",
            101,
        ),
        ("pytest", "  File \"a.py\", line 3\nNameError: name 'x' is not defined", 1),
        ("npm test", "Tests: 3 failed, 12 passed\nTest suite did not pass", 1),
        ("ls nope", "ls: cannot access 'nope': No such file or directory", 2),
        ("cat src/nope.rs | head", "cat: src/nope.rs: No such file or directory", 2),
        ("git log x..y", "fatal: ambiguous argument 'x..y': unknown revision", 128),
    ] {
        assert_eq!(failures(&[ran(command, output, exit)]), Vec::<String>::new(), "{command}");
    }
}

#[test]
fn what_made_a_command_work_is_its_remedy() {
    let fails = || ran("nomad job run web.nomad", "nomad token expired", 1);
    let works = || ran("nomad job run web.nomad", "ok", 0);
    let remedied = "`nomad job run` failed: nomad token expired; what helped: `vault login`";
    let login = || ran("vault login", "Success!", 0);
    assert_eq!(failures(&[fails(), ran("cat x.hcl", "x", 0), login(), works()]), [remedied]);
    let line = "Error: Invalid provider configuration\n\nProvider \"aws\" wants a region.";
    let applied = [ran("terraform apply", line, 1), ran("export X=1 && terraform apply", "ok", 0)];
    let kept =
        "`terraform apply` failed: Invalid provider configuration; what helped: `export X=1`";
    assert_eq!(failures(&applied), [kept]);
    let given = [ran("terraform apply", line, 1), ran("cd . && X=1 terraform apply", "ok", 0)];
    assert_eq!(failures(&given), [kept.replace("export ", "")]);
    let no_upstream = "fatal: The current branch x has no upstream branch.";
    let pushed = [
        ran("git push", no_upstream, 128),
        ran("git push -u origin x", "set up to track", 0),
        ran("git push", "Everything up-to-date", 0),
    ];
    let kept = "`git push` failed: The current branch x has no upstream branch; what helped: `git push -u origin x`";
    assert_eq!(failures(&pushed), [kept]);
    // Once more, and once the same again: one memory each.
    assert_eq!(failures(&[fails(), fails()]).len(), 1);
    // What only went by itself, or was mended in a file, leaves nothing behind.
    assert_eq!(failures(&[fails(), works()]), Vec::<String>::new());
    let mut edit = ran("", "", 0);
    edit.call = ToolCall {
        tool: "Edit".to_owned(),
        files: vec!["/srv/shop/jobs/web.nomad".to_owned()],
        text: Some("token".to_owned()),
        ..ToolCall::default()
    };
    assert_eq!(failures(&[fails(), edit.clone(), login(), works()]), Vec::<String>::new());
    // What was changed for a failure that was kept before is its remedy.
    let mended = [fails(), edit.clone(), login(), works()];
    let turns: Vec<Turn<'_>> = mended.iter().map(tool).collect();
    let patch = probe_telling(&turns, 1, &ProbePolicy::default()).0;
    let Some(Operation::Settle(settled)) = patch.operations.last() else { panic!("{patch:?}") };
    let kept = "`nomad job run` failed: nomad token expired; what helped: a change in `jobs/web.nomad`, then `vault login`";
    assert_eq!(settled.by.as_deref(), Some(kept));
    // Code that is wrong is kept only with what was run against it.
    let broken =
        || ran("pytest", "  File \"a.py\", line 3\nModuleNotFoundError: No module named 'yaml'", 1);
    let install = ran("pip install pyyaml", "ok", 0);
    assert_eq!(
        failures(&[broken(), install, ran("pytest", "1 passed", 0)]),
        ["`pytest` failed: No module named 'yaml'; what helped: `pip install pyyaml`"]
    );
    assert_eq!(failures(&[broken(), edit, ran("pytest", "1 passed", 0)]), Vec::<String>::new());
}

#[test]
fn a_failure_that_was_kept_before_is_settled_when_the_command_works() {
    let (fails, login, works) = (
        ran("nomad run", "token expired now", 1),
        ran("vault login", "ok", 0),
        ran("nomad run", "ok", 0),
    );
    let turns = [tool(&fails), tool(&login), tool(&works)];
    let patch = probe_telling(&turns, 1, &ProbePolicy::default()).0;
    let Some(Operation::Settle(settled)) = patch.operations.last() else { panic!("{patch:?}") };
    assert_eq!(settled.failed, "`nomad run` failed: token expired now");
    assert_eq!(
        settled.by.as_deref(),
        Some("`nomad run` failed: token expired now; what helped: `vault login`")
    );
}

#[test]
fn what_helped_is_known_again_when_it_is_run() {
    let told = "`nomad job run` failed: token expired; what helped: a change in `jobs/web.nomad`, then `vault login`";
    assert!(tells_of_failed(told, "nomad job run"));
    assert!(!tells_of_failed(told, "nomad job") && !tells_of_failed(told, "vault login"));
    assert!(is_remedy(told, &ran("vault login", "ok", 0)));
    assert!(is_remedy(told, &ran("vault login && nomad job run web.nomad", "ok", 0)));
    assert!(!is_remedy(told, &ran("vault login", "no", 1)), "it did not work");
    assert!(!is_remedy(told, &ran("vault logout", "ok", 0)));
    assert!(!is_remedy("`vault login` failed: no network", &ran("vault login", "ok", 0)));
    assert_eq!(
        outcome(&ran("nomad job run web.nomad", "ok", 0)),
        Some(("nomad job run".to_owned(), true))
    );
}
