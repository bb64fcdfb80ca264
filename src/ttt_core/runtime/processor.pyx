"""The level of x86-64 that this processor supports, for `ttt_core/variants.py`."""

cimport ttt_core.primitives.platform

cdef extern from *:
    int ttt_level() noexcept


def level():
    """2, 3 or 4: AVX2 and BMI2 need 3, AVX-512 with VNNI and VPOPCNTDQ 4. 2: all
    other processors."""
    return ttt_level()
