#!/usr/bin/env python3
"""Read by chaos_main.py: what happens to the processes and disks of a run, and the carrier of logs."""
import json
import os
import shutil
import subprocess
import time

from chaos_files import short_digest

QUEUE = "/proc/sys/fs/inotify/max_queued_events"


class Carrier:
    """Carries node directories from store to store: whole, in pieces, late, and older than before."""

    def __init__(self, roots, chance):
        self.roots, self.chance = roots, chance
        self.late = []
        self.carried = 0

    @staticmethod
    def nodes(root):
        return os.path.join(root, ".replicator", "nodes")

    def owned(self, root):
        with open(os.path.join(root, ".replicator", "local", "nodes.json"), encoding="utf-8") as file:
            return [node["id"] for node in json.load(file)["nodes"]]

    def files(self, root):
        """(name below nodes/) of everything that the nodes of a store wrote."""
        found = []
        for node in self.owned(root):
            for directory, _, names in os.walk(os.path.join(self.nodes(root), node)):
                found += [os.path.relpath(os.path.join(directory, name), self.nodes(root))
                          for name in names if not name.startswith(".")]
        return found

    def step(self):
        source, target = self.chance.sample(self.roots, 2)
        names = self.files(source)
        self.chance.shuffle(names)
        for name in names[:self.chance.randrange(1, len(names) + 1)]:
            self.carry_somehow(source, target, name)

    def carry_somehow(self, source, target, name):
        try:
            with open(os.path.join(self.nodes(source), name), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return
        way = self.chance.random()
        try:
            if self.late and way > 0.9:
                self.put(*self.late.pop(self.chance.randrange(len(self.late))))
            if way < 0.15 and name.endswith(".jsonl"):
                self.put(target, name, data[:self.chance.randrange(len(data) + 1)])
            elif way < 0.2:
                self.late.append((target, name, data))
            elif way < 0.5 and name.endswith(".jsonl"):
                self.append(target, name, data)
            else:
                self.put(target, name, data)
            self.carried += 1
        except OSError:
            # Its disk is full: later again.
            pass

    def append(self, target, name, data):
        """Only what is missing, into the file that is there, in two pieces."""
        path = os.path.join(self.nodes(target), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "ab", buffering=0) as file:
            missing = data[file.tell():]
            file.write(missing[:len(missing) // 2])
            file.write(missing[len(missing) // 2:])

    def put(self, target, name, data):
        path = os.path.join(self.nodes(target), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        beside = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.carried")
        with open(beside, "wb") as file:
            file.write(data)
        os.rename(beside, path)

    def carry_all(self):
        """Everything, as it is now. Whether anything was new."""
        changed = False
        for source in self.roots:
            for name in self.files(source):
                try:
                    with open(os.path.join(self.nodes(source), name), "rb") as file:
                        data = file.read()
                except FileNotFoundError:
                    continue
                for target in self.roots:
                    if target != source and not self.has(target, name, data):
                        self.put(target, name, data)
                        changed = True
            self.drop_removed(source)
        return changed

    def has(self, target, name, data):
        try:
            with open(os.path.join(self.nodes(target), name), "rb") as file:
                return file.read() == data
        except FileNotFoundError:
            return False

    def drop_removed(self, source):
        """Plain segments that their owner has compressed."""
        names = set(self.files(source))
        for name in list(names):
            plain = name.removesuffix(".zst")
            if plain != name and plain not in names:
                for target in self.roots:
                    path = os.path.join(self.nodes(target), plain)
                    if target != source and os.path.exists(path):
                        os.unlink(path)


class Notary:
    """Writes down how far logs and journals went at some moment, and the hash up to there."""

    def __init__(self, carrier, path):
        self.carrier, self.path, self.sizes = carrier, path, {}

    def step(self):
        for root in self.carrier.roots:
            for name in self.carrier.files(root):
                path = os.path.join(self.carrier.nodes(root), name)
                if not name.endswith(".jsonl") or not os.path.exists(path):
                    continue
                size = os.stat(path).st_size
                if size and self.sizes.get(path) != size:
                    with open(path, "rb") as file:
                        data = file.read(size)
                    self.sizes[path] = size
                    with open(self.path, "a", encoding="utf-8") as file:
                        file.write(f"{len(data)} {short_digest(data)} {path}\n")


class Disk:
    """A file system of its own for one store, as far as this machine allows it; filled and freed."""

    def __init__(self, place, chance):
        self.place, self.chance = place, chance
        self.filler = os.path.join(place, "filler")
        self.image = place + ".img"
        self.fillings = 0
        self.kind = self.mount()

    def mount(self):
        os.makedirs(self.place)
        with open(self.image, "wb") as file:
            file.truncate(64 << 20)
        made = shutil.which("mkfs.ext4") and subprocess.run(
            ["mkfs.ext4", "-q", self.image], capture_output=True).returncode == 0
        if made and subprocess.run(["mount", "-o", "loop", self.image, self.place],
                                   capture_output=True).returncode == 0:
            return "ext4 image"
        os.unlink(self.image)
        words = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", self.place]
        return "tmpfs" if subprocess.run(words, capture_output=True).returncode == 0 else None

    def fill(self):
        """Takes all room but a little."""
        if self.kind is None:
            return
        left = self.chance.choice((0, 0, 8, 40)) * 1024
        with open(self.filler, "wb", buffering=0) as file:
            free = os.statvfs(self.place)
            try:
                os.posix_fallocate(file.fileno(), 0, max(free.f_bavail * free.f_frsize - left, 1))
                while left == 0 and file.seek(0, 2) and file.write(b"x" * 1024):
                    pass
            except OSError:
                pass
        self.fillings += 1

    def free(self):
        if os.path.exists(self.filler):
            os.unlink(self.filler)

    def unmount(self):
        if self.kind is None:
            return
        for _ in range(25):
            if subprocess.run(["umount", self.place], capture_output=True).returncode == 0:
                break
            time.sleep(0.2)
        else:
            subprocess.run(["umount", "-l", self.place], capture_output=True)
        if os.path.exists(self.image):
            os.unlink(self.image)


class SmallQueue:
    """What inotify instances that are made meanwhile can hold. It is the machine's, so it is small
    for moments only; without permission nothing happens."""

    def __init__(self, size):
        self.size, self.is_made = size, False

    def __enter__(self):
        try:
            with open(QUEUE, encoding="ascii") as file:
                self.before = file.read()
            with open(QUEUE, "w", encoding="ascii") as file:
                file.write(str(self.size))
            self.is_made = True
        except OSError:
            pass
        return self

    def __exit__(self, *_):
        if self.is_made:
            with open(QUEUE, "w", encoding="ascii") as file:
                file.write(self.before)
