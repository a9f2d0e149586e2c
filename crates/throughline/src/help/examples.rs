//! Examples for the help of every command. A test parses each of them.

/// The examples of a command: the line to type, and what it does where that is not plain.
type Examples = (&'static str, &'static [(&'static str, &'static str)]);

/// By command, with the command below it where there is one.
pub(super) const EXAMPLES: &[Examples] = &[
    (
        "init",
        &[
            ("throughline init", "every agent that is installed"),
            ("throughline init --agent codex --dry-run", "only show what would change"),
        ],
    ),
    ("uninstall", &[("throughline uninstall", ""), ("throughline uninstall --agent codex", "")]),
    (
        "remember",
        &[
            ("throughline remember Staging runs Postgres 16", ""),
            (
                "throughline remember \"Never deploy on a Friday\" --kind principle --tag release",
                "",
            ),
            (
                "throughline remember \"Retries are capped at 5 (src/http.rs:12)\"",
                "tied to that line",
            ),
            (
                "throughline remember deploy --step \"make build\" --step \"make push\"",
                "a procedure",
            ),
        ],
    ),
    (
        "recall",
        &[
            ("throughline recall which database does staging run", ""),
            ("throughline recall \"retry limit\" --explain", "every candidate and its scores"),
            ("throughline recall \"indexes last week\" --episodes", "also what was said"),
        ],
    ),
    ("why-not", &[("throughline why-not 42886944 which database does staging run", "")]),
    ("read", &[("throughline read \"Sessions moved from Redis to Postgres\"", "")]),
    ("expand", &[("throughline expand 42886944", "")]),
    ("feedback", &[("throughline feedback 42886944 --helpful", "")]),
    (
        "ingest",
        &[
            ("throughline ingest --past", "all past sessions of this project"),
            ("throughline ingest turns.jsonl --dry-run", ""),
        ],
    ),
    (
        "search",
        &[
            ("throughline search staging postgres", ""),
            ("throughline search postgres --as-of 30d", "as it was believed 30 days ago"),
        ],
    ),
    (
        "list",
        &[
            ("throughline list", ""),
            ("throughline list --kind decision --limit 10", ""),
            ("throughline list --all --tag infra", "also replaced and archived ones"),
            ("throughline list --week", "today in full, the days before as lines"),
        ],
    ),
    ("show", &[("throughline show 42886944", ""), ("throughline show staging postgres", "")]),
    ("why", &[("throughline why staging postgres", ""), ("throughline why 42886944", "")]),
    ("history", &[("throughline history 42886944", "")]),
    ("log", &[("throughline log --since 2d", "")]),
    ("told", &[("throughline told --limit 5", "")]),
    ("undo", &[("throughline undo", "the latest batch"), ("throughline undo 1b9d6bcd", "")]),
    (
        "review",
        &[
            ("throughline review", "what waits"),
            ("throughline review --accept 7c9e6679", ""),
            ("throughline review --keep-b 42886944", "of a contradiction, keep the newer"),
        ],
    ),
    (
        "verify",
        &[
            ("throughline verify", "check everything"),
            ("throughline verify 42886944 --confirmed --evidence \"read src/http.rs\"", ""),
        ],
    ),
    (
        "sleep",
        &[
            ("throughline sleep --dry-run", ""),
            ("throughline sleep --deep", "also topics, tags, names and contradictions"),
        ],
    ),
    ("entity", &[("throughline entity list", ""), ("throughline entity merge React ReactJS", "")]),
    ("entity list", &[("throughline entity list --kind person", "")]),
    ("entity show", &[("throughline entity show DuckDB", "")]),
    ("entity merge", &[("throughline entity merge React ReactJS", "the second joins the first")]),
    ("entity alias", &[("throughline entity alias PostgreSQL pg", "")]),
    (
        "about",
        &[
            ("throughline about DuckDB", ""),
            ("throughline about me", "what is known about you"),
            ("throughline about my project", ""),
        ],
    ),
    ("similar", &[("throughline similar 42886944", "")]),
    ("topics", &[("throughline topics", "")]),
    (
        "edit",
        &[
            ("throughline edit 42886944 Staging runs Postgres 16.2", ""),
            ("throughline edit 42886944 --kind decision --importance 0.9", ""),
        ],
    ),
    ("confirm", &[("throughline confirm 42886944", "")]),
    ("correct", &[("throughline correct 42886944 Staging runs Postgres 17", "")]),
    ("supersede", &[("throughline supersede 42886944 7c9e6679", "the second replaces the first")]),
    ("unsupersede", &[("throughline unsupersede 42886944", "")]),
    ("contradict", &[("throughline contradict 42886944 7c9e6679", "")]),
    ("link", &[("throughline link 42886944 because 7c9e6679", "")]),
    ("unlink", &[("throughline unlink 42886944 because 7c9e6679", "")]),
    (
        "tag",
        &[
            ("throughline tag 42886944 infra staging", ""),
            ("throughline tag 42886944 --remove staging", ""),
        ],
    ),
    ("pin", &[("throughline pin 42886944", ""), ("throughline pin 42886944 --off", "")]),
    ("archive", &[("throughline archive 42886944 --reason \"the service is gone\"", "")]),
    ("unarchive", &[("throughline unarchive 42886944", "")]),
    ("promote", &[("throughline promote 42886944", "what was said with `--scope global`")]),
    ("done", &[("throughline done 42886944", "")]),
    ("today", &[("throughline today", ""), ("throughline today --days 7", "the last week")]),
    ("forget", &[("throughline forget 42886944 --reason \"never true\"", "")]),
    (
        "purge",
        &[
            ("throughline purge 42886944", "asks before it erases"),
            ("throughline purge 42886944 --chain --yes", "with all versions, without asking"),
        ],
    ),
    (
        "export",
        &[
            ("throughline export -o memory.jsonl", ""),
            ("throughline export --format markdown -o memory.md", ""),
        ],
    ),
    ("import", &[("throughline import memory.jsonl", "")]),
    ("backup", &[("throughline backup", ""), ("throughline backup before-upgrade.db", "")]),
    (
        "restore",
        &[("throughline restore", "list the copies"), ("throughline restore --latest", "")],
    ),
    ("project", &[("throughline project list", ""), ("throughline project join", "")]),
    ("project list", &[("throughline project list", "")]),
    ("project join", &[("throughline project join ../second-clone", "")]),
    ("project leave", &[("throughline project leave", "")]),
    ("project link", &[("throughline project link github.com/acme/billing", "")]),
    ("project unlink", &[("throughline project unlink github.com/acme/billing", "")]),
    ("store", &[("throughline store copy --to postgresql://anna@db.example.com/memory", "")]),
    (
        "store copy",
        &[
            ("throughline store copy --to postgresql://anna@db.example.com/memory", ""),
            ("throughline store copy --to /tmp/copy.db", "a server's memory in a file"),
        ],
    ),
    ("store members", &[("throughline store members", "")]),
    ("store admit", &[("throughline store admit ben --as reader", "")]),
    ("store dismiss", &[("throughline store dismiss ben", "")]),
    ("status", &[("throughline status", "")]),
    ("stats", &[("throughline stats --all", "")]),
    ("doctor", &[("throughline doctor", ""), ("throughline doctor --rebuild-check", "")]),
    ("work", &[("throughline work --once", "")]),
    ("llm", &[("throughline llm test", "")]),
    ("llm test", &[("throughline llm test", "")]),
    ("llm key", &[("throughline llm key < key.txt", "")]),
    (
        "boxes",
        &[("throughline boxes", ""), ("throughline boxes --write notes", "one file for each")],
    ),
    (
        "focus",
        &[("throughline focus", "of the latest session here"), ("throughline focus --json", "")],
    ),
    (
        "graph",
        &[
            ("throughline graph --focus 42886944", ""),
            ("throughline graph --format dot > memory.dot", ""),
            ("throughline graph --format html -o memory.html", "a page to look at"),
        ],
    ),
    ("hook", &[("throughline hook UserPromptSubmit --agent claude-code < payload.json", "")]),
    ("mcp", &[("throughline mcp", ""), ("throughline mcp --profile server-memory", "")]),
    (
        "serve",
        &[
            ("throughline serve --open", "the page, in your browser"),
            ("throughline serve --port 0 --json", "any free port, told as JSON"),
        ],
    ),
    ("serve token", &[("throughline serve token list", "who may ask the server")]),
    ("serve token add", &[("throughline serve token add maria", "shown once; maria keeps it")]),
    ("serve token list", &[("throughline serve token list", "")]),
    ("serve token revoke", &[("throughline serve token revoke maria", "")]),
    ("memory-tool", &[("throughline memory-tool < command.json", "")]),
    ("patch", &[("throughline patch operations.json", "")]),
    (
        "config",
        &[
            ("throughline config", "every setting with its value"),
            ("throughline config set enabled false", "switch it off for a while"),
        ],
    ),
    ("config get", &[("throughline config get enabled", "")]),
    ("config set", &[("throughline config set enabled false", "")]),
    ("config unset", &[("throughline config unset enabled", "")]),
    (
        "completions",
        &[
            ("throughline completions bash > /etc/bash_completion.d/throughline", ""),
            ("throughline completions fish > ~/.config/fish/completions/throughline.fish", ""),
        ],
    ),
    (
        "man",
        &[
            ("throughline man | man -l -", ""),
            ("throughline man --dir ~/.local/share/man/man1", "then `man throughline-recall`"),
        ],
    ),
    (
        "demo",
        &[("throughline demo", ""), ("throughline demo --serve", "then look at it in the page")],
    ),
];
