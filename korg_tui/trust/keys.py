"""Keys: what a chain was made with, or signed with."""

from __future__ import annotations


class KeyFault(ValueError):
    """A key that cannot be used; the text says in one line what, where, and what now."""
