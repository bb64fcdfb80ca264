"""The options of a game: named, checked, and known to the core as whole numbers."""

from ttt_core.errors import BadNotation, shorten


class Choice:
    """An option with a few named values; the first is the default. The core knows its index."""

    def __init__(self, name: str, values: tuple[str, ...], help: str) -> None:
        self.name = name
        self.values = values
        self.default = values[0]
        self.help = f"{help} ({' or '.join(values)}, default {self.default})"

    def encode(self, value: object) -> int:
        if value not in self.values:
            raise BadNotation(
                f"option {self.name}={shorten(value)}: it is {' or '.join(self.values)}"
            )
        return self.values.index(str(value))

    def decode(self, code: int) -> str:
        return self.values[code]


class Whole:
    """An option that is a whole number."""

    def __init__(self, name: str, default: int, most: int, help: str) -> None:
        self.name = name
        self.default = default
        self.most = most
        self.help = f"{help} (1 to {most}, default {default})"

    def encode(self, value: object) -> int:
        number = 0
        if isinstance(value, str) and value.isascii() and value.isdigit():
            number = int(value) if len(value.lstrip("0")) < 10 else 0
        elif isinstance(value, int) and not isinstance(value, bool):
            number = int.__index__(value)
        if not 1 <= number <= self.most:
            raise BadNotation(
                f"option {self.name}={shorten(value)}: it is a whole number from 1 to {self.most}"
            )
        return number

    def decode(self, code: int) -> int:
        return code


Option = Choice | Whole
