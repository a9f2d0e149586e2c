//! The rules of attention, seen from outside: laws where there is a law, small tables otherwise.

mod activation;
mod boxes;
mod frontier;
mod lifecycle;
mod world;
