from __future__ import annotations

import pytest

from tmux_kernel.runs.patience import seconds_of, tier_of


@pytest.mark.parametrize(
    ("command", "tier"),
    [
        ("ls -la", "quick"),
        ("/bin/ls", "quick"),
        ("A=1 pwd", "quick"),
        ("grep -r x .", "medium"),
        ("./script.sh", "medium"),
        ("tail -f log", "medium"),
        ("cd /x && make -j4", "long"),
        ("sudo apt-get install x", "long"),
        ("git status", "medium"),
        ("git -C /x clone y", "long"),
        ("ls | wc -l", "quick"),
        ("echo 'a;b'", "medium"),
        ("", "medium"),
    ],
)
def test_a_command_has_the_patience_of_its_slowest_part(command: str, tier: str) -> None:
    assert tier_of(command) == tier


def test_seconds_are_a_tier_or_a_positive_number() -> None:
    assert (seconds_of("quick"), seconds_of("2.5"), seconds_of("off")) == (5.0, 2.5, None)
    for wrong in ("-1", "0", "inf", "nan", "soon"):
        with pytest.raises(ValueError, match=r".*"):
            seconds_of(wrong)
