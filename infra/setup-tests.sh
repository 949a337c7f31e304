#!/usr/bin/env bash
# System packages that the tests use: a PostgreSQL server, Chromium, zstd, and Debian's HTML documentation of Python as a
# real site. Installs them when run as root on Debian; otherwise says what is missing and how to get it.
# Besides, into .tmp: clients that need other libraries than the service, the MCP inspector where Node is, and readers of
# web archives.
set -euo pipefail
cd "$(dirname "$0")/.."

have_postgresql() { compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null; }
have_pages() { compgen -G '/usr/share/doc/python3*/html/library/contextlib.html' >/dev/null || [ -e .tmp/python3-doc/html/library/contextlib.html ]; }
have_zstd() { command -v zstd >/dev/null; }
have_chromium() { command -v chromium-headless-shell chromium google-chrome >/dev/null; }
updated=
apt() {
    if [ -z "$updated" ]; then
        apt-get -qq update </dev/null || echo "setup-tests: apt-get update had errors; trying with what it got" >&2
        updated=yes
    fi
    DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" </dev/null >/dev/null
}

# Without root: the package's files are unpacked, not installed. Also where dpkg leaves documentation out.
unpack_pages() {
    local work=.tmp/python3-doc package
    rm -rf "$work" && mkdir -p "$work/deb"
    package=$(apt-cache depends python3-doc | awk '/Depends: python3\.[0-9]+-doc/ { print $2; exit }')
    (cd "$work/deb" && apt-get -qq download "$package" </dev/null)
    dpkg-deb -x "$work"/deb/*.deb "$work/files"
    mv "$work"/files/usr/share/doc/python3*/html "$work/html"
    rm -rf "$work/deb" "$work/files"
}

# Other people's readers of web archives, to hold bundles against. They are no part of Citator, have licences of their
# own, and stay in folders of their own. Where they cannot be got, the tests that need them say so.
python=$(command -v python3 || true)
readers=.tmp/web-archives
into() {
    local folder=$readers/$1
    shift
    [ -e "$folder/.made" ] && return
    echo "setup-tests: getting $*"
    rm -rf "$folder" && "$python" -m venv "$folder" && "$folder/bin/pip" -qq --disable-pip-version-check install "$@" &&
        touch "$folder/.made"
}
into validators wacz==0.6.0 warcio==1.8.1 cdxj-indexer==1.5.0 || echo "setup-tests: no validators of web archives" >&2
into pywb pywb==2.10.0 setuptools || echo "setup-tests: no pywb" >&2
replayer() {
    [ -e "$readers/replaywebpage/ui.js" ] && return
    command -v npm >/dev/null || return
    echo "setup-tests: getting replaywebpage"
    mkdir -p "$readers/npm" && (cd "$readers/npm" && npm pack --silent replaywebpage@2.5.3 >/dev/null && tar xzf replaywebpage-2.5.3.tgz) &&
        rm -rf "$readers/replaywebpage" && mv "$readers/npm/package" "$readers/replaywebpage"
}
replayer || echo "setup-tests: no ReplayWeb.page (npm pack replaywebpage)" >&2

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    have_postgresql || { echo "setup-tests: installing postgresql" && apt install -y --no-install-recommends postgresql; }
    have_chromium || { echo "setup-tests: installing chromium-headless-shell" && apt install -y --no-install-recommends chromium-headless-shell; }
    have_zstd || { echo "setup-tests: installing zstd" && apt install -y --no-install-recommends zstd; }
    have_pages || { echo "setup-tests: installing python3-doc" && apt install -y --no-install-recommends python3-doc; }
fi
have_pages || { command -v apt-get >/dev/null && echo "setup-tests: unpacking python3-doc" && unpack_pages; } || true

# Clients apart, if their list has changed since they were installed.
uv=.venv/bin/uv
wanted=$(cat requirements/clients-apart.txt requirements/clients-bare.txt)
if [ -x "$uv" ] && [ "$wanted" != "$(cat .tmp/clients/installed.txt 2>/dev/null)" ]; then
    echo "setup-tests: installing clients apart"
    "$uv" venv -q --clear .tmp/clients
    VIRTUAL_ENV=.tmp/clients "$uv" pip sync -q --compile-bytecode requirements/clients-apart.txt
    VIRTUAL_ENV=.tmp/clients "$uv" pip install -q --no-deps -r requirements/clients-bare.txt
    printf '%s\n' "$wanted" >.tmp/clients/installed.txt
fi
if command -v npm >/dev/null && ! cmp -s infra/inspector/package-lock.json .tmp/inspector/installed.json; then
    echo "setup-tests: installing the MCP inspector"
    rm -rf .tmp/inspector && mkdir -p .tmp/inspector
    cp infra/inspector/package.json infra/inspector/package-lock.json .tmp/inspector/
    npm install --prefix .tmp/inspector --ignore-scripts --no-save --no-audit --no-fund --loglevel=error >/dev/null
    cp infra/inspector/package-lock.json .tmp/inspector/installed.json
fi

missing=()
have_postgresql || missing+=(postgresql)
have_pages || missing+=(python3-doc)
have_zstd || missing+=(zstd)
have_chromium || missing+=(chromium-headless-shell)
if [ ${#missing[@]} -gt 0 ]; then
    echo "setup-tests: the tests need these packages: ${missing[*]}" >&2
    echo "setup-tests: on Debian or Ubuntu: sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 3
fi
