//! Neighbours among rows: for each of many rows, the ones nearest to it.
//!
//! Up to [`EXACT`] rows every pair is looked at. Beyond, rows are dealt into as many cells as the root of their number,
//! each around one row of its own, and of the few cells nearest to it a row is compared with those whose sign bits differ
//! least from its own: some neighbours are missed, and what would take minutes takes seconds. The same rows in the same
//! order give the same answer.

use std::num::NonZero;

use super::bits::{Closest, mean, signs_of_row};
use super::code::{CODES, Rows};
use super::scan::Signs;
use super::{scaled, scan};

/// Rows up to which every pair is looked at.
pub const EXACT: usize = 8_192;
/// Cells that a row is looked for in.
const CELLS_READ: usize = 8;
/// Rows of those cells that it is compared with.
const COMPARED: usize = 128;
/// Threads at most.
const THREADS_MAX: usize = 8;

/// For each of the rows that `among` names, the `k` others that are nearest to it with a cosine of at least `from`: their
/// places in `among`, the nearest first, ties by place. Cosines are approximate, as those of `cosines`.
///
/// # Panics
///
/// If a row does not exist.
pub fn neighbours(rows: &Rows<'_>, among: &[usize], k: usize, from: f32) -> Vec<Vec<(u32, f32)>> {
    neighbours_of(rows, among, k, from, EXACT)
}

pub(super) fn neighbours_of(
    rows: &Rows<'_>,
    among: &[usize],
    k: usize,
    from: f32,
    exact: usize,
) -> Vec<Vec<(u32, f32)>> {
    let places =
        |count: usize| u32::try_from(count).expect("fewer than four thousand million rows");
    let all: Vec<u32> = (0..places(among.len())).collect();
    if among.len() <= exact {
        return beside(&all, |place| best(rows, among, place, &all, k, from));
    }
    let count = among.len().isqrt();
    let pivots: Vec<u32> = (0..count).map(|n| places(n * among.len() / count)).collect();
    let nearest: Vec<Vec<(u32, f32)>> = beside(&all, |place| {
        best_of(rows, among, place, &pivots, CELLS_READ, f32::NEG_INFINITY, false)
    });
    let mut cells: Vec<Vec<u32>> = vec![Vec::new(); among.len()];
    for (place, near) in all.iter().zip(&nearest) {
        if let Some((pivot, _)) = near.first() {
            cells[*pivot as usize].push(*place);
        }
    }
    // Cell by cell: neighbours read nearly the same rows, which then still lie in the processor's cache.
    let by_cell: Vec<u32> = cells.iter().flatten().copied().collect();
    let ends: Vec<usize> = cells
        .iter()
        .scan(0, |end, cell| {
            *end += cell.len();
            Some(*end)
        })
        .collect();
    let mean = mean(rows);
    let signs_at = |place: u32| signs_of_row(rows, among[place as usize], &mean);
    let signs: Vec<Signs> = beside(&by_cell, signs_at);
    let found = beside(&by_cell, |place| {
        let own = signs_at(place);
        let mut closest = Closest::of(COMPARED.max(2 * k));
        for (pivot, _) in &nearest[place as usize] {
            let (end, count) = (ends[*pivot as usize], cells[*pivot as usize].len());
            let begin = end - count;
            scan::distances(&own, &signs[begin..end], |at, distance| {
                if distance < closest.limit {
                    closest.add_row(begin + at, distance);
                }
            });
        }
        let read: Vec<u32> = closest.rows().into_iter().map(|at| by_cell[at]).collect();
        best(rows, among, place, &read, k, from)
    });
    let mut all_found = vec![Vec::new(); among.len()];
    for (place, found) in by_cell.iter().zip(found) {
        all_found[*place as usize] = found;
    }
    all_found
}

/// Does the same for every place, on as many threads as there are processors.
fn beside<T: Send>(places: &[u32], each: impl Fn(u32) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(THREADS_MAX);
    let some = places.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let each = &each;
        let started: Vec<_> = places
            .chunks(some)
            .map(|some| scope.spawn(move || some.iter().map(|at| each(*at)).collect::<Vec<T>>()))
            .collect();
        started.into_iter().flat_map(|one| one.join().expect("a scan does not panic")).collect()
    })
}

fn best(
    rows: &Rows<'_>,
    among: &[usize],
    place: u32,
    others: &[u32],
    k: usize,
    from: f32,
) -> Vec<(u32, f32)> {
    best_of(rows, among, place, others, k, from, true)
}

/// The best among some; `others_only` leaves the row itself out.
fn best_of(
    rows: &Rows<'_>,
    among: &[usize],
    place: u32,
    others: &[u32],
    k: usize,
    from: f32,
    others_only: bool,
) -> Vec<(u32, f32)> {
    let row = among[place as usize];
    let query: [i16; CODES] = rows.codes(row).map(|code| i16::from(code.cast_signed()));
    let scale = rows.scale(row);
    let mut found: Vec<(u32, f32)> = Vec::with_capacity(2 * k + 2);
    let mut bar = from;
    let mut at = others.iter();
    // Rows come in the order in which they were asked for.
    let picks = others.iter().map(|other| among[*other as usize]);
    scan::dots(&query, rows, picks, |row, dot| {
        let Some(other) = at.next() else { return };
        let cosine = scaled(dot, scale, rows.scale(row));
        if cosine < bar || (others_only && *other == place) {
            return;
        }
        found.push((*other, cosine));
        if found.len() > 2 * k {
            keep_best(&mut found, k);
            bar = found.last().map_or(from, |(_, lowest)| lowest.max(from));
        }
    });
    keep_best(&mut found, k);
    found
}

fn keep_best(found: &mut Vec<(u32, f32)>, k: usize) {
    found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.truncate(k);
}
