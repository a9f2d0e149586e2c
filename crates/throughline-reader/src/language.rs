//! Language: whether a turn is in English, the only language that the reader was trained on.

use throughline_embed::Embedder;

use crate::fence;

/// Fewer words than this are too few to tell a language from.
const WORDS_MIN: usize = 4;
/// Of fewer than this, whose language is often mistaken, English is also told by its words.
const WORDS_SURE: usize = 8;
/// The share of them that the word table has whole, from which on they are English.
const WHOLE_SHARE: (usize, usize) = (3, 5);
/// A letter of a script without blanks stands for about as much as so many Latin ones.
const WIDE: usize = 4;

/// Whether a text is in English, judged by its running words without code, paths and names of
/// things in code. Fewer than four words in Latin script are too few to tell and count as English.
pub fn is_english(text: &str) -> bool {
    let prose = prose(text);
    let mut latin = 0;
    let mut other = 0;
    for c in prose.chars().filter(|c| c.is_alphabetic()) {
        match c {
            _ if is_latin(c) => latin += 1,
            _ if is_wide(c) => other += WIDE,
            _ => other += 1,
        }
    }
    if other > latin {
        return false;
    }
    let words: Vec<&str> =
        prose.split_whitespace().filter(|word| word.chars().any(is_latin)).collect();
    words.len() < WORDS_MIN
        || whichlang::detect_language(&prose) == whichlang::Lang::Eng
        || words.len() < WORDS_SURE && are_known(&words)
}

/// Whether most words are whole in the word table, which was made for English.
fn are_known(words: &[&str]) -> bool {
    let embedder = Embedder::builtin();
    let bare = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let is_whole = |word: &String| embedder.pieces(uncontracted(word)).len() == 1;
    let whole = words.iter().map(bare).filter(is_whole).count();
    whole * WHOLE_SHARE.1 >= words.len() * WHOLE_SHARE.0
}

/// A word without what English draws together with it: "we" of "we're".
fn uncontracted(word: &str) -> &str {
    const DRAWN: [&str; 7] = ["re", "s", "m", "ve", "ll", "d", "t"];
    match word.split_once(['\'', '’']) {
        Some((own, drawn)) if DRAWN.contains(&drawn) => own,
        Some(_) | None => word,
    }
}

/// The running words of a text.
fn prose(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut at = 0;
    for block in fence::blocks(text) {
        push_words(&text[at..block.start], &mut prose);
        at = block.end;
    }
    push_words(&text[at..], &mut prose);
    prose
}

fn push_words(text: &str, prose: &mut String) {
    // What stands between ticks is code; a tick that nothing closes is none.
    let mut parts = text.split('`').peekable();
    let mut inside = false;
    while let Some(part) = parts.next() {
        if !inside || parts.peek().is_none() {
            for word in part.split_whitespace().filter(|word| !is_code(word)) {
                prose.push_str(word);
                prose.push(' ');
            }
        }
        inside = !inside;
    }
}

/// Whether a word looks like code, a path, an address or a value. One with letters of another script is
/// none: there words are not set apart by blanks.
fn is_code(word: &str) -> bool {
    if word.chars().any(|c| c.is_alphabetic() && !is_latin(c)) {
        return false;
    }
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    let shown = |c: char| c.is_ascii_digit() || "/\\_=<>{}[]$@#|~^*+:.".contains(c);
    let humps = inner.chars().zip(inner.chars().skip(1));
    word.starts_with(['-', '/', '$', '@', '#', '~'])
        || inner.chars().any(shown)
        || humps.into_iter().any(|(a, b)| a.is_lowercase() && b.is_uppercase())
}

fn is_latin(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '\u{aa}' | '\u{ba}' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// Whether a letter belongs to a script that sets no blanks between words, or packs a syllable into a sign.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::is_english;

    #[test]
    fn english_with_code_foreign_names_and_identifiers_is_english() {
        for text in [
            "We deploy on Thursdays only, never on Fridays.",
            "ok",
            "npm, never yarn",
            "the Rechnungslauf job writes to `abrechnung_monat` and must not run twice a day",
            "Frau Lindqvist from the Stuttgart office owns the tax rules now, ask her first",
            "please rename kunden_nummer to customer_id in src/kunden/adresse_pruefen.rs",
            "the button should say 「保存」 on the settings page and nothing else",
            "fix this:\n```\nlet größe = prüfe_adresse(straße); // die Größe in Metern\n```\nit panics on empty input",
            "run cargo nextest run -p billing --no-capture and tell me what fails",
            "",
            "`git push --force`",
        ] {
            assert!(is_english(text), "{text}");
        }
    }

    #[test]
    fn other_languages_are_not() {
        for text in [
            "Wir deployen nur noch donnerstags, nie am Freitag.",
            "kannst du den Import in src/kunden/import.rs mal neu anstoßen",
            "On ne pousse jamais directement sur main, toujours par une MR.",
            "la base de staging usa Postgres 16 desde ayer, ya no la 14",
            "以后都用 pnpm，不要再用 npm 了",
            "別用npm",
            "ステージングのPostgresは16に上げました",
            "useSWRのmutateをoptimistic updateにして、errorのときrollbackしてtoast出す感じで",
            "Мы больше не используем Redis для сессий",
            "스테이징 데이터베이스는 이제 Postgres 16입니다",
        ] {
            assert!(!is_english(text), "{text}");
        }
    }

    #[test]
    fn code_around_the_words_does_not_count() {
        let code =
            "```rust\nfn main() { println!(\"the quick brown fox jumps over the dog\"); }\n```";
        assert!(!is_english(&format!("{code}\nbitte niemals println in der Bibliothek verwenden")));
        assert!(is_english(&format!("{code}\nplease never print inside of the library")));
    }

    #[test]
    fn a_few_plain_words_with_names_of_tools_are_english() {
        for said in [
            "logs go to datadog",
            "we log to datadog",
            "ci runs on circleci",
            "main branch is trunk",
        ] {
            assert!(is_english(said), "{said}");
        }
        for said in
            ["Variablennamen englisch, Kommentare deutsch.", "Toda PR com changelog, uma linha."]
        {
            assert!(!is_english(said), "{said}");
        }
    }
}
