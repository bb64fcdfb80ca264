# Every target makes what it needs, a virtual environment in .venv included.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq

.PHONY: play test test-all test-peers test-input test-ultimate verify strategy harden harden-quick sanitize bench bench-micro bench-check bench-baseline writeups train-nineboard train-nineboard-solver train-ultimate lint package clean

play: build
	$(BIN)/ttt play

test: build .venv/test
	$(BIN)/python -m pytest -m "not slow"

# With the proofs and matches that take a minute each.
test-all: build .venv/test
	$(BIN)/python -m pytest

# What needs the peers of the extra [bench]: OpenSpiel must agree on the rules, BitBully on scores.
test-peers: build .venv/test .venv/bench
	$(BIN)/python -m pytest tests/test_openspiel.py tests/test_bitbully.py

# 10,000 random lines typed into every game.
test-input: build .venv/test
	TTT_RANDOM_LINES=10000 $(BIN)/python -m pytest tests/test_play.py -k random_lines

# The shipped strategy of Qubic, walked over all replies by the program and by one that shares no
# code with it: half a minute. `make strategy` finds the strategy anew.
verify: build
	$(BIN)/ttt verify python/ttt/data/qubic.strategy
	cc -O2 -o build/check tests/strategy/check.c
	build/check python/ttt/data/qubic.strategy

strategy: build
	$(BIN)/ttt prove qubic --out python/ttt/data/qubic.strategy

# 1,000 late positions of ultimate against brute force, 100 games in which no proven win may be lost.
test-ultimate: build .venv/test
	TTT_LATE_POSITIONS=1000 TTT_PROVEN_GAMES=100 $(BIN)/python -m pytest tests/test_ultimate.py

# All that nothing may crash, hang, leak or be lost by, as a table: half an hour on two free cores.
# `tests/harden.py --help` runs parts of it. The quick half is what CI runs.
harden: build .venv/test
	$(BIN)/python tests/harden.py

harden-quick: build .venv/test
	$(BIN)/python tests/harden.py --quick

# The core under gcc's sanitizers of threads, addresses and undefined behaviour: some ten minutes.
sanitize: build .venv/test
	$(BIN)/python tests/harden.py sanitize threads/race

# Ours beside what people use today: at most ten minutes. Writes its parts of bench/RESULTS.md and
# README.md, and bench/results.svg.
bench: build .venv/bench build/pgx/ready
	$(BIN)/python bench/compare.py

# pytest-benchmark's times of calls and small workloads.
bench-micro: build .venv/test .venv/bench
	$(BIN)/python -m pytest bench --benchmark-sort=fullname

# Instructions of perft, playouts, search and solve, exact (callgrind): fails when one grows by 2%.
bench-check: build
	$(BIN)/python bench/instructions.py

bench-baseline: build
	$(BIN)/python bench/instructions.py --renew

# What the write-ups showed, shown again: bench/writeups.md. Some minutes.
writeups: build
	$(BIN)/python bench/writeups.py

# Learns an evaluation anew and replaces its file in python/ttt/data. A run that was stopped goes on
# where it was. On two cores: ten minutes (nineboard), five (nineboard-solver), 20 (ultimate).
train-nineboard train-nineboard-solver train-ultimate: train-%: build .venv/train
	$(BIN)/ttt train $*

lint: .venv/lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH=$(CURDIR)/$(BIN):$$PATH cython-lint src tests
	$(BIN)/mypy

# Source archive and wheel, built apart and tried in an empty environment.
package: .venv/ready
	$(PIP) build
	rm -rf dist
	TTT_PORTABLE=1 $(BIN)/python -m build --outdir dist .
	rm -rf build/empty && $(PYTHON) -m venv build/empty
	build/empty/bin/pip --disable-pip-version-check install -qq dist/*.whl
	cd build && empty/bin/ttt --version && empty/bin/ttt perft connect4 7
	PYTHONPATH=tests $(BIN)/python -m hardening.static dist/*.whl

.PHONY: build
build: .venv/ready
	$(BIN)/python setup.py --quiet build_ext --inplace

.venv/ready: pyproject.toml
	@echo 'Making .venv and building the core: a minute or two, on a busy machine more.'
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade pip setuptools Cython
	$(PIP) --no-build-isolation --editable .
	touch $@

# The peers of the extra [bench]; where one cannot be installed, the others.
.venv/bench: .venv/ready
	$(PIP) "ttt[bench]" || for peer in numpy pytest-benchmark open_spiel bitbully numba easyAI chess; \
		do $(PIP) $$peer || echo "$$peer is left out"; done
	touch $@

# pgx brings JAX: an environment of its own, or none.
build/pgx/ready:
	$(PYTHON) -m venv build/pgx
	build/pgx/bin/pip --disable-pip-version-check install -qq pgx || echo "pgx is left out"
	touch $@

# The tools of an extra of pyproject.toml.
.venv/test .venv/train .venv/lint: .venv/%: .venv/ready
	$(PIP) "ttt[$*]"
	touch $@

clean:
	rm -rf .venv build dist src/ttt_core/*/*.so
