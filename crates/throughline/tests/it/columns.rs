//! Columns: what people read fits their terminal, and stays readable where it is narrow.

use crate::harness::{Home, Run};

const WIDTHS: [usize; 3] = [80, 100, 200];

fn at(home: &Home, columns: usize, args: &[&str]) -> String {
    let mut command = home.command();
    let run: Run = command
        .env("COLUMNS", columns.to_string())
        .args(args)
        .output()
        .expect("the program runs")
        .into();
    assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    run.stdout
}

fn store() -> Home {
    let home = Home::new();
    let because = "Redis lost them twice when the node restarted in the middle of a deploy";
    home.remember_with(&["Sessions live in Postgres and not in Redis", "--because", because]);
    home.remember("Staging runs Postgres 16");
    home.remember_with(&["Never deploy on a Friday", "--kind", "principle", "--tag", "deploys"]);
    home
}

/// A page at every width, one under the other, without what differs from run to run.
fn at_every_width(home: &Home, args: &[&str], part: impl Fn(&str) -> String) -> String {
    let page = |columns: usize| {
        let page = home.tidy(&at(home, columns, args));
        // How many tokens a page takes depends on the ids in it.
        let page = page.lines().map(|line| match line.split_once(" of 800 tokens") {
            Some((_, rest)) => format!("[N] of 800 tokens{rest}\n"),
            None => format!("{line}\n"),
        });
        let page: String = page.collect();
        format!("--- {columns} columns\n{}\n", part(page.trim_end()))
    };
    WIDTHS.map(page).join("\n")
}

#[test]
fn lists_and_xrays_read_well_at_every_width() {
    let home = store();
    let whole = str::to_owned;
    insta::assert_snapshot!("list", at_every_width(&home, &["list"], whole));
    let recall = ["recall", "which postgres does staging run?", "--explain"];
    insta::assert_snapshot!("recall_explain", at_every_width(&home, &recall, whole));
    insta::assert_snapshot!("stats", at_every_width(&home, &["stats"], whole));
}

#[test]
fn the_demo_reads_well_at_every_width() {
    let home = Home::new();
    // What `doctor` says of this machine is another matter.
    let tour = |page: &str| {
        let (tour, rest) = page.split_once("fine   home").expect("it ends with doctor");
        let (_, turn) = rest.split_once("\n\n").expect("and with what comes next");
        format!("{tour}[…]\n\n{turn}")
    };
    insta::assert_snapshot!("demo", at_every_width(&home, &["demo"], tour));
}

/// Lines that are too wide, but for words that cannot be broken.
fn too_wide(page: &str, columns: usize) -> Vec<&str> {
    let wide = |line: &&str| line.chars().count() > columns && line.trim().contains(' ');
    page.lines().filter(wide).collect()
}

#[test]
fn no_page_is_wider_than_the_terminal_or_broken_to_pieces() {
    let home = store();
    let id = home.remember("Deploys need two approvals");
    for columns in WIDTHS {
        for args in [
            &["list"][..],
            &["stats"],
            &["status"],
            &["log"],
            &["review"],
            &["why", &id],
            &["show", &id],
            &["history", &id],
            &["search", "postgres"],
            &["recall", "where do sessions live?", "--explain"],
            &["why-not", &id, "where do sessions live?"],
            &["read", "Thanks! Sessions live in Redis now. Deploys need one approval from now on."],
            &["demo"],
        ] {
            let page = at(&home, columns, args);
            assert_eq!(too_wide(&page, columns), Vec::<&str>::new(), "{args:?} at {columns}");
            // The first version printed a character a line.
            let stubs = page.lines().filter(|line| line.trim().chars().count() == 1).count();
            assert_eq!(stubs, 0, "{args:?} at {columns}:\n{page}");
        }
    }
}

#[test]
fn a_narrow_list_gives_its_lines_to_what_the_memories_say() {
    let home = store();
    insta::assert_snapshot!(home.tidy(&at(&home, 80, &["list"])), @r"
    [ID]  Never deploy on a Friday
              principle · confirmed · trust 0.95 · 2026-03-02
    [ID]  Staging runs Postgres 16
              fact · confirmed · trust 0.95 · 2026-03-02
    [ID]  Redis lost them twice when the node restarted in the middle of a
              deploy
              fact · confirmed · trust 0.95 · 2026-03-02
    [ID]  Sessions live in Postgres and not in Redis
              fact · confirmed · trust 0.95 · 2026-03-02
    ");
    let wide = at(&home, 200, &["list"]);
    assert!(wide.lines().next().unwrap().contains("WHAT"), "{wide}");
}

#[test]
fn a_narrow_xray_names_every_number() {
    let home = store();
    let page = at(&home, 80, &["recall", "which postgres does staging run?", "--explain"]);
    let xray = page.split_once("\n\n").unwrap().1;
    for name in ["shown: in full", "score ", "fits ", "salience ", "trust ", "words ", "vector "] {
        assert!(xray.contains(name), "{name} in {xray}");
    }
    let wide = at(&home, 200, &["recall", "which postgres does staging run?", "--explain"]);
    assert!(wide.contains("SALIENCE"), "{wide}");
}

#[test]
fn stats_line_up_at_every_width() {
    let home = store();
    let pages: Vec<String> = WIDTHS.iter().map(|columns| at(&home, *columns, &["stats"])).collect();
    assert!(pages.iter().all(|page| *page == pages[0]), "{pages:?}");
    insta::assert_snapshot!(pages[0], @r"
    authority
            4  user_stated
    kind
            3  fact
            1  principle
    relation
            5  about
            1  because
            1  tagged
    rows
            7  edge
            4  entity
            4  evidence
            4  memory
            1  space
    state
            4  confirmed
    ");
}

#[test]
fn what_goes_on_in_the_next_line_stands_under_its_text() {
    let home = store();
    let id = home.remember(
        "The nightly job copies the database, checks the copy, and tells the channel what it found",
    );
    for (args, first, under) in [
        (&["status"][..], "     size", "           "),
        (&["show", &id], "    salience", "              "),
        (&["history", &id], "2026-", "                     "),
        (&["config"], "    what happens in a new", "    "),
    ] {
        let page = at(&home, 50, args);
        let mut lines = page.lines().skip_while(|line| !line.starts_with(first)).skip(1);
        let next = lines.next().unwrap_or_default();
        assert!(next.starts_with(under), "{args:?}:\n{page}");
        assert!(next[under.len()..].starts_with(|c: char| c != ' '), "{args:?}:\n{page}");
    }
}

#[test]
fn what_programs_read_is_never_wrapped() {
    let home = store();
    let words = "The nightly job copies the database and checks the copy";
    home.remember(words);
    home.json(&["config", "set", "llm.command", "a program with a long line of many arguments"]);
    let narrow = at(&home, 40, &["graph", "--format", "dot"]);
    assert_eq!(narrow, home.page(&["graph", "--format", "dot"]));
    assert!(narrow.lines().any(|line| line.contains(words)), "{narrow}");
    for args in [
        &["export"][..],
        &["export", "--format", "markdown"],
        &["completions", "bash"],
        &["list", "--json"],
        &["config", "get", "llm.command"],
    ] {
        assert_eq!(at(&home, 40, args), home.page(args), "{args:?}");
    }
}
