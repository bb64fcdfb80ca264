"""Infrastructure of long-running compiled code: clock, limits, signals, threads, memory."""
