PYTHON ?= python3
DATASET ?= completejourney
BIN := .venv/bin

.PHONY: demo test lab outputs reports bench lock clean

# What is recorded is shown in full size; without records (DATASET=tafeng_raw) it is a preview.
demo: .venv/installed
	$(BIN)/python -m nnbr_core prepare $(DATASET)
	$(BIN)/python -m nnbr_core gallery --dataset $(DATASET)

test: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/pytest
	NNBR_RUNS=$$(mktemp -d) $(BIN)/pytest --nbval-lax notebooks

lab: .venv/installed
	$(BIN)/jupyter lab notebooks

# What the notebooks show when they are opened: one fresh run, from an empty store.
outputs: .venv/installed
	NNBR_RUNS=$$(mktemp -d) $(BIN)/python -m nnbr_core outputs

reports: .venv/installed
	$(BIN)/python -m nnbr_core report

bench: .venv/installed
	$(BIN)/python -m nnbr_core bench

# Exact versions for both commands. The local build tag of torch's CPU wheel is cut off,
# so that machines without that very file find the release.
lock: .venv/installed
	$(BIN)/pip install pip-tools
	$(BIN)/pip-compile --quiet --upgrade --strip-extras --no-emit-options --no-emit-index-url \
	  --no-emit-find-links --no-emit-trusted-host --no-annotate --extra test \
	  --output-file requirements.txt pyproject.toml
	sed -i 's/^\(torch==[0-9.]*\)+cpu$$/\1/' requirements.txt

.venv/installed: requirements.txt pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11+ is needed')"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -r requirements.txt
	$(BIN)/pip install --quiet --no-deps -e .
	touch $@

clean:
	rm -rf .venv gallery data/prepared data/weights reports/runs/quick reports/runs/own reports/runs/.locks test-artifacts
	rm -rf build *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
