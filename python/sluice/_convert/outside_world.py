"""Refuses access to the world outside the program in recorded code.

Files and the state of the process may differ in every call, and an effect on them would
happen once, when the code is recorded. They are neither inputs nor state nor guards,
so access to them is refused with a message that names it.

Functions are identified by module and name, so that their modules need not be imported.
"""

from __future__ import annotations

import contextlib
import io
import pathlib
import types
from typing import Any

from .. import _core
from .errors import StagingError
from .place import user_place

READS = (
    "reads a file, which may be another in every call; wanted it read outside, and "
    "given as an argument"
)
ASKS = (
    "reads what the process keeps, which may be another in every call; wanted it read "
    "outside, and given as an argument"
)
DOES = (
    "has an effect outside of the graph, which would be there once, when the function "
    "is recorded; wanted it outside of the function"
)
NAMES = (
    "runs code that is a text, and which names that reads and assigns is not known; "
    "wanted the code itself"
)


def _table(*rows: tuple[str, str, str]) -> dict[tuple[str, str], str]:
    """Maps (module, name) to a message; * matches all other names of a module."""
    return {
        (module, name): words
        for modules, names, words in rows
        for module in modules.split()
        for name in names.split()
    }


_WORDS = _table(
    ("builtins", "eval exec", NAMES),
    ("_io io", "open open_code FileIO", READS),
    # The file system.
    ("os posix nt", "*", DOES),
    ("os posix nt", "listdir scandir stat lstat fstat statvfs access walk fwalk open "
     "fdopen read pread readlink listxattr getxattr", READS),
    ("os posix nt", "getcwd getcwdb times getloadavg get_exec_path umask getpriority "
     "get_terminal_size getlogin", ASKS),
    ("posixpath ntpath genericpath", "exists lexists isfile isdir islink ismount "
     "getsize getmtime getatime getctime samefile sameopenfile samestat realpath",
     READS),
    ("posixpath ntpath", "abspath relpath expanduser expandvars _abspath_fallback",
     ASKS),
    ("glob fileinput linecache zipfile tarfile shelve dbm mmap configparser", "*",
     READS),
    ("gzip bz2 lzma", "open GzipFile BZ2File LZMAFile", READS),
    ("codecs", "open StreamReaderWriter.read StreamReaderWriter.readline "
     "StreamReaderWriter.readlines StreamReaderWriter.seek", READS),
    ("codecs", "StreamReaderWriter.write StreamReaderWriter.writelines", DOES),
    ("shutil tempfile subprocess _posixsubprocess", "*", DOES),
    # Other machines and programs.
    ("sqlite3 _sqlite3 socket _socket ssl _ssl urllib.request http.client ftplib "
     "smtplib select selectors webbrowser", "*", DOES),
    ("concurrent.futures multiprocessing _multiprocessing", "*", DOES),
    ("_thread", "start_new_thread start_new interrupt_main stack_size exit", DOES),
    ("threading", "Thread.start Thread.run Thread.join _start_new_thread Timer.cancel "
     "settrace setprofile stack_size excepthook", DOES),
    ("threading _thread", "current_thread currentThread main_thread enumerate "
     "active_count activeCount get_ident get_native_id Thread.is_alive", ASKS),
    # State of the process.
    ("gc atexit signal _signal faulthandler", "*", DOES),
    ("gc", "isenabled get_count get_objects get_referrers get_stats get_threshold "
     "get_debug is_tracked get_freeze_count", ASKS),
    ("signal _signal", "getsignal", ASKS),
    ("locale _locale", "*", ASKS),
    ("locale _locale", "setlocale", DOES),
    ("decimal _decimal", "getcontext localcontext", ASKS),
    ("decimal _decimal", "setcontext", DOES),
    ("sys", "getrecursionlimit getswitchinterval gettrace getprofile getrefcount "
     "getallocatedblocks _getframe _current_frames call_tracing", ASKS),
    ("sys", "setrecursionlimit setswitchinterval settrace setprofile addaudithook "
     "setdlopenflags set_asyncgen_hooks displayhook excepthook", DOES),
    ("inspect", "currentframe stack trace", ASKS),
    ("warnings _warnings", "*", DOES),
    ("logging", "basicConfig disable captureWarnings shutdown setLoggerClass "
     "addLevelName", DOES),
    ("contextlib", "chdir", DOES),
    ("pprint", "PrettyPrinter.pprint", DOES),
    ("traceback", "print_exc print_exception print_tb print_stack print_last", DOES),
    # numpy and this package.
    ("numpy", "fromfile memmap fromregex", READS),
    ("numpy", "ndarray.tofile ndarray.dump set_printoptions printoptions seterr "
     "seterrcall setbufsize", DOES),
    ("numpy", "get_printoptions geterr geterrcall getbufsize", ASKS),
    ("numpy.random", "seed set_state", DOES),
    ("sluice._files sluice.io._checkpoint sluice.io._safetensors", "load load_into "
     "load_checkpoint", READS),
    ("sluice._files sluice.io._checkpoint sluice.io._safetensors", "save "
     "save_checkpoint", DOES),
    ("sluice._settings sluice.cuda sluice._core", "get_float32_matmul_precision "
     "get_printoptions", ASKS),
    ("sluice.cuda sluice.devices sluice._core", "set_float32_matmul_precision "
     "set_memory_limit set_printoptions", DOES),
)  # fmt: skip
_HARMLESS = _table(
    ("os posix nt", "fspath fsencode fsdecode getenv getenvb getpid cpu_count strerror "
     "PathLike", ""),
    ("glob", "escape has_magic translate", ""),
    ("warnings _warnings", "warn WarningMessage deprecated", ""),
    ("configparser", "ConfigParser RawConfigParser", ""),
)  # fmt: skip
_WRITING = frozenset(
    "write_text write_bytes touch mkdir unlink rename replace rmdir chmod lchmod "
    "symlink_to hardlink_to link_to copy copy_into move move_into".split()
)
_PURE = frozenset(dir(pathlib.PurePath))
# Functions that take a file name or an open file.
_BY_NAME = _table(
    ("numpy", "load loadtxt genfromtxt", READS),
    ("numpy", "save savetxt savez savez_compressed", DOES),
)


