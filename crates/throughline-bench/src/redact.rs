//! `redact`: how long taking secrets out of a text takes, by what the text is made of.

use std::hint::black_box;
use std::time::Instant;

use throughline_engine::clean_text;

/// Each text is measured at this size, and at four times it.
const BYTES: usize = 1 << 20;
/// The fastest of so many runs counts: whatever else the machine does only adds.
const RUNS: usize = 5;

pub(crate) fn run() {
    let token = ["gh", "p_", "16C7e42F292c6912", "E7710c838347Ae178B4a"].concat();
    let first = Instant::now();
    black_box(clean_text(&mut "DB_PASSWORD=hunter2x".to_owned()));
    println!("first text of a process: {:.2} ms\n", first.elapsed().as_secs_f64() * 1e3);

    println!("{:<34} {:>9} {:>9} {:>7}", "", "ms/MB", "4 MB, ms", "ratio");
    for (name, unit) in [
        ("prose", "The staging cluster runs one release behind; ask before a deploy.\n".to_owned()),
        (
            "code about tokens",
            "let token = self.next_token()?; // the key of a secret is its name\n".to_owned(),
        ),
        (
            "code with a secret in three lines",
            format!("let key = next();\nAPI_TOKEN={token}\nok\n"),
        ),
        ("base64, one line", "QWxhZGRpbjpvcGVuIHNlc2FtZVRoaXMgaXMgYSB0ZXN0".to_owned()),
        ("one long line of words", "password of the key for a token ".to_owned()),
        ("quotes", "\"token\": \"".to_owned()),
        ("signs", "token=".to_owned()),
        ("addresses", "https://a:".to_owned()),
        ("options", " -p".to_owned()),
        ("digits", "4111 1111 ".to_owned()),
        ("colours and escapes", "a\u{1b}[32mb%5Fc".to_owned()),
        ("tables", "name,password\n".to_owned()),
        ("key blocks that end nowhere", "-----BEGIN PRIVATE KEY-----\n".to_owned()),
    ] {
        let [small, large] = [BYTES, 4 * BYTES].map(|bytes| fastest(&unit, bytes));
        println!("{name:<34} {small:>9.1} {large:>9.1} {:>7.1}", large / small);
    }
}

/// Milliseconds for a text of this size.
fn fastest(unit: &str, bytes: usize) -> f64 {
    let text = unit.repeat(bytes.div_ceil(unit.len()));
    let timed = (0..RUNS).map(|_| {
        let mut text = text.clone();
        let start = Instant::now();
        black_box(clean_text(&mut text));
        start.elapsed().as_secs_f64() * 1e3
    });
    timed.fold(f64::INFINITY, f64::min)
}
