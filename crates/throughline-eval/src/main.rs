//! Measures quality on public data: what recall finds, and what it leaves unsaid.
//!
//! - `throughline-eval retrieval --set PREFIX` — is the gold among what is ranked first?
//! - `throughline-eval injection --sessions FILE` — is nothing said when nothing is needed?
//! - `throughline-eval capture --sessions FILE` — what becomes of real coding sessions?
//! - `throughline-eval correction` — does what was taken back stay away, and nothing else change?
//! - `throughline-eval natural --leave-out WRITERS` — is what people really type understood?
//! - `throughline-eval languages` — is nothing wrong kept in other languages, and the agent asked?
//! - `throughline-eval staleness` — are facts doubted when what they are tied to changed, and only then?
//! - `throughline-eval updates --set FILE` — does the later statement win over the earlier one?
//! - `throughline-eval secrets --corpus DIR [--code DIR]` — what redaction finds, and what it alters
//! - `throughline-eval graph` — what do edges, `PageRank` and the session's focus add to multi-hop questions?
//! - `throughline-eval metrics --sessions FILE` — how soon is a session back in context, and what comes up?
//! - `throughline-eval fit --sets PREFIX…` — which weights of relevance fit the data?
#![expect(clippy::print_stdout, reason = "printing figures is what this program does")]

mod baseline;
mod capture;
mod correction;
mod data;
mod figures;
mod fit;
mod graph;
mod haystack;
mod in_turns;
mod injection;
mod languages;
mod metrics;
mod natural;
mod retrieval;
mod secrets;
mod significance;
mod staleness;
mod updates;

use clap::Parser;

/// Measures quality on public data.
#[derive(Debug, Parser)]
#[command(name = "throughline-eval")]
enum Command {
    /// What recall finds: gold turns among the best of each question's haystack
    Retrieval(retrieval::Options),
    /// What recall leaves unsaid: what is put in front of prompts that need no memory
    Injection(injection::Options),
    /// What the gate and the probe make of real coding sessions
    Capture(capture::Options),
    /// Whether corrections hold, on generated scenarios played through the program's hooks
    Correction(correction::Options),
    /// Whether what people really type is understood, on labelled turns and pairs of writers that
    /// nobody tuned on
    Natural(natural::Options),
    /// What becomes of turns in other languages than English, and how often the agent is asked to keep
    /// something
    Languages(languages::Options),
    /// Whether facts are doubted when what they are tied to changed, in git repositories made for it
    Staleness(staleness::Options),
    /// Whether a later statement wins over the earlier one, on public pairs of both
    Updates(updates::Options),
    /// What redaction finds of public cases, by family, and how much ordinary code it alters
    Secrets(secrets::Options),
    /// What edges, `PageRank` and the session add to questions whose answer lies an edge away
    Graph(graph::Options),
    /// Continuity, surfacing from other areas and graduation, on recorded sessions played through the hooks
    Metrics(figures::Options),
    /// Fits the weights of relevance, and checks them on what they were not fitted to
    Fit(fit::Options),
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Retrieval(options) => retrieval::run(&options),
        Command::Injection(options) => injection::run(&options),
        Command::Capture(options) => capture::run(&options),
        Command::Correction(options) => correction::run(&options),
        Command::Natural(options) => natural::run(&options),
        Command::Languages(options) => languages::run(&options),
        Command::Staleness(options) => staleness::run(&options),
        Command::Updates(options) => updates::run(&options),
        Command::Secrets(options) => secrets::run(&options),
        Command::Graph(options) => graph::run(&options),
        Command::Metrics(options) => figures::run(&options),
        Command::Fit(options) => fit::run(&options),
    }
}
