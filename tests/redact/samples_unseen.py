"""More secrets, made up: in commands, settings, headers, statements, sentences and code.

They are written apart from the rules, from what providers and programs document: a kind that a rule
was made for counts little, so most of these have none of their own.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Protocol

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
LOWER = "abcdefghijklmnopqrstuvwxyz0123456789"
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"


class Maker(Protocol):
    """Makes random characters."""

    def __call__(self, size: int, letters: str = ALNUM) -> str: ...
    def uuid(self) -> str: ...


def unseen(k: Maker) -> Iterator[tuple[str, str, str]]:
    """Yields the name, a text with a place for the secret, and the secret."""
    yield "curl user", "curl -u admin:{} https://jira.example.org/rest/api/2/issue", "Wq7xLm2p"
    yield (
        "curl user, wordy",
        "curl --user deploy:{} -X POST https://ci.example.org/job/build",
        "correct-horse-battery",
    )
    yield "sshpass", "sshpass -p {} ssh root@10.0.0.5 uptime", "hunter2xyz"
    yield "sshpass quoted", "sshpass -p '{}' scp a.txt root@10.0.0.5:/srv", "Gr3en!Tea#9"
    yield "mysql -p", "mysql -h db -uroot -p{} -e 'show tables'", "S3cretPw"
    yield "mysqldump -p", "mysqldump -u root -p{} shop > shop.sql", "kX92mmPq"
    yield "redis-cli", "redis-cli -h cache -a {} ping", "f00bar9baz"
    yield "pgpassword", "PGPASSWORD={} psql -h db -U app main", "blue.tiger.42"
    yield "docker login", "docker login -u me -p {} registry.example.org", "dK29sLq0Zz"
    yield (
        "mongo shell",
        "mongosh --host db --username root --password {} --eval 'db.stats()'",
        "Tango99Zulu",
    )
    yield "openssl pass", "openssl rsa -in key.pem -passin pass:{} -out out.pem", "Zx81spectrum"
    yield "keytool", "keytool -list -keystore a.jks -storepass {}", "k3yst0reQ"
    yield (
        "ldapsearch",
        "ldapsearch -x -D cn=admin,dc=example,dc=org -w {} -b dc=example",
        "Ld4pSecret",
    )
    yield "smbclient", "smbclient //nas/share -U 'me%{}' -c ls", "Sm8bPass!"
    yield "wget", "wget --http-user=me --http-password={} https://example.org/a.zip", "W6getIt!"
    yield "ansible", "ansible-playbook site.yml -e ansible_become_pass={}", "BecomeR00t"
    yield "helm set", "helm upgrade app ./chart --set db.password={} --wait", "h3lmPw77"
    yield (
        "kubectl literal",
        "kubectl create secret generic s --from-literal=password={}",
        "k8sLit3ral",
    )
    yield "gh secret", "gh secret set DEPLOY_KEY --body {}", k(32, LOWER)
    yield "mailchimp", "MC={}-us14", k(32, HEX)
    yield "mailchimp alone", "using {}-us6 for the list", k(32, HEX)
    yield "asana", "asana: 1/1203945867512345:{}", k(32, HEX)
    yield "asana new", "pat 2/1203945867512345/1203945867512399:{}", k(32, HEX)
    yield "sentry dsn", "https://{}@o447951.ingest.sentry.io/5428537", k(32, HEX)
    yield "sentry dsn env", "SENTRY_DSN=https://{}@sentry.example.org/4", k(32, HEX)
    yield "gcp key id", '"private_key_id": "{}",', k(40, HEX)
    yield "apikey, no sign", "send apikey {} with it", k(32, HEX)
    yield "jwt secret", "JWT_SECRET={}", "my-super-secret-jwt-key-2024"
    yield "session secret", "SESSION_SECRET={}", "keyboard-cat-and-dog"
    yield "jwt yaml", "jwt:\n  secret: {}\n  ttl: 3600", "please-do-not-share-this-1"
    yield "spaces", 'password = "{}"', "correct horse battery staple"
    yield "spaces json", '{{"passphrase": "{}"}}', "four small words 77"
    yield "app.config", '<add key="Password" value="{}" />', "Sql$erver2019"
    yield "app.config key", '<add key="ApiSecret" value="{}"/>', k(24, LOWER)
    yield "maven", "<server><id>r</id><password>{}</password></server>", "mvn-Dep10y"
    yield (
        "connection string",
        "Server=db;Database=x;User Id=sa;Password={};Encrypt=true",
        "Str0ng!Pa55",
    )
    yield "odbc", "Driver={{SQL Server}};Uid=sa;Pwd={};", "0dbcPw!2"
    yield "jdbc", "jdbc:mysql://db/x?user=root&password={}&useSSL=false", "jdbcS3cret"
    yield "said of admin", "The password for admin: {}", "Blau-Kraut-9"
    yield "said of admin is", "password for user deploy is {}", "Rot7Wein8"
    yield "log in", "login: me password: {}", "qwe45rty"
    yield "htpasswd", "htpasswd -b .htpasswd me {}", "Ht4cc3ss"
    yield "pgpass", "db.internal:5432:main:app:{}", "pgP4ssFile"
    yield "git credentials", "https://me:{}@gitlab.example.org", "gl-t0ken-x"
    yield "amqp", "amqp://guest:{}@mq:5672/%2f", "rabb1tPw"
    yield "ftp", "ftp://me:{}@ftp.example.org/a", "ftpPw123"
    yield "slack hook", "https://hooks.slack.com/services/T024BE7LD/B024BE7LH/{}", k(24)
    yield "discord hook", "https://discord.com/api/webhooks/1034567890123456789/{}", k(68, URLSAFE)
    yield (
        "teams hook",
        "https://x.webhook.office.com/webhookb2/a-b@c-d/IncomingWebhook/{}",
        k(32, HEX),
    )
    yield "telegram url", "https://api.telegram.org/bot123456789:AA{}/sendMessage", k(33)
    yield "maps url", "https://maps.googleapis.com/maps/api/js?key=AIza{}&v=3", "Sy" + k(33)
    yield (
        "weather url",
        "https://api.openweathermap.org/data/2.5/weather?q=Bonn&appid={}",
        k(32, HEX),
    )
    yield "cloudflare", "X-Auth-Key: {}", k(37, HEX)
    yield "cloudflare token", "CF_API_TOKEN={}", k(40, URLSAFE)
    yield "fastly", "Fastly-Key: {}", k(32)
    yield "datadog header", "DD-API-KEY: {}", k(32, HEX)
    yield "datadog app", "DD-APPLICATION-KEY: {}", k(40, HEX)
    yield "gitlab header", "PRIVATE-TOKEN: {}", k(20)
    yield "gitlab job", "JOB-TOKEN: {}", k(20, LOWER)
    yield "vault header", "X-Vault-Token: s.{}", k(24)
    yield "shopify header", "X-Shopify-Access-Token: {}", k(32, HEX)
    yield "azure subscription", "Ocp-Apim-Subscription-Key: {}", k(32, HEX)
    yield "azure client", "AZURE_CLIENT_SECRET={}", k(3) + "8Q~" + k(34)
    yield "azure openai", "AZURE_OPENAI_KEY={}", k(32, HEX)
    yield "cohere", "CO_API_KEY = '{}'", k(40)
    yield "mistral", "MISTRAL_API_KEY: {}", k(32)
    yield "deepseek", "DEEPSEEK_API_KEY=sk-{}", k(32, HEX)
    yield "together", "TOGETHER_API_KEY={}", k(64, HEX)
    yield "elevenlabs", "xi-api-key: {}", k(32, HEX)
    yield "deepgram", "Authorization: Token {}", k(40, HEX)
    yield "pinecone", "PINECONE_API_KEY={}", k.uuid()
    yield "weaviate", "WEAVIATE_APIKEY={}", k(40)
    yield "paypal", "PAYPAL_SECRET=E{}", k(79, URLSAFE)
    yield "braintree", "access_token$production$xkhdjfkslpmanqpz${}", k(32, HEX)
    yield "adyen", "X-API-Key: AQE{}", k(100, BASE64)
    yield "plaid", "PLAID_SECRET={}", k(30, HEX)
    yield "razorpay", "rzp_live_9s8d7f6g5h4j3k:{}", k(24)
    yield "mollie", "live_{}", k(30)
    yield "twilio auth", "TWILIO_AUTH_TOKEN={}", k(32, HEX)
    yield (
        "twilio basic",
        "curl -u AC0123456789abcdef0123456789abcdef:{} https://api.twilio.com",
        k(32, HEX),
    )
    yield "mailgun", "key-{}", k(32, HEX)
    yield "postmark", "X-Postmark-Server-Token: {}", k.uuid()
    yield "brevo", "xkeysib-{}", k(64, HEX) + "-" + k(16)
    yield "algolia", "ALGOLIA_ADMIN_KEY={}", k(32, HEX)
    yield "segment", 'analytics.load("x"); writeKey: "{}"', k(32)
    yield "launchdarkly", "LD_SDK_KEY=sdk-{}", k.uuid()
    yield "pagerduty", "Authorization: Token token={}", k(20)
    yield "pagerduty routing", '"routing_key": "{}"', k(32, HEX)
    yield "opsgenie", "Authorization: GenieKey {}", k.uuid()
    yield "circleci", "Circle-Token: {}", k(40, HEX)
    yield "travis", "TRAVIS_TOKEN={}", k(22)
    yield "buildkite", "bkua_{}", k(40, HEX)
    yield "jira", "ATATT3xFf{}", "GF0" + k(180, URLSAFE)
    yield "bitbucket", "ATBB{}", k(32)
    yield "sonar", "sqp_{}", k(40, HEX)
    yield "snyk", "SNYK_TOKEN={}", k.uuid()
    yield "codecov", "CODECOV_TOKEN={}", k.uuid()
    yield "rubygems", "rubygems_{}", k(48, HEX)
    yield "nuget", "oy2{}", k(43, LOWER)
    yield "crates", "cio{}", k(32)
    yield "terraform", "{}", k(14) + ".atlasv1." + k(67)
    yield "pulumi", "pul-{}", k(40, HEX)
    yield "fly", "FlyV1 fm2_{}", k(120, BASE64)
    yield "railway", "RAILWAY_TOKEN={}", k.uuid()
    yield "netlify", "nfp_{}", k(36)
    yield "vercel", "VERCEL_TOKEN={}", k(24)
    yield "cloudinary", "cloudinary://123456789012345:{}@demo", k(27)
    yield "okta", "Authorization: SSWS {}", "00" + k(40, URLSAFE)
    yield "auth0", "AUTH0_CLIENT_SECRET={}", k(64, URLSAFE)
    yield "sudo", "echo '{}' | sudo -S apt-get update", "hunter2x"
    yield "pgpassword, words", "PGPASSWORD='{}' psql -h db -U app", "tulip garden 9"
    yield (
        "connection string in xml",
        "<connectionString>Server=db;User Id=app;Password={};Encrypt=true</connectionString>",
        "tulipgarden",
    )
    yield "facebook", "FB_APP_SECRET={}", k(32, HEX)
    yield "twitter", "consumer_secret='{}'", k(50)
    yield "linkedin", "WPL_AP1.{}", k(16) + "." + k(8)
    yield "dropbox", "sl.{}", k(130, URLSAFE)
    yield "airtable", "pat{}", k(14) + "." + k(64, HEX)
    yield "zendesk", "curl -u me@example.org/token:{} https://x.zendesk.com/api", k(40)
    yield "intercom", "dG9r{}", "On" + k(52) + "="
    yield "rails", "SECRET_KEY_BASE={}", k(128, HEX)
    yield "laravel", "APP_KEY=base64:{}", k(43, BASE64) + "="
    yield "wordpress", "define('AUTH_KEY', '{}');", "k]4" + k(20) + "|9~" + k(24, ALNUM)
    yield "wordpress db", "define( 'DB_PASSWORD', '{}' );", "wpDb77pass"
    yield "fernet", "FERNET_KEY: {}", k(43, URLSAFE) + "="
    yield "wireguard", "PrivateKey = {}", k(43, BASE64) + "="
    yield "wifi", 'psk="{}"', "Fritz-5512-box"
    yield "java", 'props.setProperty("db.password", "{}");', "jQ4tzelu"
    yield "python call", 'conn = connect(user="a", passwd="{}", db="x")', "py7hon!x"
    yield "go", 'Token := "{}"', k(32, LOWER)
    yield "rust", 'let api_secret: &str = "{}";', k(32, LOWER)
    yield "toml", '[db]\npassword = "{}"\nport = 1', "t0ml-secret"
    yield "ini", "[smtp]\nsmtp_pass = {}\nport=25", "1ni-Secr3t"
    yield "yaml list", "- name: API_TOKEN\n  value: {}", k(28, LOWER)
    yield "k8s env json", '{{"name": "DB_PASSWORD", "value": "{}"}}', "envV4lue99"
    yield "k8s data", "data:\n  password: {}", base64.b64encode(b"sup3rS3cretValue").decode()
    yield "compose", "      - MYSQL_ROOT_PASSWORD={}", "r00tpw"
    yield "tfvars", 'db_password = "{}"', "tf-V4rs-pw"
    yield "powershell", "$password = ConvertTo-SecureString '{}' -AsPlainText -Force", "P0wer$hell"
    yield "log line", "2026-01-01 10:00:00 DEBUG auth user=me password={} ip=10.0.0.1", "logg3dPw"
    yield "ruby", "config.api_token = '{}'", k(20, LOWER)
    yield "sql identified", "ALTER USER 'a'@'%' IDENTIFIED BY '{}';", "1dentBy!"
    yield "snowflake", "SNOWFLAKE_PASSWORD: '{}'", "Sn0wFl4ke"
