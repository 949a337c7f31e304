"""Objects under their hashes: at rest, on reading, and after damage."""

import hashlib
import random
import subprocess
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshots.directory import Directory
from snapshots.errors import BadId, DamagedObject, UnknownId
from snapshots.ids import digest
from snapshots.objects import BATCH_BYTES, Objects

PAGE = b"<p>the quick brown fox jumps over the lazy dog</p>\n" * 200


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Directory]:
    store = Directory(tmp_path / "bucket")
    yield store
    store.close()


@pytest.fixture
def objects(store: Directory) -> Objects:
    return Objects(store)


def path_of(tmp_path: Path, object_id: str) -> Path:
    digits = object_id.removeprefix("sha256:")
    return tmp_path / "bucket" / "objects" / digits[:2] / digits


@settings(max_examples=25)
@given(blobs=st.lists(st.binary(max_size=400) | st.binary(max_size=8).map(lambda part: part * 100), max_size=5))
def test_what_is_put_is_got_by_its_hash(objects: Objects, blobs: list[bytes]) -> None:
    ids = objects.put(blobs)

    assert ids == ["sha256:" + hashlib.sha256(blob).hexdigest() for blob in blobs]
    assert [objects.get(object_id) for object_id in ids] == blobs


@pytest.mark.parametrize("blob", [PAGE, b"", b"short", random.Random(1).randbytes(300_000)])
def test_an_object_is_read_with_ordinary_tools(objects: Objects, tmp_path: Path, blob: bytes) -> None:
    (object_id,) = objects.put([blob])

    stored = path_of(tmp_path, object_id).read_bytes()

    plain = stored if digest(stored) == object_id else zstandard.ZstdDecompressor().decompress(stored)
    assert plain == blob
    assert len(stored) <= len(blob)


def test_a_blob_that_is_itself_a_zstd_frame_is_given_back_as_it_is(objects: Objects) -> None:
    frames = [
        zstandard.compress(PAGE),
        zstandard.compress(b"") * 3,
        zstandard.FRAME_HEADER,
        zstandard.compress(PAGE)[:40],
    ]

    ids = objects.put(frames)

    assert [objects.get(object_id) for object_id in ids] == frames


def test_what_cannot_be_compressed_is_kept_plain(objects: Objects, tmp_path: Path) -> None:
    noise = random.Random(2).randbytes(1_000_000)

    (object_id,) = objects.put([noise])

    assert path_of(tmp_path, object_id).read_bytes() == noise


@pytest.mark.parametrize("position", [0, 4, 5, 20, -1])
@pytest.mark.parametrize("blob", [PAGE, b"as short as it is plain"])
def test_a_flipped_bit_is_never_served_and_mended_when_the_content_is_seen_again(
    objects: Objects, tmp_path: Path, blob: bytes, position: int
) -> None:
    (object_id,) = objects.put([blob])
    path = path_of(tmp_path, object_id)
    damaged = bytearray(path.read_bytes())
    damaged[position] ^= 1
    path.write_bytes(damaged)

    with pytest.raises(DamagedObject):
        objects.get(object_id)
    again = objects.put([blob])

    assert again == [object_id]
    assert objects.get(object_id) == blob


@pytest.mark.parametrize("left", [0, 1, 7, 50])
def test_a_cut_object_is_damaged(objects: Objects, tmp_path: Path, left: int) -> None:
    (object_id,) = objects.put([PAGE])
    path = path_of(tmp_path, object_id)

    path.write_bytes(path.read_bytes()[:left])

    with pytest.raises(DamagedObject):
        objects.get(object_id)


def test_a_frame_that_claims_to_be_enormous_is_damaged_and_costs_nothing(objects: Objects, tmp_path: Path) -> None:
    (object_id,) = objects.put([PAGE])
    claims_a_terabyte = (
        zstandard.FRAME_HEADER + bytes([0b11000000, 0x58]) + (2**40).to_bytes(8, "little") + b"\x01\x00\x00"
    )
    path_of(tmp_path, object_id).write_bytes(claims_a_terabyte)

    tracemalloc.start()
    with pytest.raises(DamagedObject):
        objects.get(object_id)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 10_000_000


def test_an_intact_object_is_not_written_again(objects: Objects, tmp_path: Path) -> None:
    (object_id,) = objects.put([PAGE])
    before = path_of(tmp_path, object_id).stat()

    objects.put([PAGE, PAGE])

    after = path_of(tmp_path, object_id).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_an_id_is_found_by_twelve_digits_or_more(objects: Objects, store: Directory) -> None:
    (object_id,) = objects.put([PAGE])
    digits = object_id.removeprefix("sha256:")
    twin = digits[:20] + "0" * 44
    store.put_new({f"objects/{digits[:2]}/{twin}": b"anything", f"objects/{digits[:2]}/{digits}.bak": b"not ours"})

    assert objects.find(digits[:12]) == sorted([object_id, f"sha256:{twin}"])
    assert objects.find(f"sha256:{digits[:40].upper()}") == [object_id]
    assert objects.find("0" * 12) == []
    for bad in (digits[:11], "xyz" * 10, digits + "0", "../../etc/passwd"):
        with pytest.raises(BadId):
            objects.find(bad)


def test_deleted_objects_are_unknown_and_leave_no_bytes(objects: Objects, tmp_path: Path) -> None:
    kept, gone = objects.put([b"kept", PAGE])

    objects.delete([gone, "sha256:" + "0" * 64])

    with pytest.raises(UnknownId):
        objects.get(gone)
    assert objects.exists([kept, gone]) == {kept}
    files = [path for path in (tmp_path / "bucket").rglob("*") if path.is_file() and ".tmp" not in path.parts]
    assert files == [path_of(tmp_path, kept)]


def test_all_lists_every_object_with_its_size_at_rest(objects: Objects, tmp_path: Path) -> None:
    ids = objects.put([b"one", PAGE, b"three"])

    held = {entry.id: entry.size for entry in objects.all()}

    assert held == objects.sizes(ids) == {object_id: path_of(tmp_path, object_id).stat().st_size for object_id in ids}


def test_large_amounts_are_put_in_several_batches(objects: Objects) -> None:
    source = random.Random(3)
    blobs = (source.randbytes(BATCH_BYTES // 4) for _ in range(6))

    ids = objects.put(blobs, fresh=True)

    assert len(objects.exists(ids)) == 6


def test_threads_put_and_get_at_once(objects: Objects) -> None:
    blobs = [PAGE + str(n % 40).encode() for n in range(200)]

    def keep(blob: bytes) -> bool:
        return objects.get(objects.put([blob])[0]) == blob

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(keep, blobs))


def test_the_command_line_tools_agree(objects: Objects, tmp_path: Path) -> None:
    (object_id,) = objects.put([PAGE])

    found = subprocess.run(
        f"zstd -dc < {path_of(tmp_path, object_id)} | sha256sum",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )

    assert found.stderr == ""
    assert found.stdout.split()[0] == object_id.removeprefix("sha256:")
