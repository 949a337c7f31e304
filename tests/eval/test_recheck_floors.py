"""Quotations are found again as well as before, and what changed is never called unchanged."""

import tomllib
from pathlib import Path

import pytest

from tests.eval.recheck import HERE, all_figures, out_of_bounds
from tests.eval.recheck_pairs_run import figures, outcomes


@pytest.mark.slow
def test_verdicts_on_pages_that_changed_keep_to_their_bounds(eval_data: Path, tmp_path: Path) -> None:
    bounds = tomllib.loads((HERE / "floors.toml").read_text("utf-8"))["recheck"]

    figures = all_figures(eval_data, tmp_path)

    assert out_of_bounds(bounds, figures) == []


@pytest.mark.slow
def test_changes_among_noise_are_seen_and_noise_alarms_nobody() -> None:
    bounds = tomllib.loads((HERE / "floors.toml").read_text("utf-8"))["recheck_pairs"]

    assert out_of_bounds(bounds, figures(list(outcomes()))) == []
