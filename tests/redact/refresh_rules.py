"""Makes the package's `redact/rules/rules.json` anew from the rules of CredSweeper, a maintained
scanner (MIT, Samsung).

    pip install pyyaml
    pip download --no-deps credsweeper
    python tests/redact/refresh_rules.py credsweeper-*.whl

CredSweeper itself cannot be a dependency: it brings a neural network, pandas and forty other
packages, and reads files, not streams. Its rules are plain data. Taken over are the patterns that
know a provider's key by its shape. Rules that need its neural network to be of use (any password,
any UUID) are left out: `named_secrets.py` and `entropy.py` do that work here.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

# How Python itself reads a pattern; nothing describes its types.
_parser: Any = import_module("re._parser")
_constants: Any = import_module("re._constants")

RULES = Path(__file__).parents[2] / "src" / "unbraid" / "redact" / "rules"
MAX_PREFIXES = 64
# Any word of a few letters and digits, or an id that is no secret.
LEFT_OUT = {
    "UUID", "Product Activation Key", "Facebook App Token", "PASETO Token", "JSON Web Token",
    "JSON Web Key", "BASE64 encoded PEM Private Key", "BASE64 Private Key", "Firebase Domain",
    "AWS S3 Bucket", "Jira / Confluence PAT token", "Dropbox App secret", "NKEY Seed",
    "OTP / 2FA Secret", "Composio Credentials", "Tencent WeChat API App ID",
    "Dropbox API secret (long term)", "Azure Access Token", "Grafana Provisioned API Key",
    "Basic Authorization", "Bearer Authorization", "SQL Password", "CURL Options",
    "CURL User Password", "CMD ConvertTo-SecureString", "CMD Password", "CMD Token", "CMD Secret",
    "URL Credentials",
}  # fmt: skip
# Prefixes that other words have, too: there the whole pattern has to match.
COMMON = {*"1//0 key- pat /T / v k sk- 00D dt0 sq0 EAA oy2".split(), "A" * 21}


def rules_of(config: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns each rule: its patterns, the words one of which a match has, and its prefixes: how
    the secrets begin that are known by their beginning alone.
    """
    rules = []
    for rule in config:
        if rule["type"] != "pattern" or "code" not in rule["target"] or rule["name"] in LEFT_OUT:
            continue
        prefixes = sorted({prefix for value in rule["values"] for prefix in _prefixes_of(value)})
        rules.append(
            {
                "name": rule["name"],
                "words": rule["required_substrings"],
                "prefixes": [prefix for prefix in prefixes if _distinct(prefix)],
                # What is known by its prefix needs no pattern, of whatever length it is.
                "patterns": [] if any(map(_distinct, prefixes)) else rule["values"],
            }
        )
    return rules


def _distinct(prefix: str) -> bool:
    return prefix not in COMMON and (len(prefix) >= 4 or (len(prefix) == 3 and prefix[-1] in "_-."))


def _prefixes_of(pattern: str) -> list[str]:
    parsed = _parser.parse(pattern)
    value = _group(parsed, parsed.state.groupdict["value"])
    return [] if value is None else _literals(value)[0]


def _group(parsed: Any, number: int) -> Any:
    for op, argument in parsed:
        if op is _constants.SUBPATTERN:
            if argument[0] == number:
                return argument[3]
            if (found := _group(argument[3], number)) is not None:
                return found
    return None


def _literals(parsed: Any) -> tuple[list[str], bool]:
    """Returns the literal beginnings of what a pattern matches, and whether they are all of it."""
    out, whole = [""], True
    for op, argument in parsed:
        if op is _constants.LITERAL:
            more = [chr(argument)]
        elif op is _constants.SUBPATTERN:
            more, whole = _literals(argument[3])
        elif op is _constants.BRANCH:
            branches = [_literals(branch) for branch in argument[1]]
            more = [each for literals, _ in branches for each in literals]
            whole = all(complete for _, complete in branches)
        elif op is _constants.IN and all(kind is _constants.LITERAL for kind, _ in argument):
            more = [chr(code) for _, code in argument]
        else:
            return out, False
        if len(out) * len(more) > MAX_PREFIXES:
            return out, False
        out = [before + after for before in out for after in more]
        if not whole:
            break
    return out, whole


def main(wheel: Path) -> None:
    """Writes the rules of a wheel, with their licence."""
    import yaml

    with zipfile.ZipFile(wheel) as files:
        config = yaml.safe_load(files.read("credsweeper/rules/config.yaml"))
        licence = next(name for name in files.namelist() if name.endswith("licenses/LICENSE"))
        (RULES / "LICENSE").write_bytes(files.read(licence))
    rules = rules_of(config)
    made = {"source": f"CredSweeper {wheel.name.split('-')[1]}", "rules": rules}
    text = json.dumps(made, ensure_ascii=False, indent=1)
    (RULES / "rules.json").write_text(text + "\n")
    print(f"{len(rules)} rules, {sum(len(rule['prefixes']) for rule in rules)} prefixes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
