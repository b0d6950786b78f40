# Two commands matter: `make server` and `make test`. `make help` lists all.
.DEFAULT_GOAL := help
.PHONY: help install install-dev embeddings server play stop status test warmup test-model test-docs docs docs-serve lint format clean

# The interpreter: the first of these that is Python 3.11 or newer. Or name one: make PYTHON=…
PYTHON ?= $(shell for p in python python3 python3.14 python3.13 python3.12 python3.11; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; exit; fi; \
	done; echo python3)

# The environment that was installed into (see voxpolis/environment.py).
RUN = $(shell $(PYTHON) -m voxpolis python)

# Options of the server, typed as make server PORT=25570 SPEED=10; what the shell happens to have
# under such a name (PORT, say) is not meant.
option = $(if $(filter command,$(origin $(1))),--$(2) $($(1)))
UP = $(call option,KIND,kind) $(call option,PORT,port) $(call option,RCON_PORT,rcon-port) \
	$(call option,SPEED,speed) $(call option,TERRAIN,terrain) $(call option,WORLD,world)
SCENARIO ?= double_vein

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1	/' | expand -t 19

install:
	@command -v $(PYTHON) >/dev/null || { echo "voxpolis needs Python 3.11 or newer on the path; on Debian and Ubuntu: apt install python3 python3-venv"; exit 2; }
	@$(PYTHON) -m voxpolis install

install-dev:
	@command -v $(PYTHON) >/dev/null || { echo "voxpolis needs Python 3.11 or newer on the path; on Debian and Ubuntu: apt install python3 python3-venv"; exit 2; }
	@$(PYTHON) -m voxpolis install --dev

server: install  ## install what is needed and start the Minecraft server (PORT= SPEED= KIND= …)
	@$(RUN) -m server up $(UP)
	@$(PYTHON) -m voxpolis next

play: install  ## the same, and play the first scenario
	@$(RUN) -m server up $(UP)
	@$(RUN) -m scenarios.$(SCENARIO)

stop:  ## stop the Minecraft server
	@$(RUN) -m server down

status:  ## say whether the server runs, and where
	@$(RUN) -m server status

embeddings: install  ## let agents find skills by meaning (90 MB; without it, by words)
	@$(PYTHON) -m voxpolis embeddings

test: install-dev warmup  ## run all tests (they start servers of their own)
	@$(RUN) -m pytest

warmup: install-dev
	@$(RUN) -m grid.warmup

test-model: install-dev  ## let a real small language model play, and print how it went
	@VOXPOLIS_TEST_MODEL=all $(RUN) -m pytest -n 0 tests/bots/test_real_model.py

test-docs: install-dev  ## follow every page of the documentation, command by command
	@VOXPOLIS_TEST_DOCS=all $(RUN) -m pytest -n 1 tests/docs

docs: install-dev  ## build the documentation site into build/site, and check its links
	@NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --quiet --strict
	@echo "build/site/index.html"

docs-serve: install-dev  ## show the documentation site while you write it
	@NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs serve --dev-addr 127.0.0.1:8000

lint: install-dev  ## check format, style and types of Python and JavaScript
	@$(RUN) -m ruff format --check .
	@$(RUN) -m ruff check .
	@$(RUN) -m mypy
	@$(RUN) -m voxpolis npm run lint --silent

format: install-dev  ## format Python and JavaScript
	@$(RUN) -m ruff format .
	@$(RUN) -m ruff check --fix .
	@$(RUN) -m voxpolis npm run format --silent

clean:  ## remove what was installed or made here, except run records
	-@$(RUN) -m server down
	rm -rf node_modules .venv .voxpolis build dist .pytest_cache .mypy_cache .ruff_cache *.egg-info
