"""An endpoint with OpenAI's interface on loopback that answers what a test tells it, and a patrol run to its end."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from clawbrain.brain import Brain
from clawbrain.llm import LanguageModel
from clawbrain.profiles.being.patrols import Patrol, Patrols
from clawbrain.profiles.being.scenes import Scenes

KINDS = {"scenes": '{"scenes"', "crowd": "Tell them again", "split": '{"groups"', "diary": "diary"}
"""The kinds of questions, each with words that only its task has."""

Handler = BaseHTTPRequestHandler
Answer = Callable[[Handler], None]


class FakeModel:
    """What is asked, and what is answered by kind of question: an object, a text, or a function that writes it."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.asked: list[tuple[str, str]] = []
        """The kind and the texts of each question."""
        self.requests: list[tuple[str, Mapping[str, str], dict[str, Any]]] = []
        self.answers: dict[str, Any] = {}
        self.otherwise: Any = {}

    def model(self, timeout: float = 10.0, key: str = "") -> LanguageModel:
        return LanguageModel(self.url, "small", key, timeout)

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.asked]

    def sent(self) -> str:
        """Return all that was sent, headers too."""
        return "".join(f"{path}\n{dict(headers)}\n{json.dumps(body)}" for path, headers, body in self.requests)

    def answer(self, handler: Handler) -> None:
        if handler.command != "POST":  # somebody followed a redirect
            self.requests.append((handler.path, handler.headers, {}))
            write(handler, completion("{}"))
            return
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        task, texts = (message["content"] for message in body["messages"])
        kind = next(kind for kind, words in KINDS.items() if words in task)
        self.requests.append((handler.path, handler.headers, body))
        self.asked.append((kind, texts))
        answer = self.answers.get(kind, self.otherwise)
        if callable(answer):
            answer(handler)
        else:
            write(handler, completion(answer if isinstance(answer, str) else json.dumps(answer)))


def completion(text: str) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


def write(handler: Handler, body: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def after(seconds: float, answer: Any) -> Answer:
    def late(handler: Handler) -> None:
        time.sleep(seconds)
        write(handler, completion(json.dumps(answer)))

    return late


@contextmanager
def fake_model() -> Iterator[FakeModel]:
    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            try:
                found.answer(self)
            except OSError:
                return  # who asked has gone

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    found = FakeModel(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def patrolled(
    brain: Brain,
    messages: Sequence[Mapping[str, str]] = (),
    marker: str = "",
    model: LanguageModel | None = None,
    between: Callable[[], object] = lambda: None,
) -> Patrol:
    """Patrol to the end; `between` is called while the model is asked."""
    patrol, done = Patrols(Scenes(brain), model).patrol(messages, marker), None
    while True:
        try:
            work = patrol.send(done)
        except StopIteration as end:
            result: Patrol = end.value
            return result
        done = work()
        between()
