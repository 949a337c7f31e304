"""Settings from the environment and the file: what cannot be used is refused by name."""

from pathlib import Path

import pytest

from tests.service.running import Shell


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CITATOR_MAX_BODY", "much"),
        ("CITATOR_READERS", "0"),
        ("CITATOR_LISTEN", "8787"),
        ("CITATOR_ALLOW_ADDRESSES", "10.0.0.0/33"),
        ("CITATOR_USER_AGENT", "two\nlines"),
        ("CITATOR_ROBOTS", "ignore"),
        ("CITATOR_CONFIG", "/no/such/file"),
        ("CITATOR_DATABASE_URL", "foo"),
        ("CITATOR_DATABASE_URL", "mysql://host/name"),
        ("CITATOR_DATABASE_URL", "sqlite://"),
        ("CITATOR_BUCKET", "s3://"),
        ("CITATOR_BUCKET", "gs://bucket"),
        ("CITATOR_VIEWPORT", "big"),
        ("CITATOR_LOCALE", "of the country"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_its_name(tmp_path: Path, name: str, value: str) -> None:
    ran = Shell(tmp_path / "data")("search", "bread", "--json", **{name: value})

    assert (ran.status, ran.json["type"]) == (2, "urn:citator:problem:bad-setting")
    assert ran.json["detail"].startswith(name)
    assert "Value error" not in ran.json["detail"]
    assert "pattern" not in ran.json["detail"]
    assert not (tmp_path / "data").exists()


def test_a_misspelt_name_in_the_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "citator.toml"
    file.write_text("robot = 'record'\n")

    ran = Shell(tmp_path / "data")("search", "bread", "--json", CITATOR_CONFIG=str(file))

    assert (ran.status, ran.json["type"]) == (2, "urn:citator:problem:bad-setting")
    assert "CITATOR_ROBOT: there is no such setting" in ran.json["detail"]


def test_an_empty_variable_is_one_that_is_not_set(tmp_path: Path) -> None:
    file = tmp_path / "citator.toml"
    file.write_text(f"data = '{tmp_path / 'data'}'\n")

    ran = Shell(tmp_path)("search", "bread", "--json", CITATOR_CONFIG=str(file), CITATOR_DATA="", CITATOR_READERS="")

    assert ran.status == 0
    assert (tmp_path / "data" / "bucket").is_dir()
    assert not (tmp_path / "bucket").exists()


def test_a_misspelt_variable_is_told_with_the_nearest_name_and_the_command_goes_on(tmp_path: Path) -> None:
    ran = Shell(tmp_path / "data")("search", "bread", "--json", CITATOR_ROBOT="record", CITATOR_XYZZY="1")

    assert (ran.status, ran.json["state"]) == (0, "no_provider")
    assert "CITATOR_ROBOT is no setting and does nothing; did you mean CITATOR_ROBOTS?" in ran.stderr
    assert "CITATOR_XYZZY is no setting and does nothing\n" in ran.stderr


def test_a_database_address_that_cannot_be_used_is_not_repeated_since_it_may_hold_a_password(tmp_path: Path) -> None:
    ran = Shell(tmp_path / "data")("search", "bread", "--json", CITATOR_DATABASE_URL="mysql://me:secret@host/name")

    assert "secret" not in ran.stderr + str(ran.json)
    assert "postgresql://USER:PASSWORD@HOST/NAME" in ran.json["detail"]
