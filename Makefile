# `make help` lists the targets. Everything is installed into .venv in this folder.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# An install is repeated only when one of these has changed.
INPUTS := pyproject.toml requirements.lock bidwhist/_version.py
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock
# Extra arguments for pytest, for instance: make test PYTEST_ARGS="-k trick -x"
PYTEST_ARGS ?=
# Extra arguments for `make lock`, for instance: make lock LOCK_ARGS=--upgrade
LOCK_ARGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-long test-jail test-bounds notebooks strength strength-quick check check-lint check-format check-types format \
	lock clean

help: ## show this list
	@echo "Targets:"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)$$/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-21s%s\n", $$1, $$2 }'
	@echo "Another Python: make demo PYTHON=python3.12"

demo: $(VENV)/.stamp-run ## play the quick tournament and show its table
	$(BIN)/bw-arena run tournaments/quick.toml $$(test ! -d results/quick || echo --resume)

test: $(VENV)/.stamp-dev ## run the tests, except for those marked long or jail
	$(BIN)/pytest -n 2 --dist loadfile $(PYTEST_ARGS)

test-long: $(VENV)/.stamp-dev ## run the tests marked long (minutes to hours)
	$(BIN)/pytest -m long $(PYTEST_ARGS)

test-jail: $(VENV)/.stamp-dev ## run the tests marked jail: attacks in every kind of jail, and as an ordinary user
	$(BIN)/pytest -n 2 -m jail $(PYTEST_ARGS)

test-bounds: $(VENV)/.stamp-dev ## run the tests with every index of compiled code checked (twice as long)
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest -n 2 --dist loadfile $(PYTEST_ARGS)

notebooks: $(VENV)/.stamp-dev ## execute the notebooks in place, which are kept with their outputs
	$(BIN)/python tests/notebooks.py

strength: $(VENV)/.stamp-dev ## play what is missing of the evidence, and write docs/strength.md (hours)
	$(BIN)/python benchmarks/strength.py

strength-quick: $(VENV)/.stamp-dev ## the same with fewer boards, into results/strength/quick.md (ten minutes)
	$(BIN)/python benchmarks/strength.py --quick

check: check-lint check-format check-types ## lint, check the format and the types (-k: all three, whatever fails)

check-lint: $(VENV)/.stamp-dev
	$(BIN)/ruff check .

check-format: $(VENV)/.stamp-dev
	$(BIN)/ruff format --check .

check-types: $(VENV)/.stamp-dev
	$(BIN)/mypy

format: $(VENV)/.stamp-dev ## format the code, and fix what the linter can fix
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

lock: $(VENV)/.stamp-venv ## renew requirements.lock from pyproject.toml
	@set -e; tmp="$$(mktemp -d)"; trap 'rm -rf "$$tmp"' EXIT; \
	$(BIN)/python -m venv "$$tmp/venv"; \
	"$$tmp/venv/bin/python" -m pip install --quiet --disable-pip-version-check uv; \
	cp requirements.lock "$$tmp/requirements.lock" 2>/dev/null || true; \
	"$$tmp/venv/bin/uv" pip compile --quiet --universal --python-version 3.11 --all-extras \
		--no-emit-index-url --no-emit-find-links --no-annotate --no-header $(LOCK_ARGS) \
		pyproject.toml -o "$$tmp/requirements.lock"; \
	if grep -n '://' "$$tmp/requirements.lock"; then echo "error: an address in the lock file" >&2; exit 1; fi; \
	cp "$$tmp/requirements.lock" requirements.lock; \
	echo "requirements.lock: $$(wc -l < requirements.lock) packages"

clean: ## remove .venv, caches and builds (results stay)
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find bidwhist bots tests -name __pycache__ -type d -prune -exec rm -rf {} +

# --- what the targets above are built from ---

$(VENV)/.stamp-venv:
	@py=""; \
	for candidate in "$(PYTHON)" $(if $(filter file,$(origin PYTHON)),python3.13 python3.12 python3.11); do \
		if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then py="$$candidate"; break; fi; \
	done; \
	if [ -z "$$py" ]; then \
		found="$$("$(PYTHON)" --version 2>&1)" || found="no such program"; \
		echo "error: bidwhist needs Python 3.11 or newer, but $(PYTHON) is: $$found" >&2; \
		echo "Name another one, for instance: make $(or $(MAKECMDGOALS),demo) PYTHON=/path/to/python3.12" >&2; \
		exit 1; \
	fi; \
	echo "Creating $(VENV) with $$("$$py" --version)"; \
	if ! "$$py" -m venv --clear $(VENV); then \
		echo "error: could not create $(VENV); on Debian and Ubuntu, install the package python3-venv" >&2; \
		exit 1; \
	fi; \
	touch $@

$(VENV)/.stamp-run: $(VENV)/.stamp-venv $(INPUTS)
	@echo "Installing bidwhist into $(VENV)"
	@$(PIP_INSTALL) -e .
	@touch $@

$(VENV)/.stamp-dev: $(VENV)/.stamp-venv $(INPUTS)
	@echo "Installing bidwhist and what its tests need into $(VENV)"
	@$(PIP_INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/.stamp-run
