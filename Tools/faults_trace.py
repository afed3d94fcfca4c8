#!/usr/bin/env python3
"""Read by faults_main.py: the system calls of a real command, and every disk that a power cut could have
left of them.

Where the simulation cuts the power of our own model of a disk, this looks at what the built program
really asked the kernel for. A change is durable when its own file was synchronised (bytes) or its
directory was (names), and else it may be missing, whatever its order; bytes are torn at 512."""
import collections
import os
import random
import re
import shutil
import subprocess

from faults_store import CHANGING, WORKS, Store, Sweep

SECTOR = 512
STRING = r'"((?:\\x[0-9a-f]{2})*)"'
FILE = r"(?:AT_FDCWD|-?\d+)<((?:\\x[0-9a-f]{2}|[^>])*)>"
CALL = re.compile(r"\d+\s+(\w+)\((.*)\)\s+= (-?\d+)")


def unhex(text):
    return bytes.fromhex(text.replace("\\x", "")).decode(errors="surrogateescape")


class Disk:
    """Names and contents as values; a change says what is there after it."""

    def __init__(self, root):
        self.names, self.files, self.directories = {}, {}, {"."}
        inodes = {}
        for path, directories, files in os.walk(root):
            here = os.path.relpath(path, root)
            self.directories.update(os.path.normpath(os.path.join(here, name)) for name in directories)
            for name in files:
                whole = os.path.join(path, name)
                key = os.stat(whole).st_ino
                if key not in inodes:
                    inodes[key] = len(inodes)
                    with open(whole, "rb") as file:
                        self.files[inodes[key]] = file.read()
                self.names[os.path.normpath(os.path.join(here, name))] = inodes[key]

    def copy(self):
        other = object.__new__(Disk)
        other.names, other.files = dict(self.names), dict(self.files)
        other.directories = set(self.directories)
        return other

    def apply(self, change):
        kind = change[0]
        if kind == "write":
            _, file, offset, data = change
            old = self.files.get(file, b"").ljust(offset, b"\0")
            self.files[file] = old[:offset] + data + old[offset + len(data):]
        elif kind == "grow":
            self.files[change[1]] = self.files.get(change[1], b"").ljust(change[2], b"\0")
        elif kind == "cut":
            self.files[change[1]] = self.files.get(change[1], b"")[: change[2]]
        elif kind == "directory":
            self.directories.add(change[1])
        else:
            for name, file in change[1]:
                if file is None:
                    self.names.pop(name, None)
                else:
                    self.names[name] = file

    def put(self, root):
        """Makes it real. A file whose directory is not there has no name either."""
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(root)
        made = {}
        present = {"."}
        for name in sorted(self.directories - {"."}):
            if os.path.dirname(name) in present or os.path.dirname(name) == "":
                os.mkdir(os.path.join(root, name))
                present.add(name)
        for name, file in sorted(self.names.items()):
            if (os.path.dirname(name) or ".") not in present:
                continue
            path = os.path.join(root, name)
            if file in made:
                os.link(made[file], path)
            else:
                with open(path, "wb") as target:
                    target.write(self.files.get(file, b""))
                os.chmod(path, 0o600)
                made[file] = path


