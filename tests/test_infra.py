"""What an installation is made from: the image, the compose file, the scripts."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
INFRA = ROOT / "infra"

# The part of the compose specification that is used here; a misspelt key is an error.
SERVICE_KEYS = {
    *("build", "image", "init", "restart", "read_only", "tmpfs", "cap_drop", "security_opt", "ports", "environment"),
    *("volumes", "depends_on", "networks", "stop_grace_period", "command", "entrypoint", "configs", "healthcheck"),
    "profiles",
}
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((INFRA / "compose.yaml").read_text())
    return read


def test_the_dockerfile_passes_its_linter() -> None:
    hadolint = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert hadolint

    printed = subprocess.run([hadolint, str(ROOT / "Dockerfile")], capture_output=True, text=True, check=False)

    assert (printed.returncode, printed.stdout) == (0, "")


def test_the_image_runs_as_nobody_in_particular_and_says_how_it_is() -> None:
    last_stage = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2]

    assert re.search(r"^USER 1\d{4}", last_stage, re.MULTILINE)
    assert "HEALTHCHECK" in last_stage
    assert "chromium" in last_stage


def test_the_image_copies_every_package_and_the_context_lets_it() -> None:
    dockerfile, context = (ROOT / "Dockerfile").read_text(), (ROOT / ".dockerignore").read_text()

    for package in ("service", "crawler", "index", "snapshots"):
        assert f"COPY {package} {package}\n" in dockerfile
        assert f"!{package}\n" in context


def test_compose_uses_only_keys_that_exist(compose: dict[str, Any]) -> None:
    assert set(compose) <= {"name", "services", "configs", "networks", "volumes"}
    for name, service in compose["services"].items():
        assert set(service) <= SERVICE_KEYS, name
        assert "image" in service or "build" in service, name


def test_compose_refers_only_to_what_it_defines(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for name, service in services.items():
        for other, how in service.get("depends_on", {}).items():
            assert other in services, name
            assert how["condition"] in CONDITIONS, name
            if how["condition"] == "service_healthy":
                assert "healthcheck" in services[other], f"{name} waits for {other}, which never says how it is"
        assert set(service["networks"]) <= set(compose["networks"]), name
        assert {each["source"] for each in service.get("configs", [])} <= set(compose["configs"]), name
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (INFRA / source).exists(), f"{name}: {volume}"


def test_compose_lets_in_only_this_machine_and_has_no_secret_in_it(compose: dict[str, Any]) -> None:
    example = (INFRA / "env.example").read_text()
    for name, service in compose["services"].items():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
        for key, value in (service.get("environment") or {}).items():
            if re.search(r"PASSWORD|SECRET|ACCESS_KEY", key):
                assert re.match(r"\$\{\w+(:\?|:-\})", value), f"{name}: {key}"

    for variable in set(re.findall(r"\$\{(\w+)", (INFRA / "compose.yaml").read_text())):
        assert re.search(rf"^{variable}=", example, re.MULTILINE), variable


def test_compose_sets_only_what_can_be_set(compose: dict[str, Any]) -> None:
    from service.settings import Settings

    known = {f"CITATOR_{name}".upper() for name in Settings.model_fields}

    assert set(compose["services"]["citator"]["environment"]) <= known


@pytest.mark.parametrize("script", [*sorted(INFRA.glob("*.sh")), ROOT / ".ci" / "run"], ids=lambda path: path.name)
def test_scripts_parse_and_can_be_run(script: Path) -> None:
    parsed = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True, check=False)

    assert (parsed.returncode, parsed.stderr) == (0, "")
    assert os.access(script, os.X_OK)
    assert "set -euo pipefail" in script.read_text()


def test_a_timed_backup_keeps_the_newest_and_drops_nothing_before_the_new_one_is_whole(tmp_path: Path) -> None:
    folder, programs = tmp_path / "kept", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    command = programs / "citator"
    command.write_text('#!/bin/sh\n[ -z "$FAIL" ] || exit 3\necho "$1" > "$2"\n')
    command.chmod(0o755)
    for day in ("01", "02", "03"):
        (folder / f"citator-202001{day}T000000Z.tar").write_text("old")
    environment = {"PATH": f"{programs}:/usr/bin:/bin"}
    script = [str(INFRA / "backup.sh"), str(folder), "2"]

    failed = subprocess.run(script, env=environment | {"FAIL": "1"}, capture_output=True, text=True, check=False)
    after_failure = len(list(folder.iterdir()))
    done = subprocess.run(script, env=environment, capture_output=True, text=True, check=False)

    assert (failed.returncode, after_failure) == (3, 3)
    assert done.returncode == 0
    assert Path(done.stdout.strip()).read_text() == "backup\n"
    assert min(path.name for path in folder.iterdir()) == "citator-20200103T000000Z.tar"
    assert len(list(folder.iterdir())) == 2
