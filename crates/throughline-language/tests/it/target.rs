//! Which memory is meant where somebody says that something is wrong.

use throughline_language::target::{SaidAgain, SaidWrong, said_again};

const NPM: &str = "The web client installs with npm";
const YARN: &str = "The web client installs with yarn";
const PORT: &str = "The staging database listens on port 5432";

fn may_be_meant<'t>(wrong: &str, right: &str, texts: &[&'t str]) -> Vec<&'t str> {
    let said = SaidWrong::new(wrong, right).expect("its words tell something");
    said.candidates(texts).into_iter().map(|at| texts[at]).collect()
}

#[test]
fn only_what_holds_the_wrong_words_can_be_meant() {
    assert_eq!(may_be_meant("npm", "The web client installs with pnpm", &[NPM, PORT]), [NPM]);
}

#[test]
fn what_holds_another_number_is_not_meant() {
    let right = "The staging database listens on port 5434";
    assert_eq!(may_be_meant("port 5433", right, &[PORT]), [""; 0]);
    assert_eq!(may_be_meant("port 5432", right, &[PORT]), [PORT]);
}

#[test]
fn what_says_the_new_value_already_is_not_what_is_wrong() {
    let right = "The web client installs with yarn";
    assert_eq!(may_be_meant("The web client installs", right, &[NPM, YARN]), [NPM]);
}

#[test]
fn words_that_are_said_of_everything_name_no_memory() {
    assert!(SaidWrong::new("we decided to use it", "").is_none());
}

#[test]
fn one_that_is_near_enough_is_meant_and_of_two_that_are_as_near_none_is() {
    let said = SaidWrong::new("npm", "The web client installs with pnpm")
        .expect("its words tell something");
    assert_eq!(said.meant(&[(0.8, NPM)]), Some(0));
    assert_eq!(said.meant(&[(0.8, NPM), (0.78, "The docs install with npm")]), None);
    assert_eq!(said.meant(&[(0.6, "The docs install with npm"), (0.8, NPM)]), Some(1));
    assert_eq!(said.meant(&[]), None);
}

#[test]
fn what_holds_the_wrong_value_of_something_else_must_be_near_in_meaning() {
    let said =
        SaidWrong::new("npm", "Releases go out on Tuesday").expect("its words tell something");
    assert_eq!(said.meant(&[(0.1, NPM)]), None);
    assert_eq!(said.meant(&[(0.35, NPM)]), Some(0));
}

#[test]
fn going_back_says_again_what_was_replaced() {
    assert_eq!(said_again("The web client installs with npm again", NPM, YARN), SaidAgain::Yes);
    assert_eq!(said_again("npm", NPM, YARN), SaidAgain::Yes);
    assert_eq!(said_again("The docs are built with npm", NPM, YARN), SaidAgain::IfNear);
    assert_eq!(said_again("Releases go out on Tuesday", NPM, YARN), SaidAgain::No);
}
