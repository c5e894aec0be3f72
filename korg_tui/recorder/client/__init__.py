"""RecorderClient: how an agent writes its events to a ledger server, and never waits long (SPEC §5, §7.5).

    from korg_tui.recorder.client import RecorderClient

    with RecorderClient(actor="agent:mine/main@1.0") as client:
        client.prompt("Find out why the tests fail.", by="human:me")
        client.inference({"text": "I run them."}, duration_ms=2310)
        failed = client.tool("Bash", {"command": "pytets"}, {"exit_code": 127}, success=False, duration_ms=4)
        client.tool("Bash", {"command": "pytest -q"}, "1 failed", duration_ms=4200, triggered_by=failed)
        with client.sub_agent("history", "Which commit broke them?") as history:
            history.inference({"text": "I bisect."})
            history.tool("Bash", {"command": "git bisect run pytest -q"}, "9f31c0a is the first bad commit")
            history.close("9f31c0a")
        client.inference({"text": "9f31c0a it is."})

What hangs from what is the client's business: a tool call hangs from the latest inference of its agent at the
time of the call (§2a: calls of one round are siblings), an inference from the one before it, a sub-agent's
prompt and its `Agent` call from the inference that decided on it, and the inference that follows the return
of a sub-agent in the same round from its `Agent` call (§2b). A second `prompt` is a follow-up: it hangs from
the latest inference, and the next inference hangs from it.

The recorder never breaks an agent. Every event goes into one ordered queue, and one thread posts them, one
at a time. `tool` returns at once. `prompt` and `inference` wait for their seq, at most `timeout` seconds
(say 0 in an event loop), and not at all when nobody answers at the server's address; they return None then,
and the event stays in the queue: what hangs from it is posted after it, and gets the right cause. The queue
has 256 places (and 64 MB); when it is full, the oldest event is lost. What hangs from a lost event hangs
from the nearest cause that was taken; if there is none, it is an orphan. A WARNING of the logger
`korg_tui.recorder.client` names the tool and the actor of whatever is lost:

- pushed out of a full queue; not delivered for 15 minutes, or when the client was closed;
- refused by the server (422 and other refusals are not tried again; the warning has the reason). When the
  reason is `triggered_by`, the ledger no longer has what the client knew, and later events begin without a
  parent.

A post whose answer was lost is not: the journal is asked whether it arrived, before it is posted again. An
event may be in the ledger twice when the journal cannot say (a WARNING tells), or when the server was silent
for `request_timeout` seconds and took it after all.

What is recorded is copied at once, up to 200,000 values and 16 MB of text an event, so that no agent is held
for long: in place of what exceeds that, or holds itself, stands a text that says so.

Secrets are taken out (`korg_tui.recorder.redact`) before anything is hashed or sent. Values of more than
1,024 canonical bytes become blobs, kept before the event that names them is posted (§7.2, §7.3): in the
folder `blobs` or `$KORG_BLOB_DIR`, else on the server (`PUT /api/blob`), else, when the server does not take
any, in `./.korg/blobs`.
"""

from __future__ import annotations

from korg_tui.recorder.client.agents import AgentRecorder, SubAgent
from korg_tui.recorder.client.client import RecorderClient
from korg_tui.recorder.client.posting import Posting

__all__ = ["AgentRecorder", "Posting", "RecorderClient", "SubAgent"]
