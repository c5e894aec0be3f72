"""Redaction: what counts as a secret, what stays, and that no text takes longer than its length."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from korg_tui.recorder.redact import redact
from korg_tui.recorder.secret_keys import SECRET_KEYS
from korg_tui.recorder.tokens import REDACTED, redact_text

B64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
KEY_BLOCK = f"-----BEGIN RSA PRIVATE KEY-----\n{B64}\n{B64}\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

TOKENS = {
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "google": "AIza" + "Sy0" * 11 + "ab",
    "google oauth": "ya29.a0AfH6SMBx1234567890",
    "openai without digits": "sk-" + "abcdefgh" * 4,
    "short key block": "-----BEGIN PRIVATE KEY-----\nMIIEvQ==\n-----END PRIVATE KEY-----",
    "openai": "sk-proj-abcdefghijklmnop1234",
    "anthropic": "sk-ant-api03-" + "a1B2" * 8,
    "stripe": "sk_" + "live_" + "4eC39HqLyjWDarjtT1zd",
    "github": "ghp_" + "a1B2" * 9,
    "github app": "ghs_" + "a1B2" * 9,
    "github fine-grained": "github_pat_" + "11ABCDEFG0" + "_a1B2" * 8,
    "gitlab": "glpat-a1B2c3D4e5F6g7H8i9J0",
    "slack": "xoxb-" + "123456789012-abcdefABCDEF",
    "npm": "npm_" + "a1B2c3" * 6,
    "jwt": JWT,
    "key block": KEY_BLOCK,
    "encrypted key block": KEY_BLOCK.replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\n\n", 1),
    "key block on one line": KEY_BLOCK.replace("\n", "\\n"),
    "key block with line numbers": KEY_BLOCK.replace("\n", "\n     2→"),
    "key block of a log": KEY_BLOCK.replace("\n", "\n[12:00] "),
    "key block with colours": KEY_BLOCK.replace("\n", "\x1b[0m\n\x1b[32m"),
    "key block of a diff": KEY_BLOCK.replace("\n", "\n+"),
}
TOKEN = pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS.keys())


@TOKEN
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "key={}",
        '{{"k": "{}"}}',
        "before {} after",
        "line\n{}\nline",
        "a\\n{}\\nb",
        "?k%3D{}&x=1",
        "\x1b[01;31m\x1b[K{}\x1b[m\x1b[K",
        "\x1b[m{}",
        "\\u001b[32m{}\\u001b[0m",
        "\\u0022{}\\u0022",
        "\\x22{}",
    ],
)
def test_a_token_is_replaced_wherever_it_stands(token: str, around: str) -> None:
    clean, count = redact_text(around.format(token))
    assert count == 1
    assert clean == around.format(REDACTED)


def test_a_token_that_cannot_be_anything_else_needs_no_word_to_begin() -> None:
    assert redact_text("x" + TOKENS["github"]) == ("x" + REDACTED, 1)
    assert redact_text("_" + TOKENS["github fine-grained"]) == ("_" + REDACTED, 1)


def test_a_key_block_that_was_cut_off_goes_as_far_as_it_may_reach() -> None:
    cut_off = KEY_BLOCK.split("\n-----END")[0]
    assert redact_text(f"a {cut_off}\nor so [cut] b") == (f"a {REDACTED}\nor so [cut] b", 1)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Authorization: Bearer abc.def", "Authorization: Bearer [REDACTED]"),
        ("curl -H 'authorization: token 12ab' x", "curl -H 'authorization: token [REDACTED]' x"),
        ('{"Authorization": "Basic dTpw"}', '{"Authorization": "Basic [REDACTED]"}'),
        ('{\\"Authorization\\": \\"Basic dTpw\\"}', '{\\"Authorization\\": \\"Basic [REDACTED]\\"}'),
        ("Proxy-Authorization=0123456789abcdef0123", "Proxy-Authorization=[REDACTED]"),
        ("sent Bearer 0123456789abcdef, got 401", "sent Bearer [REDACTED], got 401"),
        (f"Basic {base64.b64encode(b'user:pass').decode()}", "Basic [REDACTED]"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "aws_secret_access_key = [REDACTED]",
        ),
        ("Authorization: OAuth A1b2C3d4E5f6G7h8I9j0", "Authorization: OAuth [REDACTED]"),
        ("Authorization: Bearer swordfish", "Authorization: Bearer [REDACTED]"),
        ("\x1b[33mBearer A1b2C3d4E5f6G7h8", "\x1b[33mBearer [REDACTED]"),
        ("Bearer 8c6a9d49-f519-4afc-81f4-e80b47948e5b", "Bearer [REDACTED]"),
        ('{"a": 1, "password":"swordfish"}', '{"a": 1, "password":"[REDACTED]"}'),
        ("{'api_key': 'sword fish'}", "{'api_key': '[REDACTED]'}"),
        ('{\\"accessToken\\": \\"sword\\\\fish\\"}', '{\\"accessToken\\": \\"[REDACTED]\\"}'),
        ('{"DB_PASSWORD": "sword\\"fish"}', '{"DB_PASSWORD": "[REDACTED]"}'),
        (f"AccountKey={'a1B2' * 21}aa==;x", "AccountKey=[REDACTED];x"),
        (
            "https://hooks.slack.com/services/T0000/B0000/XXXXXXXXXXXX",
            "https://hooks.slack.com/services/[REDACTED]",
        ),
    ],
)
def test_what_stands_in_front_of_a_value_stays(text: str, clean: str) -> None:
    assert redact_text(text) == (clean, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "task-management-and-more-words",
        "sk-fading-circle-container",
        "Basic authentication, internationalization",
        "bearer of good news, bearer tokens are documented elsewhere",
        "Authorization: Bearer ${TOKEN}",
        "def check(authorization: str) -> None: ...",
        'startswith("-----BEGIN CERTIFICATE-----") and endswith("-----END CERTIFICATE-----")',
        "the line -----BEGIN PRIVATE KEY----- opens it",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "8c6a9d49-f519-4afc-81f4-e80b47948e5b",
        "eyJ is how base64 of an object begins. Mostly.",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "ghp_short, AKIA, AKIAshort, xoxb-1, AIzaSomething",
        "sk-ecdsa-sha2-nistp256@openssh.com, sk-SK-standard-A1-voice",
        "sk-123e4567-e89b-12d3-a456-426614174000",
        "conda env sk-learn-env-python3-10, pypi-publish-v1-8-action",
        "SG.ClassName_With_Long_Name.AnotherLongMember",
        f"-----BEGIN PUBLIC KEY-----\n{B64}\n-----END PUBLIC KEY-----",
        f"-----BEGIN CERTIFICATE-----\n{B64}\n-----END CERTIFICATE-----",
        f"-----BEGIN PGP SIGNATURE-----\n\n{B64}\n=abcd\n-----END PGP SIGNATURE-----",
        "Authorization: token expired, please log in",
        "Authorization: token expired",
        "Authorization: Basic authentication is used",
        "authorization: bearer tokens are refreshed",
        "basic Operator, basic Optional, basic Optimization",
        "bearer certificate-2024-signed-copy1",
        '{"password": "${DB_PASSWORD}", "token": "function", "prompt_tokens": "12", "tokens": "several"}',
        '{"password": {"type": "string"}, "access_token": null}',
        REDACTED,
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact_text(text) == (text, 0)


@pytest.mark.parametrize(
    "key",
    [
        *sorted(SECRET_KEYS),
        "Authorization",
        "API_KEY",
        "apiKey",
        "accessToken",
        "clientSecret",
        "privateKey",
        "refreshToken",
        "x-api-key",
        "api-key",
        "Proxy-Authorization",
        "X-Auth-Token",
        "DB_PASSWORD",
        "SECRET_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "aws_secret_access_key",
        "secretAccessKey",
    ],
)
def test_a_string_under_a_key_that_names_a_secret_is_replaced(key: str) -> None:
    assert redact({"headers": [{key: "swordfish"}]}) == ({"headers": [{key: REDACTED}]}, 1)


@pytest.mark.parametrize(
    "value", [12, 0.5, True, None, "", {"_ref": "sha256:x", "size_bytes": 9}, [1], "if", "="]
)
def test_what_is_no_string_stays_under_such_a_key(value: Any) -> None:
    assert redact({"token": value, "prompt_tokens": 9}) == ({"token": value, "prompt_tokens": 9}, 0)


@pytest.mark.parametrize(
    "key",
    [
        "tokens",
        "prompt_tokens",
        "token_type",
        "passwords",
        "secretary",
        "my_token",
        "nextPageToken",
        "Token_",
        "MAX_TOKENS",
    ],
)
def test_only_the_exact_keys_are_meant(key: str) -> None:
    assert redact({key: "swordfish"}) == ({key: "swordfish"}, 0)


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ({"password": ["swordfish", 7]}, {"password": [REDACTED, 7]}),
        ({"password": {"value": "swordfish"}}, {"password": {"value": REDACTED}}),
        (
            {"headers": [["Authorization", "s3cr3t-opaque"]]},
            {"headers": [["Authorization", REDACTED]]},
        ),
        (
            {"name": "authorization", "value": "swordfish"},
            {"name": "authorization", "value": REDACTED},
        ),
        (
            ["$ cat key", *KEY_BLOCK.split("\n"), "$ ls"],
            ["$ cat key", *[REDACTED] * 4, "$ ls"],
        ),
        (
            [*KEY_BLOCK.split("\n")[:2], "$ ls"],
            [REDACTED, REDACTED, "$ ls"],
        ),
    ],
)  # fmt: skip
def test_secrets_in_several_parts(value: Any, clean: Any) -> None:
    assert redact(value) == (clean, 1)


@pytest.mark.parametrize(
    "value",
    [
        {"password": {"type": "string", "description": "of the user"}},
        {"secret": {"secretName": "mine", "namespace": "default"}},
        {"token": {"symbol": "identifier"}},
        ["Authorization", "Content-Type"],
        ["password", "username2"],
        ["-----BEGIN PRIVATE KEY-----", "opens it"],
        {"name": "token", "value": "if"},
    ],
)
def test_what_only_speaks_of_secrets_stays(value: Any) -> None:
    assert redact(value) == (value, 0)


def test_keys_stay_as_they_are() -> None:
    token = TOKENS["github"]
    assert redact({token: token}) == ({token: REDACTED}, 1)


def test_any_depth() -> None:
    value: Any = {"password": "swordfish"}
    for _ in range(100_000):
        value = [value]
    clean, count = redact(value)
    for _ in range(100_000):
        (clean,) = clean
    assert (clean, count) == ({"password": REDACTED}, 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=10), inside, max_size=4),
    max_leaves=20,
)
PIECES = st.sampled_from(
    [*TOKENS.values(), *"\n\" '\\,.-_=:%[]", "a", "\\n", "Bearer ", "Authorization: ", "%20"]
)
SECRETIVE = st.lists(PIECES, max_size=8).map("".join)


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shape(member) for key, member in value.items()}
    return [shape(member) for member in value] if isinstance(value, list) else type(value)


@given(st.recursive(JSON | SECRETIVE, lambda inside: st.dictionaries(st.text() | PIECES, inside, max_size=4)))
def test_the_shape_stays_the_original_stays_and_a_second_time_changes_nothing(value: Any) -> None:
    before = repr(value)
    clean, _ = redact(value)
    assert repr(value) == before
    assert shape(clean) == shape(value)
    assert redact(clean) == (clean, 0)


@given(JSON)
def test_what_has_no_secret_is_equal(value: Any) -> None:
    clean, count = redact(value)
    assert count or clean == value


@given(
    st.sampled_from(sorted(TOKENS.values())),
    st.text("ab \n\"'=:/", max_size=9),
    st.text("\n \"',;", min_size=1),
)
def test_no_token_survives_between_words(token: str, before: str, after: str) -> None:
    text = f"{before} {token}{after}{token}"
    clean, count = redact_text(text)
    assert count >= 1
    assert token not in clean


FLOODS = [
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----" + "a" * 40 + "\n",
    "BEGIN A PRIVATE KEY",
    "PRIVATE KEY-----\\n",
    '"password',
    '"password":"',
    '"password":"x"',
    '\\"password\\":\\"x',
    "'token':'",
    "password",
    "[0msk-",
    "-----BEGIN A-----",
    "-----BEGIN A-----" + "a" * 39 + "!",
    "-----BEGIN ",
    "eyJ",
    "eyJaaaaaaaa.",
    "eyJaaaaaaaa.aaaa",
    "authorization=",
    "authorization: ",
    "authorization\\",
    "bearer ",
    "basic ",
    "aws_secret_key=",
    "aws_secret_key=a",
    "AccountKey=",
    "sk-",
    "sk-aaaaaaaaaaaaaaaa.",
    "SG.",
    "SG.aaaaaaaaaaaaaaaa",
    "AKIA",
    "AIza",
    "xoxb-",
    "github_pat_",
    "%20eyJ",
    "\\neyJ",
    " ",
    "\\",
]


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_takes_linear_time(flood: str) -> None:
    """Square time over half a million characters would not end today."""
    text = flood * (500_000 // len(flood))
    for signs in ("", "authorization: bearer basic -----BEGIN PRIVATE KEY----- eyJ SG.", '"password":"'):
        assert redact_text(signs + text)[0]
