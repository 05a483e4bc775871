//! All shapes of secrets that are not keys with a prefix, each with an example and with texts that must stay.

use super::command_secrets::COMMAND_SHAPES;
use super::{clip_masked, find_secrets, mask_secrets};

/// A shape: its name, a text with `§` in place of the secret, and texts that look alike and have none.
type SecretShape = (&'static str, &'static str, &'static [&'static str]);

const SHAPES: &[SecretShape] = &[
    // Values after a name.
    (
        "setting",
        "password=§",
        &[
            "password=",
            "password=$PASS",
            "password=<your password>",
            "password == other",
            "`DB_PASSWORD=`, `X=`",
            "a \"token=\" b",
        ],
    ),
    ("exported setting", "export DB_PASSWORD=§", &["export DB_PASSWORD=\"$1\""]),
    ("setting of MySQL", "MYSQL_PWD=§ mysql", &["PWD=/home/bob", "OLDPWD=/srv/a1"]),
    ("joined name", "DBPASS=§", &["BYPASS=true1", "COMPASS=north1"]),
    ("here-document", "cat > .env <<EOF\nDB_PASS=§\nEOF", &["DB_PASS=$1", "DB_PASS="]),
    (
        "setting with blanks",
        "aws_secret_access_key = §",
        &["let token = lexer.next();", "token = self.current_token_value"],
    ),
    (
        "JSON",
        r#"{"password": "§", "user": "bob"}"#,
        &[r#"{"password": null}"#, r#"{"password": {"type": "string"}}"#],
    ),
    ("JSON in JSON", r#""{\"token\": \"§\", \"n\": 1}""#, &[r#"{\"token\": 512}"#]),
    ("JSON pwd", r#"{"pwd": "§"}"#, &[r#"{"pwd": "/home/bob/a1"}"#]),
    ("JSON pass", r#"{"pass": "§"}"#, &[r#"{"pass": 12}"#, r#"{"pass": true}"#, r#"{"pass": "yes"}"#]),
    ("JSON auth", r#"{"auths":{"x":{"auth":"§"}}}"#, &[r#"{"auth": "basic"}"#, "auth: true"]),
    ("YAML", "  password: §\n", &["password: string", "password: String,", "password: please try again"]),
    ("kubeconfig", "    client-key-data: §", &["client-key-data: ", "certificate-authority-data: x"]),
    ("credential", "credential=§", &["credential=default", "credentials: include"]),
    (
        "account key",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§;EndpointSuffix=x",
        &["AccountKey=;"],
    ),
    ("Ruby", r#":password => "§""#, &["token => token.trim()", "password => hash(password)"]),
    ("attribute", r#"<db user="a" password="§"/>"#, &[r#"<input type="password">"#]),
    ("element", "<password>§</password>", &["<password></password>", "use <password> here"]),
    ("next line", "Password:\n§\n", &["Password:\nlogin failed for bob1", "secret:\n  name: x1"]),
    ("next line in JSON", r#"{"out":"Password:\n§\n"}"#, &[r#"{"out":"token:\nnext"}"#]),
    ("subscript", r#"config["password"] = "§""#, &[r#"config["password"] = load()"#]),
    ("client secret", "client_secret='§'", &["client_secret=\"${SECRET}\""]),
    ("query", "GET /x?api_key=§&q=1", &["GET /x?key=1&q=1"]),
    ("signature", "https://x/a?sv=1&sig=§", &["sig = sign(data)", "signature: fn(a1) -> b"]),
    ("signed address", "https://x/a?X-Amz-Signature=§&b=1", &["signature=false"]),
    (
        "mnemonic",
        "mnemonic: legal winner thank year wave sausage worth useful legal winner thank yellow",
        &["mnemonic: a word"],
    ),
    // Flags.
    (
        "flag",
        "mysql --password § -u root",
        &[
            "tool --password -u x",
            "tool --token <TOKEN> --password-stdin",
            "tool --print-token          The token that clients send",
        ],
    ),
    ("flag with sign", "mysql --password=§ -u root", &["tool --max-tokens 4096", "tool --token-limit=9"]),
    ("flag of a token", "tool --token '§' --x", &["tool --token $TOKEN"]),
    ("flag of Java", "keytool -storepass § -list", &["java -Xpass x"]),
    ("flag of a cookie", "curl --cookie 'sid=§' https://x", &["curl --cookie jar.txt https://x"]),
    ("pass:", "openssl rsa -passin pass:§ -in a", &["12 pass: ok", "pass:fail"]),
    (
        "pass: alone",
        "tool x pass:§",
        &["bypass:x1", "pass: 12 of 14", "--- PASS: TestParseHookInput2/valid_input (0.00s)"],
    ),
    // Standard input.
    ("piped password", "echo § | docker login -u bob --password-stdin", &["echo hello world1 | grep hello"]),
    ("piped token", "echo '§' | gh auth login --with-token", &["echo done1234x | tee log"]),
    ("here-string", "gh auth login --with-token <<< §", &["cat <<< text1234"]),
    ("piped to chpasswd", "echo '§' | sudo chpasswd", &["echo x1 | sudo tee /etc/x"]),
    // Headers.
    ("bearer", "Authorization: Bearer §", &["a bearer token is needed", "Bearer authentication"]),
    ("basic", "authorization: Basic §", &["Basic usage", "Basic authentication"]),
    ("token header", "-H 'Authorization: token §' x", &["Authorization: required"]),
    ("private header", "PRIVATE-TOKEN: §", &["PRIVATE-TOKEN: $T"]),
    ("cookie", "Cookie: §=§; b=§\nnext", &["Cookie: a small text", "Cookie: none"]),
    ("set-cookie", "Set-Cookie: sid=§; Path=/", &["Set-Cookie: see RFC 6265"]),
    // Addresses.
    (
        "password in an address",
        "postgres://bob:§@db:5432/x",
        &["https://example.com:8080/a@b", "http://localhost:3000"],
    ),
    ("password without user", "redis://:§@db", &["redis://db:6379/0"]),
    ("key in an address", "git clone https://§@host/x", &["ssh://git@host/x", "https://bob@host"]),
    ("Slack webhook", "https://hooks.slack.com/services/§", &["https://hooks.slack.com/services/..."]),
    ("Discord webhook", "https://discord.com/api/webhooks/123456/§", &["https://discord.com/api/webhooks/"]),
    (
        "Telegram address",
        "https://api.telegram.org/bot§/sendMessage",
        &["https://api.telegram.org/bot<token>/x"],
    ),
    ("Telegram key", "1234567890:AA§0123456789abcdefghij-k", &["12:30:45", "12345678:9"]),
    // Files.
    (".netrc", "machine h login bob password §", &["machine learning password reset"]),
    (".netrc in lines", "machine h\n  login bob\n  password §\n", &["machine h login bob"]),
    (".pgpass", "db.host:5432:app:bob:§", &["fe80:1234:ab:cd:ef01", "src/a.rs:5432:9: error"]),
];

/// Blocks and keys of several parts, assembled here so that no scanner finds one.
fn assembled() -> Vec<(&'static str, String)> {
    let part = |length: usize| "Zq9Xk2Lm".chars().cycle().take(length).collect::<String>();
    let dashes = "-----";
    vec![
        (
            "private key",
            format!("{dashes}BEGIN RSA PRIVATE KEY{dashes}\nMIIE\n{dashes}END RSA PRIVATE KEY{dashes}"),
        ),
        (
            "OpenSSH key",
            format!(
                "{dashes}BEGIN OPENSSH PRIVATE KEY{dashes}\nb3Bl\n{dashes}END OPENSSH PRIVATE KEY{dashes}"
            ),
        ),
        (
            "PGP key",
            format!(
                "{dashes}BEGIN PGP PRIVATE KEY BLOCK{dashes}\nlQ\n{dashes}END PGP PRIVATE KEY BLOCK{dashes}"
            ),
        ),
        ("private key that is cut", format!("{dashes}BEGIN PRIVATE KEY{dashes}\nMIIE")),
        ("JSON web token", format!("eyJ{}.eyJ{}.{}", part(12), part(20), part(30))),
        ("Terraform", format!("{}.atlasv1.{}", part(14), part(60))),
        ("Discord", format!("M{}.{}.{}", part(23), part(6), part(30))),
        ("Azure", format!("abc8Q~{}", part(34))),
        ("Mailchimp", format!("{}-us12", "0123456789abcdef".repeat(2))),
        (
            "words",
            "'abandon ability able about above absent absorb abstract absurd abuse access accident'"
                .to_owned(),
        ),
    ]
}

const SECRET: &str = "Zq9Xsecret7731";

fn leaks(text: &str) -> bool {
    text.contains("Zq9X") || text.contains("secret77") || text.contains("7731")
}

#[test]
fn every_shape_of_a_secret_is_masked() {
    let mut clear = Vec::new();
    for (name, example, _) in SHAPES {
        let text = example.replace('§', SECRET);
        let as_json = serde_json::json!({ "command": text }).to_string();
        for text in [text, as_json] {
            let masked = mask_secrets(&text);
            if leaks(&masked) || matches!(masked, std::borrow::Cow::Borrowed(_)) {
                clear.push(format!("{name}: {masked}"));
            }
        }
    }
    for shape in COMMAND_SHAPES {
        let text = shape.example.replace('§', SECRET);
        let quoted = shape.example.replace('§', &format!("'{SECRET}'"));
        let as_json = serde_json::json!({ "command": format!("cd /x && sudo {text}\nls") }).to_string();
        for text in [text, quoted, as_json] {
            if shape.words[0] == "sqlplus" && text.contains('\'') {
                continue;
            }
            let masked = mask_secrets(&text);
            if leaks(&masked) {
                clear.push(format!("{}: {masked}", shape.words.join(" ")));
            }
        }
    }
    for (name, text) in assembled() {
        let masked = mask_secrets(&text);
        if masked.trim_matches('\'') != "***" {
            clear.push(format!("{name}: {masked}"));
        }
    }
    assert!(clear.is_empty(), "{} in the clear:\n{}", clear.len(), clear.join("\n"));
}

#[test]
fn a_command_is_read_however_many_commands_come_before_it() {
    let secret = format!("mysql -uroot -p{SECRET} db");
    for before in ["echo a\n", "echo a; ", "curl -s x | ", "docker ps && ", "echo a\\n"] {
        let text = format!("{}{secret}", before.repeat(12));
        assert!(!leaks(&mask_secrets(&text)), "{}", mask_secrets(&text));
    }
}

#[test]
fn texts_that_look_alike_stay() {
    let mut masked = Vec::new();
    let commands = COMMAND_SHAPES.iter().map(|shape| shape.near_miss);
    for text in SHAPES.iter().flat_map(|(_, _, near_misses)| *near_misses).copied().chain(commands) {
        for secret in find_secrets(text) {
            masked.push(format!("{text:?}: {}: {:?}", secret.rule, &text[secret.range.clone()]));
        }
    }
    assert!(masked.is_empty(), "{}", masked.join("\n"));
}

#[test]
fn a_cut_leaves_no_part_of_a_secret() {
    for (name, example, _) in SHAPES {
        let text = format!("{} {}", "x".repeat(40), example.replace('§', &SECRET.repeat(3)));
        for max in 0..text.len() {
            assert!(!leaks(&clip_masked(&text, max)), "{name} at {max}");
        }
    }
}

#[test]
fn a_row_of_beginnings_takes_no_longer_than_other_text() {
    // One pass, whatever the text: a quadratic rule would take minutes here.
    for part in [
        "curl ",
        "echo ",
        "password:",
        "machine a ",
        "\"abc ",
        "://",
        "-----BEGIN ",
        "<pass>",
        "eyJ",
        "--token ",
        "curl -u '",
    ] {
        let text = part.repeat(400_000 / part.len());
        let _ = mask_secrets(&text);
    }
}
