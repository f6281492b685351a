"""The seeded faults still have their places; that each is caught takes minutes and is part of `make torture`."""

from pathlib import Path

import pytest
from faults import FAULTS, Fault, copy_of_the_package, noticed, source
from measure import LONG, figure


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_has_its_place_in_the_source(fault: Fault) -> None:
    assert source(fault).count(fault.right) == 1


@pytest.mark.skipif(not LONG, reason="only in the long form")
def test_without_a_fault_nothing_is_noticed(tmp_path: Path) -> None:
    every = tuple({file for fault in FAULTS for file in fault.caught_by})
    assert not noticed(copy_of_the_package(tmp_path), Fault("none", "storage/files.py", "", "", every))


@pytest.mark.parametrize("fault", FAULTS if LONG else FAULTS[3:4], ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault, tmp_path: Path) -> None:
    assert noticed(copy_of_the_package(tmp_path), fault)
    figure("seeded faults caught", faults=1)
