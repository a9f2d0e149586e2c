//! The rules of memory, seen from outside: laws where there is a law, small tables otherwise.

mod activation;
mod arbitrary;
mod change;
mod echoes;
mod edge;
mod evidence;
mod fold;
mod lifecycle;
mod near;
mod old_words;
mod purge;
mod rank;
mod reconcile;
mod rereading;
mod returning;
mod salience;
mod sample;
mod scope;
mod settling;
mod slots;
mod state;
mod text;
mod trust;
mod undo;
mod words;
mod world;
