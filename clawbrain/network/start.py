"""Start the server: bind its address, and let uvicorn run the application in one process or several."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from uvicorn import Config, Server
from uvicorn.supervisors import Multiprocess

from .. import logs, version
from ..errors import Usage
from .app import application
from .options import ServeOptions, options_from
from .remote_rules import RemoteRules

if TYPE_CHECKING:
    from starlette.types import ASGIApp

log = logs.Log("network")

_OPTIONS = "CLAWBRAIN_SERVE_OPTIONS"
"""The environment's name of the options, by which the processes of workers get them."""
_ENDING = 10  # seconds in which running calls may finish
_LOOKS = 0.5  # seconds between two looks of a worker whether it is an orphan
_WAITING = 512  # connections that the system keeps until one is accepted


def run(options: ServeOptions) -> None:
    """Serve until the process is told to end. Raises Usage for options that cannot be served."""
    options = options.checked()
    bound = _bind(options)
    options = replace(options, port=bound.getsockname()[1], parent=os.getpid())
    _start_log(options)
    served = application(options)  # says what is wrong with the options, before anything is served
    alone = options.workers == 1
    config = Config(
        served if alone else "clawbrain.network.start:from_environment",
        factory=not alone,
        workers=options.workers,
        http="clawbrain.network.connections:BoundedConnection",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=options.behind_proxy,
        ssl_certfile=options.tls_cert or None,
        ssl_keyfile=options.tls_key or None,
        timeout_graceful_shutdown=_ENDING,
        backlog=_WAITING,
    )
    os.environ[_OPTIONS] = options.as_text()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # uvicorn ends gracefully, and sends them once more at the end
    _say(options)
    if alone:
        gc.freeze()  # what was imported lasts, and need not be looked through again
        gc.enable()
        Server(config).run([bound])
    else:
        Multiprocess(config, [bound]).run()
    bound.close()


def from_environment() -> ASGIApp:
    """Return the application in the process of a worker."""
    options = options_from(os.environ[_OPTIONS])
    _start_log(options)
    threading.Thread(target=_end_with, args=(options.parent,), daemon=True).start()
    served = application(options)
    gc.freeze()
    return served


def _end_with(parent: int) -> None:
    """End this worker once the process that started it is gone, even by a kill."""
    while os.getppid() == parent:
        time.sleep(_LOOKS)
    os.kill(os.getpid(), signal.SIGTERM)


def _bind(options: ServeOptions) -> socket.socket:
    """Return the socket of the address. Raises Usage where it cannot be had."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sets TCP_NODELAY by the last
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((options.host, options.port))
        bound.listen(_WAITING)  # so that who comes before a process is ready waits for it
    except (OSError, OverflowError) as error:
        bound.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise Usage(f"{options.host}:{options.port} cannot be listened on ({reason}): choose another --port.") from None
    return bound


def _start_log(options: ServeOptions) -> None:
    logging.raiseExceptions = False
    logging.lastResort = None  # a library's warning may quote a request; a log line tells only the place in its code
    level = logs.chosen_level(options.log_level)
    logs.start(level)
    if level != logs.DEBUG:
        logs.hide_places()
    if options.log_file:
        logs.start(level or logs.INFO, options.log_file)
    if level or options.log_file:
        log(logs.INFO, "start: version %s, profiles %s, process %d", version(), options.profiles, os.getpid())


def _say(options: ServeOptions) -> None:
    """Tell the person where the server is, on standard error."""
    where = "a folder of memories" if options.many else "this memory"
    served = ", ".join(options.profiles)
    sys.stderr.write(f"clawbrain serves {where} at {options.address}/mcp ({served}). Ctrl-C ends it.\n")
    for name in options.profiles:
        variable = RemoteRules(name).database_variable
        if os.environ.get(variable or " "):
            sys.stderr.write(f"{variable} names a database that is not read here: `clawbrain import` takes it in.\n")
    if options.insecure_no_auth:
        sys.stderr.write("Everybody on this machine may read and change it: no token is asked for.\n")
    sys.stderr.flush()
