"""A box to search items in and a basket of those that were chosen, for mouse and keyboard."""

from collections.abc import Sequence
from pathlib import Path

import anywidget
import pandas as pd
import traitlets

from nnbr_core.errors import nearest
from nnbr_core.people import item_labels

MOST_LISTED = 200  # matches; who sees more types more letters
HINT = "Type a part of a name; arrow keys and Enter choose."


def matching(labels: Sequence[str], text: str) -> list[str]:
    """The labels that contain every word of `text`, those that begin with it first.

    >>> matching(["ginger beer", "Beer", "tea"], "beer")
    ['Beer', 'ginger beer']
    """
    words = text.lower().split()
    found = [label for label in labels if words and all(word in label.lower() for word in words)]
    return sorted(found, key=lambda label: (not label.lower().startswith(words[0]), label))


class ItemSearch(anywidget.AnyWidget):
    """Typing lists the items that contain the text; a chosen one becomes a chip with a ×.

    Enter on a text that several items contain changes nothing but the message.
    """

    _esm = Path(__file__).parent / "search.js"
    _css = Path(__file__).parent / "search.css"
    query = traitlets.Unicode("").tag(sync=True)
    matches = traitlets.List([]).tag(sync=True)  # pairs of a label and its group
    chosen = traitlets.List([]).tag(sync=True)  # labels, in the order they were added
    message = traitlets.Unicode(HINT).tag(sync=True)

    def __init__(self, catalogue: pd.DataFrame, chosen: Sequence[str] = ()):
        super().__init__(chosen=list(chosen))
        labels = item_labels(catalogue)
        self.groups = dict(zip(labels, catalogue["group"], strict=True))
        self.observe(lambda change: self.look_up(), "query")
        self.on_msg(lambda widget, content, buffers: self.answer(content))

    def look_up(self) -> None:
        """List what contains the text that is typed."""
        found = matching(list(self.groups), self.query)
        self.matches = [[label, self.groups[label]] for label in found[:MOST_LISTED]]
        self.message = self._found(found) if self.query else HINT

    def _found(self, found: list[str]) -> str:
        if not found:
            hint = nearest(self.query, self.groups)
            near = f": {hint}" if "did you mean" in hint else "."
            return f"No item contains {self.query!r}{near}"
        if len(found) == 1:
            return "1 item: Enter adds it."
        more = f", the first {MOST_LISTED} are listed" if len(found) > MOST_LISTED else ""
        return f"{len(found):,} items contain {self.query!r}{more}: choose one."

    def answer(self, content: dict[str, str]) -> None:
        """What the page asks for: enter a text, add or remove an item."""
        {"enter": self.enter, "add": self.add, "remove": self.remove}[content["do"]](
            content["text"]
        )

    def enter(self, text: str) -> None:
        """Add what the text names, if that is one item."""
        self.query = text.strip()
        found = matching(list(self.groups), self.query)
        exactly = [label for label in found if label.lower() == self.query.lower()]
        if len(exactly or found) == 1:
            self.add((exactly or found)[0])

    def add(self, label: str) -> None:
        if label in self.groups and label not in self.chosen:
            self.chosen = [*self.chosen, label]
        self.query = ""

    def remove(self, label: str) -> None:
        self.chosen = [one for one in self.chosen if one != label]

    def clear(self) -> None:
        self.chosen, self.query = [], ""
