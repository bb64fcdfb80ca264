"""Clock, limits, signals, threads, memory: what long compiled work runs on."""