class Trace:
    """What one run changed, and when what became durable."""

    def __init__(self, root, log, syncs):
        self.root, self.syncs = os.path.realpath(root), syncs
        self.base = Disk(self.root)
        self.now = self.base.copy()
        # Each change with the file or directory whose fsync makes it durable; then moments of syncs.
        self.steps, self.count = [], 0
        self.open, self.next_file = {}, len(self.base.files)
        self.log = log

    def relative(self, directory, name):
        path = name if name.startswith("/") else os.path.join(directory, name)
        path = os.path.normpath(path)
        if path == self.root:
            return "."
        return path[len(self.root) + 1:] if path.startswith(self.root + "/") else None

    def change(self, change, anchor):
        self.steps.append([change, anchor, self.count, None])
        self.now.apply(change)
        self.count += 1

    def synchronize(self, anchor):
        for step in self.steps if self.syncs else []:
            if step[1] == anchor and step[3] is None:
                step[3] = self.count
        self.count += 1

    def read(self):
        with open(self.log, errors="replace") as lines:
            for line in lines:
                call = CALL.match(line)
                if call and not call.group(3).startswith("-"):
                    self.take(call.group(1), call.group(2), int(call.group(3)))
        return self

    def named(self, *pairs):
        """Names of one directory change together; in two directories one after the other."""
        for directory in dict.fromkeys(os.path.dirname(name) for name, _ in pairs):
            part = [pair for pair in pairs if os.path.dirname(pair[0]) == directory]
            self.change(("names", part), ("names", directory or "."))

    def take(self, call, words, result):
        directories = [unhex(found) if found.startswith("\\x") else found for found in re.findall(FILE, words)]
        strings = [unhex(found) for found in re.findall(STRING, words)]
        if call in ("openat", "openat2", "open"):
            self.opened(directories, strings[0], words, result)
        elif call in ("write", "pwrite64"):
            self.written(call, words, result)
        elif call == "ftruncate":
            name = self.relative("/", directories[0])
            size = int(words.rsplit(",", 1)[1])
            if name in self.now.names:
                self.change(("cut", self.now.names[name], size), ("bytes", self.now.names[name]))
        elif call in ("fsync", "fdatasync"):
            name = self.relative("/", directories[0])
            if name in self.now.names:
                self.synchronize(("bytes", self.now.names[name]))
            elif name in self.now.directories:
                self.synchronize(("names", name))
        elif call in ("mkdir", "mkdirat"):
            name = self.relative(directories[0] if directories else self.root, strings[0])
            if name:
                self.change(("directory", name), ("names", os.path.dirname(name) or "."))
        else:
            self.renamed(call, words, directories, strings)

    def opened(self, directories, string, words, number):
        name = self.relative(directories[0], string)
        if name is None or name in self.now.directories:
            return
        if name not in self.now.names and "O_CREAT" in words:
            file, self.next_file = self.next_file, self.next_file + 1
            self.named((name, file))
        if name in self.now.names:
            file = self.now.names[name]
            if "O_TRUNC" in words and self.now.files.get(file):
                self.change(("cut", file, 0), ("bytes", file))
            self.open[number] = [file, 0, "O_APPEND" in words]

    def written(self, call, words, count):
        number = int(re.match(r"(\d+)", words).group(1))
        found = re.search(STRING, words)
        path = re.search(FILE, words)
        if number not in self.open or not found or self.relative("/", unhex(path.group(1)) if path.group(1).startswith("\\x") else path.group(1)) is None:
            return
        file, position, appends = self.open[number]
        data = bytes.fromhex(found.group(1).replace("\\x", ""))[:count]
        size = len(self.now.files.get(file, b""))
        offset = int(words.rsplit(",", 1)[1]) if call == "pwrite64" else size if appends else position
        if offset + len(data) > size:
            self.change(("grow", file, offset + len(data)), ("bytes", file))
        start = 0
        while start < len(data):
            length = min(len(data) - start, SECTOR - (offset + start) % SECTOR)
            self.change(("write", file, offset + start, data[start:start + length]), ("bytes", file))
            start += length
        self.open[number][1] = offset + len(data)

    def renamed(self, call, words, directories, strings):
        names = [self.relative(directory, string) for directory, string in zip(directories, strings)]
        if not names or names[0] is None or names[0] not in self.now.names:
            return
        file = self.now.names[names[0]]
        if call.startswith("unlink"):
            self.named((names[0], None))
        elif call.startswith("link"):
            self.named((names[1], file))
        elif "EXCHANGE" in words:
            self.named((names[0], self.now.names[names[1]]), (names[1], file))
        elif call.startswith("rename"):
            self.named((names[1], file), (names[0], None))

    def cuts(self, chance, limit, samples):
        """Yields disks: at each moment every subset of few loose changes, else some by chance."""
        seen = set()
        for cut in range(self.count + 1):
            loose = [i for i, step in enumerate(self.steps) if step[2] < cut and (step[3] is None or step[3] >= cut)]
            if len(loose) <= limit:
                subsets = [{loose[i] for i in range(len(loose)) if bits >> i & 1} for bits in range(1 << len(loose))]
            else:
                subsets = [set(), set(loose)] + [{i} for i in loose] + [set(loose) - {i} for i in loose]
                subsets += [{i for i in loose if chance.random() < 0.5} for _ in range(samples)]
            for lost in subsets:
                kept = tuple(i for i, step in enumerate(self.steps) if step[2] < cut and i not in lost)
                if kept in seen:
                    continue
                seen.add(kept)
                disk = self.base.copy()
                for i in kept:
                    disk.apply(self.steps[i][0])
                yield f"power cut at {cut} of {self.count}, lost {[self.steps[i][0][:2] for i in sorted(lost)]}", cut, disk


def traces(executable, directory, works=None, seed=1, limit=5, samples=8, most=4000, syncs=True):
    """Yields a finished sweep a command. Without syncs no call makes anything durable: this must be
    noticed."""
    for work in WORKS:
        if works is not None and work.name not in works:
            continue
        sweep = Sweep(Store(executable, directory), work)
        store = sweep.store
        store.reset()
        trace = Trace(store.root, store.root + ".trace", syncs)
        done = store.run(*store.words, before=[
            "strace", "-f", "-qq", "-y", "-xx", "-s", "1000000", "-o", trace.log, "-e", f"trace={CHANGING}"])
        sweep.old = sweep.old or ""
        trace.read()
        check_likeness(trace, store)
        chance = random.Random(seed)
        states = list(trace.cuts(chance, limit, samples))
        if len(states) > most:
            states = chance.sample(states, most)
        for at, cut, disk in states:
            disk.put(store.root)
            # The command said that it was done only after its last call.
            sweep.check(at, done.returncode if cut == trace.count else -9)
        os.unlink(trace.log)
        yield sweep


RESERVE = ".replicator/local/reserve"


def check_likeness(trace, store):
    """The changes that were read must lead to what really lies there, or the trace was misread."""
    real, model = Disk(store.root), trace.now
    for name, file in real.names.items():
        if name == RESERVE:
            continue  # Space without a write, which nobody reads.
        if model.files.get(model.names.get(name), b"") != real.files[file]:
            raise AssertionError(f"the trace was misread: {name} differs")
    if set(model.names) != set(real.names):
        raise AssertionError(f"the trace was misread: {set(model.names) ^ set(real.names)}")
