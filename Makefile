# The few commands there are. Each sets up what it needs by itself.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# The package alone is installed within seconds; what tests and checks need takes longer.
USABLE := $(VENV)/.usable
READY  := $(VENV)/.ready
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable
NODE   := web/node_modules/.ready
# Tests wait for other programs about half of their time, so two share a core.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))')
# The tests of the pure packages and dialects, and those that only look at the source.
PURE   := $(addprefix tests/,events read fold docs/test_concepts.py) $(foreach noun, \
          recordings fuzz layers rooms formats,tests/test_$(noun).py) $(wildcard tests/agents/*/dialect \
          $(foreach noun,records dialect transcript heads titles notes loose_calls,tests/agents/*/test_$(noun).py)) \
          $(addprefix tests/docs/test_docs.py::test_,links_lead_somewhere the_reference_is_what_the_code_says)

# What was compiled once, tests included, is read by every worker and program after it.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test phoenix quick check fix page pictures bench clean tools node clis peers

help:            ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(USABLE)  ## watch a recorded fleet of agents, replayed live
	@$(BIN)/unbraid demo

test: $(READY) $(NODE) tools clis ## run every test, the real CLIs included (fetched from npm once)
	cd web && npm run --silent test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --durations=10 -m 'not large'

phoenix: $(READY) ## look at a fleet in a real Phoenix (half a gigabyte, fetched once)
	$(BIN)/python -m pytest -q -m large

quick: $(READY)  ## run the tests of pure code alone, in under a minute
	$(BIN)/python -m pytest -q -n auto --durations=10 $(PURE)

check: $(READY) $(NODE) ## format, lint, types, documentation, the built page
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/docs
	$(BIN)/python web/generate.py | diff - web/src/model/events.ts
	cd web && npm run --silent check && npm run --silent match

fix: $(READY) page ## put format, imports and generated files right
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .
	$(BIN)/python docs/generate.py

page: $(READY) $(NODE) ## build the page into the package (needs Node)
	$(BIN)/python web/generate.py > web/src/model/events.ts
	cd web && npm run --silent fix && npm run --silent build -- --logLevel warn

pictures: $(READY) tools ## take the documentation's pictures anew
	UNBRAID_PICTURES=1 $(BIN)/python -m pytest -q tests/web/test_pictures.py

bench: $(READY) peers ## ratios against peers and limits
	$(BIN)/python -m benchmarks

clean:           ## forget everything that was set up
	rm -rf $(VENV) web/node_modules .cache .mypy_cache .ruff_cache .hypothesis

$(USABLE): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null
	$(INSTALL) .
	@touch $@

$(READY): $(USABLE)
	$(INSTALL) '.[dev]'
	@touch $@

$(NODE): web/package-lock.json | node
	cd web && npm ci --silent --no-audit --no-fund
	@touch $@

# What apt can bring, where there is apt and we may use it: $(call apt,command,packages,without it)
# Another apt may be at work, as on machines that upgrade themselves: ours waits for it.
APT := apt-get -y -q -o DPkg::Lock::Timeout=300
define apt
@command -v $(1) >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
  { $(APT) install $(2) || { $(APT) update && $(APT) install $(2); }; } \
  >/dev/null 2>&1; } || echo "no $(1): $(3)"
endef

node:
	$(call apt,npm,nodejs npm,the page cannot be built and old versions of Claude Code do not start)

# OpenCode looks for ripgrep and would download one of its own. The page is tested in Debian's Chromium.
tools:
	$(call apt,git,git,tests that need a repository will fail)
	$(call apt,rg,ripgrep,tests with OpenCode will be skipped)
	$(call apt,tmux,tmux,tests in a real terminal will be skipped)
	$(call apt,chromium,chromium,tests of the page will be skipped)

# Once and before the tests, whose time limits are for agents at work and not for downloads.
clis: $(READY) tools
	@$(BIN)/python -m tests.clis

peers:
	$(call apt,nginx,nginx libnginx-mod-nchan,the fan-out is measured without its peer)
