"""HTTP: the ledger of a running server, asked again and again (LEDGERS.md, HTTP; SPEC §8.5.1).

Modules are imported one by one: httpx is loaded only where a server is really asked."""
