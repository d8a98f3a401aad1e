"""The locks that a worker applies to itself before loading a submission.

The zygote prepares the locks once (`Locks`), and each worker applies them (`Locks.apply`). Each lock is one method.
Only `--isolation none` and the tests for `autograder doctor` disable locks (`disabled_locks`). The locks require Linux.

The locks have these purposes:
    limits     limits memory, processor time, file size, descriptors and threads
    user       gives the worker a separate user id if possible, so that the limit on threads counts only
               its threads, and removes all capabilities
    session    gives the worker a separate session and process group, ends it with the zygote, and forbids
               core dumps
    landlock   allows only the files of the interpreter, numpy and the scratch folder; forbids TCP, and
               signals or abstract sockets to other processes
    seccomp    allows only the system calls that computing needs: no socket, no process, no signal, no ptrace

The `watch` lock is not in this module: it stands for the limits that the zygote checks because the kernel cannot.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import math
import os
import resource
import sys
import sysconfig
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from autograder.sandbox.limits import Limits
from autograder.sandbox.system_calls import system_call_filter

SELF_APPLIED_LOCKS = ("limits", "user", "session", "landlock", "seccomp")
"""Names of the locks that a worker applies to itself, in order."""

WATCH_LOCK = "watch"
"""Name of the lock with which the zygote watches a worker."""

ALL_LOCKS = (*SELF_APPLIED_LOCKS, WATCH_LOCK)
"""Names of all locks that can be in `disabled_locks`."""

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
SIGKILL = 9
CAPABILITY_VERSION_3 = 0x20080522
CAP_CHOWN = 1 << 0
CAP_DAC_OVERRIDE = 1 << 1
CAP_SETGID = 1 << 6
CAP_SETUID = 1 << 7

MAX_TASKS_OF_SHARED_USER = 4096
"""Kernel limit on tasks for a worker without a separate user id. The kernel counts the tasks of all of that user's
processes, so the zygote limits the worker's threads separately."""

USER_ID_BASE = 0x60000000
"""Base to which a worker adds its process id to get a unique user id, far away from the ids of all accounts."""

FALLBACK_USER_IDS = range(60000, 65000)
"""User ids for workers if large ids are not mapped, as in a container with a small user namespace."""

RELATIME_RENEWAL_SECONDS = 24 * 60 * 60.0
"""Time for which Linux keeps an unchanged file's access time, however often the file is read (relatime)."""


@contextlib.contextmanager
def _naming(lock: str) -> Iterator[None]:
    """Prefix the message of any error raised inside the context with the name of a lock."""
    try:
        yield
    except Exception as error:
        raise RuntimeError(f"{lock}: {error}") from error


