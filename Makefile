# Each target sets up what it needs. A fresh clone needs Python 3.11 or later and make.
PYTHON ?= python3

# Another Python gets another environment, so that the two never mix: make test PYTHON=python3.13 uses .venv-3.13.
ifndef VENV
ifeq ($(origin PYTHON),file)
VENV := .venv
else
VENV := .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif
endif

BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest

# `benchmarks.real` needs a file of cases, which is not part of the project.
BENCHMARKS := accuracy speed

# What of the tests is run on a Windows Python; docs/platforms.md says what is left out and why.
WINDOWS_TESTS := tests/core tests/words tests/format tests/place tests/state tests/workspace tests/agent tests/cli tests/mcp tests/batch tests/replay tests/review

# Tests in the folders of the extras that need none: `make test` runs them.
NEED_NO_EXTRA := tests/mcp/test_client_check.py tests/mcp/test_client_files.py tests/mcp/test_client_install.py tests/mcp/test_client_round_trip.py tests/mcp/test_hostile_clients.py tests/mcp/test_mcp_isolation.py tests/mcp/test_mcp_questions.py tests/mcp/test_mcp_stdio.py tests/mcp/test_mcp_words.py

.DEFAULT_GOAL := help
.PHONY: docs test-docs test-release help demo setup test test-all test-long test-failed check format coverage mutants fuzz conformance setup-bench bench dist lock clean test-adapters test-batch test-ray test-clients test-windows

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A stamp is up to date as long as the environment holds what its prerequisites name.
$(VENV)/.stamp-run: locks/run.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Suture needs Python 3.11 or later: make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --requirement locks/run.txt
	@touch $@

$(VENV)/.stamp-dev: $(VENV)/.stamp-run locks/dev.txt pyproject.toml
	$(PIP) install --requirement locks/dev.txt --editable .
	@touch $@

$(VENV)/.stamp-bench: $(VENV)/.stamp-dev locks/bench.txt
	$(PIP) install --requirement locks/bench.txt
	@touch $@

# Their own environments: the extras bring a hundred packages, and the core must work without them. The locks are complete,
# so nothing has to be resolved, and only what is imported is compiled.
$(VENV)-%/.stamp: locks/%.txt pyproject.toml
	@test -x $(VENV)-$*/bin/python || $(PYTHON) -m venv $(VENV)-$*
	$(VENV)-$*/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --no-compile --requirement locks/$*.txt
	$(VENV)-$*/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --editable .
	@touch $@

demo: $(VENV)/.stamp-run ## show a patch applied, one refused, a commit killed halfway, its recovery, an undo
	@PYTHONPATH=src $(BIN)/python examples/demo.py

setup: $(VENV)/.stamp-dev ## install Suture and the development tools into .venv

test: setup ## run the tests
	@$(BIN)/python -c "import platform, sys; print('Python', platform.python_version(), 'in', sys.prefix)"
	$(PYTEST) -m "not long" $(TESTS)

test-all: test test-long ## run the tests, and the long matrices that `make test` leaves out

test-long: setup ## run only the long matrices that `make test` leaves out
	$(PYTEST) -m long

test-failed: setup ## run the tests that failed in the last run once more, one at a time
	$(PYTEST) -n 1 --last-failed --last-failed-no-failures none

test-adapters: $(VENV)-adapters/.stamp ## run the tests of what needs extras, such as the adapters for frameworks
	$(VENV)-adapters/bin/python -m pytest $(or $(TESTS),tests/adapters tests/mcp tests/review tests/place/test_syntax.py $(addprefix --ignore=,$(NEED_NO_EXTRA)))

test-clients: setup ## run real clients from npm (Claude Code, Codex, OpenCode and five more) with a scripted model
	@scripts/install-clients build/clients; status=$$?; \
	if [ $$status -eq 3 ]; then exit 0; elif [ $$status -ne 0 ]; then exit $$status; fi; \
	SUTURE_CLIENTS=$(CURDIR)/build/clients $(PYTEST) -n 2 $(or $(TESTS),tests/clients)

# Standard streams are pipes, because the Python of Windows does not start under Wine with others.
test-windows: setup ## run the portable tests on a Windows Python under Wine, which is installed where that is allowed
	@scripts/install-windows-python build/windows $(BIN)/python; status=$$?; \
	if [ $$status -eq 3 ]; then exit 0; elif [ $$status -ne 0 ]; then exit $$status; fi; \
	scripts/windows-python build/windows -m pytest -p no:xdist -p no:cacheprovider -o addopts= --import-mode=importlib -o timeout_method=thread -o timeout=1800 -ra $(or $(TESTS),-m "not long and not slow" $(WINDOWS_TESTS))

test-batch: $(VENV)-batch/.stamp ## run the tests of batches with Parquet and datasets
	$(VENV)-batch/bin/python -m pytest $(or $(TESTS),tests/batch)

test-ray: $(VENV)-ray/.stamp ## run the tests of batches on a Ray cluster, with workers and nodes that are killed
	$(VENV)-ray/bin/python -m pytest -n 0 $(or $(TESTS),tests/batch)

docs: $(VENV)-docs/.stamp ## build the documentation site into build/site, offline, with warnings as errors
	$(VENV)-docs/bin/python scripts/build-site

test-docs: $(VENV)-docs/.stamp ## build the site, then open every page, follow every link and search it in Chromium
	$(VENV)-docs/bin/python -m pytest -n 0 $(or $(TESTS),tests/site)

check: setup ## lint, check the format, the types and the layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 src
	$(PYTEST) -n 0 -q tests/project/test_layers.py

format: setup ## fix and format the code
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

coverage: setup ## run the tests and list the lines and branches they miss
	$(PYTEST) --cov --cov-report=term-missing --cov-report=html:build/coverage

mutants: setup ## break some conditions and limits, one at a time, and check that the tests notice
	$(BIN)/python -m tests.mutation --sample-of-ci

fuzz: setup ## make a million calls with random input; set CALLS and SEED for another run
	$(BIN)/python -m tests.fuzz.run --calls $(or $(CALLS),1000000) --seed $(or $(SEED),0)

conformance: setup ## write tests/scenarios/README.md from the scenarios
	$(BIN)/python -m tests.shared.conformance

setup-bench: $(VENV)/.stamp-bench ## also install the tools that the benchmarks compare Suture with

bench: setup-bench ## measure accuracy and speed next to other tools
	@for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name || exit 1; done

dist: setup ## build the source distribution and the wheel into dist/, and try the wheel
	rm -rf dist
	$(BIN)/python -m build
	scripts/try-wheel dist/*.whl $(BIN)/python

test-release: $(VENV)-release/.stamp ## build everything that a release has, check it, and install it as people do
	rm -rf dist build/release
	$(VENV)-release/bin/python -m build
	$(VENV)-release/bin/twine check --strict dist/*
	$(VENV)-release/bin/hadolint Dockerfile
	scripts/try-wheel dist/*.whl $(VENV)-release/bin/python
	scripts/release-files dist build/release

lock: setup ## renew the pinned versions in locks/
	scripts/lock $(BIN)/python

clean: ## remove everything that make has created
	rm -rf .venv .venv-* build dist .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
