"""Files that commands read as a stream, and files that they write whole or not at all."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from service.errors import NO_ROOM
from service.failures import BadRequest


@contextmanager
def opened_file(path: Path) -> Iterator[BinaryIO]:
    """A file to read from its beginning; `-` is stdin.

    Raises:
        BadRequest: it cannot be read, or there can be no such file.
    """
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise BadRequest(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # a name with a NUL
        raise BadRequest(f"{str(path)!r} cannot be read: {error}") from error
    with file:
        try:
            yield file
        except IsADirectoryError as error:
            raise BadRequest(f"{path} cannot be read: {error.strerror}") from error


@contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """A file that has its name only when all of it is there.

    A link stays, and what it leads to is replaced. What is no file (a pipe, a device) is written to as it stands.

    Raises:
        BadRequest: it cannot be written.
    """
    try:
        place = path.resolve()
        if place.is_dir():
            raise BadRequest(f"{path} is a directory: name the file")
        if place.exists() and not place.is_file():
            with place.open("wb") as file:
                yield file
            return
        partial = place.with_name(f".{place.name}.{token_hex(4)}")
        try:
            with partial.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            partial.replace(place)
            _keep_name(place.parent)
        finally:
            with suppress(OSError):
                partial.unlink()
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        raise BadRequest(f"{path} cannot be written: {error.strerror or error}") from error
    except ValueError as error:  # a name with a NUL
        raise BadRequest(f"{str(path)!r} cannot be written: {error}") from error


def _keep_name(folder: Path) -> None:
    """Have the name of a new file outlast a loss of power."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
