//! The table as a whole: what no door and no order of requests allows.

use super::*;

fn every_request() -> impl Iterator<Item = Request> {
    let targets = std::iter::once(None).chain(Authority::ALL.iter().flat_map(|authority| {
        [(false, false), (true, false), (false, true)].map(|(by_person, pinned)| {
            let by_person = by_person || authority.is_user();
            Some(Standing { authority: *authority, by_person, pinned, anothers: false })
        })
    }));
    let targets: Vec<Option<Standing>> = targets.collect();
    Door::ALL.iter().flat_map(move |door| {
        let targets = targets.clone();
        Act::ALL.iter().flat_map(move |act| {
            let targets = targets.clone();
            Backing::ALL.iter().flat_map(move |backing| {
                let (door, act, backing) = (*door, *act, *backing);
                let one = move |target| Request { door, act, target, backing };
                targets.clone().into_iter().map(one)
            })
        })
    })
}

fn takes_away(act: Act) -> bool {
    use Act::{Archive, CheckRefutes, Contradict, Edit, Pin, Purge, Replace, Retract, Undo};
    let all = [Archive, CheckRefutes, Contradict, Edit, Pin, Purge, Replace, Retract, Undo];
    all.contains(&act)
}

#[test]
fn no_agent_takes_away_or_rewords_what_a_person_said_or_pinned() {
    for request in every_request().filter(|one| one.door.is_agents() && takes_away(one.act)) {
        if request.target.is_some_and(Standing::is_persons) {
            let verdict = judge(request);
            assert!(!matches!(verdict, Verdict::Allowed { .. }), "{request:?}: {verdict:?}");
        }
    }
}

#[test]
fn no_agent_hangs_anything_on_what_a_person_said_or_pinned() {
    let hangs = [Act::Tag, Act::Link, Act::Watch];
    for request in every_request().filter(|one| hangs.contains(&one.act)) {
        let told = request.door == Door::Hook && request.backing != Backing::UserTurn;
        let agents = request.door.is_agents() || told;
        if agents && request.target.is_some_and(Standing::is_persons) {
            let verdict = judge(request);
            assert!(!matches!(verdict, Verdict::Allowed { .. }), "{request:?}: {verdict:?}");
        }
    }
}

#[test]
fn an_agents_word_is_observed_unless_a_captured_turn_holds_it() {
    for request in every_request().filter(|one| one.door.is_agents()) {
        let Verdict::Allowed { rank } = judge(request) else { continue };
        let most = match request.backing {
            Backing::Asserted | Backing::Vouched => Authority::Observed,
            Backing::ToolResult => Authority::Measured,
            Backing::UserTurn => Authority::UserStated,
        };
        assert!(!rank.outranks(most), "{request:?}: {rank}");
    }
}

#[test]
fn only_a_person_destroys_decides_and_configures() {
    let persons =
        [Act::Purge, Act::Decide, Act::Configure, Act::Reach, Act::Vouch, Act::Promote, Act::Pin];
    for request in every_request().filter(|one| persons.contains(&one.act)) {
        let allowed = matches!(judge(request), Verdict::Allowed { .. });
        let vouched = request.door == Door::Import && request.backing == Backing::Vouched;
        assert_eq!(allowed, request.door == Door::Terminal || vouched, "{request:?}");
    }
}

#[test]
fn a_person_at_their_terminal_may_do_everything() {
    for request in every_request().filter(|one| one.door == Door::Terminal) {
        assert!(matches!(judge(request), Verdict::Allowed { .. }), "{request:?}");
    }
}

#[test]
fn rules_from_outside_come_in_by_nobody_but_a_person() {
    for request in every_request().filter(|one| one.act == Act::AdoptRule) {
        if let Verdict::Allowed { .. } = judge(request) {
            let by_user = matches!(request.backing, Backing::UserTurn | Backing::Vouched);
            assert!(request.door == Door::Terminal || by_user, "{request:?}");
        }
    }
}

#[test]
fn what_comes_in_by_a_file_or_a_model_outranks_nobody_who_spoke() {
    for request in every_request() {
        let unvouched = request.backing != Backing::Vouched;
        let strange = request.door == Door::Model || request.door == Door::Import && unvouched;
        if let (true, Verdict::Allowed { rank }) = (strange, judge(request)) {
            assert!(!rank.outranks(Authority::Extracted), "{request:?}: {rank}");
        }
    }
}

#[test]
fn nobody_takes_away_or_rewords_what_another_person_said_but_may_say_otherwise() {
    let speaks = [Door::Terminal, Door::AgentShell, Door::Tools, Door::Hook];
    for request in every_request().filter(|one| speaks.contains(&one.door)) {
        let Some(target) = request.target else { continue };
        let verdict = judge(Request { target: Some(target.of_another(true)), ..request });
        let allowed = matches!(verdict, Verdict::Allowed { .. });
        let keeps = ![Act::Contradict, Act::Pin].contains(&request.act);
        assert!(!(allowed && keeps && takes_away(request.act)), "{request:?}: {verdict:?}");
        if request.act == Act::Remember {
            assert!(allowed, "{request:?}");
        }
    }
}
