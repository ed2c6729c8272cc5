# Every target sets up what it needs by itself: a fresh clone, Python 3.11, make and a compiler are enough.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

# `benchmarks.real` needs a file of cases, which is not part of the project.
BENCHMARKS := accuracy speed

.DEFAULT_GOAL := help
.PHONY: help setup test check format coverage bench conformance demo clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The stamps are younger than these as long as the environment holds what they name.
$(VENV)/.stamp-dev: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Suture needs Python 3.11 or later: make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --editable '.[dev]'
	@touch $@

$(VENV)/.stamp-bench: $(VENV)/.stamp-dev
	$(PIP) install --editable '.[dev,bench]'
	@touch $@

setup: $(VENV)/.stamp-dev ## make .venv with everything that the work needs

test: setup ## run the tests
	$(PYTEST)

check: setup ## lint, format, types and layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(PYTEST) -n 0 -q tests/test_layers.py

format: setup ## put the code into its format
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

coverage: setup ## run the tests and show the lines and branches they miss
	$(PYTEST) --cov --cov-report=term-missing --cov-report=html:build/coverage

bench: $(VENV)/.stamp-bench ## run the benchmarks beside the peers
	@for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name || exit 1; done

conformance: setup ## write tests/scenarios/README.md from the scenarios
	$(BIN)/python -m tests.conformance

demo: setup ## show a patch placed, one refused, a commit killed half-way and its recovery, an undo
	@$(BIN)/python examples/demo.py

clean: ## take away everything that make has made
	rm -rf $(VENV) build dist .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
