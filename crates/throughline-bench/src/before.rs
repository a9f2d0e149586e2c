//! An older program and the present one, in turn, on copies of one home: what a change did to the hooks, whatever else
//! the machine does meanwhile.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::corpus::Corpus;
use crate::hook::Hooks;
use crate::kept::copy_folder;
use crate::recall::Options;

/// A kind of hook: its name, the event, what is said at the nth time.
type Kind<'a> = (&'a str, &'a str, Box<dyn Fn(usize) -> String + 'a>);

/// Fires each kind of hook at both programs in turn, and prints a column for each.
pub(crate) fn compare(
    options: &Options,
    before: &Path,
    home: &Path,
    project: &Path,
    said: &Corpus,
) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let copies = ["before", "now"].map(|name| folder.path().join(name));
    for copy in &copies {
        copy_folder(home, copy)?;
    }
    let binaries = [before, &options.binary];
    let hooks =
        [0, 1].map(|at| Hooks { binary: binaries[at], home: &copies[at], project, store: None });
    println!("{:<30} {:>23} {:>25}", "", "before", "now");
    println!("{:<30} {:>11} {:>11}   {:>11} {:>11}", "", "median", "95 %", "median", "95 %");
    let asks = |n: usize| format!("what did we say about {}?", said.question(n));
    let tells = |n: usize| format!("please change {}", said.question(n));
    let nothing = |_: usize| String::new();
    let kinds: [Kind<'_>; 6] = [
        ("prompt that asks", "UserPromptSubmit", Box::new(asks)),
        ("prompt that tells", "UserPromptSubmit", Box::new(tells)),
        ("before a tool", "PreToolUse", Box::new(nothing)),
        ("after a tool", "PostToolBatch", Box::new(nothing)),
        ("after an answer", "Stop", Box::new(tells)),
        ("a session begins", "SessionStart", Box::new(nothing)),
    ];
    for (number, (name, event, text)) in kinds.iter().enumerate() {
        let mut times = [Vec::new(), Vec::new()];
        // The first of each is not counted: files are read for the first time.
        for run in 0..=options.runs {
            let n = number * 1_000 + run;
            // Each goes first every other time.
            for at in [run % 2, 1 - run % 2] {
                let began = Instant::now();
                hooks[at].fire(event, n, &text(n))?;
                times[at].push(began.elapsed());
            }
        }
        let [before, now] = times.map(|times| spread(times.into_iter().skip(1).collect()));
        println!("{name:<30} {before}   {now}");
    }
    Ok(())
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let ms = |at: usize| times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let tail = (times.len() * 95 / 100).min(times.len().saturating_sub(1));
    format!("{:>8.2} ms {:>8.2} ms", ms(times.len() / 2), ms(tail))
}
