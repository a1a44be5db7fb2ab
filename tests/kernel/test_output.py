"""Output on its way to the front end: few messages, bounded, nothing lost."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from tests.kernel.conftest import Cell, Desk, Notebook

_LINE = "0123456789abcdef" * 4


def _streams(cell: Cell) -> list[dict[str, str]]:
    return [content for content in cell.of_type("stream") if content["name"] == "stdout"]


def test_output_comes_while_the_cell_runs(notebook: Notebook) -> None:
    message = notebook.start("echo started; read -t 30 || true; echo end", allow_stdin=True)
    assert message not in notebook.replies
    notebook.interrupt()
    notebook.finish(message)


def test_output_is_byte_for_byte_what_was_printed(notebook: Notebook) -> None:
    cell = notebook.run("printf 'tab\\tü€𝄞 \\e[31mred\\e[0m 50%%\\r100%%\\nno newline'")
    assert cell.text == "tab\tü€𝄞 \x1b[31mred\x1b[0m 50%\r100%\nno newline"


def test_many_small_writes_become_few_messages(notebook: Notebook) -> None:
    cell = notebook.run("for n in $(seq 200); do echo $n; sleep .005; done")
    assert cell.text == "".join(f"{number}\n" for number in range(1, 201))
    assert len(_streams(cell)) <= 20 * cell.facts["seconds"] + 5


def test_a_burst_is_whole_and_in_few_messages(notebook: Notebook) -> None:
    cell = notebook.run("seq 1 100000")
    assert cell.text == "".join(f"{number}\n" for number in range(1, 100001))
    assert len(_streams(cell)) <= 20


def test_past_the_limit_head_and_tail_are_shown_and_the_whole_is_on_disk(notebook: Notebook) -> None:
    cell = notebook.run("seq 1 400000")
    whole = "".join(f"{number}\n" for number in range(1, 400001))
    notice = re.search(r"\n… ([\d,]+) characters left out; the whole output is in (\S+) …\n", cell.text)
    assert notice is not None
    head, tail = cell.text[: notice.start()], cell.text[notice.end() :]
    assert whole.startswith(head) and whole.endswith(tail) and head and tail
    assert len(head) + len(tail) + int(notice[1].replace(",", "")) == len(whole)
    assert len(cell.text) < 1_001_000
    path = Path(notice[2])
    assert path.read_text() == whole
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_the_limit_can_be_chosen(desk: Desk) -> None:
    notebook = desk.start("--TmuxKernel.output_limit=1000")
    cell = notebook.run("seq 1 1000")
    assert "characters left out" in cell.text
    assert len(cell.text) < 1300
    assert notebook.run("seq 1 100").text == "".join(f"{number}\n" for number in range(1, 101))


def test_without_a_limit_everything_is_shown_and_no_file_is_written(desk: Desk) -> None:
    notebook = desk.start("--TmuxKernel.output_limit=0", "--TmuxKernel.output_rate=0")
    cell = notebook.run("seq 1 400000")
    assert cell.text == "".join(f"{number}\n" for number in range(1, 400001))
    assert not (desk.state / "runs").exists()


def test_bursts_back_to_back_stay_below_what_jupyter_server_lets_through(desk: Desk) -> None:
    notebook = desk.start("--TmuxKernel.output_limit=0")
    arrivals: list[tuple[float, int]] = []
    keep = notebook._keep

    def watch(message: dict[str, object]) -> None:
        if message["msg_type"] == "stream":
            arrivals.append((time.monotonic(), len(json.dumps(message["content"]))))
        keep(message)

    notebook._keep = watch  # type: ignore[method-assign]
    cells = [notebook.send(f"yes {_LINE} | head -c 3000000") for _ in range(2)]
    assert all(len(notebook.finish(cell, 60).text) == 3_000_000 for cell in cells)
    for start, _ in arrivals:
        assert sum(size for when, size in arrivals if start <= when < start + 2.9) <= 3_000_000


def test_a_client_that_does_not_read_for_a_while_loses_nothing(desk: Desk) -> None:
    notebook = desk.start("--TmuxKernel.output_rate=0")
    cells = [notebook.send(f"echo {number}") for number in range(700)]
    time.sleep(3)  # more than a thousand messages wait meanwhile
    done = [notebook.finish(cell) for cell in cells]
    assert [cell.text for cell in done] == [f"{number}\n" for number in range(700)]
