//! Secrets in the events of hooks are masked before anything is stored.

use std::fs;

use serde_json::json;

use crate::support::hooks::HookHome;

/// Shapes of secrets as agents write them, each with `§` in place of the secret. They must not reach the store by any way.
const SECRET_SHAPES: [&str; 64] = [
    "curl -u bob:§ https://x",
    "curl --user bob:§ https://x",
    "mysql -uroot -p§ db",
    "MYSQL_PWD=§ mysql",
    "DBPASS=§ ./run",
    "cat > .env <<EOF\nDB_PASS=§\nEOF",
    "curl -H 'Cookie: sid=§' https://x",
    "Set-Cookie: sid=§; Path=/",
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§;EndpointSuffix=x",
    "sshpass -p § ssh host",
    "docker login -u bob -p § host",
    "echo § | docker login -u bob --password-stdin",
    "git clone https://§@host/x",
    "curl 'https://x/a?sv=1&sig=§'",
    "curl 'https://x/a?X-Amz-Signature=§&b=1'",
    "curl https://hooks.slack.com/services/T0/B0/§",
    "curl https://discord.com/api/webhooks/123456/§",
    "curl https://api.telegram.org/bot123456:§/sendMessage",
    "machine host login bob password §",
    "twine upload -u __token__ -p pypi-§0123456789abcdefghijABCDEFGHIJ",
    "client-key-data: §",
    "{\"pwd\": \"§\"}",
    "{\"pass\": \"§\"}",
    "credential=§",
    "mnemonic: abandon ability able about above absent absorb abstract absurd abuse access §",
    "SG.§0123456789abcdef.0123456789abcdefghijABCDEFGHIJ",
    "ya29.§0123456789abcdef",
    "dop_v1_0123456789abcdef0123456789abcdef01234567§",
    "AGE-SECRET-KEY-1QZ9X7731QZ9X7731QZ9X7731QZ9X7731",
    "hvs.§0123456789abcdef",
    "password => \"§\"",
    "<password>§</password>",
    "Password:\n§\n",
    "vault login §",
    "gh auth login --with-token <<< §",
    "openssl enc -aes-256-cbc -k § -in a",
    "openssl rsa -passin pass:§ -in a",
    "zip -P § a.zip a",
    "htpasswd -b file bob §",
    "redis-cli -h db -a § PING",
    "ldapsearch -x -D cn=admin -w § uid=1",
    "mysql --password=§",
    "tool --password § x",
    "curl -H 'Authorization: Bearer §'",
    "curl -H 'Authorization: Basic §'",
    "curl -H 'Authorization: token §'",
    "curl -H 'X-Api-Key: §'",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.§",
    "sk-§0123456789",
    "sk-ant-api03-§0123456789",
    "sk_live_§0123456789",
    "glpat-§0123456789",
    "ghp_§0123456789abcdefghij",
    "github_pat_§0123456789abcdefghij",
    "xoxb-123456789012-§",
    "npm_§0123456789abcdefghij",
    "hf_§0123456789abcdefghij",
    "AIza§0123456789abcdefghijklmnop",
    "-----BEGIN PRIVATE KEY-----\n§\n-----END PRIVATE KEY-----",
    "postgres://bob:§@db/x",
    "export API_TOKEN=§",
    "aws_secret_access_key = §",
    "{\"password\": \"§\"}",
    "client_secret='§'",
];

/// A store, a log and a status with a secret in the clear give it to everybody who may read them.
#[test]
fn no_shape_of_a_secret_reaches_the_store() {
    const SECRET: &str = "Zq9Xsecret7731";
    let home = HookHome::new();
    for (number, shape) in SECRET_SHAPES.iter().enumerate() {
        let text = shape.replace('§', SECRET);
        let id = format!("s{number}");
        let session = home.session(&id);
        session.prompt(&text);
        home.send(&session.tool(
            "PostToolUse",
            "Bash",
            &json!({"command": text}),
            json!({"tool_response": {"stdout": text}}),
        ));
    }
    let mut clear = Vec::new();
    for entry in fs::read_dir(home.store().parent().unwrap()).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap_or_default();
        let content = String::from_utf8_lossy(&bytes);
        for part in ["Zq9X", "QZ9X7731"] {
            clear.extend(content.match_indices(part).map(|(at, _)| {
                let start = content.floor_char_boundary(at.saturating_sub(60));
                content[start..content.floor_char_boundary(at + 20)].to_owned()
            }));
        }
    }
    clear.sort();
    clear.dedup();
    assert!(clear.is_empty(), "{} in the clear:\n{}", clear.len(), clear.join("\n"));
}