def _whose(function: Any) -> tuple[str, str]:
    """The module and name of a function, method or class."""
    module: Any = getattr(function, "__module__", None)
    owner = getattr(function, "__self__", None)
    if not isinstance(module, str):
        if owner is None or isinstance(owner, types.ModuleType):
            module = getattr(owner, "__name__", "")
        else:
            kind = owner if isinstance(owner, type) else type(owner)
            module = kind.__module__
    name = getattr(function, "__qualname__", None)
    return module, name if isinstance(name, str) else ""


def _of_path(module: str, name: str) -> str | None:
    """Path.exists and others: methods that a pure path lacks."""
    owner, _, method = name.partition(".")
    if module.split(".")[0] != "pathlib" or not method or owner.startswith("Pure"):
        return None
    if method in _PURE or method.startswith("_"):
        return None
    if method in ("cwd", "home", "expanduser", "absolute"):
        return ASKS
    return DOES if method in _WRITING else READS


def words_of(function: Any) -> str | None:
    """The reason why recorded code may not call a function; None if it may."""
    module, name = _whose(function)
    if (module, name) in _HARMLESS:
        return None
    found = _WORDS.get((module, name)) or _of_path(module, name)
    if found is not None:
        return found
    if module == "os" and "." in name:  # os.environ
        return None
    while module:
        if (module, "*") in _WORDS:
            return _WORDS[module, "*"]
        module = module.rpartition(".")[0]
    return None


def refused(
    function: Any, words: str, place: tuple[str, int] | None = None
) -> StagingError:
    """The error that refuses a call, with the user's line."""
    filename, line = place or user_place()
    name = _whose(function)[1] or str(function)
    return StagingError(f"{filename}:{line}: {name}() {words}")


def refuse_outside_world(function: Any, place: tuple[str, int] | None) -> None:
    """Throws if the function is one of these."""
    words = words_of(function)
    if words is not None:
        raise refused(function, words, place)


def by_name(function: Any) -> Any:
    """The replacement for np.load and others, which also accept an in-memory file that
    the code made, or lines; None for other functions."""
    words = _BY_NAME.get(_whose(function))
    if words is None:
        return None

    def call(file: Any, *args: Any, **kwargs: Any) -> Any:
        memory = isinstance(file, (io.StringIO, io.BytesIO, list, tuple))
        if not memory or _is_outside(file):
            raise refused(function, words)
        return function(file, *args, **kwargs)

    return call


def _is_outside(value: Any) -> bool:
    return id(value) in _core.recorder().old and isinstance(value, io.IOBase)


def refused_stream(name: str) -> StagingError:
    """The error that refuses to assign sys.stdout, since calls print after their graph
    has run."""
    filename, line = user_place()
    return StagingError(
        f"{filename}:{line}: sys.{name} is assigned by code that is recorded, and what "
        "is printed would go elsewhere; wanted it outside of the function, or "
        "print(..., file=f)"
    )


_LEAVING = (io.IOBase, contextlib.redirect_stdout, contextlib.redirect_stderr)


def refuse_manager(manager: Any) -> None:
    """Throws when a with statement affects the world through an object from outside,
    such as a file, which it closes."""
    if id(manager) not in _core.recorder().old:
        return
    words = words_of(type(manager))
    if isinstance(manager, _LEAVING):
        words = DOES
    if words is not None:
        raise refused(type(manager).__enter__, words)
