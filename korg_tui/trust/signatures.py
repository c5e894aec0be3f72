"""Signatures: what was signed with Ed25519, and by whom, as far as public keys tell (extra `signing`)."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from korg_tui.sources import open_regular, reason
from korg_tui.text import visible
from korg_tui.trust.keys import KeyFault

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

INSTALL = "pip install 'korg-tui[signing]'"
"""What gives the library that checks signatures."""

ED25519 = "ed25519"

_KEY = re.compile(r"[0-9a-fA-F]{64}")
_SIGNATURE = re.compile(r"[0-9a-f]{128}")
_HEX = re.compile(r"[0-9a-fA-F]+")
_MAY_BE_SECRET = re.compile(r"[0-9a-fA-F]{32}")
_PEM = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----", re.DOTALL)
_LARGEST_FILE = 1 << 16
_KEYS_AT_MOST = 64
_SHOWN = 300
_ASKED = "give 64 hex digits, or a file that holds them"

# How an Ed25519 key begins as a SubjectPublicKeyInfo (RFC 8410) and in OpenSSH (RFC 8709).
_SUBJECT = bytes.fromhex("302a300506032b6570032100")
_OPENSSH = b"\0\0\0\x0bssh-ed25519\0\0\0\x20"

_FOR_ANYBODY = {
    int.from_bytes(bytes.fromhex(key), "little")
    for key in (
        "00" * 32,
        "01" + "00" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
    )
}
"""Points of small order, without their sign: with them as keys, one signature fits any message."""


class MissingLibrary(KeyFault):
    """Signatures cannot be checked here; the text says what to install."""

    def __init__(self) -> None:
        super().__init__(f"signatures cannot be checked here: the library for it is not installed; {INSTALL}")


@dataclass(frozen=True, slots=True)
class PublicKeys:
    """Keys of those whom a person trusts to have signed. Any thread may ask."""

    names: tuple[str, ...]
    """Each in 64 lower-case hex digits, none twice."""

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, key: str) -> bool:
        """Whether it is one of these, in hex digits of either case."""
        return key.lower() in self.names

    def fits(self, preimage: bytes, signature: str) -> bool:
        """Whether one of the keys signed exactly these bytes; `signature` in 128 lower-case hex digits."""
        return any(signed_by(name, preimage, signature) for name in self.names)

    def without(self, key: str) -> PublicKeys:
        """The other ones."""
        return PublicKeys(tuple(name for name in self.names if name != key.lower()))


def public_keys(words: Sequence[str]) -> PublicKeys:
    """The keys that a person named: 64 hex digits each, an OpenSSH or PEM public key, or a file with such.

    Raises `KeyFault` with one line when a word is none of these, `MissingLibrary` when nothing could be
    checked with them."""
    require_library()
    names = dict.fromkeys(name for word in words for name in _named(word))
    return PublicKeys(tuple(names))


def signed_by(key: str, message: bytes, signature: str) -> bool:
    """Whether the key (64 hex digits) signed exactly this message; `signature` in 128 lower-case hex digits.
    False for whatever is no key, no signature, or a key of which anybody can sign. Raises
    `MissingLibrary`."""
    if not (is_key_name(key) and is_signature(signature)) or is_for_anybody(key):
        return False
    verifier = _verifier(key)
    from cryptography.exceptions import InvalidSignature

    try:
        verifier.verify(bytes.fromhex(signature), message)
    except InvalidSignature:
        return False
    return True


@lru_cache(maxsize=_KEYS_AT_MOST)
def _verifier(key: str) -> Ed25519PublicKey:
    require_library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))


def is_key_name(text: str) -> bool:
    """Whether it is a public key as ledgers write one: 64 hex digits of either case."""
    return _KEY.fullmatch(text) is not None


def is_signature(text: str) -> bool:
    """Whether it is a signature as ledgers write one: 128 lower-case hex digits."""
    return _SIGNATURE.fullmatch(text) is not None


def is_for_anybody(key: str) -> bool:
    """Whether a key (64 hex digits) is one of those few with which one signature fits any message."""
    return int.from_bytes(bytes.fromhex(key), "little") & ~(1 << 255) in _FOR_ANYBODY


def require_library() -> None:
    """Raises `MissingLibrary` when signatures cannot be checked."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: F401
    except ImportError:
        raise MissingLibrary from None


