import hashlib
import stat
from pathlib import Path

import pytest

from service.keys import hashed, masked, new_key, write_first_key


def test_a_new_key_is_kept_only_as_its_hash() -> None:
    made = new_key()

    assert made.hashed == hashlib.sha256(made.key.encode()).hexdigest() == hashed(made.key)
    assert made.key.startswith(f"citator_{made.id}_")
    assert new_key().key != made.key


def test_a_key_is_masked_wherever_it_stands() -> None:
    made = new_key()

    shown = masked(f"GET /searxng/k/{made.key}/search?api_key={made.key}")

    assert made.key not in shown
    assert shown.count(made.id) == 2
    assert masked("nothing here") == "nothing here"


def test_the_first_key_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "first-key"

    write_first_key(path, "citator_x")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == "citator_x\n"
    with pytest.raises(FileExistsError):
        write_first_key(path, "other")
