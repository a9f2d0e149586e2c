//! Values that take the place of others.

use super::*;

#[test]
fn a_value_that_takes_anothers_place_is_found_however_it_is_put() {
    for (said, holds) in [
        ("we ported from Ember to Svelte for the dashboard", "We use Svelte for the dashboard"),
        ("The heap size went from 2 GB to 4 GB.", "The heap size is 4 GB"),
        ("the build agent isn't Linux, it's FreeBSD", "the build agent is FreeBSD"),
        ("Our wiki was Confluence, now it's Outline.", "Our wiki is Outline"),
        ("Ulla took over from Sven as scrum master.", "scrum master is Ulla"),
        ("we swapped Axios for Ky in the web client", "We use Ky in the web client"),
        ("The invoice prefix was changed to INV, it used to be RE", "The invoice prefix is INV"),
        ("small correction: the queue is SQS, not Kinesis.", "the queue is SQS"),
        ("We went back to Grunt for the theme, Gulp was too slow", "We use Grunt for the theme"),
        ("the pager contact is Imre again, not Dora", "the pager contact is Imre"),
        ("I was wrong about the font: it's Inter, not Roboto.", "the font is Inter"),
        ("We no longer use Gulp for the theme, it's Vite now.", "We use Vite for the theme"),
        ("Actually, the API is on port 8081, not 8080.", "the API is on port 8081"),
        ("No, the worker runs on Node 22, not 20.", "the worker runs on Node 22"),
        (
            "Anna isn't the reviewer for the billing module any more, Marek is.",
            "the reviewer for the billing module is Marek",
        ),
        ("As of today I want screenshots in high contrast.", "I want screenshots in high contrast"),
    ] {
        assert_eq!(what_holds(said).as_deref(), Some(holds), "{said}");
        assert!(is_change(said), "{said}");
    }
}

#[test]
fn a_short_answer_tells_of_a_change_though_not_of_what() {
    let said = "not 2 GB, 4 GB.";
    assert_eq!((is_change(said), what_holds(said)), (true, None));
}

#[test]
fn what_others_did_what_might_be_and_how_things_are_doing_is_no_change() {
    for said in [
        "Initech moved from Ember to Svelte for the dashboard.",
        "At my old job the heap size went from 2 GB to 4 GB.",
        "What if the heap size is 4 GB, not 2 GB?",
        "Suppose the heap size went from 2 GB to 4 GB.",
        "We almost swapped Axios for Ky in the web client.",
        "Our vendor has it differently: the queue is SQS, not Kinesis.",
        "Our competitor switched from Memcached to DynamoDB for session storage.",
        "The page says \"the queue is SQS, not Kinesis\".",
        "The build is green again.",
        "The test is slow now.",
    ] {
        assert!(!is_change(said), "{said}");
    }
}
