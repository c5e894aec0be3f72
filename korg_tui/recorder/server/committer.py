"""The one thread that writes: posts that wait together share one sync (group commit)."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from korg_tui.recorder.store import Rewound, Store
from korg_tui.recorder.store.calls import Call, Refused

_MOST = 256
"""Posts that share a sync."""

_LOOK_AGAIN = 1.0
"""Seconds after which an idle store looks whether its file is still there."""


@dataclass(slots=True, eq=False)
class _Order:
    """Something to be written, and who waits for it."""

    what: Call | Callable[[], Rewound]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    answer: Any = field(default=None)


class Committer:
    """Writes to a store for everybody, in the order of asking. `stop` when nobody asks any more."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="committer")
        self._thread.start()

    async def append(self, call: Call) -> int:
        """The seq of the event, when it is on the disk. Raises `Refused`, or `OSError`."""
        seq: int = await self._ask(call)
        return seq

    async def rewind(self, target: int, by: str, reason: str) -> Rewound:
        """Rewind behind everything that was asked for before. Raises as `Store.rewind`."""
        done: Rewound = await self._ask(lambda: self._store.rewind(target, by, reason))
        return done

    def stop(self) -> None:
        """Return when everything that was asked for is done."""
        self._orders.put(None)
        self._thread.join()

    async def _ask(self, what: Call | Callable[[], Rewound]) -> Any:
        loop = asyncio.get_running_loop()
        order = _Order(what, loop, loop.create_future())
        self._orders.put(order)
        return await order.future

    # --- on the thread

    def _work(self) -> None:
        while True:
            try:
                first = self._orders.get(timeout=_LOOK_AGAIN)
            except queue.Empty:
                self._store.tend()
                continue
            orders, ended = self._waiting(first)
            self._carry_out(orders)
            _answer(orders)
            if ended:
                self._store.tend()
                return

    def _waiting(self, order: _Order | None) -> tuple[list[_Order], bool]:
        """All that wait now, from `order` on, and whether that was the end."""
        orders: list[_Order] = []
        with contextlib.suppress(queue.Empty):
            while order is not None:
                orders.append(order)
                if len(orders) == _MOST:
                    break
                order = self._orders.get_nowait()
            else:
                return orders, True
        return orders, False

    def _carry_out(self, orders: list[_Order]) -> None:
        calls: list[_Order] = []
        for order in orders:
            if isinstance(order.what, Call):
                calls.append(order)
                continue
            self._append(calls)
            calls = []
            try:
                order.answer = order.what()
            except Exception as error:
                order.answer = error
        self._append(calls)

    def _append(self, orders: list[_Order]) -> None:
        answers: list[int | Refused] | list[Exception]
        try:
            answers = self._store.append([order.what for order in orders if isinstance(order.what, Call)])
        except Exception as error:
            answers = [error] * len(orders)
        for order, answer in zip(orders, answers, strict=True):
            order.answer = answer


def _answer(orders: list[_Order]) -> None:
    """Tell everybody, with one call to each event loop."""
    for loop in {order.loop for order in orders}:
        mine = [order for order in orders if order.loop is loop]
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(_tell, mine)


def _tell(orders: list[_Order]) -> None:
    for order in orders:
        if order.future.done():
            continue
        if isinstance(order.answer, Exception):
            order.future.set_exception(order.answer)
        else:
            order.future.set_result(order.answer)
