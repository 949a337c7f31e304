"""`make fuzz`: throws bytes at whatever reads hostile input first, for a while each, and tells what breaks.

`python -m tests.fuzz.run [SECONDS] [TARGET…]`. With atheris the search is led by what parts of the code were reached;
what it kept is in `.tmp/fuzz/TARGET`, and the next run begins there. hypothesis looks besides, with its own kinds of
bytes. A target runs in a process of its own, with bounds on memory and on the time of one input.
"""

import importlib.util
import subprocess
import sys
from pathlib import Path

from tests.fuzz.targets import SEEDS, TARGETS

CORPUS = Path(".tmp/fuzz")
SECONDS = 60
"""For each target."""
MEMORY = 2_048
"""Megabytes; a reader's own limit is half of it."""
SLOWEST = 25
"""Seconds of one input; the product stops a reading after 20."""
EXAMPLES = 500
"""Inputs by hypothesis for each target."""


def with_atheris(name: str, seconds: int) -> int:
    """Search in a process of its own; its status is not 0 if something broke."""
    folder = CORPUS / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS.get(name, ())):
        (folder / f"seed-{number}").write_bytes(seed)
    options = [
        f"-max_total_time={seconds}", f"-rss_limit_mb={MEMORY}", f"-timeout={SLOWEST}", "-max_len=20000",
        f"-artifact_prefix={CORPUS}/{name}-broken-", "-verbosity=0", "-print_final_stats=1",
    ]  # fmt: skip
    return subprocess.run([sys.executable, "-m", "tests.fuzz.led", name, *options, str(folder)], check=False).returncode


def with_hypothesis(name: str) -> int:
    """Inputs of all kinds, made smaller where one breaks."""
    return subprocess.run([sys.executable, "-m", "tests.fuzz.drawn", name, str(EXAMPLES)], check=False).returncode


def main(arguments: list[str]) -> int:
    """Run the targets that are named, or all; 1 if one broke."""
    seconds = int(arguments.pop(0)) if arguments and arguments[0].isdecimal() else SECONDS
    names = arguments or list(TARGETS)
    if unknown := set(names) - set(TARGETS):
        print(f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}", file=sys.stderr)
        return 2
    led = importlib.util.find_spec("atheris") is not None
    if not led:
        print("atheris is not installed here: hypothesis alone")
    broken = []
    for name in names:
        statuses = [with_hypothesis(name), *([with_atheris(name, seconds)] if led else [])]
        print(f"{name}: {'holds' if not any(statuses) else 'BROKEN'}", flush=True)
        broken += [name] if any(statuses) else []
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
