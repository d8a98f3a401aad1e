# Whereabouts. The first target of any kind sets up .venv; after that nothing is installed again until the lock changes.
#
#   make grade [SUBMISSIONS=dir] [ASSIGNMENT=rope] [OUT=results] [JOBS=n]   grade a class
#   make check [ASSIGNMENT=rope]                                            where a student stands
#   make check FILE=path [ASSIGNMENT=rope]                                  one submission, hidden tests too
#   make test | lint | autograder | handout | figures | experiment | bench | doctor | mutants | causes

PYTHON ?= python3
SUBMISSIONS ?= tests/submissions
OUT ?= results
# requirements-grading.lock is half of it: it grades, checks and builds zips, and makes no pages, pictures or tests.
LOCK ?= requirements.lock
BIN := .venv/bin
READY := .venv/ready

# What pip says, as one line that counts. Its failure stays a failure: hence bash.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
COUNTED := awk '/^Collecting/ {n++; printf "\r  %d packages of about '"$$(grep -c == $(LOCK))"'", n; fflush()} \
	/^Installing/ {printf "\n  installing them\n"; fflush()}'

.DEFAULT_GOAL := help
.PHONY: help setup grade check test autograder handout figures experiment bench doctor mutants causes lint format

help:
	@sed -n '3,6s/^# *//p' Makefile

setup: $(READY)

# The packages, anew when the lock changes; then the project itself, as a link to this checkout.
.venv/packages: $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Whereabouts needs Python 3.11 or newer; say which with make PYTHON=python3.12")'
	@echo "Setting up .venv, once. It takes a minute or two and up to 800 MB: most of that is Otter-Grader's, which brings Jupyter and pandas."
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --progress-bar off --disable-pip-version-check --no-deps --require-hashes -r $(LOCK) | $(COUNTED)
	@touch $@

$(READY): .venv/packages pyproject.toml
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

grade: $(READY)
	@$(BIN)/autograder grade "$(SUBMISSIONS)" --out "$(OUT)" $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT)) $(if $(JOBS),--jobs $(JOBS))

check: $(READY)
ifdef FILE
	@$(BIN)/autograder check "$(FILE)" $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT))
else
	@$(BIN)/python -m autograder.checks $(ASSIGNMENT)
endif

# One thread each for linear algebra: with more of them, processes side by side wait for each other (a training takes seven times as long).
test mutants causes: export OPENBLAS_NUM_THREADS := 1

test: $(READY)
	@$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# The tree is formatted by `make format`.
lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check -q .
	@$(BIN)/mypy

format: $(READY)
	@$(BIN)/ruff format .

autograder: $(READY)
	@$(BIN)/autograder build $(ASSIGNMENT)

handout: $(READY)
	@$(BIN)/autograder handout

figures: $(READY)
	@$(BIN)/python -m assignments.figures

experiment: $(READY)
	@$(BIN)/python -m assignments.context_extension.lab
	@$(BIN)/python -m assignments.extrapolation.lab
	@$(BIN)/python -m assignments.modern.lab

bench: $(READY)
	@$(BIN)/autograder bench

doctor: $(READY)
	@$(BIN)/autograder doctor

mutants: $(READY)
	@$(BIN)/python -m tests.grader.mutants $(ASSIGNMENT)

causes: $(READY)
	@$(BIN)/python -m tests.grader.causes $(ASSIGNMENT)
