"""A model that does what a script says, for agent programs that cannot know the difference.

It answers the four protocols they speak: OpenAI chat completions (OpenCode) and responses (Codex), Anthropic
messages (Claude Code), Gemini. A script is a list of steps, each a tool call `("memory_store", {...})` or a
text; how far a conversation has got is told by the tool results in it, so the model keeps no state but `heard`.
"""

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


class Model:
    """An HTTP server on a free port; `script` may be changed between conversations."""

    def __init__(self):
        self.script, self.heard = [], []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _speaking_for(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def next_step(self, names, results):
        """A tool as the program calls it with its arguments, or a text. Without tools somebody wants a title."""
        step = self.script[results] if names and results < len(self.script) else "Done."
        if isinstance(step, str):
            return step
        tool, arguments = step
        return next((name for name in names if name.endswith(tool)), tool), arguments


def offers_tools(asked):
    """Tell whether a request is one for an answer; those for a title and the like offer no tools."""
    return bool(asked.get("tools"))


def _speaking_for(model):
    class Speaker(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def handle(self):
            with suppress(ConnectionError):  # a program that ends does not say goodbye
                super().handle()

        def do_HEAD(self):
            self.answer({})

        def do_GET(self):
            self.answer({"object": "list", "data": [{"id": "fake", "object": "model"}], "models": []})

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            asked = json.loads(body or b"{}")
            model.heard.append(asked)
            path = self.path.partition("?")[0]
            for ending, speak in PROTOCOLS.items():
                if path.endswith(ending):
                    return (
                        self.stream(speak(model, asked))
                        if _streams(path, asked)
                        else self.answer(whole(ending, model, asked))
                    )
            self.answer({"input_tokens": 1, "totalTokens": 1})

        def answer(self, value):
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def stream(self, events):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for name, value in events:
                head = f"event: {name}\n" if name else ""
                data = value if isinstance(value, str) else json.dumps(value)
                self.wfile.write(f"{head}data: {data}\n\n".encode())
            self.close_connection = True

    return Speaker


def _streams(path, asked):
    return asked.get("stream") or "stream" in path


def whole(ending, model, asked):
    """What a program gets that asked for no stream: only titles and the like are asked so."""
    if ending == "/messages":
        return _message(asked) | {"content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn"}
    if ending == "/chat/completions":
        choice = {"index": 0, "message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}
        return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": USAGE}
    return dict(next(iter(PROTOCOLS[ending](model, asked)))[1])


def chat(model, asked):
    names = [tool["function"]["name"] for tool in asked.get("tools", ())]
    results = sum(message["role"] == "tool" for message in asked["messages"])
    step = model.next_step(names, results)
    if isinstance(step, str):
        delta, reason = {"role": "assistant", "content": step}, "stop"
    else:
        function = {"name": step[0], "arguments": json.dumps(step[1])}
        call = {"index": 0, "id": f"call_{results}", "type": "function", "function": function}
        delta, reason = {"role": "assistant", "tool_calls": [call]}, "tool_calls"
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
    yield "", {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield "", {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": USAGE}
    yield "", "[DONE]"


def responses(model, asked):
    tools = {}  # what our script may call it: (its name, its namespace)
    for tool in asked.get("tools", ()):
        for inner in tool.get("tools", ()):
            tools[inner.get("name", "")] = (inner.get("name", ""), tool["name"])
        if "name" in tool and "tools" not in tool:
            tools[tool["name"]] = (tool["name"], None)
    said = asked["input"] if isinstance(asked.get("input"), list) else []
    results = sum(str(item.get("type")).endswith("_output") for item in said)
    step = model.next_step(list(tools), results)
    if isinstance(step, str):
        content = [{"type": "output_text", "text": step, "annotations": []}]
        item = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
    else:
        name, space = tools.get(step[0], (step[0], None))
        item = {"type": "function_call", "id": f"f{results}", "call_id": f"c{results}", "name": name,
                "arguments": json.dumps(step[1]), "status": "completed"}  # fmt: skip
        if space:
            item["namespace"] = space
    response = {"id": "r", "object": "response", "model": "fake", "status": "in_progress", "output": []}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    done = response | {"status": "completed", "output": [item], "usage": usage}
    for kind, rest in (
        ("response.created", {"response": response}),
        ("response.output_item.added", {"output_index": 0, "item": item | {"status": "in_progress"}}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": done}),
    ):
        yield kind, {"type": kind, **rest}


def messages(model, asked):
    blocks = [block for message in asked["messages"] for block in message["content"] if isinstance(block, dict)]
    results = sum(block["type"] == "tool_result" for block in blocks)
    step = model.next_step([tool["name"] for tool in asked.get("tools", ())], results)
    if isinstance(step, str):
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": step}
    else:
        block = {"type": "tool_use", "id": f"toolu_{results}", "name": step[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step[1])}
    stop = {"stop_reason": "end_turn" if isinstance(step, str) else "tool_use", "stop_sequence": None}
    for kind, rest in (
        ("message_start", {"message": _message(asked)}),
        ("content_block_start", {"index": 0, "content_block": block}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": stop, "usage": {"output_tokens": 1}}),
        ("message_stop", {}),
    ):
        yield kind, {"type": kind, **rest}


def _message(asked):
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {"id": "msg", "type": "message", "role": "assistant", "model": asked.get("model"), "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": usage}  # fmt: skip


def gemini(model, asked):
    names = [each["name"] for tool in asked.get("tools", ()) for each in tool.get("functionDeclarations", ())]
    parts = [part for content in asked.get("contents", ()) for part in content.get("parts", ())]
    results = sum("functionResponse" in part for part in parts)
    step = model.next_step(names, results)
    part = {"text": step} if isinstance(step, str) else {"functionCall": {"name": step[0], "args": step[1]}}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    yield "", {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}


PROTOCOLS = {
    "/chat/completions": chat,
    "/responses": responses,
    "/messages": messages,
    ":generateContent": gemini,
    ":streamGenerateContent": gemini,
}
