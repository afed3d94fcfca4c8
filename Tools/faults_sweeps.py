#!/usr/bin/env python3
"""Read by faults_main.py: SIGKILL and errors at the system calls of real commands, by strace."""
import collections
import os
import re
import resource

from faults_store import CHANGING, WORKS, Store, Sweep

# What each call may answer. Where a number is not given by any file system it is left out.
ERRORS = {
    "openat": ["EMFILE", "EACCES", "EROFS", "ENOSPC", "EIO", "ESTALE", "ENAMETOOLONG"],
    "openat2": ["EMFILE", "EACCES", "EROFS", "EIO", "ESTALE"],
    "write": ["ENOSPC", "EDQUOT", "EIO", "ESTALE", "EINTR"],
    "pwrite64": ["ENOSPC", "EDQUOT", "EIO", "EINTR"],
    "fsync": ["EIO", "ENOSPC", "EDQUOT", "EINTR"],
    "fdatasync": ["EIO", "ENOSPC", "EDQUOT", "EINTR"],
    "close": ["EIO", "ENOSPC", "EDQUOT", "EINTR"],
    "renameat": ["EACCES", "ENOSPC", "EIO", "ESTALE"],
    "renameat2": ["EINVAL", "EXDEV", "EBUSY", "EROFS", "EPERM", "EIO", "ESTALE"],
    "linkat": ["EPERM", "EXDEV", "EMLINK", "ENOSPC", "EIO"],
    "unlinkat": ["EACCES", "EIO", "ESTALE"],
    "mkdirat": ["ENOSPC", "EDQUOT", "EACCES", "EROFS"],
    "ftruncate": ["EIO"],
    "fallocate": ["ENOSPC", "EDQUOT", "EOPNOTSUPP", "EIO"],
    "fchmod": ["EPERM", "EIO"],
    "fchown": ["EPERM"],
}
READ_ERRORS = {
    "newfstatat": ["EACCES", "EIO", "ESTALE"],
    "pread64": ["EIO", "ESTALE"],
    "getdents64": ["EIO", "ESTALE"],
}


def calls(store, which):
    """How often an undisturbed run makes each call."""
    store.reset()
    log = store.root + ".trace"
    store.run(*store.words, before=["strace", "-f", "-qq", "-o", log, "-e", f"trace={which}"])
    found = collections.Counter()
    with open(log, errors="replace") as lines:
        for line in lines:
            call = re.match(r"\d+\s+(\w+)\(", line)
            if call:
                found[call.group(1)] += 1
    os.unlink(log)
    return found


def injected(store, call, what, when):
    return store.run(
        *store.words, before=["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
                              "-e", f"inject={call}:{what}:when={when}"])


def sweeps(executable, directory, works):
    for work in WORKS:
        if works is None or work.name in works:
            yield Sweep(Store(executable, directory), work)


def kills(executable, directory, works=None, every=1, which=CHANGING):
    """SIGKILL before the calls, each run from the same store. Yields a finished sweep a command."""
    number = 0
    for sweep in sweeps(executable, directory, works):
        for call, count in sorted(calls(sweep.store, which).items()):
            for when in range(1, count + 1):
                number += 1
                if number % every:
                    continue
                sweep.store.reset()
                done = injected(sweep.store, call, "signal=KILL", when)
                sweep.check(f"killed before {call} {when}", done.returncode)
        yield sweep


def errors(executable, directory, works=None, every=1, table=ERRORS):
    """Errors at the calls, once and from then on."""
    number = 0
    for sweep in sweeps(executable, directory, works):
        for call, count in sorted(calls(sweep.store, ",".join(table)).items()):
            for errno in table[call]:
                for when in range(1, count + 1):
                    for lasting in ("", "+") if errno != "EINTR" else ("",):
                        number += 1
                        if number % every:
                            continue
                        sweep.store.reset()
                        done = injected(sweep.store, call, f"error={errno}", f"{when}{lasting}")
                        sweep.check(
                            f"{call} {when}{lasting} fails with {errno}", done.returncode, done.stderr)
        yield sweep


def limits(executable, directory, works=None, step=64):
    """RLIMIT_FSIZE: a write stops in the middle of a file, at every so many bytes."""
    for sweep in sweeps(executable, directory, works):
        for size in range(0, 4096, step):
            sweep.store.reset()
            done = sweep.store.run(
                *sweep.store.words,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
            sweep.check(f"no file over {size} bytes", done.returncode, done.stderr)
        yield sweep
