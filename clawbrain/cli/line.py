"""The parts that all verbs share: --home and --json in any place, and one way to report failures.

A verb translates its arguments, asks the brain, and hands the answer to `Caller.answer`.
"""

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.exceptions import Exit

from ..agents.project_home import homes_of_project
from ..brain import Brain, default_home, home_named, reading, refuse_without_memory
from ..brain.opening import open_served
from ..brain.sessions import work_folder
from ..errors import ClawbrainError
from ..logs import INFO, WARNING, Log, milliseconds
from ..served_layers import served_layers
from . import output

if TYPE_CHECKING:
    from ..layer_homes import ServedLayers

log = Log("cli")

Answer = Mapping[str, Any]
_BULLET = "\0"  # no argument can hold this character
_WARNINGS_SHOWN = 5


@dataclass
class Caller:
    """The context of a command: the home it is for, and whether the answer is printed as JSON."""

    named: Path | None = None
    json: bool = False
    warned: set[str] = field(default_factory=set)
    layers: tuple[str, ...] = ()
    in_project: bool = True  # whether the home of the project that the working directory is in counts

    @property
    def home(self) -> Path:
        """The home that --home or CLAWBRAIN_HOME names; else that of the project here; else the person's own."""
        return self.named or self._of_project() or default_home()

    def _of_project(self) -> Path | None:
        """Return the home of the project that the working directory is in, where no other home is named."""
        if not self.in_project or os.environ.get("CLAWBRAIN_HOME"):
            return None
        try:
            return next(homes_of_project(Path.cwd()), None)
        except FileNotFoundError:  # the working directory is gone
            return None

    @property
    def project_home(self) -> str:
        """Return the folder of the project's home, as seen from the project's root, or '' for any other home."""
        own = None if self.named else self._of_project()
        if own is None or os.path.realpath(own) == os.path.realpath(default_home()):
            return ""
        root = work_folder(Path.cwd())
        return str(own.relative_to(root) if own.is_relative_to(root) else own)

    def say_project(self) -> None:
        """Say on standard error that the home is the project's, where the person has named none."""
        if name := self.project_home:
            self.note(f"in {name} of this project")

    def note(self, sentence: str) -> None:
        """Print a note on standard error, once for the whole command."""
        if sentence not in self.warned:
            self.warned.add(sentence)
            output.complain(output.line(sentence))

    def one_or_many(self, homes: Path | None) -> Path:
        """Return the home, or the folder of homes that --homes names. Raises click.UsageError where both are named."""
        if homes is None:
            return self.home
        if self.named:
            raise click.UsageError("--home is one memory, --homes a folder of them: name one of the two.")
        return homes

    @property
    def served(self) -> "ServedLayers | None":
        """The layers that are served with the home."""
        return served_layers(self.home, self.layers)

    @contextmanager
    def brain(
        self,
        session: str | None = None,
        *,
        looking: bool = False,
        making: bool = False,
        faults: bool = False,
        in_first: bool = True,
    ) -> Iterator[Brain]:
        """Yield the brain, up to date with its files. With `looking`, nothing is made; see `open_brain`.

        Only with `making` a home is begun where there is none; otherwise NotFound is raised, except for a look into the
        usual home before anything was stored. Files that are left out are mentioned only with `faults`, by the verbs
        that are about all files. Without `in_first` it is not said that the home is the project's.
        """
        if in_first:
            self.say_project()
        if not making:
            refuse_without_memory(self.home, or_none=not looking or bool(self.named and not self.named.exists()))
        with reading() if looking else nullcontext():
            yield from self._opened(session, looking, faults)

    @contextmanager
    def changing(self, reference: str, *, looking: bool = False) -> Iterator[tuple[Brain, dict[str, Any]]]:
        """Yield the brain and the part of an answer that names a memory's layer, which is empty for the first home.

        Only of the first home it is said that it is the project's.
        """
        with self.brain(looking=looking, in_first=False) as brain:
            layer = brain.layer_of(reference)
            if not layer:
                self.say_project()
            yield brain, {"layer": layer} if layer else {}

    def _opened(self, session: str | None, looking: bool, faults: bool) -> Iterator[Brain]:
        brain = open_served(self.home, self.served, session=session, looking=looking)
        brain.owner.serve_terminal(faults=faults)
        try:
            with output.progress("Reading the memory files") as progress:
                brain.sync(progress, now=True)
            yield brain
        finally:
            brain.close()
            self.warn(brain.take_warnings())

    def warn(self, sentences: Iterable[str]) -> None:
        """Print warnings, each once for the whole command: at most five of them, and how many more there are."""
        fresh = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self.warned]
        self.warned.update(fresh)
        for sentence in fresh[:_WARNINGS_SHOWN]:
            output.warn(sentence)
        if more := len(fresh[_WARNINGS_SHOWN:]):
            output.warn(f"and {more} more; `clawbrain check` names every file that is left out.")

    def answer(self, answer: Answer, text: Callable[[Any], None]) -> None:
        """Print an answer: as JSON for a program, or as `text` prints it for a person."""
        if self.json:
            output.data(answer)
            return
        self.warn(answer.get("warnings", ()))
        text(answer)


def _homes(_: click.Context, __: click.Parameter, value: str | None) -> Path | None:
    if value == "":
        raise click.BadParameter("needs a folder")
    return None if value is None else home_named(value)


homes_option = click.option(
    "--homes", metavar="DIR", default=None, callback=_homes,
    help="A folder of memories, each a workspace, instead of one home.",
)  # fmt: skip
"""The option of the verbs that also work on a folder of homes."""


