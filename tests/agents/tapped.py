"""The installed command with an ear on its pipe: copied to a file named `clawbrain`, which install then writes down.

The server must stay the agent program's own child, since its session is found by ancestry. So this process becomes
the server, and a child of it passes the lines on, writing each down: `> ` from the program, `< ` to it.
"""

import os
import sys
import threading

TAP = "@TAP@"


def listen():
    from_agent, to_server = os.pipe()
    from_server, to_agent = os.pipe()
    if os.fork() == 0:
        os.close(from_agent)
        os.close(to_agent)
        log = os.open(TAP, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        threading.Thread(target=pass_on, args=(0, to_server, b"> ", log), daemon=True).start()
        pass_on(from_server, 1, b"< ", log)
        os._exit(0)
    os.close(to_server)
    os.close(from_server)
    os.dup2(from_agent, 0)
    os.dup2(to_agent, 1)
    os.close(from_agent)
    os.close(to_agent)


def pass_on(source, sink, mark, log):
    try:
        with open(source, "rb") as lines:
            for line in lines:
                os.write(log, mark + line)
                left = memoryview(line)
                while left:
                    left = left[os.write(sink, left) :]
    finally:
        os.close(sink)


if "serve" in sys.argv[1:2]:
    listen()

from clawbrain.__main__ import main  # noqa: E402

main()
