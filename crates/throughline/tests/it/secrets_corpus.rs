//! Secrets of many kinds, each in a prompt as it may be met: afterwards no file of the home holds any part of one.

use std::collections::HashMap;

use crate::harness::Home;
use crate::hooking::Agent;

#[path = "../../../throughline-eval/tests/it/secret_cases.rs"]
mod secret_cases;

/// Cases in one prompt.
const TOGETHER: usize = 4;
/// Characters in a row that are a part of a secret; fewer may come about by chance.
const RUN: usize = 10;

#[test]
fn no_file_of_the_home_holds_a_part_of_any_secret_that_a_prompt_held() {
    let home = Home::new();
    let cases = secret_cases::cases();
    for (number, some) in cases.chunks(TOGETHER).enumerate() {
        let texts: Vec<&str> = some.iter().map(|one| one.text.as_str()).collect();
        let agent = Agent::new(&home, &format!("session {number}"));
        agent.hears(&texts.join("\n\n"));
        agent.ends();
    }
    let kept = home.page(&["export"]).matches("[redacted:").count();
    assert!(kept >= cases.len() / 2, "the prompts themselves are kept: {kept}");
    // How a token of a vendor begins is no secret: the same for all.
    let mut runs: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (number, one) in cases.iter().enumerate() {
        for run in one.secret.as_bytes().windows(RUN) {
            runs.entry(run).or_default().push(number);
        }
    }
    let mut left = Vec::new();
    for file in home.files() {
        let bytes = std::fs::read(&file).expect("a file of the home can be read");
        for run in bytes.windows(RUN) {
            if let Some([number]) = runs.get(run).map(Vec::as_slice) {
                let one = &cases[*number];
                left.push((one.family, one.kind.clone(), file.clone()));
            }
        }
    }
    left.dedup();
    assert!(left.is_empty(), "{left:?}");
}
