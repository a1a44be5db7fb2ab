from __future__ import annotations

import asyncio

import pytest

from tests.conftest import Bench, Tmux
from tests.runs.person import with_a_shell
from tmux_kernel.runs.lookout import stand_by
from tmux_kernel.runs.recording import record
from tmux_kernel.tmux.target import pane_facts


@pytest.mark.parametrize("is_recorded", [True, False])
async def test_what_rushes_by_between_two_screens_is_told(tmux: Tmux, bench: Bench, is_recorded: bool) -> None:
    person = await with_a_shell(tmux)
    connection = bench.runner.connection
    pane = await pane_facts(connection, person.pane)
    if is_recorded:
        await record(bench.runner, pane)
        pane = await pane_facts(connection, person.pane)
    async with stand_by(bench.runner, pane) as lookout, asyncio.timeout(20):

        async def has_rushed() -> str | None:
            return lookout.text if "\n20000" in lookout.text else None

        person.type("seq 20000")
        person.press("Enter")
        assert "\n7777\n" in await lookout.until(has_rushed)
        assert (await lookout.until_prompt()).rstrip()[-1] in "$#"
