"""Scores and evidence worked out from the rows of credit_events and nothing else, by the rule as it is written down."""

import json
import math
from datetime import datetime
from typing import Any

from clawbrain.brain import Brain
from clawbrain.credit import SIGNALS

Kinds = dict[str, list[dict[str, Any]]]  # of each holder: {"made", "kind", "x", "at"}


def rows(brain: Brain) -> list[dict[str, Any]]:
    return [row for table, row in brain.ledger.rows() if table == "credit_events"]


def live_scores(brain: Brain) -> dict[str, float]:
    return {id: record.score for id, record in brain.ledger.records().items()}


def live_evidence(brain: Brain) -> dict[str, list[tuple[dict[str, float], float]]]:
    found: dict[str, list[tuple[dict[str, float], float]]] = {}
    for holder, kind, x in brain.ledger._all("SELECT holder, kind, x FROM evidence ORDER BY number"):
        found.setdefault(holder, []).append((dict(json.loads(kind)), x))
    return found


def scores(brain: Brain) -> dict[str, float]:
    now: dict[str, float] = {}
    for row in rows(brain):
        id, type = row["memory_id"], row["event_type"]
        if type in SIGNALS:
            x = math.log(now[id] / (1 - now[id])) + _step(row)
            new = 1 / (1 + math.exp(-min(3.0, max(-3.0, x))))
            now[id] = max(now[id], new) if row["reward"] > 0 else min(now[id], new)
        elif type == "drift":
            now[id] = row["floor"] + (now[id] - row["floor"]) * math.exp(-row["per_day"] * row["days"])
        elif type in ("store", "restore", "merge", "promote", "undo"):
            now[id] = row["new_score"]
    return now


def evidence(brain: Brain) -> dict[str, list[tuple[dict[str, float], float]]]:
    held: Kinds = {}
    for row in rows(brain):
        id, type, detail = row["memory_id"], row["event_type"], row["detail"]
        if type in ("store", "forget"):
            held.pop(id, None)
        elif type == "archive":
            held[detail] = held.pop(id, [])
        elif type == "restore" and detail:
            held[id] = held.pop(detail, [])
        elif type == "purge":
            held.pop(detail, None)
        elif type == "rename":
            _rename(held, id, detail)
        elif type == "unname":
            _unname(held, id, *json.loads(detail))
        elif row["kind"] is not None:
            step = _step(row) if type in SIGNALS else row["step"]
            if step:
                _teach(held.setdefault(id, []), dict(json.loads(row["kind"])), step, row)
    return {holder: [(each["kind"], each["x"]) for each in found] for holder, found in held.items() if found}


def _step(row: dict[str, Any]) -> float:
    surprise = (1 if row["reward"] > 0 else 0) - row["expected"]
    return float(row["rate"] * 2 * abs(row["reward"]) * row["share"] * surprise)


def _teach(found: list[dict[str, Any]], kind: dict[str, float], step: float, row: dict[str, Any]) -> None:
    same = [each for each in found if each["kind"] == kind == {} or _alike(each["kind"], kind) > 0.9]
    if same:
        best = max(same, key=lambda each: (_alike(each["kind"], kind), -each["made"]))
        x = _faded(best["x"], row["days"], row["per_day"]) + step
        best.update(x=min(3.0, max(-3.0, x)), at=row["created_at"])
        return
    kinds = [each for each in found if each["kind"]]
    if kind and len(kinds) == 8:
        found.remove(
            min(kinds, key=lambda each: (abs(_faded(each["x"], _days(each, row), row["per_day"])), each["made"]))
        )
    found.append({"made": row["id"], "kind": kind, "x": min(3.0, max(-3.0, step)), "at": row["created_at"]})


def _alike(one: dict[str, float], other: dict[str, float]) -> float:
    return min(1.0, max(0.0, 2 * sum(min(one[id], other[id]) for id in one.keys() & other.keys()) - 1))


def _faded(x: float, days: float, per_day: float) -> float:
    return x * math.exp(-per_day * days)


def _days(each: dict[str, Any], row: dict[str, Any]) -> float:
    then, now = (datetime.fromisoformat(at) for at in (each["at"], row["created_at"]))
    return max(0.0, (now - then).total_seconds() / 86_400)


def _rename(held: Kinds, old: str, new: str) -> None:
    for found in held.values():
        for each in found:
            if old in each["kind"]:
                each["kind"][new] = each["kind"].get(new, 0.0) + each["kind"].pop(old)


def _unname(held: Kinds, old: str, new: str, weights: dict[str, float]) -> None:
    for found in held.values():
        for each in found:
            if new in each["kind"] and (weight := weights.get(str(each["made"]))):
                left = each["kind"].pop(new) - weight
                each["kind"] |= {old: weight} | ({new: left} if left > 1e-12 else {})
