"""Side by side with peers in one run, medians over interleaved rounds, printed as ratios.

`python benchmarks/run.py [--rounds 3] [--write docs/benchmarks.md]`
"""

from __future__ import annotations

import argparse
import base64
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parent))
from peers import BASH, CALYSTO, EMPTY, IPYTHON, OURS, PEERS, UNLIMITED, Kernel, started, tmux, write_specs

CELLS = 200
SLOW_CELLS = 12
Samples = dict[str, list[float]]


@dataclass(frozen=True)
class Row:
    """One line of the table: what, the measured ratio as text, what the project promises, whether it holds."""

    what: str
    measured: str
    promise: str
    holds: bool


def p50(kernel: Kernel, cells: int, *, until: str = "idle", code: str = "true") -> float:
    return statistics.median(kernel.run(code, until=until)[0] for _ in range(cells))


def collect(samples: Samples, name: str, value: float) -> None:
    samples.setdefault(name, []).append(value)


def one_round(samples: Samples) -> None:
    """Every peer's start, `true`, and `seq`; the order is the same in each round, so drift hits all alike."""
    for peer in PEERS:
        begin = time.perf_counter()
        with started(peer) as kernel:
            kernel.run("true")
            collect(samples, f"start {peer.name}", time.perf_counter() - begin)
            kernel.run("true")
            slow = peer in (BASH, CALYSTO)
            collect(samples, f"true {peer.name}", p50(kernel, SLOW_CELLS if slow else CELLS))
            if peer is OURS:
                collect(samples, "first byte", p50(kernel, 5, until="first", code="echo a; sleep 1"))
                collect(samples, "rss ours", psutil.Process(kernel.pid).memory_info().rss)
                collect(samples, "idle cpu", idle_cpu(kernel))
                crowd(samples, kernel)
            if peer is EMPTY:
                collect(samples, "rss empty", psutil.Process(kernel.pid).memory_info().rss)
            elif peer is not CALYSTO:
                seconds, text = kernel.run("seq 1 100000", timeout=120)
                collect(samples, f"seq {peer.name}", seconds)
                if peer is OURS:
                    wanted = "".join(f"{number}\n" for number in range(1, 100001))
                    collect(samples, "seq exact", float(text == wanted))


def idle_cpu(kernel: Kernel) -> float:
    """Share of one core over five idle seconds."""
    process = psutil.Process(kernel.pid)
    before = process.cpu_times()
    time.sleep(5)
    after = process.cpu_times()
    return (after.user + after.system - before.user - before.system) / 5


def crowd(samples: Samples, kernel: Kernel) -> None:
    """The same cell beside a hundred idle panes, then beside one that never stops printing."""
    collect(samples, "alone", p50(kernel, CELLS))
    tmux("new-session", "-d", "-s", "crowd", "-x", "200", "-y", "50", "cat")
    for _ in range(99):
        tmux("new-window", "-d", "-t", "crowd", "cat")
    collect(samples, "beside 100", p50(kernel, CELLS))
    tmux("kill-session", "-t", "crowd")
    tmux("new-session", "-d", "-s", "loud", "yes")
    collect(samples, "beside yes", p50(kernel, CELLS))
    tmux("kill-session", "-t", "loud")


def throughput(samples: Samples, text: Path) -> None:
    """50 MB through a cell with no cap, and through tmux with nobody reading."""
    with started(UNLIMITED) as kernel:
        kernel.run("true")
        begin = time.perf_counter()
        tmux("new-session", "-d", "-s", "drain", "-x", "160", "-y", "48", f"cat {text}; tmux wait-for -S drained")
        tmux("wait-for", "drained")
        collect(samples, "drain", time.perf_counter() - begin)
        seconds, got = kernel.run(f"cat {text}", timeout=120)
        collect(samples, "50 MB", seconds)
        collect(samples, "50 MB exact", float(got == text.read_text()))


