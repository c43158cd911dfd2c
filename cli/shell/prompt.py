"""The prompt: multi-line editing, history, highlighting, news of jobs."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, get_common_complete_suffix
from prompt_toolkit.filters import is_done
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.styles import DynamicStyle, Style, style_from_pygments_cls
from prompt_toolkit.styles.base import BaseStyle
from pygments.styles import get_style_by_name

from compiled_plan.cli.common.terminal import console, fail
from compiled_plan.cli.shell.completion import SqlCompleter
from compiled_plan.cli.shell.interrupts import Terminated
from compiled_plan.cli.shell.lexer import SqlLexer
from compiled_plan.cli.shell.shell import COMMANDS, Quit, Shell, command_of
from compiled_plan.planner.sql.grammar.splitting import split_script
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.text.masking import masked_program
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from compiled_plan.planner.options.session import TableConfig

_PROMPT, _MORE = "plan> ", "   -> "
#: Pygments' styles for Flink's names of colour schemas.
_SCHEMAS = {
    "DARK": "monokai",
    "LIGHT": "friendly",
    "CHESTER": "tango",
    "VS2010": "vs",
    "SOLARIZED": "solarized-dark",
    "OBSIDIAN": "native",
    "GESHI": "autumn",
}
#: The default schema, in the colours of the terminal.
_DEFAULT = Style.from_dict(
    {
        "pygments.keyword": "ansiblue bold",
        "pygments.literal.string": "ansigreen",
        "pygments.literal.number": "ansicyan",
        "pygments.comment": "ansibrightblack italic",
        "bottom-toolbar": "noreverse ansibrightblack",
    }
)


class MaskedHistory(FileHistory):
    """The history file: private to its user, with secrets masked."""

    def store_string(self, string: str) -> None:
        super().store_string(masked_program(string))


def history_file() -> Path:
    """The file of the history: `compiled-plan/shell_history` in XDG's folder of state."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "compiled-plan" / "shell_history"


def history_in(path: Path) -> History:
    """The history of a file, which is created; in memory if it cannot be written."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)) as file:
            os.fchmod(file.fileno(), 0o600)
    except OSError as fault:
        console().print(f"warning: there is no history file: {fault}")
        return InMemoryHistory()
    return MaskedHistory(path)


def prompt_session(
    shell: Shell,
    history: History,
    *,
    source: Input | None = None,
    target: Output | None = None,
) -> PromptSession[str]:
    """The prompt of a shell.

    Args:
        shell: the shell.
        history: the statements so far.
        source: the keyboard; that of the process by default.
        target: the screen; that of the process by default.
    """
    config = shell.environment.config
    return PromptSession(
        _PROMPT,
        multiline=True,
        key_bindings=_keys(),
        history=history,
        auto_suggest=AutoSuggestFromHistory(),
        completer=SqlCompleter(shell.environment, COMMANDS),
        complete_while_typing=False,
        lexer=PygmentsLexer(SqlLexer),
        style=DynamicStyle(lambda: _style(config)),
        include_default_pygments_style=False,
        prompt_continuation=lambda width, number, wrapped: _continuation(config, width, number),
        bottom_toolbar=lambda: _toolbar(shell),
        refresh_interval=0.5,
        input=source,
        output=target,
    )


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter", filter=~is_done)
    def enter(event: KeyPressEvent) -> None:
        """Accept a complete statement; else begin a new line."""
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
        elif _is_complete(buffer.text) and not buffer.document.text_after_cursor.strip():
            buffer.validate_and_handle()
        else:
            buffer.newline(copy_margin=False)

    @keys.add("tab", filter=~is_done)
    def tab(event: KeyPressEvent) -> None:
        """Insert what all completions have in common; list them if they have nothing more."""
        buffer = event.current_buffer
        if buffer.complete_state is not None:
            buffer.complete_next()
            return
        request = CompleteEvent(completion_requested=True)
        completions = list(buffer.completer.get_completions(buffer.document, request))
        if len(completions) == 1:
            buffer.apply_completion(completions[0])
        elif common := get_common_complete_suffix(buffer.document, completions):
            buffer.insert_text(common)
        else:
            buffer.start_completion()

    return keys


def _is_complete(text: str) -> bool:
    if command_of(text):
        return True
    pieces = split_script(text)
    return not pieces or pieces[-1].complete


def _continuation(config: TableConfig, width: int, number: int) -> str:
    shows = config.boolean("sql-client.display.show-line-numbers")
    return f"{number + 2:>{width - 1}} " if shows else _MORE.rjust(width)


def _toolbar(shell: Shell) -> str:
    """The line at the bottom: Spark's state, and the number of running jobs."""
    running = sum(job.running for job in shell.jobs)
    return f"{shell.spark_state()} · {counted(running, 'job')} · HELP; QUIT;"


def _style(config: TableConfig) -> BaseStyle:
    if os.environ.get("NO_COLOR"):
        return Style([])
    schema = config.value("sql-client.display.color-schema").upper()
    return style_from_pygments_cls(get_style_by_name(_SCHEMAS[schema])) if schema in _SCHEMAS else _DEFAULT


@dataclass
class News:
    """News of the jobs of a shell: each end is printed once."""

    shell: Shell
    _known: set[str] = field(default_factory=set)

    def tell(self) -> None:
        """Print the ends of jobs since the last call."""
        for job in self.shell.jobs:
            if job.running or job.collects or job.id in self._known:
                continue
            self._known.add(job.id)
            console().print(f"job {job.id} ({job.name}): {job.status.name.lower()}")
            if job.fault is not None:
                fail(job.fault)


def converse(shell: Shell, session: PromptSession[str], *, debug: bool = False) -> None:
    """Read statements and execute them, until QUIT or the end of the input.

    Args:
        shell: the shell.
        session: its prompt.
        debug: print tracebacks of errors.

    Raises:
        Terminated: SIGTERM came.
    """
    news = News(shell)
    while True:
        news.tell()
        try:
            with patch_stdout():
                text = session.prompt()
        except Terminated:
            raise
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            shell.run(text)
        except Quit:
            return
        except Terminated:
            raise
        except KeyboardInterrupt:
            console().print("stopped", style="dim")
        except CompiledPlanError as fault:
            fail(fault, debug=debug or shell.environment.config.boolean("sql-client.verbose"))
