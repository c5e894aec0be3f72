"""Widgets: what the screens are made of. Each module is a face of its own."""

from __future__ import annotations
