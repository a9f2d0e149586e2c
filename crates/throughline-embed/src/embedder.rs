//! Embedder: texts in, vectors out.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Embedding;
use crate::encoder::with_states;
use crate::forward::pool;
use crate::kernel::Kernel;
use crate::model::Model;
use crate::tokenizer::{CLOSING, OPENING, tokenize};
use crate::windows::{Cut, windows};

/// Embedder: turns texts into vectors. Cheap to make, and shared freely between threads.
///
/// The same text gives the same bits, whatever it is embedded together with and on whichever
/// kernel.
#[derive(Debug, Clone, Copy)]
pub struct Embedder {
    kernel: Kernel,
    cut: Cut,
}

impl Embedder {
    /// The built-in model, with the fastest kernel of this machine.
    pub fn builtin() -> Self {
        Self { kernel: Kernel::best(), cut: Cut::default() }
    }

    /// The built-in model with a given kernel; `None` where this machine lacks it.
    pub fn with_kernel(kernel: Kernel) -> Option<Self> {
        kernel.is_available().then(|| Self { kernel, cut: Cut::default() })
    }

    /// The kernel in use.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Embeds a text by its first window.
    pub fn embed(&self, text: &str) -> Embedding {
        let cut = Cut { windows_max: 1, ..self.cut };
        let found = self.embed_windows(text, &cut);
        found.into_iter().next().expect("every text has a window")
    }

    /// Embeds every window of a text, in order: at least one, at most
    /// [`WINDOWS_MAX`](crate::WINDOWS_MAX).
    pub fn windows(&self, text: &str) -> Vec<Embedding> {
        self.embed_windows(text, &self.cut)
    }

    /// Embeds many texts on all cores: the vector of [`Self::embed`] for each, in their order.
    pub fn embed_each(&self, texts: &[&str]) -> Vec<Embedding> {
        on_all_cores(texts, |text| self.embed(text))
    }

    /// Embeds the windows of many texts on all cores, in the order of the texts.
    pub fn embed_all(&self, texts: &[&str]) -> Vec<Vec<Embedding>> {
        on_all_cores(texts, |text| self.embed_windows(text, &self.cut))
    }

    /// The word pieces that [`Self::windows`] would read, by their numbers in the vocabulary.
    pub fn pieces(&self, text: &str) -> Vec<u16> {
        let vocabulary = &Model::builtin().vocabulary;
        let mut pieces = tokenize(vocabulary, text, self.cut.pieces_max());
        pieces.ids.truncate(self.cut.pieces_max());
        pieces.ids
    }

    fn embed_windows(&self, text: &str, cut: &Cut) -> Vec<Embedding> {
        let model = Model::builtin();
        let pieces = tokenize(&model.vocabulary, text, cut.pieces_max());
        let windows = windows(&pieces, cut).into_iter();
        windows
            .map(|window| {
                let inside = pieces.ids[window].iter().copied();
                let ids: Vec<u16> =
                    std::iter::once(OPENING).chain(inside).chain([CLOSING]).collect();
                with_states(self.kernel, &model.layers, &ids, pool)
            })
            .collect()
    }
}

/// Does the same to every text, on all cores, and returns the results in the order of the texts.
fn on_all_cores<T: Send>(texts: &[&str], work: impl Fn(&str) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    // Whoever is free takes the next text, because texts differ in length.
    let share = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(text) = texts.get(at) else { return done };
            done.push((at, work(text)));
        }
    };
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..cores.min(texts.len())).map(|_| scope.spawn(share)).collect();
        let own = share();
        let others = helpers.into_iter().flat_map(|it| it.join().expect("no text panics"));
        own.into_iter().chain(others).collect()
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
