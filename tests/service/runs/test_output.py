"""Output of runs, in files of limited length."""

from __future__ import annotations

from pathlib import Path

from compiled_plan.service.runs.output import CURRENT, closed, read, rotate


def test_offsets_survive_rotation_and_removal_of_files(tmp_path: Path) -> None:
    written = ""
    with (tmp_path / CURRENT).open("a") as file:
        for number in range(400):
            line = f"line {number} é\n"
            file.write(line)
            file.flush()
            written += line
            rotate(tmp_path, length=500, retained=3)
    whole = written.encode()
    output = read(tmp_path, offset=0)
    assert output.size == output.end == len(whole)
    assert output.first == output.offset == closed(tmp_path)[0][0] > 0
    assert len(closed(tmp_path)) == 3
    assert output.text.encode() == whole[output.first :]
    for at in (output.first, output.first + 700, len(whole) - 10, len(whole)):
        assert read(tmp_path, offset=at, most=600).text.encode() == whole[at : at + 600]
    assert read(tmp_path, tail=3).text == "line 397 é\nline 398 é\nline 399 é\n"
    assert read(tmp_path, tail=0).text == ""


def test_empty_output(tmp_path: Path) -> None:
    output = read(tmp_path / "none", tail=10)
    assert (output.text, output.offset, output.end, output.size) == ("", 0, 0, 0)
