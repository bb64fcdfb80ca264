def level() -> int:
    """2, 3 or 4: AVX2 and BMI2 need 3, AVX-512 with VNNI and VPOPCNTDQ 4. 2: all
    other processors."""
