//! The rules of attention, seen from outside: laws where there is a law, small tables otherwise.

mod activation;
mod boxes;
mod clusters;
mod due;
mod frontier;
mod lifecycle;
mod merging;
mod recall_gate;
mod relevance;
mod world;
