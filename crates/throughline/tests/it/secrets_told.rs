//! A password that a person tells in words never reaches the disk, whatever language they speak.

use crate::harness::Home;
use crate::hooking::Agent;
use crate::secrets::assert_gone;

/// What is said before a password and behind it, and the password in two parts.
const TOLD: [(&str, [&str; 2], &str); 14] = [
    ("Das Passwort für die Datenbank ist ", ["sommer", "2024"], ", merk dir das."),
    ("Nimm ", ["regen", "tag31"], " als Kennwort für den Testserver."),
    ("Le mot de passe de la base est maintenant ", ["soleil", "1987"], "."),
    ("La contraseña del servidor es ", ["verano", "2031"], "."),
    ("数据库的密码是", ["chun", "tian66"], "，记住。"),
    ("DBのパスワードは", ["haru", "kaze77"], "です。"),
    ("暗証番号は", ["47", "11"], "です。"),
    ("Log in as admin with ", ["hun", "ter22"], " and check the page."),
    ("The credentials: alice/", ["won", "der77"], " for staging."),
    ("Password for prod: ", ["tri", "dent55"], ""),
    ("The user/pass is bob/", ["maple", "409x"], "."),
    ("Open the lab door, pin ", ["58", "36"], "."),
    ("Run mytool login -u admin -p ", ["otter", "618"], " first."),
    ("Run redis-cli -a ", ["violin", "73"], " ping."),
];

#[test]
fn a_password_told_in_words_never_reaches_the_disk() {
    for (before, [first, second], after) in TOLD {
        let (home, value) = (Home::new(), [first, second].concat());
        let agent = Agent::new(&home, "one");
        agent.starts();
        agent.hears(&format!("{before}{value}{after} We keep orders in Postgres."));
        agent.answers(&format!("Noted: {before}{value}{after}"));
        agent.ends();
        assert_gone(&home, &[&value], before);
        assert!(!home.files_holding("orders in Postgres").is_empty(), "{before}");
    }
}

#[test]
fn a_sentence_about_passwords_is_kept_as_it_was_said() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    for said in [
        "The password is in 1Password, under staging.",
        "Passwords: a password must be 12 characters at least.",
        "Das Passwort steht im Vault, Ordner 2024.",
        "Please pin the version to 4.7 in the lock file.",
    ] {
        agent.hears(said);
        assert!(!home.files_holding(said).is_empty(), "{said}");
    }
}
