# Needs Python 3.11 or later, make and git; everything else goes into .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PROJECT := integration_tests
DBT := $(BIN)/dbt
IN_PROJECT := --project-dir $(PROJECT) --profiles-dir $(PROJECT)
READY := $(VENV)/.ready
POSTGRES_VENV ?= .venv-postgres
POSTGRES_READY := $(POSTGRES_VENV)/.ready

# The files of the harness that are not about DuckDB alone.
POSTGRES_SCENARIOS := $(filter-out audit_rules consumer oracle project_quality,\
	$(patsubst $(PROJECT)/harness/test_%.py,%,$(sort $(wildcard $(PROJECT)/harness/test_*.py))))

# The databases that `make demo` and `make test` build.
DEMO_DATABASE := $(PROJECT)/target/demo.duckdb
TEST_DATABASE := $(CURDIR)/$(PROJECT)/target/test.duckdb

# One build each: the day of the customer and territory masters, the release of the airports, the end of the vessels' log, the day of the broker.
BUILDS := 2026-01-01/2022-01-07/2023-10-01/2026-01-05 2026-04-01/2024-03-09/2024-10-01/2026-02-02 \
	2026-04-01/2026-02-08/9999-12-31/2026-03-02

step = @printf '\n== %s\n' "$(1)"

.NOTPARALLEL:
.PHONY: help demo query env test test-all test-postgres lint-python parse build lint-sql harness seeds lock clean

help:
	@echo "make demo      build four histories on DuckDB and print them"
	@echo "make query     ask the database of the demo: make query SQL='from customer_scd2'"
	@echo "make test      linters, dbt parse, dbt build and the harness"
	@echo "make test-all  the same with many more random histories, and random ones dated by vars, and make test-postgres"
	@echo "make test-postgres  the scenarios of the harness that PostgreSQL runs, on a server of their own"
	@echo "make seeds     write the airport seeds again from their pinned releases"
	@echo "make lock      write requirements.lock again from requirements.in"
	@echo "make clean     remove the environment and everything that was built"

demo: env
	@$(BIN)/python $(PROJECT)/scripts/demo.py

query: env
	@$(BIN)/python -c 'import duckdb, os; print(duckdb.connect("$(DEMO_DATABASE)", read_only=True).sql(os.environ["SQL"]))'

env: $(READY)

$(READY): requirements.lock
	@echo "Making the environment in $(VENV), which takes a minute or two ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=python3.11")'
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@touch $@

test: env lint-python parse build lint-sql harness

test-all: export SCD2_EXAMPLES = 50
test-all: test test-postgres

# A server of its own is started for the tests; nothing has to be installed.
test-postgres: $(POSTGRES_READY)
	$(call step,pytest on PostgreSQL)
	@SCD2_ENGINE=postgres $(POSTGRES_VENV)/bin/python -m pytest -q -n 2 --dist loadfile \
		$(POSTGRES_SCENARIOS:%=$(PROJECT)/harness/test_%.py)

$(POSTGRES_READY): requirements.lock requirements-postgres.in
	@echo "Making the environment in $(POSTGRES_VENV) ..."
	@$(PYTHON) -m venv --clear $(POSTGRES_VENV)
	@$(POSTGRES_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(POSTGRES_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-postgres.in
	@touch $@

test lint-sql build: export SCD2_DUCKDB = $(TEST_DATABASE)

lint-python: env
	$(call step,ruff: Python code)
	@$(BIN)/ruff check .

parse: env
	$(call step,dbt parse: no warnings and macro arguments as documented)
	@$(DBT) deps --quiet $(IN_PROJECT)
	@$(DBT) --warn-error parse --no-partial-parse --quiet $(IN_PROJECT)

build: parse
	@rm -f $(TEST_DATABASE) $(TEST_DATABASE).wal
	@set -e; for days in $(BUILDS); do \
		set -- $$(echo $$days | tr / ' '); \
		vars="{snapshot_date: $$1, airport_release: $$2, vessel_log_until: $$3, brokerage_date: $$4}"; \
		printf '\n== dbt build: %s\n' "$$vars"; \
		$(DBT) --warn-error build --no-use-colors $(IN_PROJECT) --vars "$$vars"; \
	done

lint-sql: build
	$(call step,sqlfluff: models and tests and the SQL that the macros render)
	@$(BIN)/sqlfluff lint --disable-progress-bar $(wildcard $(PROJECT)/models $(PROJECT)/tests $(PROJECT)/analyses)

harness: env
	$(call step,pytest: harness)
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile

seeds: env
	@$(BIN)/python $(PROJECT)/scripts/make_airport_seeds.py

lock:
	@$(PYTHON) -m venv .venv-lock
	@.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	@{ echo "# Written by \`make lock\` from requirements.in: the whole environment, for Python 3.11 and later."; \
		.venv-lock/bin/uv pip compile requirements.in --quiet --universal --python-version 3.11 \
		--generate-hashes --no-strip-extras --no-emit-index-url --no-header --no-annotate; } > requirements.lock.new
	@mv requirements.lock.new requirements.lock

clean:
	rm -rf $(VENV) $(POSTGRES_VENV) .venv-lock .pytest_cache .ruff_cache .hypothesis logs
	rm -rf $(PROJECT)/target $(PROJECT)/logs $(PROJECT)/dbt_packages $(PROJECT)/package-lock.yml
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
