//! Lines that machines write: logs, traces, diffs, tables, data, code.

/// Whether a line without its indentation is a machine's.
pub(super) fn is_machine(line: &str) -> bool {
    let first = line.chars().next().unwrap_or(' ');
    starts_like_one(line, first)
        || is_stamped(line)
        || is_located(line)
        || is_complaint(line)
        || is_code(line)
        || is_pairs(line)
}

/// Whether a diff goes on, or begins, with this line.
pub(super) fn in_diff(line: &str, inside: bool) -> bool {
    if line.starts_with("diff --git ") || line.starts_with("@@ -") || line.starts_with("Index: ") {
        return true;
    }
    const WITHIN: &[&str] = &[
        "+",
        "-",
        " ",
        "\t",
        "@@",
        "\\ ",
        "index ",
        "new file",
        "deleted file",
        "rename ",
        "similarity ",
    ];
    inside && (line.is_empty() || WITHIN.iter().any(|start| line.starts_with(start)))
}

/// Prompts, tables, JSON, trees, rulers, marks of tools.
fn starts_like_one(line: &str, first: char) -> bool {
    const STARTS: &[&str] = &[
        "$ ",
        "% ",
        "❯ ",
        "➜ ",
        "λ ",
        "PS C:",
        "=== ",
        "== ",
        "--- ",
        "+++ ",
        "***",
        "___",
        "\"",
        "at ",
        "Traceback (",
        "File \"",
        "goroutine ",
        "panic: ",
        "fatal: ",
        "npm ERR!",
        "thread '",
        "stack backtrace",
        "Caused by:",
        "FAIL\t",
        "ok  \t",
        "PASS:",
        "FAIL:",
        "//",
        "/*",
        "*/",
        "#!",
        "#include",
        "#[",
        "@@",
        "[Request ",
        "[Image",
        "Exit code ",
        "BUILD ",
    ];
    let tabular = first == '|' || line.matches('|').count() >= 3;
    let drawn = matches!(first, '\u{2500}'..='\u{259f}' | '\u{25a0}'..='\u{25ff}')
        || matches!(first, '│' | '┌' | '✓' | '✔' | '✗' | '✖' | '✕' | '×' | '^' | '⎿' | '●');
    let pictured = matches!(first, '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '⏭');
    let data = matches!(first, '{' | '}' | '[' | ']')
        && (line.len() < 3 || line.contains(['"', ':', '=', '/']));
    let starts = STARTS.iter().any(|start| line.starts_with(start));
    (starts && !is_quoted_prose(line) && !is_prose_at(line)) || tabular || drawn || pictured || data
}

/// "quoted words" open a line of prose; `"key": value` does not.
fn is_quoted_prose(line: &str) -> bool {
    line.starts_with('"') && !line.contains("\":") && !line.ends_with(',')
}

/// "at startup we …" is prose; `at foo (bar.js:1:2)` is not.
fn is_prose_at(line: &str) -> bool {
    line.starts_with("at ") && !line.contains(['(', ':'])
}

/// It starts with a time, a date or a level.
fn is_stamped(line: &str) -> bool {
    let bare = line.trim_start_matches(['[', '(']);
    let head = bare.as_bytes();
    let digits = head.iter().take_while(|b| b.is_ascii_digit()).count();
    let date = digits == 4 && head.get(4) == Some(&b'-') && head.get(7) == Some(&b'-');
    let slash = |at: usize| head.get(at) == Some(&b'/');
    let slashed = digits == 2 && slash(2) && slash(5) || digits == 4 && slash(4) && slash(7);
    let clock = digits == 2 && head.get(2) == Some(&b':') && head.get(5) == Some(&b':');
    let word = bare.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let level = matches!(
        word,
        "ERROR" | "WARN" | "WARNING" | "INFO" | "DEBUG" | "TRACE" | "FATAL" | "FAIL"
    ) && bare[word.len()..].starts_with([':', ' ', ']', '\t'])
        && bare.len() > word.len() + 3;
    date || slashed || clock || level
}

/// It starts with a place in a file: `src/a.go:96:4: …`.
fn is_located(line: &str) -> bool {
    let place = line.split(char::is_whitespace).next().unwrap_or_default();
    let mut parts = place.split(':');
    let path = parts.next().unwrap_or_default();
    let numbered = parts
        .next()
        .is_some_and(|part| part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty());
    (numbered && (path.contains('.') || path.contains('/'))) || place == "-->"
}

/// It starts as compilers and run times complain.
fn is_complaint(line: &str) -> bool {
    let head = line.split_once(':').map(|(head, _)| head).unwrap_or_default();
    let word = head.trim_end_matches(|c: char| c == ']' || c.is_ascii_digit());
    let named = !head.contains(char::is_whitespace)
        && (head.ends_with("Error") || head.ends_with("Exception"));
    let said = matches!(head, "error" | "warning" | "note" | "help" | "hint" | "stderr" | "stdout")
        && line.len() > head.len() + 1
        // People end their notes with a full stop, compilers do not.
        && !(head == "note" && line.ends_with('.') && !line.contains('`'));
    named || (said && line.starts_with(|c: char| c.is_ascii_lowercase())) || word == "error[E"
}

/// It reads as code: how it ends, how it starts, how many signs it has.
fn is_code(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "fn ", "pub ", "let mut ", "const ", "func ", "def ", "class ", "import ", "from ",
        "return ", "package ", "var ", "type ", "struct ", "enum ", "impl ", "if (", "for (",
        "while (", "} else", "export ", "async ", "await ", "SELECT ", "INSERT ", "UPDATE ",
        "CREATE ", "use std",
    ];
    let ends = line.ends_with(['{', '}', ';'])
        || line.ends_with("=>")
        || line.ends_with("});")
        || line.ends_with("),")
        || line.ends_with("(");
    let starts = STARTS.iter().any(|start| line.starts_with(start));
    let signs = line.chars().filter(|c| "{}()[];=<>$&|\\+".contains(*c)).count();
    let gaps = line.chars().filter(|c| c.is_whitespace()).count();
    let spoken = line.contains('`');
    ends && signs >= 2 && !spoken
        || starts && signs >= 1 && !line.ends_with('.') && !spoken
        || signs > 4 && signs > gaps && !spoken
        || line.contains(" := ") && !spoken
}

/// It lists `key=value`.
fn is_pairs(line: &str) -> bool {
    let pairs = line.split_whitespace().filter(|word| {
        word.split_once('=').is_some_and(|(key, value)| {
            !value.is_empty()
                && !key.is_empty()
                && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
        })
    });
    pairs.count() >= 3
}
