"""The commands: parse options, call the packages below, print."""

import gc
import signal
import sys
from pathlib import Path

# A command allocates a few hundred thousand objects that live until its exit; collecting garbage among them took a
# tenth of the time of `compile-plan`.
gc.set_threshold(200_000, 20, 100)

# Until `run_app` handles signals, Ctrl-C ends a command without a traceback of its imports.
_IS_COMMAND = sys.argv[0] == "-m" or Path(sys.argv[0]).parent == Path(sys.executable).parent
if _IS_COMMAND and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
