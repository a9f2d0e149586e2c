//! Whether a word of a sentence has the form of a password that a person typed.
//!
//! How much it takes depends on what stands before it: behind `the password is` a digit among letters is
//! enough, behind `log in with` a product with its number is as likely (`postgres16`).

use crate::value::{
    has_digit, is_expression, is_identifier, is_mixed, is_placeholder, is_reference, is_word_like,
    turns_often,
};
use crate::words;

/// Signs that people put into passwords, and not into words.
const SIGNS: &[u8] = b"!@#$%^&*+=?~";

/// Letters with digits or with signs among them, and nothing that names, addresses, amounts and
/// methods look like.
pub(crate) fn is_typed(word: &str) -> bool {
    let is_joined_name = word.contains(['_', '-', '.', ':']) && is_word_like(word);
    let unit = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_amount = unit.len() < word.len() && unit.bytes().all(|byte| byte.is_ascii_lowercase());
    let inner = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    (6..=64).contains(&word.len())
        && is_mixed(word)
        && (has_digit(word) || inner.len() >= 8 && is_mixed(inner))
        && !is_joined_name
        && !is_amount
        && !word.contains(['/', '\\'])
        && !(word.contains('@') && word.contains('.'))
        && (!is_expression(word) || is_spelt_with_digits(word))
        && !is_placeholder(word)
        && !is_reference(word)
}

/// The same for places where a name with a number is as likely: `python3`, `step-2`.
pub(crate) fn is_typed_surely(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    is_typed(word) && (digits >= 2 || has_sign(word) || turns_often(word))
}

/// The same for places where a product, a host or a method is more likely than a password: digits or
/// signs among the letters, or a word and a year.
pub(crate) fn is_typed_firmly(word: &str) -> bool {
    // `hunter2!`, but `admin uses Vue3.4!`: there the sign is the sentence's.
    let bare = word.trim_end_matches('!');
    if bare.len() < word.len() && !has_sign(bare) && is_numbered(bare) && !has_year(bare) {
        return is_typed(word) && is_long_word_with_digit(bare) && !is_technology(bare);
    }
    is_typed_surely(word)
        && !is_technology(bare)
        && !is_chord(word)
        && !is_ticket(bare)
        && !is_identifier(bare)
        && !is_setting(word)
        && !bare.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && (has_inner_sign(word) || !is_numbered(word) || has_year(word))
}

/// Six letters or more and a number.
fn is_long_word_with_digit(word: &str) -> bool {
    let name = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    name.len() >= 6
        && name.len() < word.len()
        && name.bytes().all(|byte| byte.is_ascii_alphabetic())
        && name.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
}

/// `delay=250ms`
fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, value)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_-.".contains(&byte))
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
    })
}

/// `correct-horse-battery`: three words or more that somebody drew, and no description such as
/// `base64-encoded-string` or `server-side-rendered`.
pub(crate) fn is_drawn(word: &str) -> bool {
    const WORDS: std::ops::RangeInclusive<usize> = 3..=8;
    let Some(sign) = ['-', '.', '_'].into_iter().find(|sign| word.contains(*sign)) else {
        return false;
    };
    // Names in code and of hosts have the other two signs.
    sign == '-'
        && word.len() <= 64
        && WORDS.contains(&word.split(sign).count())
        && word.split(sign).all(is_drawn_word)
        && !words::is_made_of_placeholders(word)
        && !words::says_it_is_invented(word)
}

/// What stays unknown behind a name, where code has fields of records: `gr33n.m0nkey`, drawn words.
pub(crate) fn is_drawn_or_spelt(word: &str) -> bool {
    is_drawn(word) || word.contains('.') && is_typed_surely(word) && is_spelt_with_digits(word)
}

/// A plain word that neither links nor describes.
fn is_drawn_word(word: &str) -> bool {
    const ENDS: [&str; 12] =
        ["ed", "ing", "able", "ible", "ly", "tion", "ment", "less", "ive", "ity", "ness", "ware"];
    const NAMES: &str = "\
        the and for not from with into over per via off out all any one two three only ever never \
        non pre post auto self hosted read write time run case end start side back front open source \
        long short term lived high low level single multi factor many first last zero trust full \
        base based url safe api app apps auth sso login logon user users role admin root group team \
        service services server client host node pod cluster proxy gateway cloud aws gcp azure env \
        file files path dir folder name key keys token tokens secret secrets password passwords \
        policy policies provider providers manager store stores vault config module plugin library \
        package crate test tests type types list map set get put new old main master branch prod \
        staging dev beta random string strings text hash salt hmac sha aes rsa ssh ssl tls http \
        https oauth saml oidc ldap kerberos redis postgres mysql mongo kafka docker kube terraform \
        ansible helm github gitlab next react vue form field input page link flow sign data base \
        database table row column index cache queue job jobs task worker agent build check state \
        art fact date code mode down line way web wide shared unique alpha numeric character \
        characters minimum maximum deploy band words mix";
    (3..=12).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && word.bytes().any(|byte| b"aeiouy".contains(&byte))
        && !ENDS.iter().any(|end| word.len() > end.len() + 2 && word.ends_with(end))
        && !words::is_in(NAMES, word)
}

pub(crate) fn has_sign(word: &str) -> bool {
    word.bytes().any(|byte| SIGNS.contains(&byte))
}

/// A sign between or before letters, or behind a digit where a sentence has none.
fn has_inner_sign(word: &str) -> bool {
    has_sign(word.trim_end_matches(['?', '+'])) || word.ends_with('+') && has_digit(word)
}

/// `gr33n.m0nkey`: every part has a digit between letters, as no field of a record has.
fn is_spelt_with_digits(word: &str) -> bool {
    word.split('.').all(|part| {
        let bytes = part.as_bytes();
        bytes.windows(3).any(|three| {
            three[1].is_ascii_digit()
                && (three[0].is_ascii_alphabetic() || three[2].is_ascii_alphabetic())
        }) && turns_often(part)
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// `postgres16`, `web-02`, `age1.2`, `yubikey5c`: a name and its number.
fn is_numbered(word: &str) -> bool {
    let name = |letter: char| letter.is_ascii_alphabetic() || "-_.".contains(letter);
    let number = |letter: char| letter.is_ascii_digit() || "-_.".contains(letter);
    let rest = word.trim_start_matches(name);
    let rest = rest.trim_start_matches(number);
    rest.len() < word.len()
        && rest.len() <= 2
        && rest.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// `sommer2024`: a word of small letters and a year.
fn has_year(word: &str) -> bool {
    let Some((name, year)) = word.split_at_checked(word.len().saturating_sub(4)) else {
        return false;
    };
    let is_word = |name: &str| {
        let small = name.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
        name.len() >= 4
            && name.len() <= small.len() + 1
            && small.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    is_word(name)
        && (year.starts_with("19") || year.starts_with("20"))
        && year.bytes().all(|byte| byte.is_ascii_digit())
}

/// `Ctrl+Alt+F2`
fn is_chord(word: &str) -> bool {
    const KEYS: &str = "ctrl control alt shift cmd command super meta option fn win";
    word.contains('+')
        && word.split('+').next().is_some_and(|key| words::is_in(KEYS, &key.to_ascii_lowercase()))
}

/// `PR#4521`, `issue#88b`
fn is_ticket(word: &str) -> bool {
    word.split_once('#').is_some_and(|(of, number)| {
        of.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-/".contains(&byte))
            && number.starts_with(|first: char| first.is_ascii_digit())
            && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// What people log in with, connect with and encrypt with, by its first word.
fn is_technology(word: &str) -> bool {
    const STEMS: &str = "\
        yubikey yubi fido webauthn passkey passkeys oauth openid oidc saml sso scrim scram office \
        outlook exchange windows server ubuntu debian fedora macos ios android python node java jdk \
        ruby php perl rust golang go postgres postgresql psql mysql mariadb redis mongo mongodb kafka \
        amqp mqtt ldap kerberos radius keycloak okta auth cognito ssh tls mtls ssl dtls gpg pgp age \
        sops pkcs kms hsm tpm luks zip seven veracrypt bitlocker wpa wep psk ikev ipsec wireguard openvpn \
        ed rsa aes chacha blake hkdf ecdsa ecdh curve secp sha md utf base rfc cve iso ecma es http \
        quic grpc rest soap json xml yaml vim emacs nvim chrome firefox safari release version build \
        agent report draft ticket issue table figure section chapter step phase sprint vlan port \
        eth wlp enp ens eno wg tun utun wlan usb com dev sda nvme gpu cpu x arm riscv log net web db app api id i vpc \
        subnet sg ami vol eni snap";
    let first = words::split(word).next().unwrap_or_default();
    first.len() <= 16 && words::is_in(STEMS, &first.to_ascii_lowercase()) && !has_inner_sign(word)
}
