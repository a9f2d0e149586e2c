//! Fenced blocks of a turn, found by their lines.

use std::ops::Range;

/// What opens and closes a block, at the start of a line or indented.
const FENCE: &str = "```";

/// The bytes of each block, fences included, in order.
///
/// A block that nothing closes reaches to the end of the text. A line that both opens and ends
/// with a fence, such as "```npm ci```", is a block by itself.
pub(crate) fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut open = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let shown = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        let end = start + shown.len();
        at += line.len();
        let Some(rest) = shown.strip_prefix(FENCE) else { continue };
        let rest = rest.trim_start_matches('`');
        match open {
            Some(opened) if rest.is_empty() => {
                blocks.push(opened..end);
                open = None;
            }
            Some(_) => {}
            None if rest.ends_with(FENCE) => blocks.push(start..end),
            None => open = Some(start),
        }
    }
    blocks.extend(open.map(|opened| opened..text.trim_end().len()));
    blocks
}

#[cfg(test)]
mod tests {
    use super::blocks;

    fn found(text: &str) -> Vec<&str> {
        blocks(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_block_runs_from_its_fence_to_the_next_bare_one() {
        assert_eq!(found("see\n```rust\nlet a;\n\n```\nthen"), ["```rust\nlet a;\n\n```"]);
        assert_eq!(found("  ```\na\n  ```\n```\nb\n```"), ["```\na\n  ```", "```\nb\n```"]);
        assert_eq!(found("```\n```sh\nb\n```\nc"), ["```\n```sh\nb\n```"]);
    }

    #[test]
    fn a_block_that_nothing_closes_reaches_to_the_end() {
        assert_eq!(found("log:\n```\na\nb \n"), ["```\na\nb"]);
        assert_eq!(found("```"), ["```"]);
    }

    #[test]
    fn a_line_between_fences_is_a_block_and_ticks_inside_a_line_are_not() {
        assert_eq!(found("run\n```npm ci```\nplease"), ["```npm ci```"]);
        assert!(found("run ```npm ci``` please, `x` ``y``").is_empty());
    }
}
