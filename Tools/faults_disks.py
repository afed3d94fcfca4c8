#!/usr/bin/env python3
"""Read by faults_main.py: file systems of their own in images, filled to the last byte, or read-only."""
import contextlib
import os
import subprocess
import time

from faults_store import WORKS, Store, Sweep

MEGABYTES = {"ext4": 48, "xfs": 320, "btrfs": 120}
OPTIONS = {"ext4": ["-q"], "xfs": ["-q"], "btrfs": ["-q"]}


def shell(*words):
    return subprocess.run(words, capture_output=True, text=True)


def mount(image, place, *options):
    """Mounts an image; a loop device that was just let go of may take a moment."""
    for _ in range(25):
        done = shell("mount", "-o", ",".join(("loop", *options)), image, place)
        if done.returncode == 0:
            return None
        time.sleep(0.2)
    return done.stderr.strip()


def unmount(place):
    for _ in range(25):
        if shell("umount", place).returncode == 0 or not os.path.ismount(place):
            return
        time.sleep(0.2)
    shell("umount", "-l", place)


@contextlib.contextmanager
def mounted(kind, directory, megabytes=None):
    """A fresh file system; yields where it is mounted, None where this machine does not allow it."""
    image, place = os.path.join(directory, f"{kind}.img"), os.path.join(directory, f"{kind}.mount")
    os.makedirs(place, exist_ok=True)
    with open(image, "wb") as file:
        file.truncate((megabytes or MEGABYTES[kind]) << 20)
    made = shell(f"mkfs.{kind}", *OPTIONS[kind], image) if has(f"mkfs.{kind}") else None
    if made is None or made.returncode or mount(image, place):
        os.unlink(image)
        yield None
        return
    try:
        yield place
    finally:
        unmount(place)
        os.unlink(image)


def has(program):
    return shell("sh", "-c", f"command -v {program}").returncode == 0


def fill(place, left):
    """Takes all room but so many blocks of 1 KiB."""
    path = os.path.join(place, "filler")
    with open(path, "wb", buffering=0) as file:
        free = os.statvfs(place)
        room = free.f_bavail * free.f_frsize - left * 1024
        try:
            os.posix_fallocate(file.fileno(), 0, max(room, 1))
        except OSError:
            pass
        while True:
            free = os.statvfs(place)
            if free.f_bavail * free.f_frsize <= left * 1024:
                break
            try:
                if file.seek(0, 2) is not None and file.write(b"x" * 1024) == 0:
                    break
            except OSError:
                break
    return path


def full(executable, directory, works=None, lefts=range(0, 40, 1)):
    """A file system of 8 MiB with so many KiB left. Yields a finished sweep a command."""
    with mounted("ext4", directory, 8) as place:
        if place is None:
            return
        for work in WORKS:
            if works is not None and work.name not in works:
                continue
            sweep = Sweep(Store(executable, os.path.join(place, "f")), work)
            for left in lefts:
                sweep.store.reset()
                filler = fill(place, left)
                done = sweep.store.run(*sweep.store.words)
                os.unlink(filler)
                sweep.check(f"{left} KiB left", done.returncode)
            yield sweep


def read_only(executable, directory):
    """The file system turns read-only under a store: reading goes on, writing says so. Yields a sweep."""
    with mounted("ext4", directory, 16) as place:
        if place is None:
            return
        work = next(work for work in WORKS if work.name == "set")
        sweep = Sweep(Store(executable, os.path.join(place, "f")), work)
        sweep.store.reset()
        before = sweep.store.observe(work)
        shell("mount", "-o", "remount,ro", place)
        done = sweep.store.run(*sweep.store.words)
        if done.returncode == 0:
            sweep.complain("lostWrite", "read-only", "a write was acknowledged")
        if not done.stderr.strip():
            sweep.complain("failure", "read-only", "nothing was said")
        if sweep.store.observe(work) != before:
            sweep.complain("unreadable", "read-only", "the store cannot be read")
        shell("mount", "-o", "remount,rw", place)
        sweep.check("read-only for a while", done.returncode)
        yield sweep
