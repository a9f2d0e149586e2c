//! The rules of memory, seen from outside: laws where there is a law, small tables otherwise.

mod activation;
mod arbitrary;
mod change;
mod edge;
mod evidence;
mod fold;
mod lifecycle;
mod near;
mod purge;
mod rank;
mod reconcile;
mod returning;
mod salience;
mod sample;
mod scope;
mod slots;
mod state;
mod text;
mod trust;
mod undo;
mod words;
mod world;
