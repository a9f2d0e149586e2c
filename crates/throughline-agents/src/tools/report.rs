//! Reports that hosts write around what a command printed: the output and the exit code are taken
//! out, so that the same run reads the same wherever it is told.

/// What a command printed, and its exit code where the report names one. What is no report stays
/// as it is.
pub(super) fn read(text: String) -> (String, Option<i32>) {
    let inside = untrusted(&text).unwrap_or(&text);
    if let Some(found) = codex(inside).or_else(|| gemini(inside)) {
        return found;
    }
    if inside.len() == text.len() { (text, None) } else { (inside.to_owned(), None) }
}

/// What Gemini wraps around everything that a tool returns, and what hooks said about it.
fn untrusted(text: &str) -> Option<&str> {
    let inside = text.trim_start().strip_prefix("<untrusted_context>")?;
    let (inside, _) = inside.split_once("</untrusted_context>")?;
    Some(inside.trim_matches('\n'))
}

/// `Chunk ID: …`, `Wall time: …`, `Process exited with code 2`, `Output:`, and then the output.
fn codex(text: &str) -> Option<(String, Option<i32>)> {
    const HEADS: &[&str] = &["Chunk ID: ", "Wall time: ", "Exit code: "];
    if !HEADS.iter().any(|head| text.starts_with(head)) {
        return None;
    }
    let (head, output) = text.split_once("\nOutput:\n")?;
    let code = |line: &str| {
        let number = line
            .strip_prefix("Process exited with code ")
            .or_else(|| line.strip_prefix("Exit code: "))?;
        number.trim().parse().ok()
    };
    Some((output.to_owned(), head.lines().find_map(code)))
}

/// `Output: …`, then lines such as `Exit Code: 2` and `Process Group PGID: 7`.
fn gemini(text: &str) -> Option<(String, Option<i32>)> {
    const NOTES: &[&str] =
        &["Exit Code: ", "Process Group PGID: ", "Background PIDs: ", "Signal: ", "Error: (none)"];
    let rest = text.strip_prefix("Output: ")?;
    let (mut output, mut exit) = (rest, None);
    while let Some(line) = output.lines().next_back() {
        if !NOTES.iter().any(|note| line.starts_with(note)) {
            break;
        }
        if let Some(code) = line.strip_prefix("Exit Code: ") {
            exit = code.trim().parse().ok();
        }
        output = output.trim_end_matches('\n');
        output = output[..output.len() - line.len()].trim_end_matches('\n');
    }
    let output = if output == "(empty)" { "" } else { output };
    Some((output.to_owned(), exit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_gives_away_the_output_and_the_exit_code() {
        for (text, output, exit) in [
            ("plain words", "plain words", None),
            (
                "Chunk ID: 04e6ba\nWall time: 0.0000 seconds\nProcess exited with code 2\n\
                 Original token count: 15\nOutput:\nls: no\n",
                "ls: no\n",
                Some(2),
            ),
            ("Wall time: 0.0041 seconds\nOutput:\n{\"id\":1}", "{\"id\":1}", None),
            ("Wall time is a song", "Wall time is a song", None),
            (
                "<untrusted_context>\nOutput: ls: no\nExit Code: 2\nProcess Group PGID: 31359\n\
                 </untrusted_context>\n\n<hook_context>x</hook_context>",
                "ls: no",
                Some(2),
            ),
            ("Output: (empty)\nProcess Group PGID: 7", "", None),
            ("Output: ", "", None),
            ("<untrusted_context>\n{\"a\":1}\n</untrusted_context>", "{\"a\":1}", None),
        ] {
            assert_eq!(read(text.to_owned()), (output.to_owned(), exit), "{text}");
        }
    }
}