class Locks:
    """The locks that a zygote prepares for all of its workers."""

    def __init__(
        self, limits: Limits, scratch: Path, packages: Collection[Path], disabled_locks: Collection[str] = ()
    ) -> None:
        """Prepare the locks. A submission may import from `packages` and the standard library."""
        self.limits = limits
        self.scratch = scratch
        self.enabled = [name for name in SELF_APPLIED_LOCKS if name not in disabled_locks]
        self.zygote = os.getpid()
        # Load the C library while this process can still read files; its symbols are in the interpreter.
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.has_separate_user = "user" in self.enabled and self._has_all_capabilities(CAP_SETUID | CAP_SETGID)
        self.owns_files = (
            self.has_separate_user
            and self._has_all_capabilities(CAP_CHOWN | CAP_DAC_OVERRIDE)
            and all(map(_is_readable_by_everyone, _readable(packages)))
        )
        with _naming("landlock"):
            self.ruleset = self._ruleset(packages) if "landlock" in self.enabled else None
        with _naming("seccomp"):
            self.filter = system_call_filter() if "seccomp" in self.enabled else None

    def apply(self) -> None:
        """Lock this process permanently."""
        os.umask(0o077)
        for name in self.enabled:
            with _naming(name):
                getattr(self, f"_lock_{name}")()

    def _lock_limits(self) -> None:
        bounds = {
            resource.RLIMIT_AS: self.limits.memory_bytes,
            resource.RLIMIT_CPU: math.ceil(self.limits.submission_seconds),
            resource.RLIMIT_FSIZE: self.limits.scratch_bytes,
            resource.RLIMIT_NOFILE: self.limits.open_files,
            resource.RLIMIT_NPROC: self.limits.tasks if self.has_separate_user else MAX_TASKS_OF_SHARED_USER,
            **dict.fromkeys((resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE), 0),
        }
        for kind, bound in bounds.items():
            _, maximum = resource.getrlimit(kind)
            bound = bound if maximum == resource.RLIM_INFINITY else min(bound, maximum)
            resource.setrlimit(kind, (bound, bound))
        # If the machine itself runs out of memory, the worker must be killed rather than the grader.
        with contextlib.suppress(OSError):
            score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
            os.write(score, b"1000")
            os.close(score)

    def _lock_user(self) -> None:
        """Switch to a separate user id, which signals and the limit on threads depend on, and drop all capabilities.

        If every user can read the interpreter, new files also belong to the separate user id. If only root can enter
        the interpreter's folder, the id that the kernel uses for files (fsuid) stays the same, and Landlock decides
        which files the worker can open. The other ids still change, because a worker with root's ids could list other
        processes' descriptors.
        """
        if self.has_separate_user:
            files = os.geteuid()
            os.setgroups([])
            self._prctl(PR_SET_KEEPCAPS, 1)
            self._become(USER_ID_BASE + os.getpid())
            self._set_capabilities(CAP_SETUID | CAP_CHOWN if self.owns_files else CAP_SETUID)
            if self.owns_files:
                os.chown(self.scratch, os.geteuid(), -1)
            else:
                self.libc.setfsuid(files)
        self._set_capabilities(0)
        self._prctl(PR_SET_NO_NEW_PRIVS, 1)

    def _lock_session(self) -> None:
        os.setsid()
        # Changing the user id undoes both settings, so they come after it.
        self._prctl(PR_SET_DUMPABLE, 0)
        self._prctl(PR_SET_PDEATHSIG, SIGKILL)
        if os.getppid() != self.zygote:
            raise OSError(errno.ESRCH, "the zygote has ended already")

    def _has_all_capabilities(self, capabilities: int) -> bool:
        """Return True if this process has all of the capabilities, as root does except in some containers."""
        header, data = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
        self._check(self.libc.capget(header, data))
        return bool(data[0] & capabilities == capabilities)

    def _become(self, user: int) -> None:
        try:
            os.setresuid(user, user, user)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            user = FALLBACK_USER_IDS[os.getpid() % len(FALLBACK_USER_IDS)]
            os.setresuid(user, user, user)

    def _set_capabilities(self, capabilities: int) -> None:
        header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
        data = (ctypes.c_uint32 * 6)(capabilities, capabilities, 0, 0, 0, 0)
        self._check(self.libc.capset(header, data))

    def _lock_landlock(self) -> None:
        assert self.ruleset is not None
        self.ruleset.restrict()
        self.ruleset.close()

    def _lock_seccomp(self) -> None:
        assert self.filter is not None
        self._prctl(PR_SET_NO_NEW_PRIVS, 1)
        program = _Program(len(self.filter) // 8, self.filter)
        self._prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program))

    def _prctl(self, option: int, value: int, address: int = 0) -> None:
        self._check(self.libc.prctl(option, *map(ctypes.c_ulong, (value, address, 0, 0))))

    @staticmethod
    def _check(result: int) -> None:
        if result < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))

    def _ruleset(self, packages: Collection[Path]) -> Any:
        from landlockpy import AccessFS, Ruleset, Scope

        ruleset = Ruleset(scoped=Scope.ABSTRACT_UNIX_SOCKET | Scope.SIGNAL)
        for path in _readable(packages):
            ruleset.allow_path(path, AccessFS.READ_FILE | (AccessFS.READ_DIR if path.is_dir() else AccessFS.NONE))
        ruleset.allow_path("/dev/null", AccessFS.READ_FILE | AccessFS.WRITE_FILE)
        # The scratch folder has no subfolders, and the filter ignores all removals, so listing the folder shows
        # everything written. Each worker has a new folder; the mode of its parent folder keeps all other users out.
        ruleset.allow_path(
            self.scratch.parent,
            AccessFS.READ_FILE | AccessFS.READ_DIR | AccessFS.WRITE_FILE | AccessFS.MAKE_REG | AccessFS.TRUNCATE,
        )
        return ruleset


def _readable(packages: Collection[Path]) -> list[Path]:
    """Return the paths that a worker may read: the standard library, packages and their shared libraries."""
    libraries = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    unwanted = ("site-packages", "dist-packages", "test", "idlelib")
    tree = [path for library in libraries for path in library.iterdir() if path.name not in unwanted]
    zipped = [Path(path) for path in sys.path if path.endswith(".zip") and Path(path).is_file()]
    return [*tree, *zipped, *packages, *_mapped_libraries()]


def allowed_packages(libraries: str) -> list[Path]:
    """Return the folders in `libraries` that a submission may import from: numpy and its libraries."""
    return [path for path in Path(libraries).glob("numpy*") if path.name in ("numpy", "numpy.libs")]


def settle_access_times(packages: Collection[Path]) -> None:
    """Read all files that submissions may read, so that one submission's reads leave no trace for later ones.

    On a file system with access times (relatime), reading a file changes its access time only if that is older than the
    file's last change or older than a day.
    """
    old = time.time() - RELATIME_RENEWAL_SECONDS / 2
    for top in _readable(packages):
        # `os.walk` also reads each folder, which renews its access time.
        for folder, _, names in os.walk(top) if top.is_dir() else [(str(top.parent), [], [top.name])]:
            for path in (os.path.join(folder, name) for name in names):
                with contextlib.suppress(OSError):  # no submission can read this path either
                    times = os.stat(path)
                    if times.st_atime <= max(times.st_mtime, times.st_ctime, old):
                        with open(path, "rb") as file:
                            file.read(1)


def _is_readable_by_everyone(path: Path) -> bool:
    """Return True if every user can read the path and enter its parent folders."""
    real = path.resolve()
    return bool(real.stat().st_mode & 0o004) and all(folder.stat().st_mode & 0o001 for folder in real.parents)


def _mapped_libraries() -> list[Path]:
    """Return the shared libraries mapped into this process, which has loaded the usual imports of submissions."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        mapped = {line.split(maxsplit=5)[5].rstrip("\n") for line in maps if line.count("/")}
    return [Path(path) for path in sorted(mapped) if ".so" in Path(path).name and Path(path).is_file()]


class _Program(ctypes.Structure):
    """The kernel's struct sock_fprog: the number of eight-byte instructions, and the address of the first."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))
