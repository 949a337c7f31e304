"""What the forms of a page ask for."""

from dataclasses import dataclass
from typing import Any, Final

MAX_FIELDS: Final = 20
"""Fields for a name or address looked at: what each is for is told by what stands around it."""
MAX_BUTTONS: Final = 20
"""Buttons looked at; those of a wall are the first."""
_CODES: Final = ("code", "otp", "pin", "passcode", "token", "verification_code", "verificationcode")
"""Names of a field for a code that was sent."""
_NAMES: Final = ("class", "id", "action")


@dataclass(frozen=True)
class Forms:
    """How many fields for a password and for a name or address to log in with, and what buttons are called."""

    passwords: int
    identifiers: int
    labels: tuple[str, ...]


def forms_of(tree: Any) -> Forms:
    """The forms of the page whose tree this is."""
    passwords = identifiers = looked = 0
    buttons: list[str] = []
    for element in tree.iter("input", "button", "a"):
        kind = (element.get("type") or "").lower()
        if element.tag == "input" and (kind == "password" or element.get("autocomplete") == "one-time-code"):
            passwords += 1
        elif element.tag == "input" and kind in ("email", "text", "tel", ""):
            naming = " ".join(element.get(a) or "" for a in ("name", "id", "autocomplete", "type")).lower()
            named = any(word in naming for word in ("user", "login", "email", "identifier", "account"))
            named = named or (element.get("name") or "").lower() in _CODES
            if named and looked < MAX_FIELDS:
                looked += 1
                identifiers += not _signs_up(element)
        elif element.tag == "input" and kind in ("submit", "button"):
            buttons.append(element.get("value") or "")
        elif element.tag == "button" or element.get("role") == "button":
            buttons.append("".join(element.itertext()))
    return Forms(passwords, identifiers, tuple(b for b in buttons if b.strip())[:MAX_BUTTONS])


def _signs_up(field: Any) -> bool:
    """Whether FIELD belongs to a box that asks for an address to write to."""
    around = " ".join(e.get(a) or "" for e in field.iterancestors("form", "div", "aside", "section") for a in _NAMES)
    return any(word in around.lower() for word in ("newsletter", "subscri", "mailing", "notify", "signup-letter"))
