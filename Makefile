# Each target does all the set-up it needs by itself; `make demo` and `make test` work in a new clone.
VENV ?= .venv
export VENV
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# pytest caches the tests that it has rewritten; without, rewriting takes six seconds in each of its processes.
unexport PYTHONDONTWRITEBYTECODE
# How many processes `make test` runs tests in, each with a Spark session of its own (some 2 GB).
WORKERS ?= 2
CODE := compiled_plan planner plans schemas cli service tools tests

.PHONY: help setup kernel ide classes docs demo demo-api demo-upgrade demo-kafka demo-move demo-service test test-fast test-kernel test-attack test-wide test-deep test-flink test-page compare-plans docs-site docs-coverage lint format lock schema services services-stop bench bench-flink dist clean
.DEFAULT_GOAL := help

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

setup: $(READY)  ## virtual environment, dependencies, Java
	@echo 'set up; next: make demo (runs a sample), or make kernel and export PATH="$(abspath $(BIN)):$$PATH" (the commands)'

$(READY): pyproject.toml requirements/dev.txt tools/bootstrap.sh tools/apt.sh
	@bash tools/bootstrap.sh
	@touch $@

kernel: $(READY)  ## compile the Java kernel and Python's bytecode, where sources changed
	@$(BIN)/python tools/build_kernel.py
	@$(BIN)/python -m compileall -q compiled_plan

ide: kernel  ## what kernel/pom.xml needs in an IDE, or for mvn -f kernel/pom.xml test: a link to Spark's jars
	@ln -sfn "$$($(BIN)/python -c 'from tools.build_kernel import spark_jars; print(spark_jars())')" build/spark-jars

demo-kafka: kernel classes  ## orders from Kafka, joined and aggregated, upserted into PostgreSQL
	@PATH="$(abspath $(BIN)):$$PATH" exec bash samples/demo_kafka.sh

classes: kernel
	@$(BIN)/python -m tools.keep_classes

demo: kernel classes  ## compile a program, edit its TTLs, run it
	@if [ -f samples/demo.sh ]; then PATH="$(abspath $(BIN)):$$PATH" exec bash samples/demo.sh; \
	else echo "samples/demo.sh is missing" >&2; exit 1; fi

demo-api: kernel classes  ## the same with programs in Python
	@PATH="$(abspath $(BIN)):$$PATH" exec bash samples/demo_api.sh

demo-upgrade: kernel classes  ## change a program while its state stays: diff, migrate, go back
	@PATH="$(abspath $(BIN)):$$PATH" exec bash samples/demo_upgrade.sh

demo-move: kernel classes  ## a job in Flink over Kafka, which it installs, stopped with a savepoint: its plan goes on here, and then in Flink again
	@PATH="$(abspath $(BIN)):$$PATH" exec bash samples/demo_move.sh

demo-service: kernel classes  ## the service with the samples in it: prints an address and a token to look at the page
	@PATH="$(abspath $(BIN)):$$PATH" exec bash samples/demo_service.sh

test: lint kernel classes  ## lint, then all tests but those of test-wide, test-deep and test-page, and the slowest 30 (CHANGED=1: those that changes since main reach, BASE=COMMIT)
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --durations 30 $(ARGS) \
	  $(if $(CHANGED),$$($(BIN)/python -m tests.changed $(BASE)))

test-fast: kernel  ## the tests that start no JVM, no server and no other long process, and do not read all files or plans
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "not spark and not slow" $(ARGS)

test-kernel: kernel  ## JUnit and the kernel's operators in a plain JVM, in seconds (OPERATOR=rank: its own)
	@$(BIN)/python -m pytest -q -m "not spark" $(if $(OPERATOR),$(wildcard tests/plans/execution/operators/test_$(OPERATOR)*.py),tests/kernel tests/plans/execution/operators tests/plans/execution/kernel) $(ARGS)

test-page: kernel classes  ## the service's page in Chromium, some of it over runs on Spark; Chromium is installed after a yes where the machine is Debian and the user root (PICTURES=1: those of docs/images anew)
	@bash tools/chromium.sh
	@$(BIN)/python -m pytest -q -s -m page tests/service/page $(ARGS)

