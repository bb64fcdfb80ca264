# Every target makes what it needs, a virtual environment in .venv included.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq

.PHONY: play test test-peers sanitize bench lint package clean train-nineboard

play: build
	$(BIN)/ttt play

test: build .venv/test
	$(BIN)/python -m pytest

# What needs the peers of the extra [bench]: OpenSpiel must agree on the rules, BitBully on scores.
test-peers: build .venv/test .venv/bench
	$(BIN)/python -m pytest tests/test_openspiel.py tests/test_bitbully.py

# The core under gcc's sanitizers of threads, addresses and undefined behaviour: some five minutes.
sanitize: .venv/ready
	tests/sanitize.sh $(BIN)/python

bench: build .venv/bench
	$(BIN)/python bench/perft.py

# Learns the evaluation of nine-board anew, some minutes, and builds it in.
train-nineboard: build
	$(BIN)/python bench/train_nineboard.py
	$(MAKE) build

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

.PHONY: build
build: .venv/ready
	$(BIN)/python setup.py --quiet build_ext --inplace

.venv/ready: pyproject.toml
	@echo 'Making .venv and building the core: about a minute.'
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade pip setuptools Cython
	$(PIP) --no-build-isolation --editable .
	touch $@

# The tools of an extra of pyproject.toml.
.venv/test .venv/bench .venv/lint: .venv/%: .venv/ready
	$(PIP) "ttt[$*]"
	touch $@

clean:
	rm -rf .venv build dist src/ttt_core/*/*.so
