"""PicturingScreen: the picture in the reader, decoded beside the screen."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial

from textual.containers import Container

from korg_tui.screens.base import KorgScreen
from korg_tui.views import Document, Form
from korg_tui.widgets.picture import NoPicture, decoded, picture, way


class PicturingScreen(KorgScreen):
    """A screen with a container `#picture`."""

    document: Document | None
    form: Form

    def __init__(self) -> None:
        super().__init__()
        self.instead = ""
        """Why an image is not shown."""

    def show_nothing(self) -> None:
        """Show what stands in the place of rows, or of a picture, that cannot be shown."""
        raise NotImplementedError

    def draw_picture(self) -> None:
        """Draw the image that the document is, or say why not."""
        if self.document is not None and self.form == "picture":
            self.work_beside(partial(self._draw, self.document), "picture")

    async def _draw(self, document: Document) -> None:
        frame = self.query_one("#picture", Container)
        how = way(os.environ, terminal=bool(sys.__stdout__ and sys.__stdout__.isatty()))
        try:
            if how == "none":
                raise NoPicture("it is not drawn, as KORG_IMAGES says")
            if self.korg.ascii_only or self.korg.no_color:
                raise NoPicture("it is not drawn where there are no colours, or only ASCII")
            image = await asyncio.to_thread(decoded, document.unpacked())
            drawn = picture(image, how, (self.size.width - 2, self.size.height - 4))
        except NoPicture as no:
            self.instead = str(no)
            self.show_nothing()
            return
        if self.document is document and self.form == "picture":
            self.instead = ""
            await frame.remove_children()
            await frame.mount(drawn)
            self.show_nothing()
