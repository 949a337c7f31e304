# What a developer types. `make help` lists it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The first Python on the path that is new enough and can make virtual environments.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	if $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo $$p; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
# Evaluation data is no part of this repository; without it `make eval` says so.
export CITATOR_EVAL_DATA ?= $(abspath ../shared/data)
# Hundreds of processes are started by the tests, and none is to compile again what it imports.
unexport PYTHONDONTWRITEBYTECODE
# Many tests wait for servers and browsers, so that three share two cores.
export JOBS ?= 3
PYTEST := $(BIN)/python -m pytest
LOCK := $(UV) pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url -q --no-header

.PHONY: help setup setup-dev setup-tests demo format static check test test-all test-wheel contract agents eval bench soak fuzz lock image-check clean

help: ## list what can be asked for
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.run ## make .venv and install Citator into it

setup-dev: $(VENV)/.dev ## the same with what developing and testing need

setup-tests: ## system packages for the tests (installs them when root, names them otherwise)
	@infra/setup-tests.sh

demo: setup ## crawl a small site, search it, prove a passage, rebuild, ask again
	@$(BIN)/citator demo

format: setup-dev ## put the code into its form
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

static: setup-dev ## linters, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

check: static ## what to run before a commit: static checks and the quick tests (under 3 minutes)
	$(PYTEST) -q -n $(JOBS) --dist loadfile -m "not slow"

test: setup-dev setup-tests static test-wheel test-all ## everything that must hold

# In the order of the folders, as those files that take minutes come first in it: otherwise one core waits for the other at the end.
test-all: setup-dev setup-tests ## all tests, slow ones and quality floors included
	$(PYTEST) -n $(JOBS) --dist loadfile --no-loadscope-reorder

test-wheel: setup-dev ## the quick tests against the built wheel, from another folder and on the newest Python here
	@infra/test-wheel.sh

contract: setup-dev ## hold a server against its OpenAPI document, with everything that schemathesis knows to ask (ten minutes)
	@$(BIN)/python -m tests.doors.contract

agents: setup-dev ## Claude Code, Codex and Pi, as far as they are installed, with a played model
	@$(BIN)/python -m tests.doors.agents

eval: setup-dev ## quality of extraction, ranking and re-checking, with the figures for docs/quality.md
	@status=0; for part in extraction search recheck recheck_pairs_run states; do $(BIN)/python -m tests.eval.$$part || status=$$?; done; exit $$status

bench: setup-dev setup-tests .tmp/rivals/.installed ## speed beside its baselines, with the figures for docs/performance.md
	@$(BIN)/python -m tests.eval.bench

soak: setup-dev setup-tests ## 2,000 rendered pages and a bundle of 10,000, with their memory; 50 and 500 clients at once; the index at 1,000,000 passages
	@status=0; for part in soak_rendered soak_bundle soak_doors soak_index; do $(BIN)/python -m tests.eval.$$part || status=$$?; done; exit $$status

# SECONDS of search for each target; `make fuzz SECONDS=600 TARGETS="html pdf"` takes longer over two of them.
SECONDS ?= 60
fuzz: setup-dev ## throw bytes at everything that reads hostile input (hypothesis, and atheris where it can be had)
	@VIRTUAL_ENV=$(VENV) $(UV) pip install -q -r requirements/fuzz.txt || echo "fuzz: atheris cannot be installed here" >&2
	@$(BIN)/python -m tests.fuzz.run $(SECONDS) $(TARGETS)

lock: $(VENV)/.uv ## resolve the dependencies again and write requirements/
	$(LOCK) $(if $(UPGRADE),--upgrade) -o requirements/run.txt
	$(LOCK) $(if $(UPGRADE),--upgrade) --group dev -c requirements/run.txt -o requirements/dev.txt
	$(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url -q --no-header $(if $(UPGRADE),--upgrade) --group clients-apart -o requirements/clients-apart.txt
	$(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url -q --no-header --no-deps $(if $(UPGRADE),--upgrade) --group clients-bare -o requirements/clients-bare.txt
	for group in fuzz rivals; do $(UV) pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url -q --no-header $(if $(UPGRADE),--upgrade) --group $$group -o requirements/$$group.txt; done

# Programs that `make bench` compares with; they are no part of Citator and stay in a folder of their own.
.tmp/rivals/.installed: requirements/rivals.txt | $(VENV)/.uv
	@echo "Installing the programs to compare with."
	@$(UV) venv -q --clear --python $(BIN)/python .tmp/rivals
	@VIRTUAL_ENV=.tmp/rivals $(UV) pip sync -q --compile-bytecode requirements/rivals.txt
	@touch $@

image-check: setup-dev ## check the Dockerfile and the compose file
	$(BIN)/hadolint Dockerfile
	$(PYTEST) -q tests/test_infra.py

clean: ## remove what was built (not a data directory)
	rm -rf $(VENV) .tmp build dist .mypy_cache .ruff_cache .hypothesis

$(VENV)/.uv:
	@if [ -z "$(PYTHON)" ]; then echo "Citator needs Python 3.11 or newer with venv (Debian: apt-get install python3 python3-venv)." >&2; exit 3; fi
	@echo "Making $(VENV) with $$($(PYTHON) --version)."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check 'uv>=0.13,<0.14'
	@touch $@

# `install` leaves what developing needs in place; `sync` removes what no list names any longer.
$(VENV)/.run: requirements/run.txt pyproject.toml | $(VENV)/.uv
	@echo "Installing what Citator needs."
	@VIRTUAL_ENV=$(VENV) $(UV) pip install -q --compile-bytecode -r requirements/run.txt
	@VIRTUAL_ENV=$(VENV) $(UV) pip install -q --no-deps -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(VENV)/.uv
	@echo "Installing what developing needs."
	@VIRTUAL_ENV=$(VENV) $(UV) pip sync -q --compile-bytecode requirements/dev.txt
	@VIRTUAL_ENV=$(VENV) $(UV) pip install -q --no-deps -e .
	@touch $(VENV)/.run $@
