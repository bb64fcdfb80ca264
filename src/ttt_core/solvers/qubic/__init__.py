"""The Qubic solver."""
