#!/usr/bin/env bash
# Builds the core for each sanitizer of gcc, apart in build/sanitize-*, and runs tests/sanitize.py
# under it. Ends with status 0 if all is clean and a table without its atomics is not: that race has
# to be reported, else the clean run of ThreadSanitizer means nothing.
#
#   tests/sanitize.sh [python]
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-.venv/bin/python}
log=build/sanitize-naive.log

export TSAN_OPTIONS=exitcode=66:halt_on_error=1
export ASAN_OPTIONS=detect_leaks=0                            # the interpreter keeps what it has
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export PYTHONMALLOC=malloc                                    # every object a block of its own

# ThreadSanitizer refuses some kernels' random addresses; not everywhere may they be switched off.
fixed=()
if setarch -R true 2>/dev/null; then fixed=(setarch -R); fi

# watch <sanitizer> <its library> [naive]
watch() {
    local place=build/sanitize-$1${3:+-$3}
    echo "--- $place"
    TTT_SANITIZE=$1 TTT_NAIVE_TABLE=${3:+1} "$python" setup.py --quiet build --build-lib "$place"
    PYTHONPATH=$place LD_PRELOAD=$(gcc -print-file-name="$2.so") \
        ${fixed[@]+"${fixed[@]}"} "$python" tests/sanitize.py
}

watch undefined libubsan
watch address libasan
watch thread libtsan
status=0
watch thread libtsan naive >"$log" 2>&1 || status=$?
if [ "$status" != 66 ] || ! grep -q 'ThreadSanitizer: data race.*ttt_core_5table_' "$log"; then
    echo "ThreadSanitizer did not report the naive table's race: status $status, $log" >&2
    exit 1
fi
echo 'All clean, and the naive table was caught.'
