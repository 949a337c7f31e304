#!/usr/bin/env bash
# Builds the wheel, installs it into an environment of its own and runs the quick tests from another folder,
# so that nothing is found only because the checkout stands on the path.
#   infra/test-wheel.sh [PYTHON]    an interpreter; without one, the newest here: all tests run on that of .venv anyway
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
uv=$root/.venv/bin/uv
version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

python=${1:-}
if [ -z "$python" ]; then
    python=.venv/bin/python
    best=$(version "$python")
    for candidate in "$HOME"/.pyenv/versions/3.*/bin/python3 $(compgen -c python3. | grep -E '^python3\.[0-9]+$' | sort -u); do
        found=$(version "$candidate") || continue
        if [ "$(printf '%s\n%s\n' "$best" "$found" | sort -V | tail -1)" = "$found" ] && [ "$found" != "$best" ]; then
            best=$found python=$candidate
        fi
    done
    if [ "$python" = .venv/bin/python ]; then
        echo "!!! THERE IS NO PYTHON NEWER THAN $best ON THIS MACHINE: the quick tests do not run on one !!!" >&2
    fi
fi

wheel_of=$(version "$python")
work=$root/.tmp/wheel-$wheel_of
echo "test-wheel: the wheel on Python $wheel_of"
rm -rf "$work/dist" "$work/away"
mkdir -p "$work/dist" "$work/away"
"$uv" build -q --wheel --out-dir "$work/dist" .
[ -x "$work/venv/bin/python" ] || "$uv" venv -q --python "$python" "$work/venv"
export VIRTUAL_ENV=$work/venv
"$uv" pip sync -q --compile-bytecode requirements/dev.txt
"$uv" pip install -q --no-deps "$work"/dist/*.whl

# The house and documentation tests look at the checkout; they are not for a wheel.
cp -r tests docs pyproject.toml "$work/away/"
rm -f "$work"/away/tests/test_house.py "$work"/away/tests/test_docs.py "$work"/away/tests/test_infra.py
cd "$work/away"
"$work/venv/bin/python" - <<'PY'
import crawler, index, service, snapshots
import pathlib
for package in (crawler, index, service, snapshots):
    assert "site-packages" in package.__file__, f"{package.__name__} is not the wheel's"
    assert (pathlib.Path(package.__file__).parent / "py.typed").exists(), f"{package.__name__} lost its py.typed"
PY
"$work/venv/bin/python" -m pytest -q -n "${JOBS:-3}" --dist loadfile -m "not slow"
