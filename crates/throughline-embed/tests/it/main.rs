//! The embedder from outside: like the reference, the same on every kernel, calm about any text.

mod golden;
mod hostile;
mod kernels;
mod model;
mod nearest;
mod tokenizer;
mod windows;
