# Each target does all the set-up it needs by itself; `make demo` and `make test` work in a new clone.
VENV ?= .venv
export VENV
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CODE := planner plans schemas cli tools tests

.PHONY: help setup kernel docs demo demo-api test test-deep lint format schema bench bench-flink dist clean
.DEFAULT_GOAL := help

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

setup: $(READY)  ## virtual environment, dependencies, Java

$(READY): pyproject.toml tools/bootstrap.sh
	@bash tools/bootstrap.sh
	@touch $@

kernel: $(READY)  ## compile the Java kernel and Python's bytecode, where sources changed
	@$(BIN)/python tools/build_kernel.py
	@$(BIN)/python -m compileall -q cli planner plans schemas

demo: kernel  ## compile a program, edit its TTLs, run it
	@if [ -f samples/demo.sh ]; then PATH="$(abspath $(BIN)):$$PATH" bash samples/demo.sh; \
	else echo "samples/demo.sh is missing" >&2; exit 1; fi

demo-api: kernel  ## the same with programs in Python
	@PATH="$(abspath $(BIN)):$$PATH" bash samples/demo_api.sh

test: lint kernel  ## lint, then all tests
	@$(BIN)/python -m pytest -q

test-deep: kernel  ## the tests that take minutes; 20,000 random edits of plans among them (EDITS=, SEED=)
	@HYPOTHESIS_PROFILE=deep $(BIN)/python -m pytest -q -s -m deep $(ARGS)

lint: $(READY)  ## ruff, mypy, import contracts
	@$(BIN)/ruff check --quiet $(CODE)
	@$(BIN)/ruff format --quiet --check --output-format concise $(CODE) || { echo "try: make format" >&2; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo >$(VENV)/lint-imports.log 2>&1 || { cat $(VENV)/lint-imports.log; exit 1; }

format: $(READY)  ## ruff's formatter and its safe fixes
	@$(BIN)/ruff check --quiet --fix $(CODE) || true
	@$(BIN)/ruff format --quiet $(CODE)

schema: $(READY)  ## schemas/compiled-plan.schema.json, from the node declarations
	@$(BIN)/python -m schemas.generate

docs: $(READY)  ## planner/functions/README.md and plans/rex/signatures.json, from the declarations of functions
	@$(BIN)/python -m tools.function_table
	@$(BIN)/python -m tools.signature_table

bench: kernel  ## speed and memory, as ratios from one run
	@$(BIN)/python -m tests.bench

bench-flink: kernel  ## Nexmark's queries here and on Flink, which it installs: the README's table
	@$(BIN)/python -m tests.bench.nexmark $(ARGS)

dist: kernel  ## a wheel in dist/, tried in an empty virtual environment
	@rm -rf dist
	@$(BIN)/python -m pip -qq --disable-pip-version-check wheel --no-deps --no-build-isolation -w dist .
	@$(BIN)/python tools/check_wheel.py dist/*.whl

clean:  ## all that was built, the virtual environment too
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@rm -f plans/execution/kernel/*.jar