# keys as they are written


def _named(word: str) -> Iterator[str]:
    """The keys in one word."""
    if word.startswith(("-----BEGIN ", "ssh-")):
        yield from _written(word, "the KEY")
    elif _KEY.fullmatch(word):
        yield _usable(word, _named_as(word))
    elif _HEX.fullmatch(word) and not os.path.lexists(word):
        raise KeyFault(f"a KEY has {len(word)} hex digits, and a public key has 64; {_ASKED}")
    else:
        yield from _written(_content(word), _named_as(word))


def _named_as(word: str) -> str:
    """What to call a word that was given: one that may hold a secret is not repeated."""
    return "the KEY" if _MAY_BE_SECRET.search(word) else visible(word, _SHOWN)


def _content(name: str) -> str:
    where = _named_as(name)
    try:
        with os.fdopen(open_regular(name), "rb") as file:
            content = file.read(_LARGEST_FILE + 1)
    except ValueError:
        raise KeyFault(f"{where}: no name of a file; {_ASKED}") from None
    except OSError as error:
        raise KeyFault(f"{where}: no 64 hex digits, and as a file: {reason(error)}; {_ASKED}") from None
    if len(content) > _LARGEST_FILE:
        raise KeyFault(f"{where}: too large for public keys; {_ASKED}")
    return content.decode("utf-8-sig", "replace")


def _written(text: str, where: str) -> Iterator[str]:
    """The keys in a text: PEM, or one a line in hex digits or as OpenSSH writes it."""
    if "PRIVATE KEY-----" in text:
        raise KeyFault(f"{where}: a private key, which its owner alone should have; give the public one")
    found = list(_in_pem(text, where) if "-----BEGIN " in text else _in_lines(text, where))
    if not found:
        raise KeyFault(f"{where}: no public key in it; {_ASKED}")
    if len(found) > _KEYS_AT_MOST:
        raise KeyFault(f"{where}: more than {_KEYS_AT_MOST} keys; give those that matter")
    yield from found


def _in_pem(text: str, where: str) -> Iterator[str]:
    for block in _PEM.finditer(text):
        if block[1] != "PUBLIC KEY":
            raise KeyFault(f"{where}: a {block[1].lower()}, not a public key; {_ASKED}")
        yield _behind(_SUBJECT, _decoded(block[2]), where)


def _in_lines(text: str, where: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        here = f"{where}, line {number}"
        if not words or words[0].startswith("#"):
            continue
        if words[0].startswith("ssh-") and len(words) > 1:
            yield _behind(_OPENSSH, _decoded(words[1]), here)
        elif len(words) == 1 and _KEY.fullmatch(words[0]):
            yield _usable(words[0], here)
        elif len(words) == 1 and _HEX.fullmatch(words[0]):
            raise KeyFault(f"{here}: {len(words[0])} hex digits, and a public key has 64; {_ASKED}")
        else:
            raise KeyFault(f"{here}: no public key; {_ASKED}")


def _behind(beginning: bytes, content: bytes, where: str) -> str:
    """The key in what PEM or OpenSSH wraps."""
    if not content.startswith(beginning) or len(content) != len(beginning) + 32:
        raise KeyFault(f"{where}: no Ed25519 public key; {_ASKED}")
    return _usable(content[len(beginning) :].hex(), where)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _usable(key: str, where: str) -> str:
    if is_for_anybody(key):
        raise KeyFault(f"{where}: a key with which anybody can sign; give the one of somebody")
    return key.lower()
