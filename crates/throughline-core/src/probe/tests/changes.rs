//! Values that take the place of others.

use super::*;

/// What a sentence says is wrong now, and what is right. Other words than any benchmark's.
fn put_right(turns: &[Said<'_>]) -> Option<(String, String)> {
    found(turns).into_iter().find_map(|one| match one {
        Operation::Correct(it) => Some((it.wrong, it.right)),
        Operation::Remember(_)
        | Operation::Retract(_)
        | Operation::Archive(_)
        | Operation::Know { .. }
        | Operation::Relate(_)
        | Operation::Settle(_) => None,
    })
}

#[test]
fn a_value_that_takes_anothers_place_is_found_however_it_is_put() {
    for (said, wrong, right) in [
        (
            "we ported from Ember to Svelte for the dashboard",
            "Ember",
            "We use Svelte for the dashboard",
        ),
        ("The heap size went from 2 GB to 4 GB.", "2 GB", "The heap size is 4 GB"),
        ("the build agent isn't Linux, it's FreeBSD", "Linux", "The build agent is FreeBSD"),
        ("Our wiki was Confluence, now it's Outline.", "Confluence", "Our wiki is Outline"),
        ("Ulla took over from Sven as scrum master.", "Sven", "Scrum master is Ulla"),
        ("we swapped Axios for Ky in the web client", "Axios", "We use Ky in the web client"),
        (
            "The invoice prefix was changed to INV, it used to be RE",
            "RE",
            "The invoice prefix is INV",
        ),
        ("small correction: the queue is SQS, not Kinesis.", "Kinesis", "The queue is SQS"),
        (
            "We went back to Grunt for the theme, Gulp was too slow",
            "Gulp",
            "We use Grunt for the theme",
        ),
        ("the pager contact is Imre again, not Dora", "Dora", "The pager contact is Imre"),
        ("I was wrong about the font: it's Inter, not Roboto.", "Roboto", "The font is Inter"),
        (
            "We no longer use Gulp for the theme, it's Vite now.",
            "Gulp",
            "We use Vite for the theme",
        ),
    ] {
        let kept = said.trim_end_matches('.').trim_start_matches("small correction: ");
        let found = put_right(&[user(said)]);
        let (found, content) = found.expect(said);
        assert_eq!(found, wrong, "{said}");
        assert!(said.contains(&content) && content.contains(kept), "as said: {content}");
        assert_eq!(what_holds(&content).map(|one| one.to_lowercase()), Some(right.to_lowercase()));
    }
}

#[test]
fn a_short_answer_is_read_in_the_light_of_what_the_agent_said() {
    let stated = assistant("The heap of the indexer is 2 GB.");
    for said in
        ["no, it's 4 GB, not 2 GB", "not 2 GB, 4 GB.", "No no, 4 GB. Where did you get 2 GB from?"]
    {
        let found = put_right(&[stated, user(said)]);
        let right = "The heap of the indexer is 4 GB";
        assert_eq!(found, Some(("2 GB".to_owned(), right.to_owned())), "{said}");
    }
}

#[test]
fn what_others_did_what_might_be_and_what_is_taken_back_changes_nothing() {
    for said in [
        "Initech moved from Ember to Svelte for the dashboard.",
        "At my old job the heap size went from 2 GB to 4 GB.",
        "What if the heap size is 4 GB, not 2 GB?",
        "Suppose the heap size went from 2 GB to 4 GB.",
        "The heap size is 4 GB, not 2 GB. Hm no, scratch that.",
        "We almost swapped Axios for Ky in the web client.",
        "Our vendor has it differently: the queue is SQS, not Kinesis.",
        "The page says \"the queue is SQS, not Kinesis\".",
        "The build is green again.",
        "The test is slow now.",
    ] {
        assert_eq!(put_right(&[user(said)]), None, "{said}");
    }
}
