//! The suite that every store must pass: what the trait promises, tried on a real backend.
//!
//! A backend joins with a [`Factory`] and one line, which makes one `#[test]` of every case:
//!
//! ```ignore
//! throughline_testing::store_conformance!(kept: SqliteFactory);
//! ```
//!
//! `in_memory` is for a store that is gone with its last handle; `kept` adds what only makes sense
//! where memory outlives the process, and the comparison with the in-memory model. PostgreSQL will
//! join as `kept`, with a factory that makes one database for each [`Factory::fresh`].

mod changes;
mod find;
mod kept;
mod lists;
mod log;
mod operation;
mod purge;
mod random;
mod rows;
mod text;
mod threads;
mod undo;
mod vectors;
mod walls;
mod world;

use std::sync::Arc;

use throughline_store::Store;

/// Makes the stores of one backend.
pub trait Factory {
    /// A new place with nothing in it, apart from every other.
    fn fresh(&self) -> Box<dyn Place>;
}

/// One place where memory is kept. It goes away when dropped.
pub trait Place: Send + Sync {
    /// Opens a handle, as another process would. Several may be open at once. Where memory is
    /// kept, a handle opened after all others were dropped finds everything again.
    fn open(&self) -> Arc<dyn Store>;
}

/// One promise of the store.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The promise in words; the name of its test.
    pub name: &'static str,
    /// Tries it, and panics where it is broken.
    pub run: fn(&dyn Factory),
}

/// Runs one case by its name.
pub fn run(name: &str, factory: &dyn Factory) {
    let case = cases().into_iter().find(|case| case.name == name);
    (case.expect("the case is on the list").run)(factory);
}

/// Every case, also those for kept memory only.
pub fn cases() -> Vec<Case> {
    macro_rules! list {
        ($( $group:ident { $( $area:ident { $( $name:ident )+ } )+ } )+) => {
            vec![ $($($( Case { name: stringify!($name), run: $area::$name }, )+)+)+ ]
        };
    }
    for_every_case!(list {})
}

/// Makes one `#[test]` of every case for one backend. The factory is an expression.
#[macro_export]
macro_rules! store_conformance {
    (in_memory: $factory:expr) => {
        $crate::for_every_case!($crate::conformance_tests { in_memory $factory, });
    };
    (kept: $factory:expr) => {
        $crate::for_every_case!($crate::conformance_tests { kept $factory, });
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    (in_memory $factory:expr, every $every:tt kept $kept:tt) => {
        $crate::conformance_tests!(@tests $factory, $every);
    };
    (kept $factory:expr, every $every:tt kept $kept:tt) => {
        $crate::conformance_tests!(@tests $factory, $every);
        $crate::conformance_tests!(@tests $factory, $kept);
    };
    (@tests $factory:expr, { $( $area:ident { $( $name:ident )+ } )+ }) => {
        $($( #[test] fn $name() {
            $crate::conformance::run(stringify!($name), &$factory);
        } )+)+
    };
}

/// The list of cases, by area. A function that is missing here is never run: a test of this crate
/// looks for such.
#[doc(hidden)]
#[macro_export]
macro_rules! for_every_case {
    ($with:path { $($first:tt)* }) => {
        $with! {
            $($first)*
            every {
                rows {
                    every_sort_of_row_comes_back_as_it_was_put
                    rows_come_back_in_the_order_asked_with_gaps_where_there_is_none
                    a_dump_is_one_sorted_line_for_each_row
                    everything_that_hangs_on_a_node_is_found_together
                    counts_say_how_many_there_are_of_each_sort
                    every_space_that_was_written_to_is_known
                    a_session_is_one_row_however_often_it_is_reported
                }
            }
            kept {
                kept {
                    everything_is_there_after_closing_and_opening_again
                }
            }
        }
    };
}
