# Two commands are all a newcomer needs: `make run` and `make test`. Both are safe to repeat.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A pip index with CPU builds of torch, so that nothing downloads CUDA. Unset, constraints.txt alone decides.
TORCH_INDEX ?=
# The tests whose subject is stored: they run on PostgreSQL too, where it is installed.
STORED := tests/test_db.py tests/accounts tests/delivery tests/hiring tests/history $(addprefix tests/web/test_,$(addsuffix .py, \
	accounts answers api candidates exports history integrations practice privacy profiles quizzes quizzes_taken quiz_sessions \
	reports reported_kinds result_analysis results reveal team_items))
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: run test coverage install check format bench help clean

help: ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

run: install ## start the site and print its address
	@echo "gradproof: starting the database, the sandbox and the site"
	@exec $(BIN)/gradproof serve

test: install check ## run lint, types and every test
	@echo "gradproof: running the tests"
	$(BIN)/python -m pytest -n auto --dist loadgroup $(TESTS)
	@echo "gradproof: running what stores on PostgreSQL as well"
	$(BIN)/python -m pytest -n auto --dist loadgroup --postgres $(STORED)

coverage: install ## run every test and say which lines none of them reached
	$(BIN)/python -m pytest -n auto --dist loadgroup --cov=app --cov-report=term:skip-covered

check: install ## run lint, types and dependency checks
	@echo "gradproof: checking style, types, templates and dependencies"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/deptry .

install: $(VENV)/.installed ## make .venv with everything in it

$(VENV)/.installed: pyproject.toml constraints.txt
	@echo "gradproof: making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gradproof needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "gradproof: installing torch (constraints.txt says which)"
	$(BIN)/python -m pip install --quiet $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) "$$(grep '^torch==' constraints.txt)"
	@echo "gradproof: installing everything else"
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet -c constraints.txt -e . --group dev
	@touch $@

bench: install ## time live checks beside bare forks
	$(BIN)/gradproof sandbox bench

format: install ## format the code
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

clean: ## remove what `make` made, but not var/
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache
