//! Code that only looks as if it held a secret comes through byte for byte, and what is one in the same
//! form still goes.

use throughline_redact::redact;

#[test]
fn names_types_and_test_values_in_code_stay() {
    let code = [
        // A type with its digest, a name in a vault, a page of a list.
        "\"AWS::Route53::KeySigningKey\": \"a9a67ae6c371fcf4\",",
        "\"AWS::Shield::DRTAccess\": \"fb21794f4659ef00\",",
        "\"AWS::Config::AggregationAuthorization\": \"af318b77aaceeeaa\",",
        "\"arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestDatabaseSecret-a1b2c3\"",
        "\"ChangeToken\": \"abcd12f2-46da-4fdb-b8d5-fbd4c466928f\"",
        "nextPageToken = \"CAUQAA9x81kdPlw93Rt7qm\"",
        "\"id\": \"to-list-key-policies-for-a-cmk-1481069780998\",",
        "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUN5RENDQWJDZ0F3SUJBZ0lCQURBTg==",
        // Names of tests, and what is called or propagated.
        "def test_testTakeTransposeInnerOuter(self):",
        "#define sk_X509_POLICY_NODE_set_cmp_func(sk, cmp) x",
        "#define sk_OSSL_CRMF_ATTRIBUTETYPEANDVALUE_new_reserve(cmp, n) x",
        "#define OBJ_pkcs9_challengePassword             OBJ_pkcs9,7L",
        "g(e)},PW=($,v,D,g)=>{let I=D}",
        "def test_badandgoodreplaceexceptions(self):",
        "let (host, port, password) = (host?, port?, password?);",
        "two-pass memchr2+SWAR code on big texts",
        "password=self.password2, token=self._token2,",
        "password: String, secret: Vec<u8>, token: Option<Token2>,",
        "password = os.environ[\"DB_PASSWORD2\"]",
        // Where a value goes, and values that were never meant to be any.
        "proxy_url=\"socks5h://<username>:<password>@proxy-host\"",
        "\"oauth_token_secret=secret%3Dpassword&oauth_token=lock%26key\"",
        "access_token=sdlfkj452&state=x, {'access_token': 'askfjh234as9sd8'}",
        "'Authorization': 'OAuth oauth_token=234lsdkf....'",
        "\"access_token\": \"m2m-access-token-12345\",",
        "\"SessionToken\": \"AQoEXAMPLEH4aoAH0gNCAPyJxz4BlCFFxWNE1OPTgk5TthT\"",
        "Set-Cookie: JSESSIONID=ABCDERANDOM123; Path=/",
        "ssn : 111-22-3333, SSN 123-45-6789",
    ];
    let changed: Vec<_> =
        code.iter().map(|text| redact(text)).filter(|it| !it.found.is_empty()).collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

#[test]
fn a_secret_in_the_same_forms_disappears() {
    let value = ["kQ7m", "Zx81", "dPlw", "93Rt"].concat();
    let uuid = ["8a3f1c52-77de-4b0c", "-9a1e-5d2c6f7b8a90"].concat();
    let pem = ["BSU0EgUFJJVkFURSBL", "RVktLS0tLQpNSUlFcEFJQkFBS0NBUUVB"].concat();
    let number = ["219-", "09-9999"].concat();
    for (before, secret, after) in [
        ("profile::db::password: ", &value, "\n"),
        ("\"client_token\": \"", &value, "\""),
        ("\"service-token-", &uuid, "\""),
        ("api_token = \"", &uuid, "\""),
        ("<password>", &value, "</password>"),
        ("access_token=", &format!("{value}%2B%2F"), "&state=x"),
        ("Authorization: OAuth ", &value, "\n"),
        ("Cookie: JSESSIONID=", &value, "; theme=dark"),
        ("SSN ", &number, ""),
        ("client-key-data: LS0tLS1CRUdJTi", &pem, "\n"),
    ] {
        let text = format!("{before}{secret}{after}");
        let clean = redact(&text).text.into_owned();
        assert!(!clean.contains(&secret[..10]), "{text:?} became {clean:?}");
    }
}
