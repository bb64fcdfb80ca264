"""Variants of the compiled modules for newer processors, which a wheel for Linux on x86-64 has.

A variant is the same module compiled for a higher level of x86-64. It lies in a folder named after
the level, beside the module that runs everywhere:

    games/connect4.*.so        v2: any processor since 2009
    games/v3/connect4.*.so     v3: AVX2, BMI2 (Intel 2013, AMD 2017)
    games/v4/connect4.*.so     v4: AVX-512 with VNNI and VPOPCNTDQ (Intel 2019, AMD 2022)

A package puts the folder of this processor at the front of its search path, so that the name of a
module does not depend on the variant. The environment variable TTT_CPU=v2, v3 or v4 chooses
another one, for tests. A build without these folders is for one kind of processor only.
"""

import os

LEVELS = ("v2", "v3", "v4")
HERE = os.path.dirname(os.path.abspath(__file__))


def choose(asked: str | None, best: int) -> str:
    """The level to load: `asked` if that is possible, else the `best` of the processor."""
    if not asked:
        return f"v{best}"
    if asked not in LEVELS:
        raise ImportError(f"TTT_CPU={asked}: unknown; choose from {', '.join(LEVELS)}")
    if int(asked[1:]) > best:
        raise ImportError(f"TTT_CPU={asked}: this processor supports at most v{best}")
    return asked


def chosen() -> str:
    """The level to load in this process; "" if the build has no variants."""
    asked = os.environ.get("TTT_CPU")
    if not os.path.isdir(os.path.join(HERE, "games", LEVELS[-1])):
        if asked:
            raise ImportError(
                f"TTT_CPU={asked}: this build of ttt_core has no variants; "
                "unset TTT_CPU, or install a wheel made with TTT_PORTABLE=1"
            )
        return ""
    from ttt_core.runtime.processor import level

    return choose(asked, level())


LEVEL = chosen()


def with_variant(path: list[str]) -> list[str]:
    """The search path of a package, with the folder of the variant in front."""
    return [os.path.join(path[0], LEVEL), *path] if LEVELS[0] < LEVEL else path
