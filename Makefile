# Everything runs in .venv, made on first use.
BIN = .venv/bin

.PHONY: test lint docs bench torture agents bundle

test: .venv
	$(BIN)/pytest

lint: .venv
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: .venv
	$(BIN)/python -m clawbrain.profiles
	$(BIN)/python -m families.write
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/strategy_reference.py
	$(BIN)/python docs/recording.py

# How well and how quickly the product finds, and what feedback does; with all collections about 20 minutes.
# BENCH_DATA names the folder of the public collections; docs/benchmarks.md says where to get them. Without it the notes
# in the repository are measured alone, in 5 minutes.
bench: .venv
	$(BIN)/python -m bench search rules learning speed

# The long form of the proofs: kills, faults and failing disks at every step, many processes, made-up HTTP
# requests. Needs strace, and hours; TORTURE_FIGURES=FILE collects what was measured.
torture: .venv .venv-schemathesis/bin/schemathesis
	command -v strace || apt-get install --yes --no-install-recommends strace
	TORTURE=1 $(BIN)/pytest -n 0 --durations=10 tests/test_kills.py tests/test_power_loss.py tests/test_disk_trouble.py \
	  tests/test_many_processes.py tests/test_state_machine.py tests/test_ledger.py tests/test_hostile.py tests/test_server.py \
	  tests/test_large_store.py tests/test_faults.py tests/test_brain_lifecycle.py tests/test_strategy.py \
	  tests/test_scenes.py tests/test_learning.py
	$(BIN)/python tests/torture/rest_api.py .venv-schemathesis/bin/schemathesis

# The bundle that desktop programs install by a click: dist/clawbrain.mcpb.
bundle: .venv
	$(BIN)/python -m bundle

agents: .venv
	$(BIN)/python tests/agents/run.py

# In an environment of its own, because its plugin would take part in every run of pytest. Its licence is MIT.
.venv-schemathesis/bin/schemathesis:
	python3 -m venv .venv-schemathesis
	.venv-schemathesis/bin/pip install --quiet 'schemathesis>=4.32,<5'

.venv: pyproject.toml
	python3 -m venv .venv
	$(BIN)/pip install --quiet -e '.[dev]'
	touch .venv
