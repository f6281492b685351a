"""Tools that dawdle, crash, print, and answer what is not text."""

import errno
import os
import subprocess
import time
from typing import Any

from clawbrain.errors import Changed


class Profile:
    progress: Any = None

    def __init__(self, brain: object) -> None:
        pass

    def slow(self, seconds: float, mark: str = "") -> dict[str, Any]:
        time.sleep(seconds)
        if mark:
            with open(mark, "a") as file:
                file.write("done\n")
        return {"slept": seconds}

    def steps(self, seconds: float, mark: str) -> dict[str, Any]:
        for step in (1, 2, 3):
            time.sleep(seconds)
            self.progress(step, 3, f"step {step}")
        return self.slow(0, mark)

    def crash(self) -> dict[str, Any]:
        raise RuntimeError("secret thing in /root/secret/place")

    def full(self) -> dict[str, Any]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/root/secret/place")

    def changed(self) -> dict[str, Any]:
        raise Changed("The file changed; read it again.", current="what stands there now")

    def chatter(self) -> dict[str, Any]:
        print("printed")
        os.write(1, b"written\n")
        subprocess.run(["echo", "echoed"], check=True)
        return {"stdin": os.read(0, 10).decode()}

    def half(self) -> dict[str, Any]:
        return {"name": "caf\udce9"}

    def lines(self) -> dict[str, Any]:
        return {"text": "a\u2028b\u2029c\u0085d", "none": None}

    def big(self, size: int) -> dict[str, Any]:
        return {"text": "x" * size}
