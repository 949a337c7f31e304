"""Text that can be kept: Unicode scalar values only, and no U+0000."""

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def scalars(text: str) -> str:
    """TEXT with surrogate pairs joined, each lone surrogate as U+FFFD and U+0000 left out."""
    if text.isascii():
        return text.replace("\0", "") if "\0" in text else text
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "") if "\0" in text else text


def one_line(text: str) -> str:
    """TEXT with each run of white space as one space and none at its ends."""
    return " ".join(text.split())
