# Whereabouts. The first target of any kind sets up .venv; after that nothing is installed again until the lock changes.
#
#   make grade [SUBMISSIONS=dir] [ASSIGNMENT=rope] [OUT=results] [JOBS=n]   grade a class
#   make check [ASSIGNMENT=rope]                                            where a student stands
#   make lesson ASSIGNMENT=rope                                             the lesson in the browser, checked at every save
#   make check FILE=path [ASSIGNMENT=rope]                                  one submission, hidden tests too
#   make quick | test | lint | autograder | handout | solutions | figures | experiment | bench | doctor | mutants | causes

PYTHON ?= python3
SUBMISSIONS ?= tests/submissions
OUT ?= results
# requirements-grading.lock is half of it: it grades, checks and builds zips, and makes no pages, pictures or tests.
# .venv keeps the lock that it was set up from until another one is named.
INSTALLED := $(lastword $(shell cat .venv/packages 2>/dev/null))
ifeq ($(origin LOCK),undefined)
LOCK := $(or $(INSTALLED),requirements.lock)
endif

# What comes from outside may be a name that a student chose. It is taken letter by letter, without anything in it
# being expanded, and reaches a recipe through the environment alone: neither make nor the shell reads it as code.
OUTSIDE := PYTHON SUBMISSIONS OUT LOCK ASSIGNMENT FILE JOBS
$(foreach name,$(OUTSIDE),$(eval override $(name) := $$(value $(name))))
export $(OUTSIDE)
ifneq ($(LOCK),$(filter requirements.lock requirements-grading.lock,$(LOCK)))
$(error LOCK is requirements.lock or requirements-grading.lock)
endif
NAMED = $${ASSIGNMENT:+--assignment "$$ASSIGNMENT"}

BIN := .venv/bin
READY := .venv/ready

# What pip says, as one line that counts. Its failure stays a failure: hence bash.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
COUNTED := awk '/^Collecting/ {n++; printf "\r  %d packages of about '"$$(grep -c == $(LOCK))"'", n; fflush()} \
	/^Installing/ {printf "\n  installing them\n"; fflush()}'

.DEFAULT_GOAL := help
.PHONY: another-lock complete packages help setup grade check lesson quick test autograder handout solutions figures experiment bench doctor mutants causes lint format

help:
	@sed -n '3,7s/^# *//p' Makefile

setup: $(READY)

# The packages, anew when the content of the lock changes; then the project itself, as a link to this checkout.
.venv/packages: $(LOCK) $(if $(filter-out $(LOCK),$(INSTALLED)),another-lock)
	@if [ "$$(sha256sum $(LOCK))" = "$$(cat $@ 2>/dev/null)" ]; then touch $@; else $(MAKE) --no-print-directory packages; fi

packages:
	@"$$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Whereabouts needs Python 3.11 or newer; say which with make PYTHON=python3.12")'
	@echo "Setting up .venv, once. It takes a minute or two and up to 800 MB: most of that is Otter-Grader's, which brings Jupyter and pandas."
	@"$$PYTHON" -m venv --clear .venv
	@$(BIN)/python -m pip install --progress-bar off --disable-pip-version-check --no-deps --require-hashes -r $(LOCK) | $(COUNTED)
	@sha256sum $(LOCK) > .venv/packages

$(READY): .venv/packages pyproject.toml
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

grade: $(READY)
	@$(BIN)/autograder grade --out "$$OUT" $(NAMED) $${JOBS:+--jobs "$$JOBS"} -- "$$SUBMISSIONS"

# That some test fails (exit code 1) is an answer, and no error of make's.
check: $(READY)
ifdef FILE
	@$(BIN)/autograder check $(NAMED) -- "$$FILE" || [ $$? -eq 1 ]
else
	@$(BIN)/python -m autograder.checks $${ASSIGNMENT:+"$$ASSIGNMENT"}
endif

# The pages of the handout, which show what the checks say of assignments/ here.
lesson: $(READY) | dist/course
	@$(BIN)/python -m autograder.checks $${ASSIGNMENT:+"$$ASSIGNMENT"} --page

dist/course:
	@$(BIN)/autograder handout

# One thread each for linear algebra: with more of them, processes side by side wait for each other (a training takes seven times as long).
quick test mutants causes: export OPENBLAS_NUM_THREADS := 1

SIDE_BY_SIDE := -n auto --dist loadfile --no-loadscope-reorder

test: complete
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE)

# What starts no kernel, browser or batch: about a minute on two cores.
quick: complete
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE) --quick

# The packages that only requirements.lock has.
complete: $(READY)
	@test $(LOCK) = requirements.lock || { \
		echo "This needs all packages, and .venv has those that grade: make setup LOCK=requirements.lock"; exit 2; }

# The tree is formatted by `make format`.
lint: complete
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check -q .
	@$(BIN)/mypy

format: complete
	@$(BIN)/ruff format .

autograder: $(READY)
	@$(BIN)/autograder build $${ASSIGNMENT:+"$$ASSIGNMENT"}

handout: $(READY)
	@$(BIN)/autograder handout

solutions: $(READY)
	@$(BIN)/python -m autograder.handout.solutions

figures: complete
	@$(BIN)/python -m assignments.figures

experiment: $(READY)
	@$(BIN)/python -m assignments.measuring $(if $(FULL),--full)

bench: $(READY)
	@$(BIN)/python -m tests.grader.tools.bench $(if $(SHORT),--short)

doctor: $(READY)
	@$(BIN)/autograder doctor

mutants: $(READY)
	@$(BIN)/python -m tests.grader.tools.mutants $${ASSIGNMENT:+"$$ASSIGNMENT"}

causes: $(READY)
	@$(BIN)/python -m tests.grader.tools.causes $${ASSIGNMENT:+"$$ASSIGNMENT"}
