//! Lines that fit the terminal: what is too long goes on in the next line, under its own text.

use unicode_width::UnicodeWidthChar as _;

/// Narrower than this nothing is wrapped: there would be a word a line.
const NARROWEST: usize = 40;
/// Columns that a line's label may take. What stands behind it is the text.
const LABEL_MAX: usize = 20;

/// Breaks lines that are wider than the terminal between words, and indents what follows so that it
/// stands under the text it belongs to. A word that is too wide by itself stays whole: paths and
/// commands are there to be copied.
pub(crate) fn fit(page: &str, columns: Option<u16>) -> String {
    match columns.map(usize::from) {
        Some(columns) if columns >= NARROWEST => {
            let lines: Vec<String> = page.split('\n').map(|line| fit_line(line, columns)).collect();
            lines.join("\n")
        }
        _ => page.to_owned(),
    }
}

fn fit_line(line: &str, columns: usize) -> String {
    if width(line) <= columns {
        return line.to_owned();
    }
    let indent = text_starts_at(line).min(columns / 2);
    let mut fitted = String::new();
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let wide = width(word.trim_end_matches(' '));
        if used + wide > columns && used > indent {
            fitted.truncate(fitted.trim_end_matches(' ').len());
            fitted.push('\n');
            fitted.push_str(&" ".repeat(indent));
            used = indent;
        }
        fitted.push_str(word);
        used += width(word);
    }
    fitted.truncate(fitted.trim_end_matches(' ').len());
    fitted
}

/// The column in which the text of a line begins: behind its indentation, and behind a dash or a
/// short label that is set off by two spaces or more.
fn text_starts_at(line: &str) -> usize {
    let plain: String = visible(line).collect();
    let indent = plain.len() - plain.trim_start_matches(' ').len();
    if plain[indent..].starts_with("- ") {
        return indent + 2;
    }
    let label = plain[indent..].find("  ").filter(|at| *at <= LABEL_MAX && *at > 0);
    label.map_or(indent, |at| {
        let behind = indent + at;
        let gap = plain[behind..].len() - plain[behind..].trim_start_matches(' ').len();
        width(&plain[..behind]) + gap
    })
}

/// Columns that a text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    visible(text).map(|c| c.width().unwrap_or(0)).sum()
}

/// The characters of a text without what paints them (`ESC [ … m`).
fn visible(text: &str) -> impl Iterator<Item = char> {
    let mut painting = false;
    text.chars().filter(move |c| {
        let hidden = painting || *c == '\u{1b}';
        painting = hidden && *c != 'm';
        !hidden
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::{DIM, paint};

    #[test]
    fn a_long_line_goes_on_under_its_own_text() {
        let line = "25650849  The staging database runs on Postgres 16 since the spring";
        insta::assert_snapshot!(fit(line, Some(40)), @r"
        25650849  The staging database runs on
                  Postgres 16 since the spring
        ");
        let line = "       what `init` wrote works; plugins and skills call it by its name";
        insta::assert_snapshot!(format!("|\n{}", fit(line, Some(40))), @r"
        |
               what `init` wrote works; plugins
               and skills call it by its name
        ");
    }

    #[test]
    fn what_fits_or_has_no_terminal_is_left_alone() {
        let page = "short\n\n  two  spaces   stay\n";
        assert_eq!(fit(page, Some(80)), page);
        let long = "word ".repeat(100);
        assert_eq!(fit(&long, None), long);
        assert_eq!(fit(&long, Some(10)), long);
    }

    #[test]
    fn colour_takes_no_room_and_a_path_stays_whole() {
        let painted = paint(DIM, "one two three four five six seven eight");
        assert_eq!(width(&painted), 39);
        assert_eq!(fit(&painted, Some(40)), painted);
        let path = format!("note  {}", "/very/long".repeat(9));
        assert!(fit(&path, Some(40)).contains(&"/very/long".repeat(9)));
    }

    proptest::proptest! {
        #[test]
        fn no_word_is_lost_and_no_line_is_too_long(
            words in proptest::collection::vec("[a-zé世]{1,12}", 1..60), columns in 40_u16..120
        ) {
            let line = words.join(" ");
            let fitted = fit(&line, Some(columns));
            let read: Vec<&str> = fitted.split_whitespace().collect();
            proptest::prop_assert_eq!(read, words);
            for line in fitted.lines() {
                proptest::prop_assert!(width(line) <= usize::from(columns), "{}", line);
            }
        }
    }
}
