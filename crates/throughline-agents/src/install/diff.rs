//! Diff: two texts as a unified diff, for a person to read before agreeing.

use std::fmt::Write as _;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// How large a comparison may become. What is larger is shown as replaced as a whole.
const CELLS_MAX: usize = 4_000_000;

/// One line, and which of the texts it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiffRow<'a> {
    Both(&'a str),
    Before(&'a str),
    After(&'a str),
}

/// Unified diff of two texts, with a few lines of context. Empty when nothing changes.
pub fn diff(before: &str, after: &str) -> String {
    let mut shown = String::new();
    if before == after {
        return shown;
    }
    let rows = rows(&lines(before), &lines(after));
    let changed: Vec<usize> =
        (0..rows.len()).filter(|at| !matches!(rows[*at], DiffRow::Both(_))).collect();
    let mut rest = changed.as_slice();
    while let Some(first) = rest.first() {
        let near = |pair: &[usize]| pair[1] - pair[0] <= 2 * CONTEXT;
        let count = rest.windows(2).take_while(|pair| near(pair)).count() + 1;
        let start = first.saturating_sub(CONTEXT);
        let end = (rest[count - 1] + CONTEXT + 1).min(rows.len());
        hunk(&rows, start, end, &mut shown);
        rest = &rest[count..];
    }
    shown
}

/// Lines with their line breaks.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn hunk(rows: &[DiffRow<'_>], start: usize, end: usize, shown: &mut String) {
    let in_before = |rows: &[DiffRow<'_>]| count(rows, |row| !matches!(row, DiffRow::After(_)));
    let in_after = |rows: &[DiffRow<'_>]| count(rows, |row| !matches!(row, DiffRow::Before(_)));
    let (earlier, here) = (&rows[..start], &rows[start..end]);
    let range = |skipped: usize, length: usize| {
        format!("{},{length}", if length == 0 { skipped } else { skipped + 1 })
    };
    let old = range(in_before(earlier), in_before(here));
    let new = range(in_after(earlier), in_after(here));
    writeln!(shown, "@@ -{old} +{new} @@").expect("writing to a String cannot fail");
    for row in here {
        let (sign, line) = match row {
            DiffRow::Both(line) => (' ', line),
            DiffRow::Before(line) => ('-', line),
            DiffRow::After(line) => ('+', line),
        };
        shown.push(sign);
        shown.push_str(line.trim_end_matches(['\r', '\n']));
        shown.push('\n');
        if !line.ends_with('\n') {
            shown.push_str("\\ No newline at end of file\n");
        }
    }
}

fn count(rows: &[DiffRow<'_>], wanted: impl Fn(&DiffRow<'_>) -> bool) -> usize {
    rows.iter().filter(|row| wanted(row)).count()
}

/// The lines of both texts in order, as few of them as possible in only one.
fn rows<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<DiffRow<'a>> {
    let head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (old, new) = (&before[head..], &after[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);

    let mut rows: Vec<DiffRow<'a>> =
        before[..head].iter().map(|line| DiffRow::Both(line)).collect();
    rows.extend(middle(old, new));
    rows.extend(before[before.len() - tail..].iter().map(|line| DiffRow::Both(line)));
    rows
}

fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<DiffRow<'a>> {
    let width = new.len() + 1;
    if (old.len() + 1).saturating_mul(width) > CELLS_MAX {
        let gone = old.iter().map(|line| DiffRow::Before(line));
        return gone.chain(new.iter().map(|line| DiffRow::After(line))).collect();
    }
    // How many lines the rests have in common, from each pair of places on.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut rows = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            rows.push(DiffRow::Both(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || (i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            rows.push(DiffRow::Before(old[i]));
            i += 1;
        } else {
            rows.push(DiffRow::After(new[j]));
            j += 1;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_change_is_shown_with_a_few_lines_around_it() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let after = "a\nb\nc\nd\nE\nf\ng\nh";
        insta::assert_snapshot!(diff(before, after), @r"
        @@ -2,7 +2,7 @@
         b
         c
         d
        -e
        +E
         f
         g
        -h
        +h
        \ No newline at end of file
        ");
        assert_eq!(diff(before, before), "");
    }

    proptest! {
        #[test]
        fn a_diff_tells_both_texts(before in "([ab]\n){0,12}", after in "([ab]\n){0,12}") {
            let rows = rows(&lines(&before), &lines(&after));
            let side = |other: fn(&DiffRow<'_>) -> bool| -> String {
                rows.iter()
                    .filter(|row| !other(row))
                    .map(|row| match row {
                        DiffRow::Both(line) | DiffRow::Before(line) | DiffRow::After(line) => *line,
                    })
                    .collect()
            };
            prop_assert_eq!(side(|row| matches!(row, DiffRow::After(_))), before.as_str());
            prop_assert_eq!(side(|row| matches!(row, DiffRow::Before(_))), after.as_str());
        }
    }
}
