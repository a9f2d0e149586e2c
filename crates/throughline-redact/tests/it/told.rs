//! Passwords that somebody tells in a sentence or types into a command line disappear, in several
//! languages; sentences about passwords stay as they are.

use throughline_redact::redact;

/// What a person would type: a word and a year, or a word and a number.
fn typed() -> (String, String) {
    (["sommer", "2024"].concat(), ["hun", "ter22"].concat())
}

/// Nothing of a value is left, and everything before it is.
#[track_caller]
fn assert_told(texts: &[(&str, &str)], value: &str) {
    let mut missed = Vec::new();
    for (before, after) in texts {
        for after in [*after, &format!("{after}\nand more"), &format!("{after} Thanks.")] {
            let text = format!("{before}{value}{after}");
            let clean = redact(&text).text.into_owned();
            if clean.contains(&value[..4]) || !clean.starts_with(before) {
                missed.push(format!("{text:?} became {clean:?}"));
            }
            assert_eq!(redact(&clean).text, clean, "twice");
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_password_told_in_german_disappears() {
    let told = [
        ("das Passwort ist ", "."),
        ("Passwort: ", "."),
        ("Das Passwort für die Testdatenbank lautet ", ", bitte merken."),
        ("Kennwort für prod: ", "."),
        ("das Kennwort heißt jetzt ", "."),
        ("Das Datenbankpasswort ist „", "“."),
        ("das WLAN-Passwort lautet ", "."),
        ("hab das Kennwort geändert, lautet jetzt ", "."),
        ("nimm ", " als Passwort."),
        ("setz das Passwort auf ", "."),
        ("als Passwort hab ich ", " genommen."),
        ("Zugangsdaten: anna/", "."),
        ("Die Zugangsdaten sind anna und ", "."),
    ];
    assert_told(&told, &typed().0);
}

#[test]
fn a_password_told_in_french_disappears() {
    let told = [
        ("le mot de passe est ", "."),
        ("Le mot de passe de la base est maintenant ", "."),
        ("mot de passe : ", "."),
        ("mdp : ", "."),
        ("Identifiant : anna, mot de passe : ", "."),
        ("utilise ", " comme mot de passe pour la base."),
        ("le mot de passe, c'est « ", " »."),
        ("les identifiants sont anna / ", "."),
    ];
    assert_told(&told, &typed().0);
}

#[test]
fn a_password_told_in_spanish_disappears() {
    let told = [
        ("la contraseña es ", "."),
        ("la contraseña del servidor de pruebas es ", "."),
        ("Contraseña: ", "."),
        ("cambié la contraseña a ", "."),
        ("usuario root, clave ", "."),
        ("la clave del router es ", "."),
        ("usa ", " como contraseña."),
        ("credenciales: ana/", "."),
    ];
    assert_told(&told, &typed().0);
}

#[test]
fn a_password_told_in_chinese_or_japanese_disappears() {
    let told = [
        ("密码是", "。"),
        ("root密码：", "，别忘了。"),
        ("数据库的密码改成", "了。"),
        ("密码为 ", "。"),
        ("口令是", "。"),
        ("用", "作为密码。"),
        ("パスワードは", "です。"),
        ("パスワード: ", "。"),
        ("パスワードを「", "」に変えた。"),
        ("DBのパスワード、", "にしておいた。"),
        ("", "をパスワードにして。"),
    ];
    assert_told(&told, &typed().0);
}

#[test]
fn a_password_told_in_english_disappears() {
    let told = [
        ("Log in as admin with ", "."),
        ("log into the panel as admin with ", "."),
        ("sign in as ann@acme.com with ", "."),
        ("log in as ann / ", "."),
        ("credentials: alice/", "."),
        ("creds for staging are alice / ", "."),
        ("login: alice:", "."),
        ("user/pass is bob/", "."),
        ("user/pass: bob/", "."),
        ("Password for prod: ", "."),
        ("**Password for the prod database:** ", "."),
        ("password on staging = ", "."),
        ("the password is now ", "."),
        ("use ", " as the password for staging."),
        ("change the password to ", "."),
        ("user admin, password ", "."),
        ("user admin, password ", " on the staging box"),
        ("user: admin pass: ", ""),
        ("user=admin pass=", ""),
        ("the wifi pw ", "."),
        ("", " is the staging password."),
        ("FYI ", " was the password for the old box."),
        ("login with user root and pass ", "."),
        ("username root and password ", ""),
        ("the password was changed to ", "."),
        ("the root password got reset to ", "."),
        ("creds: bob ", ""),
        ("the recovery code is ", "."),
        ("backup code: ", "."),
    ];
    assert_told(&told, &typed().1);
}

#[test]
fn the_password_that_another_one_replaces_disappears_too() {
    let (old, new) = typed();
    for text in [
        format!("I changed the password from {old} to {new}."),
        format!("password changed from {old} to {new}."),
        format!("the password is now {new} instead of {old}."),
        format!("das Kennwort lautet jetzt {new} statt {old}."),
        format!("le mot de passe est {new} au lieu de {old}."),
        format!("la contraseña es {new} en vez de {old}."),
    ] {
        let clean = redact(&text).text.into_owned();
        assert!(!clean.contains(&old) && !clean.contains(&new), "{text:?} became {clean:?}");
    }
    let text = format!("the password is {new} on server01 and not on web02.");
    let clean = redact(&text).text.into_owned();
    assert!(clean.contains("on server01 and not on web02"), "{clean:?}");
}

#[test]
fn a_number_that_opens_something_disappears() {
    let told = [
        ("pin ", "."),
        ("PIN: ", "."),
        ("the door pin for the lab is ", "."),
        ("die PIN für das Terminal ist jetzt ", "."),
        ("el pin del almacén es ", "."),
        ("暗証番号は", "です。"),
        ("passcode ", "."),
        ("the passcode is ", "."),
        ("Passcode: ", "."),
        ("the unlock code is ", "."),
        ("door code: ", "."),
    ];
    assert_told(&told, "4711");
}

#[test]
fn a_password_in_a_command_line_disappears() {
    let told = [
        ("mysql -u root -p", " app"),
        ("mysqldump --password=", " app"),
        ("mytool login -u admin -p ", " --verbose"),
        ("mytool --user admin --password ", " --verbose"),
        ("PGPASSWORD=", " psql -h db"),
        ("MYSQL_PWD=", " mysql"),
        ("REDISCLI_AUTH=", " redis-cli"),
        ("redis-cli -h cache -a ", " ping"),
        ("ldapsearch -x -D cn=admin -w ", " -b dc=acme"),
        ("sshpass -p ", " ssh root@box"),
        ("sshpass -p", " ssh root@box"),
        ("mongosh -u app -p ", " --host db"),
        ("sqlcmd -S db -U sa -P ", " -Q x"),
        ("openssl pkcs12 -in a.p12 -passin pass:", " -nodes"),
        ("keytool -list -storepass ", " -v"),
        ("echo \"root:", "\" | chpasswd"),
        ("htpasswd -b .htpasswd bob ", ""),
        ("net user bob ", " /add"),
        ("psql \"host=db user=app password=", " dbname=app\""),
        ("jdbc:postgresql://db/app?user=app&password=", "&ssl=true"),
        ("Server=db;User Id=sa;Password=", ";Encrypt=true"),
    ];
    assert_told(&told, &typed().1);
}

#[test]
fn sentences_about_passwords_stay() {
    let about = [
        "the password is in 1Password",
        "password must be 12 characters",
        "the password is stored in postgres16",
        "the password is hashed in step2",
        "The password is broken!",
        "the password policy is NIST800-63",
        "argon2id is the password hasher",
        "bcrypt12 is the password hash we use",
        "postgres16 is where the password lives",
        "the password was changed to something longer in v2",
        "creds: see vault12",
        "creds: ask ops-team2 for them",
        "the unlock code is in code42.rs",
        "the recovery code path is covered by test_12",
        "and pass 2 more flags",
        "we run it and pass arg1 through",
        "the password for staging is in the vault",
        "Password for prod: see the vault",
        "set the password to at least 12 characters",
        "use argon2id as the password hasher",
        "use bcrypt12 as the password hash",
        "password login for user alice1 was disabled",
        "das Passwort steht im Vault",
        "Das Passwort ist in 1Password hinterlegt.",
        "das Passwort muss 12 Zeichen lang sein",
        "das Passwort wird mit argon2id gehasht",
        "le mot de passe est dans Vault",
        "le mot de passe doit avoir 12 caractères",
        "la contraseña está en 1Password",
        "la clave primaria es user_id2",
        "la clave es usar menos memoria",
        "密码存在1Password里",
        "密码至少12位",
        "密码用argon2id加密",
        "密码学课程cs1012",
        "パスワードはVault2024にあります",
        "パスワードは12文字以上",
        "pin the version to 4.7",
        "pin numpy to 1.26",
        "pin 1234",
        "GPIO pin 13 is high",
        "throughline pin 42886944",
        "run `throughline pin 42886944 --off`",
        "the pin is 4 digits",
        "PIN must be 4 to 8 digits",
        "pin: 4000 entries",
        "after the previous anchor pin f68d864a) it was",
        "log in as admin with the usual password",
        "log in with OAuth2 or office365",
        "login: github/google",
        "credentials: see docs/login.md",
        "credentials: aws/config",
        "user/pass: see the vault",
        "the first pass to `inline2=` it",
        "PASS: test_login2",
        "mkdir -p src/app2/x",
        "ssh -p 2222 root@box",
        "docker run -u 1000:1000 -p 8080:80 app",
        "cargo test -p throughline-redact2",
        "grep -w hunter22 -r .",
        "net user experience improved",
    ];
    let changed: Vec<_> =
        about.iter().map(|text| redact(text)).filter(|it| !it.found.is_empty()).collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

#[test]
fn a_secret_that_a_line_break_parts_disappears_whole() {
    let half = ["gh", "p_16C7e42F292c"].concat();
    let rest = "6912E7710c838347Ae178B4a";
    for (text, parts) in [
        ("the password is Tr0ub4\n dor&3xK".to_owned(), ["Tr0ub4", "dor&3xK"]),
        (format!("token is {half}\n{rest}\nthanks"), [half.as_str(), rest]),
    ] {
        let clean = redact(&text).text.into_owned();
        for part in parts {
            assert!(!clean.contains(part), "{clean}");
        }
        assert_eq!(redact(&clean).text, clean, "twice changes nothing");
    }
}

#[test]
fn what_stands_on_the_line_below_a_secret_stays() {
    for below in
        ["DEBUG=1", "thanks", "node18", "src/main2.rs", "v1.2.3", "user: ann2", "}", "2024"]
    {
        let text = format!("DB_PASSWORD=hunter2\n{below}");
        let clean = redact(&text).text.into_owned();
        assert_eq!(clean, format!("DB_PASSWORD=[redacted:password]\n{below}"));
    }
}

#[test]
fn a_word_that_no_sentence_has_disappears_near_a_word_of_access() {
    let value = ["Tr0ub", "4dor&3xK"].concat();
    for sentence in [
        "the box opens up if you say {}",
        "wifi, ah, moment, {} or so",
        "ssh in as deploy, it'll ask, answer {}",
        "pass: {}",
        "{} I think, for the vpn I mean",
    ] {
        let clean = redact(&sentence.replace("{}", &value)).text.into_owned();
        assert_eq!(clean, sentence.replace("{}", "[redacted:password]"));
    }
    for stays in [
        "wifi is handled by Foo#bar2Baz in the driver",
        "unlock uses Mutex2Guard::lock()",
        "the vpn is at vpn1.Example.com/path?x=A1b2",
        "logs in with $TOKEN_1a and AT&T",
        "connect to &Config2Reader",
    ] {
        assert_eq!(redact(stays).text, stays);
    }
}

#[test]
fn a_random_password_that_begins_like_the_name_of_a_method_disappears() {
    let befores = [
        ("password: ", ""),
        ("the database password is ", "."),
        ("machine db.example.com login bob password ", ""),
    ];
    for value in [["x8yyf", "2vg69gbb4"], ["es9mz", "41rtwqp8"], ["md5kq7", "wz2n84hy"]] {
        assert_told(&befores, &value.concat());
    }
}
