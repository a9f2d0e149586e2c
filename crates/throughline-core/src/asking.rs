//! Asking: an agent is asked to keep what the user said, where nobody here can tell whether it lasts.

/// What the agent is asked, in one line with the prompt; the plugin for opencode knows it by its beginning. What it then quotes word for word is checked
/// against the turn, and counts as the user's.
pub const LINE: &str = "Throughline: if the user just settled, changed or took back something that will \
                        matter later, call `remember` with that sentence of theirs, word for word, as \
                        `content` (or `correct` the memory it makes wrong).";

/// What a text needs to say something, where words are not set apart by blanks. A Chinese character
/// counts two, a Japanese syllable one.
const WEIGHT_MIN: usize = 12;

/// Whether a prompt in a language that nobody here reads may settle something, by its form: it is neither
/// one question and nothing else, nor a few signs that can only greet, thank or agree.
pub fn may_settle(prompt: &str) -> bool {
    let prompt = prompt.trim();
    let inside = prompt.trim_end_matches(['?', '？', ' ', '\u{a0}', '\u{202f}']);
    let asks = inside.len() < prompt.len() && prompt.ends_with(['?', '？']);
    let ends = ['.', '!', '?', '。', '！', '？', ';', '；', ':', '：', '\n'];
    let one = !inside.trim_start_matches(['¿', '¡']).chars().any(|c| ends.contains(&c));
    !(asks && one) && says_something(prompt)
}

fn says_something(prompt: &str) -> bool {
    let mut weight = 0;
    for c in prompt.chars() {
        weight += match c {
            // Something is named, or written in a script with words.
            _ if c.is_ascii_alphanumeric() => return true,
            '\u{3040}'..='\u{30ff}' => 1,
            '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' => 2,
            _ if c.is_alphabetic() => 2,
            _ => 0,
        };
    }
    weight >= WEIGHT_MIN
}

#[cfg(test)]
mod tests {
    use super::{LINE, may_settle};

    #[test]
    fn statements_and_orders_may_settle_something() {
        for prompt in [
            "Wir deployen nur noch donnerstags.",
            "Warum ist der Build rot? Wir nehmen jetzt pnpm.",
            "别用npm",
            "提交信息以后都用英文写。",
            "コミットは英語で書いてください。",
        ] {
            assert!(may_settle(prompt), "{prompt}");
        }
    }

    #[test]
    fn one_question_and_a_few_signs_do_not() {
        for prompt in [
            "Wie starte ich die Tests lokal?",
            "¿Cómo se lanzan las pruebas?",
            "Comment on lance les tests ?",
            "测试怎么跑？",
            "テストはどう動かすの？",
            "好的，谢谢！",
            "ありがとうございます",
        ] {
            assert!(!may_settle(prompt), "{prompt}");
        }
    }

    #[test]
    fn the_line_is_one_line_and_short() {
        assert!(!LINE.contains(['\n', '<', '>', '&']), "hosts escape these");
        assert!(crate::tokens::estimate(LINE) <= 60, "{}", crate::tokens::estimate(LINE));
    }
}
