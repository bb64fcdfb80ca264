"""The options of a game: names and checks. The core stores each value as a whole number."""

from ttt_core.errors import BadNotation, shorten


class Choice:
    """An option with a few named values; the first is the default."""

    def __init__(self, name: str, values: tuple[str, ...], help: str) -> None:
        self.name = name
        self.values = values
        self.default = values[0]
        self.help = f"{help} ({' or '.join(values)}, default {self.default})"

    def encode(self, value: object) -> int:
        """The core's number for a value: its index."""
        if value not in self.values:
            raise BadNotation(
                f"option {self.name}={shorten(value)}: expected {' or '.join(self.values)}"
            )
        return self.values.index(str(value))

    def decode(self, code: int) -> str:
        """The value for a number of the core."""
        return self.values[code]


class Whole:
    """An option that is a whole number."""

    def __init__(self, name: str, default: int, most: int, help: str) -> None:
        self.name = name
        self.default = default
        self.most = most
        self.help = f"{help} (1 to {most}, default {default})"

    def encode(self, value: object) -> int:
        """The number; text is accepted too."""
        number = 0
        if isinstance(value, str) and value.isascii() and value.isdigit():
            number = int(value) if len(value.lstrip("0")) < 10 else 0
        elif isinstance(value, int) and not isinstance(value, bool):
            number = int.__index__(value)
        if not 1 <= number <= self.most:
            raise BadNotation(
                f"option {self.name}={shorten(value)}:"
                f" expected a whole number from 1 to {self.most}"
            )
        return number

    def decode(self, code: int) -> int:
        """The number itself."""
        return code


Option = Choice | Whole
