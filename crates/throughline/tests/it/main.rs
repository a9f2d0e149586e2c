//! The program from outside: every command as a user runs it, and every way it can go wrong.

mod acting;
mod agent_files;
mod agent_shell;
mod announcing;
mod any_door;
mod as_of;
mod attention;
mod authority;
mod backlog;
mod bad_input;
mod beginning;
mod boxing;
mod broken_settings;
mod columns;
mod connecting;
mod copies;
mod correcting;
#[cfg(target_os = "linux")]
mod crashing;
#[cfg(target_os = "linux")]
mod cut_off;
mod deciding;
mod deep_payloads;
mod deep_sleep;
mod deep_sleep_due;
#[cfg(target_os = "linux")]
mod deep_sleep_killed;
mod deep_sleep_pairs;
mod demo;
mod distilling;
mod documented;
mod durable;
mod every_word;
mod everyday;
mod exit_codes;
mod fading;
mod failing;
mod failing_tools;
#[cfg(target_os = "linux")]
mod faults;
mod flat_files;
mod focusing;
mod gaps;
#[cfg(target_os = "linux")]
mod getting_on;
mod graduating;
mod halves;
mod happening;
mod harness;
mod helpers;
mod hook_kills;
mod hook_mistakes;
mod hook_trouble;
mod hooking;
mod hosts;
mod hosts_connecting;
mod hosts_ingesting;
mod ingesting;
mod interrupted;
mod lately;
mod later_words;
mod learning;
#[cfg(target_os = "linux")]
mod left_behind;
mod lineage;
mod mcp_client;
mod mcp_files;
mod mcp_graph;
mod mcp_lists;
mod mcp_protocol;
mod mcp_quotes;
mod mcp_tools;
mod mcp_walls;
mod meeting;
mod models;
mod models_limits;
mod models_services;
mod models_trouble;
#[cfg(target_os = "linux")]
mod no_orphans;
mod odd_files;
mod odd_questions;
mod older_words;
mod organising;
mod other_languages;
mod own_tools;
mod pages;
mod plain_words;
mod procedures;
mod promoting;
mod purging;
mod putting_right;
mod quoting;
mod reading_aloud;
mod reasons;
mod recalling;
mod remembering;
mod reviewing;
mod roots;
mod roots_list;
mod saying;
mod scopes;
mod secrets;
mod secrets_corpus;
mod secrets_everywhere;
mod secrets_known;
mod secrets_late;
mod secrets_named;
mod secrets_told;
#[cfg(unix)]
mod served;
#[cfg(unix)]
mod serving;
#[cfg(unix)]
mod serving_again;
#[cfg(unix)]
mod serving_document;
#[cfg(unix)]
mod serving_idle;
#[cfg(unix)]
mod serving_mcp;
#[cfg(unix)]
mod serving_openly;
#[cfg(unix)]
mod serving_organised;
#[cfg(unix)]
mod serving_pages;
#[cfg(unix)]
mod serving_safely;
#[cfg(unix)]
mod serving_scripts;
#[cfg(unix)]
mod serving_slowly;
mod session_walls;
mod sessions;
mod settling;
mod shown_text;
mod side_by_side;
mod silencing;
mod sleeping;
mod sleeping_on_values;
mod slots;
mod small_lines;
mod story;
mod strangers;
mod superseding;
mod switch;
mod taking_over;
mod team;
mod team_agents;
mod team_failover;
#[cfg(unix)]
mod team_guarded;
mod team_people;
mod team_trouble;
mod team_waiting;
mod team_walls;
mod telling;
mod telling_once;
mod telling_truth;
mod terminal;
mod together;
mod transcripts;
mod transfer;
mod trouble;
mod truth_bad_input;
mod twelve_weeks;
mod two_doors;
mod typing;
mod undoing;
mod unsafe_homes;
mod verifying;
mod walls;
mod watching;
mod whole_words;
mod wording;
mod xray;
