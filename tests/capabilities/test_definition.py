from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from tmux_kernel.capabilities.catalogue import catalogue
from tmux_kernel.capabilities.definition import CAPABILITIES, Arg, Capability, as_data, as_text, capability
from tmux_kernel.errors import UsageError


@dataclass(frozen=True)
class Cut:
    pieces: int

    @property
    def text(self) -> str:
        return f"cut in {self.pieces}"


@pytest.fixture
def cut() -> Capability:
    @capability
    async def cut_(
        context: object,
        what: Annotated[str, Arg("what to cut")],
        others: Annotated[list[str], Arg("and these")] = [],  # noqa: B006
        *,
        pieces: Annotated[int, Arg("how many", ("-n",))] = 2,
        sharply: Annotated[bool, Arg("with a knife")] = False,
        mark: Annotated[list[str], Arg("a mark; may be given again")] = [],  # noqa: B006
    ) -> Cut:
        """Cut something.

        It is not put together again.
        """
        return Cut(pieces)

    return CAPABILITIES.pop("cut")


def test_words_become_the_arguments_of_the_function(cut: Capability) -> None:
    assert cut.parse(["bread", "cheese", "-n", "3", "--sharply", "--mark", "a", "--mark", "b"]) == {
        "what": "bread",
        "others": ["cheese"],
        "pieces": 3,
        "sharply": True,
        "mark": ["a", "b"],
    }


def test_what_is_left_out_has_its_default(cut: Capability) -> None:
    arguments = cut.parse(["bread"])
    assert arguments == {"what": "bread", "others": [], "pieces": 2, "sharply": False, "mark": []}


@pytest.mark.parametrize("words", [[], ["bread", "--pieces", "many"], ["bread", "--bluntly"], ["bread", "--pie", "3"]])
def test_words_it_does_not_take_are_an_error_with_the_usage(cut: Capability, words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        cut.parse(words, "%cut")
    assert "usage: %cut" in caught.value.suggestion


def test_the_help_has_the_summary_the_details_and_every_argument(cut: Capability) -> None:
    text = cut.help("tmux-kernel cut")
    for part in ("Cut something.", "It is not put together again.", "how many", "with a knife", "what to cut"):
        assert part in text


async def test_a_result_is_text_for_people_and_data_for_programs(cut: Capability) -> None:
    result = await cut.call(None, what="bread", pieces=4)
    assert (as_text(result), as_data(result)) == ("cut in 4", {"pieces": 4})


def test_every_capability_describes_itself_and_each_of_its_arguments() -> None:
    for item in catalogue().values():
        assert item.summary.endswith("."), item.name
        assert all(parameter.arg.help for parameter in item.parameters), item.name
