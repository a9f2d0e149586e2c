//! The figures of `stats` that say whether memory helps: continuity, cross-domain surfacing, graduation.

use std::fmt::Write as _;

use throughline_engine::{Continuity, CrossDomain, GraduationQuality, Metrics};

use crate::ui::{BOLD, DIM, paint};

/// Columns of the longest bar.
const BAR: usize = 30;
/// The steps of a small plot, the lowest first.
const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The figures for people, with small plots. No line is longer than 80 columns.
pub(super) fn page(metrics: &Metrics) -> String {
    let mut page = String::new();
    let Metrics { continuity, cross_domain, graduation } = metrics;
    continuity_lines(&mut page, continuity);
    cross_domain_lines(&mut page, cross_domain);
    graduation_lines(&mut page, graduation);
    page
}

fn line(page: &mut String, words: impl std::fmt::Display) {
    writeln!(page, "{words}").expect("writing to a String cannot fail");
}

fn continuity_lines(page: &mut String, continuity: &Continuity) {
    let begun = continuity.sessions + continuity.compactions;
    if begun == 0 {
        return;
    }
    line(page, paint(BOLD, "continuity (30 days)"));
    let (sessions, lost) = (continuity.sessions, continuity.compactions);
    line(page, format!("{begun:>9}  beginnings: {sessions} sessions, {lost} compactions"));
    if let Some(mean) = continuity.mean_prompts() {
        line(page, format!("{mean:>9.1}  prompts until something known was told, on average"));
    }
    let most = continuity.after_prompts.iter().copied().chain([continuity.never]).max();
    let rows = ["at once", "1 prompt", "2 prompts", "3 prompts", "4 prompts", "later"];
    let counts = continuity.after_prompts.iter().copied().chain([continuity.never]);
    for (name, count) in rows.into_iter().chain(["never"]).zip(counts) {
        if count > 0 {
            let bar = bar(count, most.unwrap_or(1));
            line(page, format!("{count:>9}  {name:<10} {}", paint(DIM, bar)));
        }
    }
}

fn cross_domain_lines(page: &mut String, found: &CrossDomain) {
    let Some(per_day) = found.per_day() else { return };
    line(page, paint(BOLD, "from other areas (30 days)"));
    let (surfaced, useful) = (found.surfaced, found.useful);
    line(page, format!("{surfaced:>9}  memories of another area were told"));
    line(page, format!("{useful:>9}  of them were used: {per_day:.1} a day of work"));
    line(page, format!("{:>9}  {}", "", paint(DIM, sparkline(&found.by_day))));
}

fn graduation_lines(page: &mut String, found: &GraduationQuality) {
    if found.proposed == 0 {
        return;
    }
    line(page, paint(BOLD, "graduation"));
    let GraduationQuality { proposed, accepted, judged, held } = found;
    line(page, format!("{proposed:>9}  lines were proposed for a file"));
    line(page, format!("{:>9}  accepted   {}", accepted, paint(DIM, bar(*accepted, *proposed))));
    if let Some(share) = found.share_held() {
        let share = format!("{:.0} %", share * 100.0);
        line(page, format!("{share:>9}  held for 30 days ({held} of {judged})"));
    }
}

/// A bar as long as a count deserves.
fn bar(count: usize, most: usize) -> String {
    let length = (count * BAR).div_ceil(most.max(1)).min(BAR);
    "█".repeat(length)
}

/// A small plot, one column for each number.
fn sparkline(numbers: &[usize]) -> String {
    let most = numbers.iter().copied().max().unwrap_or(0).max(1);
    let step =
        |number: &usize| STEPS[(number * (STEPS.len() - 1)).div_ceil(most).min(STEPS.len() - 1)];
    numbers.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_fit_eighty_columns_whatever_the_numbers() {
        let metrics = Metrics {
            continuity: Continuity {
                sessions: 123_456,
                compactions: 99_999,
                after_prompts: [100_000, 3, 2, 1, 1, 1],
                never: 1,
            },
            cross_domain: CrossDomain {
                surfaced: 1_000_000,
                useful: 999_999,
                days: 30,
                by_day: (0..30).map(|day| day * day).collect(),
            },
            graduation: GraduationQuality { proposed: 9, accepted: 9, judged: 9, held: 8 },
        };
        let painted = page(&metrics);
        let parts = painted.split('\u{1b}').enumerate();
        let plain: String = parts
            .map(
                |(at, part)| {
                    if at == 0 { part } else { part.split_once('m').map_or("", |it| it.1) }
                },
            )
            .collect();
        for line in plain.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(plain.contains('█') && plain.contains('▁'));
    }

    #[test]
    fn a_plot_shows_the_smallest_number_that_is_not_nought() {
        assert_eq!(sparkline(&[0, 1, 1_000]), "▁▂█");
        assert_eq!(sparkline(&[0, 0]), "▁▁");
        assert_eq!(bar(1, 1_000).chars().count(), 1);
        assert_eq!(bar(0, 1_000), "");
    }
}
