# The few commands there are. Each sets up what it needs by itself.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
WORKERS ?= auto

.DEFAULT_GOAL := help
.PHONY: help demo test check fix bench clean tools

help:            ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY)   ## watch a recorded fleet of agents, replayed live
	@$(BIN)/unbraid demo

test: $(READY) tools ## run every test, the real CLIs included (fetched from npm once)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

check: $(READY)  ## format, lint, types, documentation
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/docs

fix: $(READY)    ## put format and imports right
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .
	$(BIN)/python docs/generate.py

bench: $(READY)  ## ratios against peers and limits
	$(BIN)/python -m benchmarks

clean:           ## forget everything that was set up
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .hypothesis

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# OpenCode looks for ripgrep and would download one. Where apt is and we may use it, take Debian's.
tools:
	@command -v rg >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  { apt-get install -y -q ripgrep || { apt-get update -q && apt-get install -y -q ripgrep; }; } >/dev/null; } || \
	  echo "ripgrep is not installed: tests with OpenCode will be skipped"
