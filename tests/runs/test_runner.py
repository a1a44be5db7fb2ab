from __future__ import annotations

from tests.conftest import Bench


async def test_a_command_has_its_output_and_its_code(bench: Bench) -> None:
    text, result = await bench.run("echo hi; (exit 3)")
    assert (text, result.status) == ("hi\n", 3)


async def test_the_status_of_a_command_is_still_there_for_the_next(bench: Bench) -> None:
    await bench.run("(exit 3)")
    text, _ = await bench.run("echo $?")
    assert text == "3\n"
