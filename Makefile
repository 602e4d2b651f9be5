# Everything one types at a prompt. `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := /bin/sh
# Not ?=: some shells and conda export a HOST of their own.
HOST := 127.0.0.1
PORT := 8000
PYTHON :=
ARGS :=
BIN := .venv/bin

# One thread of linear algebra per process: faster on small matrices, and the same last digit everywhere.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export PYTHONUTF8 := 1
# What a shell or a pip.conf may carry in from elsewhere and would break the environment.
unexport PYTHONPATH
unexport PYTHONHOME
export PIP_USER := 0

.PHONY: help setup setup-all serve class book site pdf checked-and-built test test-slow check bench bench-browser bench-readers \
	bench-peers results tune climbs results-check lab notebooks handouts linkcheck federation lock audit-deps clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

# ------------------------------------------------------------------------------------------------ for readers

setup: .venv/ready  ## what reading needs, from the lock, in .venv
setup-all: .venv/ready-all  ## and what tests and benchmarks need

# A candidate may be a dead shim, too old, or without venv: each is run before it is believed.
.venv/ready: PART := read
.venv/ready-lab: PART := lab
.venv/ready-all: PART := all
.venv/ready-lab .venv/ready-all: .venv/ready
.venv/ready .venv/ready-lab .venv/ready-all: requirements.lock pyproject.toml
	@for python in $(PYTHON) python3 python3.12 python3.13 python3.11 python; do \
	  if "$$python" -c 'import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
	    >/dev/null 2>&1; then exec "$$python" tools/install.py $(PART); fi; \
	done; \
	echo "No Python 3.11, 3.12 or 3.13 with venv was found; install one (Debian: apt install python3-venv)" >&2; \
	echo "or name it: make PYTHON=/path/to/python3 $(MAKECMDGOALS)" >&2; exit 1

serve: setup  ## book and dashboards on http://127.0.0.1:8000 (HOST=0.0.0.0 for a classroom, PORT=8001)
	@$(BIN)/recpriv serve --host $(HOST) --port $(PORT) $(ARGS)

class: HOST := 0.0.0.0
class: setup  ## the same for everybody in this network, with the wall of a class: phones join by a code
	@$(BIN)/recpriv serve --host $(HOST) --port $(PORT) --class $(ARGS)

book: setup  ## the book in _build/html
	@$(BIN)/python tools/book.py

site: setup  ## book and laboratory in _build/site, to be copied to any static host
	@$(BIN)/python -m tools.site

pdf: setup-all book  ## the whole book as one PDF, with a key to its questions, in _build/book.pdf (needs Chromium)
	@$(BIN)/python -m tools.pdf

# A configuration of our own, so that a chapter opens as a notebook and the reader's settings stay theirs.
lab: export JUPYTER_CONFIG_DIR := $(CURDIR)/_build/lab
lab: .venv/ready-lab  ## the chapters as notebooks in JupyterLab, with and without solutions; your work in them stays
	@mkdir -p _build/lab/labconfig && cp tools/lab.json _build/lab/labconfig/default_setting_overrides.json
	@$(BIN)/python -m tools.handouts --lab
	@$(BIN)/jupyter lab --notebook-dir _build/notebooks $(ARGS)

# -------------------------------------------------------------------------------------------- for developers

check: setup-all  ## formatting, lint and types; of the scripts too, where Node is there
	@echo "ruff";   $(BIN)/ruff check . && $(BIN)/ruff format --check .
	@echo "mypy";   $(BIN)/mypy
	@$(BIN)/python -m tools.scripts

# Some machines forbid compiled modules, and a hundred processes of the tests would each compile panel anew.
test test-slow: export PYTHONPYCACHEPREFIX := $(CURDIR)/_build/compiled
test test-slow: export PYTHONDONTWRITEBYTECODE :=

# A check is one process after the other, and so is much of a build: beside each other they keep two cores at work.
checked-and-built: setup-all
	@$(MAKE) --no-print-directory -j 2 check book

test: checked-and-built  ## everything but what is slow by nature; the last line is pytest's summary
	@$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow" $(ARGS)

test-slow: checked-and-built  ## what is slow by nature; the chapters run again, in kernels of their own
	@$(BIN)/python -m pytest -m slow --own-kernels $(ARGS)

notebooks: setup  ## executed chapters as references under tests/notebooks
	@$(BIN)/python tools/notebooks.py

handouts: setup  ## the chapters as notebooks for students and, with solutions, for teachers, in _build/handouts
	@$(BIN)/python -m tools.handouts

bench: setup-all  ## the speed table
	@$(BIN)/recpriv bench $(ARGS)

bench-browser: setup-all site  ## how fast the dashboards answer in a browser: from the server, and in the page itself
	@$(BIN)/python -m widgets.bench $(ARGS)

bench-readers: setup-all  ## how many readers at once the server bears
	@$(BIN)/python -m widgets.load $(ARGS)

# Peers that drag in gigabytes live in an environment of their own. Wheels only, but for autodp, which ships none.
bench-peers: setup-all  ## the speed table against peers that the lock leaves out
	@test -x .venv-peers/bin/python || $(BIN)/python -m venv .venv-peers
	@.venv-peers/bin/python -m pip install --quiet --only-binary=:all: --no-binary=autodp -e . lenskit autodp torch
	@.venv-peers/bin/recpriv bench $(ARGS)

results: setup  ## recompute the figures behind the book that are committed
	@$(BIN)/python -m recprivlib.tables $(ARGS)

tune: setup  ## search the dials of all whom a table compares, and write its file of choices (ARGS=<name>)
	@$(BIN)/python -m recprivlib.tables --tune $(ARGS)

climbs: setup  ## recompute what the last chapter shows of audits (ARGS=--check compares)
	@$(BIN)/python -m recprivlib.living.climbs $(ARGS)

results-check: setup  ## recompute all of them and compare
	@$(BIN)/python -m recprivlib.tables --check $(ARGS)

linkcheck: setup  ## every link of the book (needs the internet)
	@$(BIN)/python tools/book.py --linkcheck

federation: setup  ## Flower in an environment of its own, for a federated run in real processes
	@$(BIN)/python tools/federation.py

lock: EXTRAS := sweep dask dashboards lab book test
lock: LOCKED := --generate-hashes --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
lock: setup  ## requirements.lock and federation.lock from pyproject.toml (needs uv)
	uv pip compile pyproject.toml -o requirements.lock --universal --python-version 3.11 \
	  --fork-strategy fewest $(EXTRAS:%=--extra %) $(LOCKED)
	@$(MAKE) --no-print-directory constraints.txt
	@mkdir -p _build && grep -E '^(numpy|scipy|pandas)==' constraints.txt > _build/core.txt
	uv pip compile pyproject.toml -o federation.lock --universal --python-version 3.11 \
	  --fork-strategy fewest --extra federation -c _build/core.txt $(LOCKED)

# The lock without its hashes, which pip does not take beside a folder: for conda.
constraints.txt: requirements.lock
	@{ echo "# The versions of requirements.lock; written by make lock"; \
	  sed -n 's/ *\\$$//; /^[A-Za-z0-9].*==/p' $<; } > $@

audit-deps:  ## known vulnerabilities of the locked packages (needs the internet)
	@python3 tools/audit_deps.py

clean:  ## built files; the environment stays
	rm -rf _build artifacts .pytest_cache .mypy_cache .ruff_cache .hypothesis
