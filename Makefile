# Everything runs in .venv, made on first use.
BIN = .venv/bin

.PHONY: test lint docs bench torture agents

test: .venv
	$(BIN)/pytest

lint: .venv
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: .venv
	$(BIN)/python -m clawbrain.profiles
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/strategy_reference.py

bench: .venv
	$(BIN)/python -m bench

torture: .venv
	$(BIN)/python -m bench.torture

agents: .venv
	$(BIN)/python tests/agents/run.py

.venv: pyproject.toml
	python3 -m venv .venv
	$(BIN)/pip install --quiet -e '.[dev]'
	touch .venv
