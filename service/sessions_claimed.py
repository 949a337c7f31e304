"""What was served for a session, by the word of the client who named it."""

from collections.abc import Iterator

from snapshots import Archive, DamagedObject, RemovedId, Serving, UnknownId, is_claim, is_id


def servings_of_session(archive: Archive, session: str) -> Iterator[Serving]:
    """The replies given for a session, in the order of the log.

    Blocking. The catalogue does not keep claims, so every serving there is is read; of a session that is kept here
    those from its beginning on, because nobody could name it before.
    """
    begun = archive.catalogue.position_of(session) if is_id(session) else None
    for naming in archive.catalogue.of_kind("serving", first=begun or 0):
        try:
            serving = archive.record(naming.id)
        except (UnknownId, RemovedId, DamagedObject):
            continue
        if isinstance(serving, Serving) and (serving.session == session or is_claim(serving.session, session)):
            yield serving


def records_of_session(archive: Archive, session: str) -> Iterator[str]:
    """The records that were answered with in a session, each once."""
    yield from dict.fromkeys(serving.record for serving in servings_of_session(archive, session))
