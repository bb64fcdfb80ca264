"""Files that survive a crash: whole files (atomic) and append-only files of lines (lines)."""
