#!/usr/bin/env python3
"""Read by faults_main.py: power cuts of real file systems, block by block.

The file system lies on a loop device over a file of Sources/BlockRecorder, which notes every write and
every flush. A disk that a cut can leave has all that was written before the last flush and any part of
what came after it, torn at 512 bytes; the kernel's own recovery runs when it is mounted."""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import time

from faults_disks import has, mount, shell, unmount
from faults_store import START, WORKS, Store, Sweep

MEGABYTES = {"ext4": 48, "xfs": 320, "btrfs": 128}
OPTIONS = {
    "ext4": ["-q", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"],
    "xfs": ["-q", "-K"],
    "btrfs": ["-q", "-K"],
}
HEADER = struct.Struct("=cQQ")
PORT = re.compile(r'"port":(\d+)')


class Recorder:
    """The recording disk, with a file system on it."""

    def __init__(self, kind, directory, memory):
        self.kind = kind
        self.log, self.base = os.path.join(memory, "blocks.log"), os.path.join(memory, "blocks.base")
        self.fuse, self.place = os.path.join(directory, "disk"), os.path.join(directory, "mount")
        for path in (self.fuse, self.place):
            os.makedirs(path, exist_ok=True)
        program = os.path.join(directory, "block-recorder")
        if not os.path.exists(program):
            source = os.path.join(os.path.dirname(__file__), "../Sources/BlockRecorder/block-recorder.c")
            flags = shell("pkg-config", "--cflags", "--libs", "fuse3").stdout.split()
            subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", source, "-o", program, *flags], check=True)
        environment = dict(os.environ, LOG_FILE=self.log, BASE_FILE=self.base, MEGABYTES=str(MEGABYTES[kind]))
        self.process = subprocess.Popen([program, "-f", "-s", self.fuse], env=environment)

    def start(self):
        """Says why it is not possible, or None."""
        for _ in range(100):
            if os.path.exists(os.path.join(self.fuse, "disk")):
                break
            time.sleep(0.05)
        else:
            return "FUSE does not work"
        made = shell(f"mkfs.{self.kind}", *OPTIONS[self.kind], os.path.join(self.fuse, "disk"))
        return made.stderr if made.returncode else mount(os.path.join(self.fuse, "disk"), self.place)

    def mark(self, text):
        with open(os.path.join(self.fuse, "mark"), "w") as file:
            file.write(text)

    def stop(self):
        unmount(self.place)
        # The loop device lets go of its file a moment later.
        for _ in range(150):
            if shell("fusermount3", "-u", self.fuse).returncode == 0:
                break
            time.sleep(0.2)
        self.process.wait(timeout=30)

    def records(self):
        found = []
        with open(self.log, "rb") as file:
            while header := file.read(HEADER.size):
                kind, offset, count = HEADER.unpack(header)
                found.append((kind.decode(), offset, file.read(count)))
        return found


def image(base, records, cut, chance, path):
    """Writes the disk that a cut at this record may leave. Says what was lost."""
    disk = bytearray(base)
    flushed = max((i for i in range(cut) if records[i][0] == "F"), default=-1)
    way = chance.choice(["all", "some", "torn"])
    for number, (kind, offset, data) in enumerate(records[:cut]):
        if kind != "W":
            continue
        if number > flushed and way != "all":
            if chance.random() < 0.5:
                continue
            if way == "torn" and chance.random() < 0.3:
                data = data[: 512 * chance.randrange(1, max(2, len(data) // 512))]
        disk[offset:offset + len(data)] = data
    with open(path, "wb") as file:
        file.write(disk)
    return way


def work_on(store, recorder, before=()):
    """Writes that are acknowledged one after the other."""
    for port in range(20, 32):
        if store.run("set", "hosts/a", f"port:={port}", before=before).returncode == 0:
            recorder.mark(f"ACK {port}")
        if port % 3 == 0:
            time.sleep(0.3)
    # The journal of the file system and its writing back come later by themselves.
    time.sleep(6)


# The calls are not made, and answer that all is well.
WITHOUT_SYNC = [
    "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync",
    "-e", "inject=fsync,fdatasync:retval=0",
]


class Impossible(Exception):
    """This machine does not allow it."""


def blocks(executable, directory, kind, count, seed, before=()):
    """Looks at so many images of one kind; gives the finished sweep."""
    if not has(f"mkfs.{kind}") or not has("fusermount3") or not os.path.exists("/dev/fuse"):
        raise Impossible(f"there is no mkfs.{kind} or no FUSE")
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else directory
    memory = os.path.join(memory, f"replicator-blocks-{os.getpid()}")
    os.makedirs(memory)
    recorder = Recorder(kind, directory, memory)
    try:
        problem = recorder.start()
        if problem:
            raise Impossible(problem.strip())
        place = os.path.join(recorder.place, "f")
        sweep = Sweep(Store(executable, place), next(work for work in WORKS if work.name == "set"))
        shell("sync", "-f", recorder.place)
        recorder.mark("BASE")
        work_on(sweep.store, recorder, before)
        recorder.stop()
        look(recorder, sweep, count, random.Random(seed), os.path.join(memory, "cut.img"))
        return sweep
    finally:
        if recorder.process.poll() is None:
            recorder.stop()
        shutil.rmtree(memory, ignore_errors=True)


def look(recorder, sweep, count, chance, path):
    with open(recorder.base, "rb") as file:
        base = file.read()
    records = recorder.records()
    print(f"  {recorder.kind}: {sum(r[0] == 'W' for r in records)} block writes, "
          f"{sum(r[0] == 'F' for r in records)} flushes", file=sys.stderr, flush=True)
    for _ in range(count):
        cut = chance.randrange(1, len(records) + 1)
        acknowledged = [int(r[2].split()[1]) for r in records[:cut] if r[0] == "M"]
        way = image(base, records, cut, chance, path)
        at = f"{recorder.kind}, cut at block {cut} of {len(records)}, {way}"
        problem = mount(path, recorder.place)
        if problem:
            sweep.complain("failure", at, f"the file system cannot be mounted: {problem}")
            continue
        try:
            check(sweep, at, max(acknowledged, default=7))
        finally:
            unmount(recorder.place)


def check(sweep, at, port):
    sweep.points += 1
    store = sweep.store
    shown = store.read() or ""
    found = PORT.search(shown)
    if not found or shown != START.replace('"port":1', found.group(0)):
        sweep.complain("unreadable", at, f"the document is {shown!r}")
    elif int(found.group(1)) < port:
        sweep.complain("lostWrite", at, f"port {port} was acknowledged, {shown} is there")
    settled = sweep.settle()
    if settled.returncode not in (0, 1):
        sweep.complain("failure", at, f"watch --once: {settled.stderr}")
    value = store.run("get", "hosts/a/port").stdout.strip()
    if not value.isdigit() or int(value) < port:
        sweep.complain("lostWrite", at, f"port {port} was acknowledged, {value!r} is there")
    verified = store.run("verify", "--json")
    if verified.returncode != 0:
        sweep.complain("unreadable", at, f"verify: {verified.stdout}{verified.stderr}")
    left = [name for name in os.listdir(store.root) if name.startswith(".") and name != ".replicator"]
    if left:
        sweep.complain("leftover", at, str(left))
