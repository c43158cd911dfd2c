# Each target does all the set-up it needs by itself; `make demo` and `make test` work in a new clone.
VENV ?= .venv
export VENV
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTHON := $(BIN)/python
PYTEST := $(PYTHON) -m pytest -q
WITH_COMMANDS := PATH="$(abspath $(BIN)):$$PATH"
# pytest caches the tests that it has rewritten; without, rewriting takes six seconds in each of its processes.
unexport PYTHONDONTWRITEBYTECODE
# Exported, tools/bootstrap.sh would look for it as the release to install for development.
unexport SPARK
# How many processes `make test` runs tests in, each with a Spark session of its own (some 2 GB).
WORKERS ?= 2
CODE := compiled_plan planner plans schemas cli service tools tests

.DEFAULT_GOAL := help
.PHONY: $(shell sed -nE 's/^([a-z][a-z-]*):.*/\1/p' $(lastword $(MAKEFILE_LIST)))

help:  ## this list
	@sed -nE 's/^([a-z-]+):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

# ---------------------------------------------------------------- set-up

setup: $(READY)  ## virtual environment, dependencies, Java
	@echo 'set up; next: make demo (runs a sample), or make kernel and export PATH="$(abspath $(BIN)):$$PATH" (the commands)'

$(READY): pyproject.toml requirements/dev.txt tools/bootstrap.sh tools/apt.sh
	@bash tools/bootstrap.sh
	@touch $@

kernel: $(READY)  ## compile the Java kernel and Python's bytecode
	@$(PYTHON) tools/build_kernel.py
	@$(PYTHON) -m compileall -q compiled_plan

classes: kernel
	@$(PYTHON) -m tools.keep_classes

ide: kernel  ## link Spark's jars, so that an IDE can open kernel/pom.xml
	@ln -sfn "$$($(PYTHON) -c 'from tools.build_kernel import spark_jars; print(spark_jars())')" build/spark-jars

