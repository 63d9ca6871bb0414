"""More secrets, made up, of kinds that redaction once did not know: handed to a program's standard
input, in calls and fields, as hashes, in other languages, encoded for addresses and pages.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.redact.samples_unseen import HEX, LOWER, Maker

UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def found_later(k: Maker) -> Iterator[tuple[str, str, str]]:
    """Yields the name, a text with a place for the secret, and the secret."""
    yield ("printf sudo", "printf '%s\\n' '{}' | sudo -S apt-get install jq", "Kiefer77x")
    yield ("printf, newline", 'printf "{}\\n" | sudo -S systemctl restart nginx', "Kiefer77x")
    yield ("printf, bare", "printf {} | sudo -S true", "Kiefer77x")
    yield ("sudo here string", "sudo -S ls /root <<< '{}'", "Kiefer77x")
    yield ("sudo here string, prompt", "sudo -S -p '' whoami <<<\"{}\"", "Kiefer77x")
    yield ("sudo here document", "sudo -S reboot <<EOF\n{}\nEOF", "Kiefer77x")
    yield ("echo passwd stdin", "echo '{}' | passwd --stdin deploy", "Kiefer77x")
    yield ("chpasswd", "echo 'deploy:{}' | chpasswd", "Kiefer77x")
    yield ("chpasswd, sudo", 'echo "root:{}" | sudo chpasswd', "Kiefer77x")
    yield (
        "docker login stdin",
        "echo {} | docker login -u me --password-stdin ghcr.io",
        "Kiefer77x",
    )
    yield ("gh auth stdin", "echo {} | gh auth login --with-token", k(36, LOWER))
    yield ("psql conninfo", "psql 'host=db user=app password={} dbname=x'", "pgConn77")
    yield ("wpa", "wpa_passphrase MyNet {}", "MySpring2024")
    yield ("openssl enc", "openssl enc -aes-256-cbc -k {} -in a -out b", "Enc7ryptMe")
    yield ("7z", "7z a -p{} out.7z secret/", "Arch1vePw")
    yield ("cqlsh", "cqlsh -u cassandra -p {} 10.0.0.1", "Mk7!rtwq9")
    yield ("xfreerdp", "xfreerdp /u:admin /p:{} /v:10.0.0.4", "Rdp!Pass9")
    yield ("net use", "net use Z: \\\\nas\\share /user:me {}", "N3tUsePw")
    yield ("psexec", "psexec \\\\host -u admin -p {} cmd", "PsEx3cPw")
    yield ("winrm", "winrm.Session('host', auth=('admin', '{}'))", "W1nRmPw!")
    yield ("requests auth", "requests.get(url, auth=('me', '{}'))", "R3qAuth!x")
    yield ("requests basic", "r = requests.post(url, auth=HTTPBasicAuth('me', '{}'))", "R3qAuth!x")
    yield ("smtplib", "server.login('me@example.org', '{}')", "abcd efgh ijkl mnop")
    yield ("gmail", "GMAIL_APP_PASSWORD={}", "abcdefghijklmnop")
    yield ("expect", 'expect -c \'spawn ssh a@b; expect "assword:"; send "{}\\r"\'', "Exp3ctPw")
    yield ("httpie", "http -a me:{} GET https://example.org", "H77piePw")
    yield ("snmp", "snmpwalk -v3 -u me -A {} -X privpass1 -l authPriv host", "Mk7rtwq9x")
    yield ("ipmitool", "ipmitool -I lanplus -H 10.0.0.9 -U admin -P {} power status", "Ipm1Pass")
    yield ("kinit", "echo '{}' | kinit admin@EXAMPLE.ORG", "K1nitPw9")
    yield ("etcd", "etcdctl --user root:{} get /a", "3tcdRootPw")
    yield ("docker -e word", "docker run -e MYSQL_ROOT_PASSWORD={} mysql", "supersecret")
    yield ("yaml anchors", "db_pass: &p {}", "Anch0rPw")
    yield ("yaml block", "password: |\n  {}\n", "Bl0ckPw99")
    yield ("yaml fold", "api_key: >-\n  {}\n", k(32, LOWER))
    yield ("xml elem ns", '<wsse:Password Type="x">{}</wsse:Password>', "Mk7!rtwq9")
    yield ("plist", "<key>APIKey</key>\n<string>{}</string>", k(32, LOWER))
    yield ("hcl", 'variable "db_password" {{\n  default = "{}"\n}}', "HclDef4ult")
    yield ("my.cnf quoted", '[client]\npassword="{}"', "mycnfpwd")
    yield ("htpasswd line", f"me:$apr1${k(8)}${{}}", k(22))
    yield ("shadow", f"root:$6${k(16)}${{}}:19000:0:99999:7:::", k(86))
    yield ("bcrypt", f"hash=$2b$12${k(22)}{{}}", k(31))
    yield ("cisco", f"enable secret 5 $1${k(4)}${{}}", k(22))
    yield ("snmp community", "snmp-server community {} RO", "Mk7rtwq9xy")
    yield ("redis masterauth", "masterauth {}", "Mk7rtwq9xy")
    yield ("yaml, words", "password: {}", "sunnygarden2024")
    yield ("mysqli", "new mysqli('localhost', 'root', '{}', 'shop')", "Mysqli99!")
    yield ("pdo", "new PDO('mysql:host=db', 'root', '{}')", "Pd0Pass!x")
    yield ("jdbc getconn", 'DriverManager.getConnection(url, "root", "{}")', "Mk7!rtwq9")
    yield ("golang dsn", 'sql.Open("mysql", "root:{}@tcp(db:3306)/shop")', "G0langDsn")
    yield ("quoted word", 'const char* password = "{}";', "mysweethome")
    yield ("js env default", "const k = process.env.API_KEY || '{}'", k(30, LOWER))
    yield ("aws mws", "amzn.mws.{}", k.uuid())
    yield ("azure devops", "AZURE_DEVOPS_EXT_PAT={}", k(52, LOWER))
    yield ("gcp hmac", "GOOG1E{}", k(56, UPPER))
    yield ("cf origin ca", "v1.0-{}", k(24, HEX) + "-" + k(146, HEX))
    yield ("mapbox", "sk.eyJ{}", k(60) + "." + k(22))
    yield ("honeycomb", "x-honeycomb-team: {}", k(32, HEX))
    yield ("launchdarkly", "api-{}", k.uuid())
    yield ("hubspot", "pat-na1-{}", k.uuid())
    yield ("infura", "https://mainnet.infura.io/v3/{}", k(32, HEX))
    yield (
        "eth mnemonic",
        'MNEMONIC="{}"',
        "legal winner thank year wave sausage worth useful legal winner thank yellow",
    )
    yield ("one-time code", "https://example.org/login?otp={}", k(32, HEX))
    yield ("nats nkey", f"SUA{k(11, BASE32)}{{}}", k(44, BASE32))
    yield (
        "nats creds",
        "-----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------",
        "SUA" + k(55, BASE32),
    )
    yield ("said colon", "Password: {}", "Sunny-Day-22")
    yield ("said bold", "**Password:** {}", "Sunny22day")
    yield ("said bold tick", "- **Password**: `{}`", "Sunny22day")
    yield ("spanish", "contraseña: {}", "Sol22dia!")
    yield ("russian", "пароль: {}", "Solnce22x")
    yield ("chinese", "密码\uff1a{}", "Taiyang22x")
    yield ("japanese", "パスワード: {}", "Taiyo22xx")
    yield ("percent", "password%3D{}", "Url3ncPw99")
    yield ("percent token", "redirect=%2Fcb%3Faccess_token%3D{}%26x", k(40, LOWER))
    yield ("percent url", "next=postgres%3A%2F%2Fu%3A{}%40h%2Fdb", "Url3ncPw99")
    yield ("entities", "&quot;password&quot;: &quot;{}&quot;", "Htm1Esc99")
    yield ("entities key", "api_key=&quot;{}&quot;", k(32, LOWER))
    yield (
        "form multipart",
        'Content-Disposition: form-data; name="password"\r\n\r\n{}\r\n',
        "Mult1part9",
    )
    yield ("pin", "your PIN is {}, do not share it", "739104")
    yield ("pin, env", "ADMIN_PIN={}", "482915")
    yield ("verification code", "Your verification code is {}.", "583920")
    yield ("pw", "pw: {}", "sommer22")
    yield ("pw, said", "the pw is {}", "Herbst24")
    yield ("passwort", "Passwort: {}", "Geheim77")
    yield ("table", "| user | password |\n|---|---|\n| a | x |\n| admin | {} |", "Tabl3Pw!")
    yield ("table of two columns", "| password | {} |", "R0wPass9")
    yield ("csv", "user,password\nadmin,{}", "CsvPass9")
    yield ("columns", "username  password\nadmin     {}", "Sp4cePw!")
    yield ("netrc", "machine api.example.org\n  login me\n  password {}", "n3trcw7rd")
    yield ("pgpass, another port", "db.example.com:6432:app:app:{}", "PgP4ss78")
    yield ("cisco 7", "username admin password 7 {}", "0822455D0A16")
    yield ("cisco secret", "username admin privilege 15 secret {}", "C1scoPw!")
    yield ("tacacs", "tacacs-server key {}", "T4cacsKey")
    yield ("wifi code", "WIFI:T:WPA;S:net;P:{};;", "W1f1Pass")
    yield ("lftp", "lftp -u me,{} ftp.example.org", "Lftp4ss!")
    yield ("django", "DJANGO_SECRET_KEY={}", "3$7Kk_l5Z8sCmM1U(VOhoRJ)=6Qh0qj7^usgZoR)N%aejZc9ty")
