# The two commands: `make course` runs the course end to end, `make test` runs its tests.
# Both make the environment first, in .venv, and need nothing that was installed by hand.

PYTHON ?= python3
BIN := .venv/bin
EXPORTS := OMP_NUM_THREADS=1 PYTHONHASHSEED=0 PATH="$(CURDIR)/$(BIN):$$PATH"
PYTEST := env $(EXPORTS) $(BIN)/pytest -q -n 2 --dist loadfile
ENVIRONMENT := .venv/.complete

.PHONY: course test check-all system book release grade lint docs-test bench bench-grading mutants clean

course: system $(ENVIRONMENT)
	@$(MAKE) --no-print-directory book release grade RELEASE_OPTIONS=--if-safe
	@echo "book:      _build/book/_build/html/index.html"

test: system $(ENVIRONMENT) lint
	$(PYTEST)

check-all: system $(ENVIRONMENT) lint .venv-peers/.complete
	env GLYPHLAB_CHECK_ALL=1 $(PYTEST)
	env $(EXPORTS) .venv-peers/bin/pytest -q tests/peers
	if [ "$$(id -u)" = 0 ]; then PYTHON="$(PYTHON)" tests/as_ordinary_user.sh; fi

# Debian packages, where they are missing and we may install them; else the line that does it.
system:
	@missing=$$(for p in $$(grep -v '^#' packages.apt); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q '^install ok installed' || echo $$p; done); \
	if [ -z "$$missing" ]; then :; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	else echo "To install what is missing here, run as root: apt-get install" $$missing; fi

$(ENVIRONMENT): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "GlyphLab needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -qq -c constraints.txt -e ".[book,grade,test]"
	@touch $@

# The peers that the core is compared with live apart: they pull in much that nothing else needs.
.venv-peers/.complete: pyproject.toml constraints.txt tests/peers/requirements.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install -qq -c constraints.txt -e ".[test]" -r tests/peers/requirements.txt
	@touch $@

book: $(ENVIRONMENT)
	env $(EXPORTS) $(BIN)/jupyter-book build . --path-output _build/book -W --keep-going -n

release: $(ENVIRONMENT)
	env $(EXPORTS) $(BIN)/python -m glyphlab_grader.release $(RELEASE_OPTIONS)

grade: $(ENVIRONMENT)
	env $(EXPORTS) $(BIN)/glyphlab-grade demonstration

lint: $(ENVIRONMENT)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(ENVIRONMENT) .venv-peers/.complete
	.venv-peers/bin/python -m benchmarks.core

bench-grading: $(ENVIRONMENT)
	$(BIN)/python -m benchmarks.grading
	$(BIN)/python -m benchmarks.killed

mutants: $(ENVIRONMENT)
	$(BIN)/python -m benchmarks.mutants

clean:
	rm -rf .venv .venv-peers _build _grading build *.egg-info
