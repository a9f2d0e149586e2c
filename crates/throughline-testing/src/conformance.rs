//! The suite that every store must pass: what the trait promises, tried on a real backend.
//!
//! A backend joins with a [`Factory`] and one line, which makes one `#[test]` of every case:
//!
//! ```ignore
//! throughline_testing::store_conformance!(kept: SqliteFactory);
//! ```
//!
//! `in_memory` is for a store that is gone with its last handle; `kept` adds what only makes sense
//! where memory outlives the process, and the comparison with the in-memory model. PostgreSQL joins as
//! `kept`, with a factory that makes one schema for each [`Factory::fresh`].

mod changes;
mod documents;
mod find;
mod kept;
mod lists;
mod log;
mod operation;
mod overlaid;
mod pending;
mod postings;
mod purge;
mod random;
mod rows;
mod secrets;
mod silence;
mod text;
mod threads;
mod turns;
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

    /// How many histories a law is tried on, of those that a quick store is tried on.
    fn cases(&self, of: u32) -> u32 {
        of
    }
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
    crate::for_every_case!([list] {})
}

/// Makes one `#[test]` of every case for one backend. The factory is an expression.
#[macro_export]
macro_rules! store_conformance {
    (in_memory: $factory:expr) => {
        $crate::for_every_case!([$crate::conformance_tests] { in_memory $factory, });
    };
    (kept: $factory:expr) => {
        $crate::for_every_case!([$crate::conformance_tests] { kept $factory, });
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
    ([$($with:tt)+] { $($first:tt)* }) => {
        $($with)+! {
            $($first)*
            every {
                rows {
                    every_sort_of_row_comes_back_as_it_was_put
                    a_shelf_is_read_in_its_order_and_behind_its_wall
                    rows_come_back_in_the_order_asked_with_gaps_where_there_is_none
                    a_dump_is_one_sorted_line_for_each_row
                    everything_that_hangs_on_a_node_is_found_together
                    counts_say_how_many_there_are_of_each_sort
                    every_space_that_was_written_to_is_known
                    a_session_is_one_row_however_often_it_is_reported
                }
                changes {
                    a_refused_change_takes_its_whole_batch_with_it
                    what_cannot_be_done_is_refused_without_a_trace
                    a_planner_that_gives_up_writes_nothing
                    a_planner_that_panics_leaves_the_store_as_it_was
                    a_planner_sees_what_is_there_and_its_batch_is_applied
                    a_commit_names_its_batch_and_its_last_change
                    a_batch_without_changes_is_kept_too
                    one_batch_may_touch_several_spaces
                }
                undo {
                    undoing_every_batch_walks_back_to_the_beginning
                    an_undo_can_be_undone
                    what_was_undone_is_found_no_more
                    an_erasure_cannot_be_undone
                }
                log {
                    the_log_holds_every_batch_as_it_was_applied
                    numbers_grow_by_one_with_every_change
                    the_log_is_read_page_by_page_in_both_directions
                    the_latest_batch_is_named_with_its_number
                    the_log_is_narrowed_by_number_moment_and_space
                    batches_of_one_cause_come_without_their_changes_where_that_is_asked_for
                    a_batch_is_found_by_the_beginning_or_the_end_of_its_id
                    turns_after_a_change_are_counted_by_space
                    memories_after_a_change_are_counted_by_space_and_once
                    the_mark_of_sleep_moves
                    headers_leave_the_changes_out
                    the_changes_of_a_batch_carry_the_rows_as_they_were
                    history_tells_in_order_what_touched_a_node_and_what_hangs_on_it
                    the_next_touch_of_a_row_is_the_first_later_change
                    days_with_work_are_told_once_for_each_space
                    memory_can_be_read_as_it_was_believed_at_a_moment
                }
                find {
                    a_memory_is_found_by_its_id_its_beginning_or_its_tail
                    the_same_claim_is_found_in_any_state
                    current_memories_of_a_kind_come_newest_first
                    memories_with_triggers_are_found_without_the_others
                    memories_that_name_what_is_not_there_are_found
                    what_a_space_hangs_on_is_listed_until_it_is_dropped
                    a_slot_holds_what_speaks_of_it_now
                    a_memory_knows_what_it_replaced
                    a_thing_answers_to_every_name_it_has_now
                    things_are_listed_by_kind_with_what_leads_to_them
                    neighbours_are_limited_for_each_node_and_direction
                    saying_a_symmetric_link_from_either_side_makes_one_edge
                    the_times_a_memory_was_shown_come_latest_first
                    a_tombstone_is_found_by_the_claim_or_the_slot_it_marks
                }
                lists {
                    a_listing_is_newest_first
                    a_listing_is_narrowed_by_state_kind_and_domain
                    a_listing_is_narrowed_by_label
                    what_is_bound_to_a_session_is_listed_only_there
                    a_listing_covers_just_the_spaces_asked_for
                    a_listing_comes_in_pages_that_know_the_total
                    a_listing_goes_on_after_the_last_that_was_seen
                }
                text {
                    what_fits_better_is_found_first
                    equals_come_in_the_order_of_their_ids
                    words_are_found_in_other_forms_and_inside_identifiers
                    a_search_is_narrowed_by_state_and_kind
                    what_is_bound_to_a_session_is_found_only_there
                    a_search_covers_just_the_spaces_asked_for
                    episodes_are_searched_apart_from_memories
                    a_search_follows_every_change_of_the_text
                }
                vectors {
                    vectors_come_back_exactly_and_by_model
                    only_vectors_made_after_a_change_are_asked_for
                    vectors_are_neither_logged_nor_dumped
                    a_vector_goes_with_its_node
                    a_vector_stays_while_the_text_stays
                    vectors_are_fetched_in_the_order_asked_with_gaps_where_there_is_none
                    a_vector_marks_its_document_and_is_packed_into_it
                    a_change_of_the_text_takes_the_vector_and_its_mark_away
                    documents_tell_the_vectors_of_the_model_asked_for
                    a_vector_for_what_is_gone_is_not_kept
                }
                documents {
                    every_memory_and_episode_has_one_document
                    a_document_follows_its_memory
                    nothing_of_a_document_stays_in_its_block
                    a_space_has_documents_of_its_own
                    documents_go_on_in_the_next_block
                    who_reads_what_changed_misses_nothing
                    who_reads_what_changed_misses_nothing_after_a_reindex
                    a_vector_that_is_only_kept_leaves_what_is_scanned
                    building_documents_anew_changes_none
                    the_past_has_the_documents_of_its_time
                }
                turns {
                    a_turn_knows_the_turn_before_it
                    a_turn_that_comes_late_takes_its_place
                    a_turn_that_goes_away_leaves_no_gap
                    a_session_of_the_same_name_in_another_space_is_another
                    building_anew_keeps_sessions_together
                    in_whatever_order_turns_come_and_go_sessions_are_the_same
                    sessions_and_their_turns_come_page_by_page
                }
                postings {
                    postings_are_the_texts_that_hold_the_term
                    of_too_many_the_newest_are_kept_and_it_is_said
                    postings_follow_every_change_of_the_text
                    postings_of_a_space_name_nothing_of_another
                    a_person_is_found_by_name_and_a_role_is_not
                }
                purge {
                    erasing_takes_the_memory_and_all_that_hangs_on_it
                    a_thing_nothing_else_speaks_of_is_erased_too
                    what_the_erased_one_replaced_stays_replaced_without_a_name
                    no_word_of_the_erased_is_left_in_any_log_or_table
                    the_past_no_longer_shows_what_was_erased
                    the_same_claim_may_come_back_and_be_erased_again
                    erasing_in_one_space_leaves_the_same_claim_in_others
                }
                secrets {
                    no_log_or_table_holds_a_secret_that_was_recognised_too_late
                    a_secret_that_was_recognised_too_late_is_found_by_no_words
                }
                silence {
                    no_word_of_an_erased_turn_is_left_in_any_log_or_table
                    an_erased_turn_is_found_by_neither_words_nor_vectors
                    the_past_no_longer_shows_an_erased_turn
                    a_turn_that_only_the_log_tells_can_be_erased
                    an_erased_turn_stays_in_other_spaces
                    the_turns_of_a_memory_are_found_by_what_it_rests_on_and_says
                }
                pending {
                    what_waits_comes_oldest_first
                    what_is_deferred_twice_waits_once_as_it_first_came
                    a_decision_is_made_once
                    the_log_tells_what_waited_after_it_was_decided
                    no_word_of_an_erased_operation_is_left_in_any_log_or_table
                    the_past_no_longer_shows_an_erased_operation
                    contradictions_are_found_without_the_memories
                }
                walls {
                    the_same_words_in_three_spaces_never_meet
                    an_id_means_nothing_in_another_space
                    every_space_counts_its_own
                    a_change_cannot_reach_over_the_wall
                }
                overlaid {
                    what_a_batch_will_do_is_seen_before_it_is_written
                }
                random {
                    any_history_leaves_a_sound_store
                    any_history_leaves_one_document_for_every_text
                    replaying_any_log_gives_the_same_tables_to_the_byte
                }
                threads {
                    four_writers_at_once_lose_nothing
                    who_reads_and_then_writes_never_loses_an_update
                    who_follows_the_log_misses_nothing_of_several_spaces
                    who_writes_to_one_space_never_loses_an_update_of_another
                    readers_during_writes_see_whole_batches_of_one_moment
                    a_reader_stays_where_it_is_while_another_writes
                    readers_of_one_handle_need_not_wait_for_each_other
                }
            }
            kept {
                kept {
                    everything_is_there_after_closing_and_opening_again
                    an_erasure_is_due_until_it_is_finished_even_after_a_crash
                    the_erasure_of_a_turn_is_due_until_it_is_finished
                    numbers_go_on_after_opening_again
                    what_one_handle_writes_another_reads_at_once
                }
                random {
                    any_history_is_told_alike_by_the_model
                }
            }
        }
    };
}