# Naming `wide` selects the wide ones, too.
test-attack: kernel classes  ## hostile input: secrets, folders, roles, floods, slow clients (under five minutes)
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "attack or attack and wide" $(ARGS)

test-wide: kernel classes  ## the tests that take seconds each: runs, services and servers of which `make test` covers the main cases
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m wide $(ARGS)

test-deep: kernel classes  ## the tests that take minutes, 20,000 random edits of plans (EDITS=, SEED=), 500 upgrades (UPGRADE_SEED=), 100 kills around Kafka (KAFKA_KILLS=, KAFKA_SEED=)
	@HYPOTHESIS_PROFILE=deep $(BIN)/python -m pytest -q -s -m deep $(ARGS)

test-flink: kernel  ## the test programs, restore plans and savepoints of Flink's planner, here and in Flink: tables of outcomes (some 35 minutes)
	@$(BIN)/python -m tests.flink_programs $(ARGS)

compare-plans: $(READY)  ## plans and messages of all test programs beside those of a commit (WITH=COMMIT)
	@$(BIN)/python -m tests.compare_plans $(WITH) $(ARGS)

lint: $(READY)  ## ruff, mypy, import contracts, the format of Java
	@$(BIN)/ruff check --quiet $(CODE)
	@$(BIN)/ruff format --quiet --check --output-format concise $(CODE) || { echo "try: make format" >&2; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo >$(VENV)/lint-imports.log 2>&1 || { cat $(VENV)/lint-imports.log; exit 1; }
	@$(BIN)/python -m tools.java_format --check || { echo "try: make format" >&2; exit 1; }

format: $(READY)  ## ruff's formatter and its safe fixes; Java's formatter
	@$(BIN)/ruff check --quiet --fix $(CODE) || true
	@$(BIN)/ruff format --quiet $(CODE)
	@$(BIN)/python -m tools.java_format

schema: $(READY)  ## the JSON Schemas in schemas/, from the declarations of nodes and documents
	@$(BIN)/python -m compiled_plan.schemas.generate
	@$(BIN)/python -m tools.document_schemas

docs: $(READY)  ## the tables of docs/reference, plans/rex/signatures.json, the Table API's plain calls, from the declarations
	@$(BIN)/python -m tools.reference
	@$(BIN)/python -m tools.signature_table
	@$(BIN)/python -m tools.expression_methods

docs-coverage: $(READY)  ## docs/reference/coverage.md: the answer to every name of Flink (ASK=1: ask a Flink for them anew, some minutes)
	@$(if $(ASK),$(BIN)/python -m tools.coverage.ask)
	@$(BIN)/python -m tools.coverage.page

docs-site: $(READY)  ## the documents as a static site with search: build/site/index.html
	@# Not --quiet: it hides warnings from the strict mode, too.
	@log=$$(NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build 2>&1) || { echo "$$log" | grep -v '^INFO' >&2; exit 1; }

services: $(READY)  ## the servers that tests use, started and left running, with their addresses
	@$(BIN)/python -m tools.services start $(ARGS)

services-stop: $(READY)  ## stop them
	@$(BIN)/python -m tools.services stop $(ARGS)

bench: kernel  ## speed and memory, as ratios from one run
	@$(BIN)/python -m tests.bench $(ARGS)

bench-flink: kernel  ## Nexmark's queries here and on Flink, which it installs: the table of docs/speed.md
	@$(BIN)/python -m tests.bench.nexmark $(ARGS)

lock: $(READY)  ## pin all dependencies anew, with their hashes: requirements/
	@$(BIN)/python -m tools.lock $(ARGS)

dist: kernel  ## a wheel and its bill of materials in dist/, tried in an empty virtual environment
	@rm -rf dist
	@$(BIN)/python -m pip -qq --disable-pip-version-check wheel --no-deps --no-build-isolation -w dist .
	@$(BIN)/python tools/check_wheel.py dist/*.whl
	@$(BIN)/python -m tools.sbom dist/*.whl
	@cp requirements/service.txt dist/service-requirements.txt

clean:  ## all that was built, the virtual environment too
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .java_format_cache .hypothesis
	@rm -f plans/execution/kernel/*.jar
