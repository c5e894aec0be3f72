"""Public keys as people give them, and whether they signed something."""

from __future__ import annotations

import itertools
import os
import sys

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from korg_tui.trust import KeyFault, MissingLibrary, public_keys
from korg_tui.trust.signatures import signed_by
from sealing import ISSUER, STRANGER, name_of

NAME = name_of(ISSUER)
RAW = serialization.Encoding.Raw
NEUTRAL = "01" + "00" * 31


def pem(key, form=serialization.PublicFormat.SubjectPublicKeyInfo) -> str:
    return key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()


def openssh(key) -> str:
    form = serialization.PublicFormat.OpenSSH
    return key.public_key().public_bytes(serialization.Encoding.OpenSSH, form).decode()


def secret(key, form=serialization.PrivateFormat.PKCS8) -> str:
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def test_a_signature_fits_its_key_its_message_and_nothing_else():
    keys = public_keys([name_of(STRANGER), NAME])
    signature = ISSUER.sign(b"said").hex()
    assert keys.fits(b"said", signature)
    assert not keys.fits(b"said ", signature)
    assert not public_keys([name_of(STRANGER)]).fits(b"said", signature)
    assert not keys.fits(b"said", signature.upper())
    assert not keys.fits(b"said", " " + signature[1:])
    assert not keys.fits(b"said", signature[:-2])
    assert not keys.fits(b"said", "")
    assert not keys.fits(b"said", "ü" * 128)


def test_every_changed_digit_of_a_signature_is_seen():
    keys, signature = public_keys([NAME]), ISSUER.sign(b"said").hex()
    for place, digit in enumerate(signature):
        other = "0" if digit != "0" else "1"
        assert not keys.fits(b"said", signature[:place] + other + signature[place + 1 :])


def test_a_key_with_which_anybody_signs_signs_nothing(tmp_path):
    forged = NEUTRAL + "00" * 32
    assert not signed_by(NEUTRAL, b"whatever", forged)
    assert not signed_by(NEUTRAL[:-2] + "80", b"whatever", forged)
    with pytest.raises(KeyFault, match="a key with which anybody can sign"):
        public_keys([NEUTRAL])


@pytest.mark.parametrize(
    "content",
    [
        NAME,
        NAME.upper() + "\n",
        f"\ufeff# whose key it is\r\n\r\n  {NAME}\r\n",
        pem(ISSUER),
        "a word before\n" + pem(ISSUER),
        openssh(ISSUER) + " somebody@somewhere\n",
    ],
    ids=["hex", "upper case", "among lines", "PEM", "PEM in a text", "OpenSSH"],
)
def test_a_file_holds_a_key_in_several_spellings(tmp_path, content):
    path = tmp_path / "key.pub"
    path.write_text(content, "utf-8")
    assert public_keys([str(path)]).names == (NAME,)


def test_keys_are_given_as_words_too_and_none_counts_twice(tmp_path):
    (tmp_path / "both").write_text(f"{NAME}\n{openssh(STRANGER)}\n")
    keys = public_keys([NAME.upper(), openssh(ISSUER), pem(STRANGER), str(tmp_path / "both")])
    assert keys.names == (NAME, name_of(STRANGER))
    assert NAME.upper() in keys
    assert keys.without(NAME.upper()).names == (name_of(STRANGER),)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no public key in it"),
        (b"\xff\xfe\x00", "no public key"),
        (NAME[:-1].encode(), "63 hex digits, and a public key has 64"),
        (b"hello", "no public key"),
        (b"0" * 70_000, "too large for public keys"),
        ((NAME + "\n").encode() * 65, "more than 64 keys"),
        (secret(ISSUER).encode(), "a private key, which its owner alone should have"),
        (secret(ISSUER, serialization.PrivateFormat.OpenSSH).encode(), "a private key"),
        (pem(ec.generate_private_key(ec.SECP256R1())).encode(), "no Ed25519 public key"),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "a certificate, not a public"),
        (b"-----BEGIN PUBLIC KEY-----\n!!!\n-----END PUBLIC KEY-----\n", "no Ed25519 public key"),
        (b"-----BEGIN PUBLIC KEY-----\n", "no public key in it"),
        (b"ssh-rsa AAAAB3NzaC1yc2E= x\n", "no Ed25519 public key"),
        (b"ssh-ed25519\n", "no public key"),
        (NEUTRAL.encode(), "a key with which anybody can sign"),
    ],
    ids=itertools.count(),
)
def test_what_is_no_public_key_is_one_line(tmp_path, content, words):
    path = tmp_path / "key\x1b[31m.pub"
    path.write_bytes(content)
    with pytest.raises(KeyFault) as fault:
        public_keys([str(path)])
    text = str(fault.value)
    assert words in text
    assert "; give " in text
    assert text.isprintable()
    assert str(path).replace("\x1b", "␛") in text


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("nowhere.pub", "nowhere.pub: no 64 hex digits, and as a file: no such file; give 64 hex digits"),
        ("", "no such file"),
        ("nul\0", "no name of a file"),
        (".", "no regular file"),
        ("g" * 64, "no such file"),
        (NAME[:-1], "a KEY has 63 hex digits, and a public key has 64"),
        (secret(ISSUER), "the KEY: a private key"),
    ],
)
def test_a_word_that_is_no_key_is_one_line(tmp_path, monkeypatch, word, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KeyFault) as fault:
        public_keys([word])
    assert words in str(fault.value)
    assert "\n" not in str(fault.value)


def test_a_secret_that_was_given_by_mistake_is_not_repeated():
    both = ISSUER.private_bytes_raw().hex() + NAME
    with pytest.raises(KeyFault) as fault:
        public_keys([both])
    assert both[:16] not in str(fault.value)


@pytest.mark.parametrize("word", ["0x{}", " {}", "{} ", "{}:", "keys/{}.pub", "ssh-{}"])
def test_no_word_that_may_be_a_secret_is_repeated(word):
    with pytest.raises(KeyFault) as fault:
        public_keys([word.format(NAME)])
    assert NAME[:16] not in str(fault.value)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(KeyFault, match="no regular file"):
        public_keys([str(tmp_path / "pipe")])


def test_without_the_library_it_says_what_to_install(monkeypatch):
    key = Ed25519PrivateKey.from_private_bytes(b"\x21" * 32)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    with pytest.raises(MissingLibrary, match=r"pip install 'korg-tui\[signing\]'"):
        public_keys([NAME])
    with pytest.raises(KeyFault):
        signed_by(name_of(key), b"said", key.sign(b"said").hex())
