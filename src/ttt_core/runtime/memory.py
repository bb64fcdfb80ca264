"""The check of table sizes against the available memory."""

MEBIBYTE = 1 << 20


def check_hash(hash: int, least: int = 1) -> None:
    """Raises TypeError or ValueError unless `hash` is a number of MiB that can be allocated."""
    if not isinstance(hash, int) or isinstance(hash, bool):
        raise TypeError(f"hash={hash!r}: expected a whole number of MiB")
    if hash < least:
        raise ValueError(f"hash={hash}: expected at least {least} MiB")
    free = available_bytes()
    if hash * MEBIBYTE > free:
        raise ValueError(f"hash={hash}: only {free // MEBIBYTE} MiB of memory are free")


def available_bytes() -> int:
    """Bytes that can be allocated without swapping."""
    from ttt_core import system  # not needed for a first board, which loads in less time

    return system.available_bytes()
