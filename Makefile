# Needs Python 3.11 or newer and make; each target makes .venv itself and is quick the second time.
PYTHON ?= python3
BIN := .venv/bin
PACKAGES := pyproject.toml .ci/constraints.txt
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) # browsers and kernels are waited for
CHECKED := tests src
PIP := @$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .ci/constraints.txt

.DEFAULT_GOAL := help
.PHONY: help reports lab test check behaviour lint types docs wheel notebooks simulate format clean

help: ## Say what there is to make
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

reports: $(BIN)/.ready ## Run the curated notebooks on the embedded service and write reports/*.html
	@$(BIN)/ventureframe report --all --out reports

lab: $(BIN)/.ready ## Open JupyterLab on the notebooks; ARGS go to it, as in make lab ARGS=--allow-root
	@$(BIN)/ventureframe lab $(ARGS)

test: lint types behaviour ## Check style, types and behaviour, notebooks included, on all cores

check: lint types $(BIN)/.ready-to-test ## Style, types and the tests that need no service, in about a minute
	@$(BIN)/python -m pytest -q -n $(WORKERS) -m 'not engines and not slow and not real' tests/evidence tests/matching tests/display tests/test_filters.py tests/test_errors.py tests/test_size.py tests/test_project.py

behaviour: $(BIN)/.ready-to-test
	@POLARS_MAX_THREADS=1 $(BIN)/python -m pytest -m 'not engines and not slow' -n $(WORKERS) --dist loadfile --no-loadscope-reorder --doctest-modules $(CHECKED)

lint: $(BIN)/.ready-to-test ## Style, formatting and the order of imports
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/lint-imports --no-logo

types: $(BIN)/.ready-to-test ## Static types
	@$(BIN)/mypy

docs: $(BIN)/.ready-to-test ## Build the documentation in site/, a broken link fails; ARGS=serve also serves it
	@$(BIN)/python .ci/pages.py
	@$(BIN)/zensical build --strict --clean
	@$(BIN)/python .ci/offline.py site
	@echo "Open $(CURDIR)/site/index.html, or: make docs ARGS=serve"
	@test '$(ARGS)' != serve || $(BIN)/python -m http.server --bind 127.0.0.1 --directory site 8765

wheel: $(BIN)/.ready ## Build the wheel in dist/ and say where it is
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist/*.whl

notebooks: $(BIN)/.ready ## Run the notebooks again and keep their outputs
	@$(BIN)/python -m tests.notebooks.refresh notebooks

simulate: $(BIN)/.ready-to-test ## Fetch through 20,000 schedules of faults; python -m tests.simulation SEED tells one
	@$(BIN)/python -m tests.simulation --seeds 20000

format: $(BIN)/.ready-to-test ## Format the code
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

clean: ## Remove what was made, the virtual environment included
	rm -rf .venv reports site dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"ventureframe needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}. Say which to use: make PYTHON=python3.13 …" or 0)'
	$(PYTHON) -m venv .venv

$(BIN)/.ready: $(BIN)/python $(PACKAGES)
	@echo 'Installing packages into .venv; this takes a minute or two, once'
	$(PIP) --editable '.[lab]'
	@touch $@

$(BIN)/.ready-to-test: $(BIN)/.ready
	$(PIP) --editable '.[lab,test,docs]'
	@if command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --prefix .venv/axe axe-core@4.10.3; \
	else echo 'npm is not installed: the accessibility check of the reports is left out'; fi
	@touch $@
