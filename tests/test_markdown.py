import pandas as pd

from nnbr_core.show import markdown


def test_a_frame_becomes_a_table():
    frame = pd.DataFrame({"x": [1, "a|b"]}, index=pd.Index(["one", "two"], name="name"))
    assert markdown.table(frame).splitlines() == [
        "| name | x |",
        "| --- | --- |",
        "| one | 1 |",
        r"| two | a\|b |",
    ]


def test_ids_link_to_their_records():
    link = "[01234567](runs/toy/0123456789abcdef.json)"
    assert markdown.links(["0123456789abcdef"], "toy") == link
    assert markdown.links([], "toy") == "none"
    assert f"- a: {link}" in markdown.runs({"a": ["0123456789abcdef"]}, "toy")
