"""LoCoMo: ten long conversations between two people, over months, with questions about them.

`locomo10.json` is a list of conversations. A turn is a document, and each conversation is a store, filled turn by turn
in one session. The evidence of a question names turns: `D3:11` is the eleventh turn of the third session.
Questions of the fifth category, which have no answer in the conversation, are left out.
The loader was checked against five of the ten conversations.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .model import Document, Question, Store, path_in, slug

_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):(\d+)")
_WITHOUT_ANSWER = 5


def locomo(folder: Path, name: str) -> list[Store]:
    """Return a store for each conversation."""
    samples = json.loads(path_in(folder, "locomo10.json").read_text("utf-8"))
    return [_conversation(sample, name) for sample in samples]


def _conversation(sample: dict[str, Any], name: str) -> Store:
    documents = tuple(_turns(sample["conversation"]))
    known = frozenset(document.id for document in documents)
    questions = []
    for asked in sample["qa"]:
        relevant = known.intersection(_ids(asked.get("evidence") or ()))
        if relevant and asked["category"] != _WITHOUT_ANSWER:
            questions.append(Question(str(asked["question"]), relevant))
    return Store(f"{name}-{sample['sample_id']}", documents, tuple(questions), in_session=True)


def _turns(talk: dict[str, Any]) -> Iterator[Document]:
    """Yield each turn as `[date] speaker: text`, with what a shared picture shows behind it."""
    sessions = sorted(int(key[1]) for key in map(_SESSION.fullmatch, talk) if key)
    for session in sessions:
        date = talk.get(f"session_{session}_date_time", "")
        for turn in talk[f"session_{session}"] or ():
            text, picture = (turn.get("text") or "").strip(), (turn.get("blip_caption") or "").strip()
            said = f"{text} [shares {picture}]" if picture else text
            (id,) = _ids([turn["dia_id"]])
            yield Document(id, f"[{date}] {turn['speaker']}: {said}", (slug(turn["speaker"]),))


def _ids(references: Any) -> set[str]:
    """Return the turns that the references name, all spelled alike: the published ones are not."""
    found = [each for reference in references for each in _TURN.findall(str(reference))]
    return {f"D{int(session)}:{int(turn)}" for session, turn in found}