clean:  ## remove everything that was built, and the virtual environment
	@rm -rf $(VENV) $(VENV)-spark* build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .java_format_cache .hypothesis
	@rm -f plans/execution/kernel/*.jar

# ---------------------------------------------------------------- demos

demo: kernel classes  ## compile a program, edit its TTLs, run it
	@$(WITH_COMMANDS) exec bash samples/demo.sh

demo-api: kernel classes  ## the same with programs in Python
	@$(WITH_COMMANDS) exec bash samples/demo_api.sh

demo-upgrade: kernel classes  ## change a program with its state: diff, migrate, go back
	@$(WITH_COMMANDS) exec bash samples/demo_upgrade.sh

demo-proof: kernel classes  ## prove an upgrade: shadow, correct the past, promote, rewind
	@$(WITH_COMMANDS) exec bash samples/demo_proof.sh

demo-kafka: kernel classes  ## join orders from Kafka, upsert totals into PostgreSQL
	@$(WITH_COMMANDS) exec bash samples/demo_kafka.sh

demo-lake: kernel $(VENV)-spark4.2/.ready  ## join orders from Kafka, merge totals into a Delta table, on Spark 4.2
	@PATH="$(abspath $(VENV)-spark4.2/bin):$$PATH" exec bash samples/demo_lake.sh

demo-move: kernel classes  ## install Flink, move its job here by a savepoint, and back
	@$(WITH_COMMANDS) exec bash samples/demo_move.sh

demo-service: kernel classes  ## the service with samples: prints its address and a token
	@$(WITH_COMMANDS) exec bash samples/demo_service.sh

# ---------------------------------------------------------------- tests

# SPARK=4.2 runs the tests of tests/older_spark.py on that version, in an environment of its own.
test: $(if $(SPARK),test-on-spark,lint kernel classes)  ## lint, main tests (CHANGED=1 BASE=COMMIT: of changes; SPARK=4.2)
	@$(if $(SPARK),,$(PYTEST) -n $(WORKERS) --dist loadgroup --durations 30 $(ARGS) \
	  $(if $(CHANGED),$$($(PYTHON) -m tests.changed $(BASE))))

# The kernel is the one that is compiled against the newest version.
test-on-spark: kernel $(VENV)-spark$(SPARK)/.ready
	@$(VENV)-spark$(SPARK)/bin/python -m pytest -q -n $(WORKERS) --dist loadgroup --durations 30 $(ARGS) \
	  $$($(PYTHON) -m tests.older_spark)

$(VENV)-spark%/.ready: requirements/older-spark.txt $(READY)
	@VENV=$(VENV)-spark$* SPARK=$$($(PYTHON) -m tests.older_spark $*) bash tools/bootstrap.sh
	@touch $@

# Older versions have environments of their own, those of `make test SPARK=4.2`.
older-sparks: kernel
	@$(MAKE) --no-print-directory $$($(PYTHON) -c 'from compiled_plan.plans.spark_versions import SPARK_VERSIONS as all; \
	  print(*(f"$(VENV)-spark{version}/.ready" for version in all[1:]))')

lake-matrix: older-sparks  ## tests of table formats on each Spark, as a table (DELTA=4.5.0 ICEBERG=1.13.0: another release)
	@$(PYTHON) -m tools.lake_matrix $(DELTA:%=delta=%) $(ICEBERG:%=iceberg=%)

spark-matrix: older-sparks classes  ## tests on each Spark, for docs/reference/spark.md (SPARK=4.2 AREA=formats: a part)
	@PYTEST_ADDOPTS="-n $(WORKERS) --dist loadgroup $(ARGS)" $(PYTHON) -m tests.spark_matrix $(SPARK) $(AREA)

test-fast: kernel  ## the tests that start no JVM, server or other long process
	@$(PYTEST) -n $(WORKERS) --dist worksteal -m "not spark and not slow" $(ARGS)

KERNEL_TESTS = $(if $(OPERATOR),$(wildcard tests/plans/execution/operators/test_$(OPERATOR)*.py),\
  tests/kernel tests/plans/execution/operators tests/plans/execution/kernel)

test-kernel: kernel  ## JUnit and the operators in a plain JVM (OPERATOR=rank: one)
	@$(PYTEST) -m "not spark" $(KERNEL_TESTS) $(ARGS)

# Installs Chromium after a yes where the machine is Debian and the user root.
test-page: kernel classes  ## the service's page in Chromium (PICTURES=1: docs/images anew)
	@bash tools/chromium.sh
	@$(PYTEST) -s -m page tests/service/page $(ARGS)

# Naming `wide` selects the wide ones, too.
test-attack: kernel classes  ## hostile input: secrets, folders, roles, floods
	@$(PYTEST) -n $(WORKERS) --dist worksteal -m "attack or attack and wide" $(ARGS)

test-wide: kernel classes  ## tests of seconds each: runs, services and servers
	@$(PYTEST) -n $(WORKERS) --dist worksteal -m wide $(ARGS)

# Reads EDITS, SEED (random edits of plans), UPGRADE_SEED, KILLS (of lakes), KAFKA_KILLS and KAFKA_SEED.
test-deep: kernel classes  ## tests of minutes each: random edits, upgrades, kills
	@HYPOTHESIS_PROFILE=deep $(PYTEST) -s -m deep $(ARGS)

test-flink: kernel  ## the tests of Flink's planner, here and in Flink (35 minutes)
	@$(PYTHON) -m tests.flink_programs $(ARGS)

compare-plans: $(READY)  ## plans and messages beside those of a commit (WITH=COMMIT)
	@$(PYTHON) -m tests.compare_plans $(WITH) $(ARGS)

bench: kernel  ## speed and memory, as ratios from one run
	@$(PYTHON) -m tests.bench $(ARGS)

bench-flink: kernel  ## Nexmark's queries here and on Flink: the table of docs/speed.md
	@$(PYTHON) -m tests.bench.nexmark $(ARGS)

services: $(READY)  ## start the servers that tests use, and print their addresses
	@$(PYTHON) -m tools.services start $(ARGS)

services-stop: $(READY)  ## stop them
	@$(PYTHON) -m tools.services stop $(ARGS)

# ---------------------------------------------------------------- style

lint: $(READY)  ## ruff, mypy, import contracts, the format of Java
	@$(BIN)/ruff check --quiet $(CODE)
	@$(BIN)/ruff format --quiet --check --output-format concise $(CODE) || { echo "try: make format" >&2; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo importlinter.toml >$(VENV)/lint-imports.log 2>&1 \
	  || { cat $(VENV)/lint-imports.log; exit 1; }
	@$(PYTHON) -m tools.java_format --check || { echo "try: make format" >&2; exit 1; }

format: $(READY)  ## ruff's formatter and its safe fixes; Java's formatter
	@$(BIN)/ruff check --quiet --fix $(CODE) || true
	@$(BIN)/ruff format --quiet $(CODE)
	@$(PYTHON) -m tools.java_format

# ---------------------------------------------------------------- generated files

schema: $(READY)  ## the JSON Schemas in schemas/, from the declarations
	@$(PYTHON) -m compiled_plan.schemas.generate
	@$(PYTHON) -m tools.document_schemas

docs: $(READY)  ## tables of the documents, signatures, the Table API's plain calls
	@$(PYTHON) -m tools.reference
	@$(PYTHON) -m tools.signature_table
	@$(PYTHON) -m tools.expression_methods

docs-coverage: $(READY)  ## docs/reference/coverage.md (ASK=1: ask Flink for names anew)
	@$(if $(ASK),$(PYTHON) -m tools.coverage.ask)
	@$(PYTHON) -m tools.coverage.page

docs-site: $(READY)  ## the documents as a static site: build/site/index.html
	@# Not --quiet: it hides warnings from the strict mode, too.
	@log=$$(NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build 2>&1) || { echo "$$log" | grep -v '^INFO' >&2; exit 1; }

lock: $(READY)  ## pin all dependencies anew, with their hashes: requirements/
	@$(PYTHON) -m tools.lock $(ARGS)

dist: kernel  ## a wheel and its bill of materials in dist/, tried in an empty venv
	@rm -rf dist
	@$(PYTHON) -m pip -qq --disable-pip-version-check wheel --no-deps --no-build-isolation -w dist .
	@$(PYTHON) tools/check_wheel.py dist/*.whl
	@$(PYTHON) -m tools.sbom dist/*.whl
	@cp requirements/service.txt dist/service-requirements.txt
