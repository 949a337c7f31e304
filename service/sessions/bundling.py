"""What a bundle has of sessions besides their records: transcript, contexts, and the script that makes them anew."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from service.sessions.paths import Kept
from service.sessions.rebuilding import members_of, naming
from snapshots import Collected, joined_modules

MODULES: Final = ("tokens", "sessions.context", "sessions.formats", "sessions.paths", "sessions.rebuilding")
"""What the script is joined of, each after those that it needs."""

SCRIPT: Final = "session/rebuild.py"

_TOP: Final = '''#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Citator authors. Licensed under the Apache License, Version 2.0: you may use, change and pass on this
# file under its terms, https://www.apache.org/licenses/LICENSE-2.0. It comes without any warranty.
"""Makes anew what a model is to be shown of a session, without Citator and with nothing but Python 3.11 or newer.

    python3 -I rebuild.py [BUNDLE|DIRECTORY] [--format openai|responses|anthropic|gemini] [--budget TOKENS] [--check]

It was joined from the modules that do the same in Citator. That the bundle is whole is for evidence/verify.py to say.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):
    sys.exit("rebuild.py needs Python 3.11 or newer; this is %d.%d." % sys.version_info[:2])

'''

_BOTTOM: Final = """

if __name__ == "__main__":
    sys.exit(rebuild(sys.argv[1:], __file__))
"""


@cache
def rebuild_script() -> bytes:
    """The script as one Python file."""
    return joined_modules("service", MODULES, _TOP, _BOTTOM)


def of_sessions(found: Collected) -> Iterator[tuple[str, bytes]]:
    """The members below `session/` of a bundle for which sessions were asked; none if no session was."""
    sessions = [name for name in found.roots if name in found.sessions]
    if not sessions:
        return
    kept = Kept(
        record=lambda name: found.records.get(name) if name in found.records else None,
        blob=lambda name: found.blobs.get(name) if name in found.blobs else None,
        order=lambda session: sorted(found.steps.get(session, ()), key=found.logged.__getitem__),
    )
    for session in sessions:
        yield from members_of(kept, session, naming(session, sessions))
    yield SCRIPT, rebuild_script()
