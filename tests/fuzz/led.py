"""One target under atheris, which is led by what was reached: `python -m tests.fuzz.led TARGET [libFuzzer options]`."""

import sys

import atheris

with atheris.instrument_imports(include=["crawler"]):
    from tests.fuzz.targets import TARGETS


def main() -> None:
    """Search until something breaks or the time is over."""
    name = sys.argv.pop(1)
    atheris.Setup(sys.argv, TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
