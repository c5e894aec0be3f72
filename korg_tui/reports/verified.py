"""Verified: what came out for a ledger, as JSON, as text, and as a test suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from korg_tui.reports.junit import Case, Suite
from korg_tui.reports.page import Line
from korg_tui.text import visible
from korg_tui.trust import Anchoring, Fault, Finding, Verification
from korg_tui.views import plural

_HOLDS = ("intact", "window", "empty", "unverifiable")
"""Verdicts of chains that hold, beside which something else may be found."""

_STYLES = {"intact": "good", "window": "good", "empty": "dim", "broken": "bad"}


# JSON


def verified_document(found: Verification) -> dict[str, Any]:
    """As JSON, without the name of its ledger."""
    standing = found.standing
    return {
        "verdict": found.verdict,
        "events": standing.events,
        "tip": standing.tip or None,
        "verified_to": standing.verified_to,
        "errors": [{"seq": each.seq, "kind": each.kind, "text": each.text} for each in found.faults],
        "findings": [{"seq": each.seq, "text": each.text} for each in found.findings],
        "notes": list(found.notes),
        "seal": _seal_document(found),
        "anchors": _anchors_document(found.anchoring),
    }


def _seal_document(found: Verification) -> dict[str, Any] | None:
    seal, sealing = found.seal, found.sealing
    if seal is None or sealing is None:
        return None
    return {
        "kind": seal.kind,
        "schema": seal.schema,
        "status": sealing.status,
        "claim": seal.claim or None,
        "issuer": seal.issuer or None,
        "issued": seal.issued or None,
        "event_count": seal.count,
        "tip": seal.tip or None,
        "pubkey": seal.pubkey or None,
        "anchors": _anchors_document(sealing.anchoring),
    }


def _anchors_document(anchoring: Anchoring | None) -> dict[str, Any] | None:
    if anchoring is None:
        return None
    return {"where": anchoring.where, "count": anchoring.anchors, "held": list(anchoring.held)}


# text


def verified_page(found: Verification) -> Iterator[Line]:
    """The verdict, faults, findings, notes."""
    standing, verdict = found.standing, found.verdict
    graves = sum(finding.grave for finding in found.findings)
    but = f", but {plural(graves, 'finding')}" if graves and verdict in _HOLDS else ""
    style = "odd" if but else _STYLES.get(verdict, "odd")
    yield [(f"{verdict}{but}", style), (f"  {visible(found.ledger)}: {_extent(found)}", "")]
    if standing.tip:
        yield [("  tip ", "dim"), (standing.tip, "")]
    if found.seal is not None and found.sealing is not None:
        yield [(f"  {found.seal.word}, seal: {found.sealing.status}", ""), (_claimed(found), "")]
    for fault in found.faults:
        yield [("  ", ""), (f"{_where(fault)}  {fault.kind}", "bad"), (f"  {fault.text}", "")]
    for finding in found.findings:
        yield [("  ", ""), (_where(finding), "odd"), (f"  {finding.text}", "")]
    for note in found.notes:
        yield [(f"  {note}", "dim")]


def _extent(found: Verification) -> str:
    standing = found.standing
    words = plural(standing.events, "event")
    if standing.verified_to is None or not standing.events:
        return words
    return f"{words}, verified to seq {standing.verified_to}"


def _claimed(found: Verification) -> str:
    seal = found.seal
    assert seal is not None
    claims = (seal.claim and f"claims {seal.claim}", seal.issuer and f"issued by {seal.issuer}", seal.issued)
    words = ", ".join(filter(None, claims))
    return f"; {words}" if words else ""


def _where(found: Fault | Finding) -> str:
    if found.seq is not None:
        return f"seq {found.seq}"
    return f"byte {found.offset}" if found.offset or isinstance(found, Finding) else "ledger"


# JUnit


def verified_suite(found: Verification) -> Suite:
    """As test cases: chain, signatures, seal, anchors, tip."""
    faults = found.faults
    return Suite(
        found.ledger,
        (
            _chain_case(found),
            _case("signatures", faults, "" if found.signers else "no --pubkey was given"),
            _case("seal", faults, "" if found.seal is not None else "there is none"),
            _case("anchors", faults, "" if _is_anchored(found) else "there are none"),
            _case("tip", faults, "" if found.expected else "no --expect-tip was given"),
        ),
    )


def _is_anchored(found: Verification) -> bool:
    own = None if found.sealing is None else found.sealing.anchoring
    return found.anchoring is not None or own is not None


def _chain_case(found: Verification) -> Case:
    """Fails when the command does for what no other case tells of."""
    kinds = ("link", "content", "unchained")
    failures = [_sentence(each) for each in found.faults if each.kind in kinds]
    failures += [_sentence(each) for each in found.findings if each.grave]
    standing = found.standing
    if not failures and (standing.verdict == "needs_key" or standing.misfits):
        failures = [standing.verdict, *(_sentence(each) for each in standing.findings)]
    said = [found.verdict, *(_sentence(each) for each in found.findings if not each.grave), *found.notes]
    return Case("chain", tuple(failures), tuple(said))


def _case(name: str, faults: Sequence[Fault], skipped: str) -> Case:
    kind = {"signatures": "signature", "anchors": "anchor"}.get(name, name)
    failures = tuple(_sentence(each) for each in faults if each.kind == kind)
    return Case(name, failures, skipped="" if failures else skipped)


def _sentence(found: Fault | Finding) -> str:
    kind = f" {found.kind}:" if isinstance(found, Fault) else ":"
    return f"{_where(found)}{kind} {found.text}"
