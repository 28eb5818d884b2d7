# make demo: install, then compile, run and check real models.
# make test: lint, types, unit tests, lit tests, end-to-end tests.
# make test-machines: lit and unit tests once for each preset in the place of this CPU.
# Needs Python 3.10 or later with venv. Everything is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Tests share the cores: two workers leave each one.
WORKERS ?= 2
# The folders of tests that test-machines gives to pytest.
SUITES ?= test/unit

.PHONY: demo test test-machines places lint types unit lit e2e fuzz fuzz-own fuzz-coverage fuzz-again format clean

demo: $(STAMP)
	@$(BIN)/tilewright demo

# pytest comes last: its closing line tells how the tests ended.
test: lint types lit unit e2e

$(STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[test,demo]'
	@touch $@

lint: $(STAMP)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .

types: $(STAMP)
	@$(BIN)/python test/typing_root.py build/typing_root >/dev/null
	@MYPYPATH=build/typing_root $(BIN)/mypy -p tilewright

lit: $(STAMP)
	@$(BIN)/lit --quiet -j $(WORKERS) test
	@echo "lit tests passed"

unit: $(STAMP)
	@$(BIN)/pytest -n $(WORKERS) test/unit

e2e: $(STAMP)
	@$(BIN)/pytest -n $(WORKERS) test/e2e

test-machines: $(STAMP)
	@$(BIN)/python test/machines.py --workers $(WORKERS) --suites $(SUITES)

# Every op at every place with every length of rows; make test has a part of it.
places: $(STAMP)
	@TILEWRIGHT_PLACES=all $(BIN)/pytest -n $(WORKERS) test/unit/lowering_graph/test_every_place.py

# Random models; see docs/fuzzing.md. The hash seed makes the same model of the same seed.
COUNT ?= 100
SEED ?= 0
NODES ?= 10
FUZZ = PYTHONHASHSEED=0 $(BIN)/python test/fuzz
FUZZED := $(VENV)/.fuzz-installed

fuzz: $(FUZZED)
	@$(FUZZ) nnsmith --count $(COUNT) --seed $(SEED) --nodes $(NODES)

fuzz-own: $(FUZZED)
	@$(FUZZ) own --count $(COUNT) --seed $(SEED) --nodes $(NODES)

fuzz-coverage: $(FUZZED)
	@$(FUZZ) coverage --count $(COUNT) --seed $(SEED) --nodes $(NODES)

fuzz-again: $(FUZZED)
	@$(FUZZ) again $(CASES)

$(FUZZED): $(STAMP)
	@echo "installing NNSmith into $(VENV)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[fuzz]'
	@touch $@

format: $(STAMP)
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .

clean:
	@rm -rf $(VENV) build dist *.egg-info