def _remember_home(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        if not value:
            raise click.BadParameter("needs a folder", context)
        context.ensure_object(Caller).named = home_named(value)


def _remember_json(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.ensure_object(Caller).json |= value


def _remember_layers(context: click.Context, _: click.Parameter, value: tuple[str, ...]) -> None:
    context.ensure_object(Caller).layers += value


def _everywhere() -> list[click.Parameter]:
    return [
        click.Option(
            ["--home"], metavar="DIR", expose_value=False, callback=_remember_home,
            help="The memory's folder; else $CLAWBRAIN_HOME, else this project's own, else ~/clawbrain.",
        ),
        click.Option(
            ["--layer"], metavar="[NAME=]DIR", multiple=True, expose_value=False, callback=_remember_layers,
            help="A further home that is searched with it; DIR:read-only is never changed.",
        ),
        click.Option(
            ["--json"], is_flag=True, expose_value=False, callback=_remember_json,
            help="Answer in JSON, for programs.",
        ),
    ]  # fmt: skip


class Verb(click.Command):
    """A verb of the command line, with the options that all verbs have."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += _everywhere()

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse arguments; a text that begins with a bullet ("- ") is not taken for an option."""
        rest = super().parse_args(context, [_BULLET + word if word[:2] == "- " else word for word in args])
        context.params = {name: _unmarked(value) for name, value in context.params.items()}
        return rest


def _unmarked(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_unmarked, value))
    return value.removeprefix(_BULLET) if isinstance(value, str) else value


class Verbs(click.Group):
    """The verbs under headings, in the order in which they were added."""

    command_class = Verb
    group_class = type

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += _everywhere()
        self.headings: dict[str, Sequence[click.Command]] = {}

    def put(self, heading: str, *verbs: click.Command) -> None:
        """Add verbs under a heading."""
        self.headings[heading] = verbs
        for verb in verbs:
            self.add_command(verb)

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, verbs in (self.headings or {"Verbs": tuple(self.commands.values())}).items():
            with formatter.section(heading):
                formatter.write_dl([(str(verb.name), verb.get_short_help_str(90)) for verb in verbs])

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*args, **extra)
        except BrokenPipeError:  # when help is printed; click would call it a failure
            output.stop()
            raise Exit from None

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except BrokenPipeError:
            output.stop()

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = "clawbrain", **extra: Any
    ) -> NoReturn:
        words = list(sys.argv[1:] if args is None else args)
        output.open_streams()
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError):
                stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        began = time.monotonic()
        status = _status(lambda: self._run(words, prog_name, extra), words)
        verb = next((word for word in words if word in self.commands), "no verb")
        log(WARNING if status else INFO, "%s: exit status %d, %.1f ms", verb, status, milliseconds(began))
        sys.exit(status)

    def _run(self, words: list[str], prog_name: str | None, extra: dict[str, Any]) -> int:
        for number, word in enumerate(words, 1):
            if not word.isascii() and word != word.encode(errors="replace").decode():
                raise click.UsageError(f"word {number} of the command is not UTF-8.")
        status = super().main(words, prog_name, standalone_mode=False, **extra)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0


def _status(run: Callable[[], int], words: Sequence[str]) -> int:
    """Run a command and return its exit status; print what went wrong in one sentence.

    The sentence tells a person the commands to use, but `call`, which answers as the server does, the tools.
    """
    as_json = "--json" in words
    try:
        return run()
    except ClawbrainError as error:
        log(WARNING, "the command was refused (%s)", error.code)
        sentence = str(error) if "call" in words else output.with_verbs(str(error))
        return _fail(error.code, sentence, error.exit_status, as_json, getattr(error, "current", None))
    except click.UsageError as error:
        return _fail("usage", _usage(error), 2, as_json)
    except click.ClickException as error:
        return _fail("usage", error.format_message(), 2, as_json)
    except click.Abort:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:
        output.stop()
        return 0
    except OSError as error:
        if output.is_refused():
            output.stop()
            return _fail("broken", f"the answer could not be printed, because {_reason(error)}.", 3, as_json)
        log.failure("the command failed")
        return _fail("broken", f"{_reason(error)}; `clawbrain check` says more.", 3, as_json)
    except Exception as error:
        log.failure("the command failed")
        if os.environ.get("CLAWBRAIN_DEBUG"):
            raise
        what = f"something is wrong inside clawbrain ({type(error).__name__}); CLAWBRAIN_DEBUG=1 shows where."
        return _fail("broken", what, 3, as_json)


def _fail(code: str, sentence: str, status: int, as_json: bool, current: str | None = None) -> int:
    """Print an error on stderr, with --json on stdout too, which then always holds one JSON value; return `status`."""
    sentence = output.as_called(sentence)
    output.complain(f"clawbrain: {output.line(sentence)}")
    if current is not None and not as_json:
        output.complain("")
        for each in output.clean(current).split("\n"):
            output.complain(each)
    if as_json:
        extra = {} if current is None else {"current": current}
        try:
            output.data({"error": code, "message": sentence, **extra})
            sys.stdout.flush()
        except OSError:
            output.stop()
    return status


def _usage(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "clawbrain"
    said = error.format_message().rstrip(".")
    return f"{said}{'' if said.endswith('?') else '.'} See `{path} --help`."


def _reason(error: OSError) -> str:
    """Return the system's reason for an error, without the path that it names."""
    if not error.errno:
        return "the system refused"
    return f"the system refused: {os.strerror(error.errno)} ({errno.errorcode.get(error.errno, error.errno)})"


def parsed(text: str, what: str) -> Any:
    """Return the value of a JSON text. Raises click.UsageError, which names `what`, if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{what} is not JSON: {error}") from None
