//! What is found in a text: `cargo run -p throughline-redact --example findings < FILE`.
//!
//! Prints every finding with its surroundings and with the secret itself, so keep the output to
//! yourself. Texts may be separated by zero bytes.
#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::io::Read;

use throughline_redact::redact;

fn main() -> std::io::Result<()> {
    let mut texts = String::new();
    std::io::stdin().read_to_string(&mut texts)?;
    let mut count = 0;
    for text in texts.split('\0') {
        for found in redact(text).found {
            count += 1;
            let end = found.at + found.length;
            let before = &text[text.ceil_char_boundary(found.at.saturating_sub(60))..found.at];
            let after = &text[end..text.floor_char_boundary(end + 20)];
            println!("{}: {before:?} [{}] {after:?}", found.rule, &text[found.at..end]);
        }
    }
    println!("{count} findings in {} bytes", texts.len());
    Ok(())
}