def table(samples: Samples) -> list[Row]:
    value: Callable[[str], float] = lambda name: statistics.median(samples[name])  # noqa: E731
    rows: list[Row] = []

    def at_most(what: str, ratio: float, limit: float, unit: str = " ×") -> None:
        rows.append(Row(what, f"{ratio:.2f}{unit}", f"≤ {limit:g}{unit}", ratio <= limit))

    def at_least(what: str, ratio: float, limit: float) -> None:
        rows.append(Row(what, f"{ratio:.2f} ×" if limit < 2 else f"{ratio:.0f} ×", f"≥ {limit:g} ×", ratio >= limit))

    ours = value(f"true {OURS.name}")
    at_most("`true` p50, against the stock empty kernel", ours / value(f"true {EMPTY.name}"), 0.8)
    at_least("`true` p50, faster than bash_kernel", value(f"true {BASH.name}") / ours, 40)
    at_most(
        "start to first cell, against the empty kernel", value(f"start {OURS.name}") / value(f"start {EMPTY.name}"), 1.1
    )
    at_least("`seq 1 100000`, faster than bash_kernel", value(f"seq {BASH.name}") / value(f"seq {OURS.name}"), 120)
    at_least("50 MB, no cap, against tmux with no reader", value("drain") / value("50 MB"), 0.85)
    at_most("first byte of `echo a; sleep 1`, against `true`", value("first byte") / ours, 2)
    at_most("p50 beside 100 idle panes, against alone", value("beside 100") / value("alone"), 1.2)
    at_most("p50 beside one pane at `yes`, against alone", value("beside yes") / value("alone"), 3)
    at_most("idle CPU, share of a core", value("idle cpu"), 0.002, "")
    at_most("RSS, against the empty kernel", value("rss ours") / value("rss empty"), 1.3)
    exact = min(samples["seq exact"]) == 1 and min(samples["50 MB exact"]) == 1
    rows.append(Row("both byte-exact", "yes" if exact else "no", "yes", exact))
    return rows


def absolute(samples: Samples) -> list[str]:
    lines = ["| kernel | `true` p50 ms | start → first cell ms | `seq 1 100000` s |", "|---|---|---|---|"]
    for peer in (OURS, EMPTY, IPYTHON, CALYSTO, BASH):
        seq = samples.get(f"seq {peer.name}")
        lines.append(
            f"| {peer.name} | {statistics.median(samples[f'true {peer.name}']) * 1000:.2f}"
            f" | {statistics.median(samples[f'start {peer.name}']) * 1000:.0f}"
            f" | {f'{statistics.median(seq):.3f}' if seq else '–'} |"
        )
    return lines


def report(samples: Samples, rounds: int) -> str:
    rows = table(samples)
    lines = ["| measure | measured | promised | |", "|---|---|---|---|"]
    lines += [f"| {row.what} | {row.measured} | {row.promise} | {'✓' if row.holds else '✗'} |" for row in rows]
    drain = statistics.median(samples["drain"])
    whole = statistics.median(samples["50 MB"])
    lines += [
        "",
        *absolute(samples),
        "",
        f"50 MB: {50 / whole:.1f} MB/s through a cell, {50 / drain:.1f} by tmux alone.",
    ]
    where = f"Python {platform.python_version()}, {tmux('-V').strip()}, {os.cpu_count()} cores"
    return "\n".join([f"Medians of {rounds} interleaved rounds in one run; {where}.", "", *lines]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", type=Path, help="put the table between the markers of this file")
    options = parser.parse_args()
    samples: Samples = {}
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch, "home")
        home.mkdir()
        os.environ |= {
            "HOME": str(home),
            "JUPYTER_PATH": scratch,
            "TMUX_KERNEL_SOCKET": f"tk-bench-{os.getpid()}",
            "TMUX_KERNEL_TMUX_CONF": "/dev/null",
            "TMUX_KERNEL_STATE": str(Path(scratch, "state")),
        }
        write_specs(Path(scratch))
        text = Path(scratch, "50MB.txt")
        text.write_bytes(base64.encodebytes(os.urandom(37_000_000)))
        try:
            for number in range(options.rounds):
                print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
                one_round(samples)
                throughput(samples, text)
        finally:
            tmux("kill-server")
    result = report(samples, options.rounds)
    print(result)
    if options.write is not None:
        head, begin, rest = options.write.read_text().partition("<!-- measured -->\n")
        _old, end, tail = rest.partition("<!-- /measured -->")
        options.write.write_text(head + begin + result + end + tail)


if __name__ == "__main__":
    main()
