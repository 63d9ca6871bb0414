"""Secrets of a third table, made up by someone who had read the rules and wanted to get past them:
keys in hexadecimal that words introduce, the settings of other programs, and other spellings.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

from tests.redact.samples_unseen import BASE64, HEX, LOWER, URLSAFE, Maker

DIGITS = "123456789"
UPPER_HEX = "0123456789ABCDEF"


def third(k: Maker) -> Iterator[tuple[str, str, str]]:
    """Yields the name, a text with a place for the secret, and the secret."""
    yield from _hexadecimal(k)
    yield from _settings(k)
    yield from _commands(k)
    yield from _code(k)
    yield from _providers(k)
    yield from _sentences(k)


def _hexadecimal(k: Maker) -> Iterator[tuple[str, str, str]]:
    yield "hex, env", "ENCRYPTION_KEY={}", k(64, HEX)
    yield "hex, secret", "SECRET_KEY={}", k(64, HEX)
    yield "hex, said", "the encryption key is {}", k(64, HEX)
    yield "hex, said aes", "AES key: {}", k(32, HEX)
    yield "hex, key of", "Master key (hex): {}", k(64, HEX)
    yield "hex, ethereum", "private key: 0x{}", k(64, HEX)
    yield "hex, ethereum env", "PRIVATE_KEY=0x{}", k(64, HEX)
    yield "hex, deployer", "DEPLOYER_PRIVATE_KEY={}", k(64, HEX)
    yield "hex, cast", "cast send --private-key 0x{} 0xabc", k(64, HEX)
    yield "hex, wallet", "new ethers.Wallet('0x{}', provider)", k(64, HEX)
    yield "hex, fromhex", "key = bytes.fromhex('{}')", k(64, HEX)
    yield "hex, buffer", "const key = Buffer.from('{}', 'hex')", k(64, HEX)
    yield "hex, openssl", "openssl enc -d -aes-256-cbc -K {} -iv 00 -in a", k(64, HEX)
    yield "hex, luks", "echo {} | cryptsetup luksOpen /dev/sdb1 data -", k(64, HEX)
    yield "hex, hmac", "hmac_secret: {}", k(64, HEX)
    yield "hex, signing", 'SIGNING_SECRET="{}"', k(32, HEX)
    yield "hex, slack signing", "SLACK_SIGNING_SECRET={}", k(32, HEX)
    yield "hex, cookie secret", "cookie_secret: {}", k(64, HEX)
    yield "hex, jupyter", "http://localhost:8888/?token={}", k(48, HEX)
    yield "hex, jupyter lab", "http://127.0.0.1:8888/lab?token={}", k(48, HEX)
    yield "hex, webhook", "GITHUB_WEBHOOK_SECRET={}", k(40, HEX)
    yield "hex, capitals", "DES_KEY={}", k(48, UPPER_HEX)
    yield "hex, capitals said", "Key: {}", k(32, UPPER_HEX)
    yield "hex, colons", "secret key {}", ":".join(k(2, HEX) for _ in range(16))
    yield "hex, node", "crypto.createHmac('sha256', '{}')", k(64, HEX)
    yield "hex, pepper", "PASSWORD_PEPPER={}", k(32, HEX)
    yield "hex, salt", "APP_SECRET={}", k(32, HEX)
    yield "hex, traefik", "consul_encrypt={}", base64.b64encode(k(32).encode()).decode()
    yield "hex, macaroon", "macaroon: {}", "0201036c6e64" + k(160, HEX)
    yield "hex, rpc", "rpcpassword={}", k(64, HEX)
    yield "hex, json key", '{{"key": "{}", "iv": "x"}}', k(64, HEX)
    yield "hex, array", 'key := []byte("{}")', k(32, HEX)


def _settings(k: Maker) -> Iterator[tuple[str, str, str]]:
    auth = base64.b64encode(f"me:{k(16)}".encode()).decode()
    yield "docker auth", '{{"auths": {{"ghcr.io": {{"auth": "{}"}}}}}}', auth
    yield "npmrc auth", "_auth={}", auth
    yield (
        "npmrc password",
        "//r.example.org/:_password={}",
        base64.b64encode(b"hunter2hunter2").decode(),
    )
    yield "pypirc", "[pypi]\nusername = __token__\npassword = pypi-{}", "AgEIcHl" + k(80, URLSAFE)
    yield "kubeconfig token", "users:\n- name: me\n  user:\n    token: {}", k(64, URLSAFE)
    yield "kubeconfig key", "    client-key-data: {}", "LS0tLS1CRUdJTi" + k(200, BASE64)
    yield "kubernetes secret", "stringData:\n  password: {}", "St1ngXk99m"
    yield (
        "kubernetes token",
        "apiVersion: v1\ndata:\n  token: {}",
        base64.b64encode(k(30).encode()).decode(),
    )
    yield "terraform state", '"password": "{}", "port": 5432', "TfSt4te!Pw"
    yield "tf var env", "TF_VAR_db_password={}", "tfV4rXk77"
    yield (
        "terraformrc",
        'credentials "app.terraform.io" {{\n  token = "{}"\n}}',
        k(14) + ".x." + k(60),
    )
    yield "my.cnf", "[client]\nuser=root\npassword={}\n", "myCnf!77"
    yield "msmtp", "account x\nhost smtp.example.org\npassword {}\n", "msmtpPw77"
    yield "rclone", "[remote]\ntype = sftp\npass = {}", k(30, URLSAFE)
    yield "s3cfg", "[default]\naccess_key = AKIAQ2\nsecret_key = {}", k(40, BASE64)
    yield "boto", "gs_secret_access_key = {}", k(40, BASE64)
    yield "grafana ini", "admin_password = {}", "Gr4fanaAdm1n"
    yield "gitlab rb", "gitlab_rails['smtp_password'] = \"{}\"", "Gl4bSmtp!"
    yield "spring", "spring.datasource.password={}", "spr1ngDs77"
    yield "spring yaml", "spring:\n  datasource:\n    password: {}", "spr1ngDs77"
    yield "quarkus", "%prod.quarkus.datasource.password={}", "Quark7us!"
    yield "dotnet secrets", '"ConnectionStrings:Db": "Host=db;Username=a;Password={}"', "D0tnet77"
    yield "rails yaml", "production:\n  secret_key_base: {}", k(128, HEX)
    yield "phoenix", 'secret_key_base: "{}"', k(64, BASE64)
    yield "ansible vault", "vault_db_password: {}", "4nsibleVlt"
    yield "supervisor", "[inet_http_server]\nusername=a\npassword={}", "Sup3rvis0r"
    yield "nginx header", 'proxy_set_header Authorization "Bearer {}";', k(40)
    yield "apache env", 'SetEnv DB_PASS "{}"', "4pacheEnv!"
    yield "fish", "set -x OPENAI_API_KEY {}", "sk-" + k(48)
    yield "fish, other", "set -gx DEPLOY_TOKEN {}", k(32, LOWER)
    yield "csh", "setenv DB_PASSWORD {}", "cshXk77mm"
    yield "powershell env", '$env:API_TOKEN = "{}"', k(32, LOWER)
    yield "cmd set", "set DB_PASSWORD={}", "cmdSetPw7"
    yield "setx", "setx API_KEY {}", k(32, LOWER)
    yield "systemd", 'Environment="DB_PASSWORD={}"', "sYstemdPw7"
    yield "dockerfile", "ENV MYSQL_PASSWORD {}", "dockerEnv77"
    yield "dockerfile arg", "ARG NPM_TOKEN={}", k.uuid()
    yield "compose map", "    environment:\n      POSTGRES_PASSWORD: {}", "c0mposePw"
    yield "github actions", "        with:\n          token: {}", k(36)
    yield "travis secure", "  - PASSWORD={}", "tr4visPw77"
    yield "jenkins", "withCredentials: password '{}'", "J3nkinsPw!"
    yield "vscode", '"github.token": "{}"', k(40, HEX)
    yield "curlrc", 'user = "me:{}"', "Curlrc77pw"
    yield "wgetrc", "http_password={}", "Wg3trcPw7"
    yield "gradle", "signing.password={}", "Gr4dleSign"
    yield "gradle token", "githubToken={}", k(40, HEX)
    yield "android", "storePassword '{}'", "Andr0idSt0re"
    yield "android key", "keyPassword '{}'", "Andr0idKey7"
    yield "fastlane", "FASTLANE_SESSION={}", k(120, BASE64)
    yield "match", "MATCH_PASSWORD={}", "M4tchPw77x"
    yield "wordpress salt", "define('NONCE_SALT', '{}');", "x9!" + k(30) + "|-"
    yield "drupal", "$settings['hash_salt'] = '{}';", k(74, URLSAFE)
    yield "symfony", "MAILER_DSN=smtp://me:{}@smtp.example.org:587", "Symf0nyPw"
    yield "celery", "broker_url = 'amqp://me:{}@mq//'", "C3leryPw7"
    yield "elastic", "ELASTIC_PASSWORD={}", "El4stic77"
    yield "elastic url", "curl https://elastic:{}@es:9200/_cat", "El4stic77"
    yield "influx", "INFLUX_TOKEN={}", k(86, URLSAFE) + "=="
    yield "mqtt", "mqtt://dev:{}@broker:1883", "Mq77tXkmm"
    yield "ldap url", "ldap://cn=admin:{}@ldap.example.org", "Ld4pUrlPw"
    yield "smb url", "smb://me:{}@nas/share", "Smb7UrlPw"
    yield "socks", "ALL_PROXY=socks5://me:{}@proxy:1080", "S0cksPw77"
    yield "proxy", "HTTPS_PROXY=http://me:{}@proxy:3128", "Pr0xyPw77"
    yield "clickhouse", "clickhouse://default:{}@ch:9000/db", "Cl1ckPw77"
    yield "sqlserver", "sqlserver://sa:{}@db:1433?database=x", "SqlSrv77!"
    yield "snowflake url", "snowflake://me:{}@acct/db", "Sn0wUrl77"
    yield "pip index", "--index-url https://me:{}@pypi.example.org/simple", "P1pIdx77x"
    yield "git insteadof", 'git config url."https://me:{}@github.com".insteadOf x', k(40, HEX)


def _commands(k: Maker) -> Iterator[tuple[str, str, str]]:
    yield "curl data", "curl -d 'user=me&password={}' https://e.org/login", "CurlD4ta7"
    yield "curl json", 'curl -d \'{{"password":"{}"}}\' https://e.org/login', "CurlJs0n7"
    yield "curl oauth", "curl --oauth2-bearer {} https://e.org", k(40, HEX)
    yield "curl bearer", 'curl -H "Authorization: Bearer {}" https://e.org', k(32, LOWER)
    yield "curl cookie", "curl -b 'session={}' https://e.org", k(64, BASE64)
    yield "http cookie", "Set-Cookie: JSESSIONID={}; Path=/", k(32, UPPER_HEX)
    yield "php cookie", "Cookie: PHPSESSID={}", k(26, LOWER)
    yield "auth cookie", "Cookie: auth={}", k(60, BASE64)
    yield "http token header", "X-Auth-Token: {}", k(32, HEX)
    yield "csrf header", "X-CSRF-Token: {}", k(64, BASE64)
    yield "mysql long", "mysql --user=root --password={} db", "mysqlL0ng"
    yield "psql url", "psql postgresql://app:{}@db/x", "psqlUrl77"
    yield "mysqladmin", "mysqladmin -u root password '{}'", "N3wR00tPw"
    yield "set password", "SET PASSWORD FOR 'me'@'%' = PASSWORD('{}');", "S3tXkmm0q"
    yield "postgres alter", "ALTER ROLE me PASSWORD '{}';", "Alt3rR0le"
    yield "redis config", "CONFIG SET requirepass {}", "r3qu1reP4ss"
    yield "redis conf", "requirepass {}", "r3qu1reP4ss"
    yield "mongo create", "db.createUser({{user: 'me', pwd: '{}', roles: []}})", "m0ngoCre8"
    yield "useradd", f"useradd -m -p $6${k(16)}${{}} deploy", k(86)
    yield "openssl passwd", "openssl passwd -6 {}", "0pensslPw7"
    yield "zip", "zip -P {} out.zip a", "Z1pPass77"
    yield "unzip", "unzip -P {} out.zip", "Unz1pPw77"
    yield "gpg", "gpg --batch --passphrase {} -c a", "GpgPhr4se7"
    yield "vault kv", "vault kv put secret/app password={}", "V4ultKv77"
    yield "vault login", "vault login {}", "hvs." + k(24)
    yield "az login", "az login --service-principal -u x -p {} --tenant t", k(3) + "8Q~" + k(34)
    yield "aws configure", "aws configure set aws_secret_access_key {}", k(40, BASE64)
    yield (
        "aws ssm",
        "aws ssm put-parameter --name /db/password --value {} --type SecureString",
        "Ssm7Xkmm!",
    )
    yield "gcloud", "gcloud secrets create s --data '{}' # api key", k(32)
    yield "heroku", "heroku config:set SECRET_KEY={}", k(50)
    yield "fly secrets", "fly secrets set DATABASE_PASSWORD={}", "FlyPw77xx"
    yield (
        "kubectl docker",
        "kubectl create secret docker-registry r --docker-password={}",
        "D0ckReg77",
    )
    yield "htpasswd bcrypt", "htpasswd -bnBC 10 me {}", "Htpw77bcr"
    yield "sshpass env", "SSHPASS={} sshpass -e ssh host", "Sshp4ssEnv"
    yield "rsync", "RSYNC_PASSWORD={} rsync -a me@host::m .", "Rsync77pw"
    yield "borg", "BORG_PASSPHRASE='{}' borg create", "B0rgPhr4se"
    yield "restic", "RESTIC_PASSWORD={} restic backup /", "Rest1cPw7"
    yield "ansible ask", "ansible all -e 'ansible_password={}'", "4nsPass77"
    yield "nmcli", "nmcli dev wifi connect Net password {}", "Nmcl1Wifi7"
    yield "iwctl", "iwctl --passphrase {} station wlan0 connect Net", "Iwctl77pw"
    yield "cloudflared", "cloudflared tunnel run --token {}", "eyJ" + k(180)
    yield "ngrok", "ngrok config add-authtoken {}", k(27) + "_" + k(21)
    yield "tailscale", "tailscale up --authkey={}", "tskey-auth-" + k(12) + "-" + k(32)
    yield "sqlplus", "sqlplus scott/{}@//db:1521/x", "T1gerPw77"
    yield "impdp", "expdp system/{}@db schemas=a", "Exp0rtPw7"
    yield "svn", "svn co --username me --password {} https://svn.example.org", "Svn77Xkmm"
    yield "cifs", "mount -t cifs //nas/s /mnt -o username=me,password={}", "C1fsPw77"
    yield "vpn", "echo {} | openconnect --passwd-on-stdin vpn.example.org", "Vpn0pen77"
    yield "twine", "twine upload -u __token__ -p pypi-{} dist/*", "AgEIcHl" + k(80, URLSAFE)
    yield "poetry", "poetry config http-basic.r me {}", "P0etryPw7"
    yield "npm config", "npm config set //r.example.org/:_authToken {}", k(36)
    yield "gem", "gem push --key rubygems_{}", k(48, HEX)
    yield "cargo login", "cargo login {}", "cio" + k(32)
    yield "cargo env", "CARGO_REGISTRY_TOKEN={}", "cio" + k(32)


def _code(k: Maker) -> Iterator[tuple[str, str, str]]:
    yield "python bytes", "SECRET = b'{}'", k(32, LOWER)
    yield "python dict", "{{'api_key': '{}'}}", k(32, LOWER)
    yield "python fstring", 'headers = {{"X-Api-Key": f"{}"}}', k(32, LOWER)
    yield "js template", "const apiKey = `{}`", k(32, LOWER)
    yield "js object", "{{ apiKey: '{}', debug: true }}", k(32, LOWER)
    yield "firebase", 'apiKey: "AIza{}",', "Sy" + k(33)
    yield "java const", 'private static final String PASSWORD = "{}";', "JavaC0nst7"
    yield "kotlin", 'val dbPassword = "{}"', "K0tlinPw7"
    yield "swift", 'let apiToken = "{}"', k(40, LOWER)
    yield "csharp", 'var password = @"{}";', "Csh4rpPw7"
    yield "php arrow", "'password' => '{}',", "PhpArr0w7"
    yield "perl", "my $password = '{}';", "P3rlXkmm7"
    yield "lua", 'local secret = "{}"', k(32, LOWER)
    yield "ruby hash", 'password: "{}",', "RubyH4sh7"
    yield "elixir", 'config :app, secret: "{}"', k(64, BASE64)
    yield "clojure", '{{:password "{}"}}', "Cl0jurePw7"
    yield "scala", 'password = "{}"', "Sc4laXkmm"
    yield "r", 'Sys.setenv(API_KEY = "{}")', k(32, LOWER)
    yield "matlab", "password = '{}';", "M4tlabPw7"
    yield "objc", 'NSString *password = @"{}";', "0bjcXkmm7"
    yield "go struct", 'Password: "{}",', "G0Struct7"
    yield "rust env", 'std::env::set_var("API_KEY", "{}");', k(32, LOWER)
    yield "bash array", 'PASSWORDS=("{}" "x")', "B4shArr4y7"
    yield "terraform", 'master_password = "{}"', "Tf0rmPw77"
    yield "graphql", 'login(email: "a@b.c", password: "{}") {{ token }}', "Gr4phqlPw"
    yield "xml attr", '<user name="a" password="{}"/>', "Xm1AttrPw"
    yield "html input", '<input type="password" value="{}">', "Htm1InpPw7"
    yield (
        "json escaped",
        json.dumps({"body": '{"client_secret":"XXX"}'})
        .replace("{", "{{")
        .replace("}", "}}")
        .replace("XXX", "{}"),
        k(40),
    )
    yield "toml inline", 'db = {{ user = "a", password = "{}" }}', "T0mlInl77"
    yield "properties colon", "db.password: {}", "Pr0ps77pw"
    yield "url fragment", "https://app.example.org/cb#access_token={}&x=1", k(40)
    yield "oauth code", "https://app.example.org/cb?code={}&state=x", k(40, URLSAFE)
    yield "reset link", "https://app.example.org/reset-password?token={}", k(64, HEX)
    yield "reset path", "https://app.example.org/password/reset/{}", k(64, HEX)
    yield "magic link", "https://app.example.org/magic?t={}", k(43, URLSAFE)
    yield "invite", "https://app.example.org/invite?token={}", k.uuid()


def _providers(k: Maker) -> Iterator[tuple[str, str, str]]:
    yield "telegram env", "TELEGRAM_BOT_TOKEN={}", k(10, DIGITS) + ":AA" + k(33, URLSAFE)
    yield "discord env", "DISCORD_TOKEN={}", "MTA" + k(23) + "." + k(6) + "." + k(38)
    yield "stripe restricted", "rk_test_{}", k(99)
    yield "stripe new", "sk_live_51{}", k(97)
    yield "twilio sid", "TWILIO_API_SECRET={}", k(32)
    yield "azure storage", "AZURE_STORAGE_KEY={}", k(86, BASE64) + "=="
    yield "azure sas token", "?sv=2024-01-01&ss=b&srt=o&sp=r&se=2027&sig={}", k(43)
    yield (
        "azure cosmos",
        "AccountEndpoint=https://x.documents.azure.com:443/;AccountKey={};",
        k(86, BASE64) + "==",
    )
    yield "azure function", "https://x.azurewebsites.net/api/f?code={}", k(54, URLSAFE) + "=="
    yield (
        "azure iot",
        "HostName=x.azure-devices.net;DeviceId=d;SharedAccessKey={}",
        k(43, BASE64) + "=",
    )
    yield "aws sts", "aws_session_token={}", "FwoGZXIvYXdz" + k(200, BASE64)
    yield "aws creds csv", "me,AKIAIOSFODNN7EXAMPLQ,{}", k(40, BASE64)
    yield "gcp refresh", '"refresh_token": "1//0{}"', k(90, URLSAFE)
    yield "openai admin", "sk-admin-{}", k(100, URLSAFE)
    yield "anthropic admin", "sk-ant-admin01-{}", k(93, URLSAFE)
    yield "cohere", "COHERE_API_KEY={}", k(40)
    yield "huggingface", "HF_TOKEN=hf_{}", k(34)
    yield "wandb", "WANDB_API_KEY={}", k(40, HEX)
    yield "kaggle", '{{"username":"me","key":"{}"}}', k(32, HEX)
    yield "comet", "COMET_API_KEY={}", k(25)
    yield "langsmith", "LANGCHAIN_API_KEY=lsv2_pt_{}", k(32, HEX) + "_" + k(10, HEX)
    yield "tavily", "tvly-{}", k(32)
    yield "serpapi", "SERPAPI_KEY={}", k(64, HEX)
    yield "exa", "EXA_API_KEY={}", k.uuid()
    yield "firecrawl", "fc-{}", k(32, HEX)
    yield "browserbase", "bb_live_{}", k(27)
    yield "resend", "re_{}", k(8) + "_" + k(24)
    yield "clerk", "sk_test_{}", k(42)
    yield (
        "supabase jwt",
        "SUPABASE_SERVICE_ROLE_KEY=eyJ{}",
        k(33) + "." + "eyJ" + k(120) + "." + k(43),
    )
    yield "neon", "postgresql://u:npg_{}@ep-x.neon.tech/db", k(12)
    yield "upstash", "UPSTASH_REDIS_REST_TOKEN={}", "AX" + k(50) + "=="
    yield "turso", "TURSO_AUTH_TOKEN=eyJ{}", k(30) + "." + "eyJ" + k(60) + "." + k(86)
    yield "cloudflare r2", "R2_SECRET_ACCESS_KEY={}", k(64, HEX)
    yield "cloudflare global", "CLOUDFLARE_API_KEY={}", k(37, HEX)
    yield "backblaze", "B2_APPLICATION_KEY={}", "K00" + k(28, BASE64)
    yield "linode", "LINODE_TOKEN={}", k(64, HEX)
    yield "hetzner", "HCLOUD_TOKEN={}", k(64)
    yield "vultr", "VULTR_API_KEY={}", k(36, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    yield "scaleway", "SCW_SECRET_KEY={}", k.uuid()
    yield "ovh", "OVH_APPLICATION_SECRET={}", k(32)
    yield "sentry", "SENTRY_AUTH_TOKEN={}", k(64, HEX)
    yield "posthog", "phx_{}", k(43)
    yield "mixpanel", "MIXPANEL_SECRET={}", k(32, HEX)
    yield "zoom", "ZOOM_CLIENT_SECRET={}", k(32)
    yield "spotify", "SPOTIFY_CLIENT_SECRET={}", k(32, HEX)
    yield "reddit", "REDDIT_CLIENT_SECRET={}", k(30, URLSAFE)
    yield "twitch", "TWITCH_OAUTH=oauth:{}", k(30, LOWER)
    yield "line", "LINE_CHANNEL_SECRET={}", k(32, HEX)
    yield "lark", "app_secret={}", k(32)
    yield "wechat", "WECHAT_APPSECRET={}", k(32, HEX)
    yield "aliyun", "ALIBABA_CLOUD_ACCESS_KEY_SECRET={}", k(30)
    yield "tencent", "TENCENTCLOUD_SECRET_KEY={}", k(32)
    yield "binance", "BINANCE_SECRET={}", k(64)
    yield "coinbase", "CB_ACCESS_SIGN_KEY={}", k(86, BASE64) + "=="
    yield "alchemy", "https://eth-mainnet.g.alchemy.com/v2/{}", k(32, URLSAFE)
    yield "docusign", "DOCUSIGN_SECRET_KEY={}", k.uuid()
    yield "salesforce", "SF_SECURITY_TOKEN={}", k(24)
    yield "servicenow", "SNOW_PASSWORD={}", "Sn0wS3rv7"


def _sentences(k: Maker) -> Iterator[tuple[str, str, str]]:
    yield "said, use", "Use the token {} for the API.", k(32, HEX)
    yield "said, key is", "My API key is {}, keep it safe.", k(32, HEX)
    yield "said, secret is", "the client secret is {}", k(40, LOWER)
    yield "said, with password", "log in as admin with password {}", "Adm1nPw77"
    yield "said, credentials", "credentials: admin / {}", "Adm1nPw77"
    yield "said, user pass", "user: admin, pass: {}", "Adm1nPw77"
    yield "said, quoted", "set the password to '{}'", "Adm1nPw77"
    yield "said, changed", "I changed the password to `{}`.", "Adm1nPw77"
    yield "said, temporary", "Temporary password: {}", "Temp0Xk7mm"
    yield "said, initial", "Initial root password is {}", "In1tR00t7"
    yield (
        "said, generated",
        "A temporary password is generated for root@localhost: {}",
        "k9&Xq!2wLp",
    )
    yield "said, argocd", "argocd admin initial-password: {}", k(16)
    yield "said, passcode", "passcode: {}", "83Kd92ls"
    yield "said, backup codes", "Backup code: {}", "8f3k-29dk"
    yield "said, totp", "TOTP secret: {}", k(32, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    yield (
        "said, otpauth",
        "otpauth://totp/x:me?secret={}&issuer=x",
        k(32, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    )
    yield "said, recovery", "recovery key: {}", "-".join(k(6, DIGITS) for _ in range(8))
    yield "said, bitlocker", "BitLocker Recovery Key: {}", "-".join(k(6, DIGITS) for _ in range(8))
    yield (
        "said, license",
        "license key: {}",
        "-".join(k(5, "ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(5)),
    )
    yield "said, wifi", "WiFi password: {}", "W1fiHaus77"
    yield "said, french", "mot de passe : {}", "Sol31l77x"
    yield "said, german", "Kennwort: {}", "Sonn3nT4g"
    yield "said, dutch", "wachtwoord: {}", "Zonn1g77x"
    yield "said, polish", "haslo: {}", "Slonce77x"
    yield "said, swedish", "lösenord: {}", "Sol1g77xx"
    yield "said, turkish", "şifre: {}", "Gun3s77xx"
    yield "ssh key, no head", "b3BlbnNzaC1rZXktdjEAAAAA{}", k(300, BASE64)
    yield "putty", "Private-Lines: 1\n{}", k(64, BASE64)
    yield "jwk", '{{"kty":"oct","k":"{}"}}', k(43, URLSAFE)
    yield "jwk rsa", '{{"kty":"RSA","n":"x","e":"AQAB","d":"{}"}}', k(342, URLSAFE)
    yield "wif", "{}", "5K" + k(49, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
    yield "xprv", "xprv{}", "9s21ZrQH143K" + k(95)
