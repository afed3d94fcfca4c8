#!/usr/bin/env python3
"""Read by faults_main.py: one store that commands work on, put back before each of them, and what
must hold after any of them was disturbed."""
import json
import os
import re
import shutil
import subprocess

CONFIGURATION = {
    "format": 1,
    "documents": {
        "hosts": {
            "file": "hosts.json",
            "collections": [
                {"name": "items", "at": "/items", "kind": "array", "id": "/id"}
            ],
        }
    },
}
START = '{"items":[{"id":"a","name":"one","port":1},{"id":"b","name":"two","port":2}]}'
REWRITE = START.replace('"two"', '"TWO"')
# Made over the first generation, while the name has been changed since.
STALE = START.replace('"one"', '"stale"')
OTHER = '{"books":[{"id":"x","title":"t"}]}'
EMPTY = '{"items":[]}'
# Each write begins a segment, so that `compact` has some to compress and to fold.
FORGETFUL = {
    **CONFIGURATION, "generations": {"keep": 1, "days": 0}, "history": {"days": 0}}

CHANGING = (
    "open,openat,openat2,write,pwrite64,writev,fsync,fdatasync,close,rename,renameat,renameat2,"
    "link,linkat,unlink,unlinkat,mkdir,mkdirat,ftruncate,fallocate,fchmod,fchown,fsetxattr,symlinkat"
)

# Those that no other disk can lie between: killed before any other call, a process leaves the same.
LASTING = ",".join(
    call for call in CHANGING.split(",") if call not in ("open", "openat", "openat2", "close"))


class Work:
    """A command that writes, and what it needs before."""

    def __init__(self, name, words, before=None, is_new=False, looks=(("list", "hosts"),),
                 is_needed=False, configuration=CONFIGURATION, file=None):
        self.name, self.words, self.before, self.is_new = name, words, before, is_new
        # The commands that show what it did.
        self.looks = looks
        # Whether nothing else works before it is through.
        self.is_needed = is_needed or is_new
        self.configuration = configuration
        # What it writes outside the store.
        self.file = file


def rewrite(store):
    store.write("hosts.json", REWRITE)


def other(store):
    store.write("other.json", OTHER)


def conflict(store):
    """An entry whose value can be written back."""
    store.run("set", "hosts/a", "name=mine")
    store.write("copy.json", STALE)
    store.run("import", "copy.json", "--into", "hosts", "--base", "1")


def hold(store):
    """A rewrite without the records, which waits for somebody to accept it."""
    store.write("hosts.json", EMPTY)
    store.run("watch", "--once")


def segments(store):
    for port in range(20, 24):
        store.run("set", "hosts/a", f"port:={port}")


def control(store, ending):
    """The files of the store whose names end so."""
    below = os.path.join(store.root, ".replicator")
    paths = (os.path.join(at, name) for at, _, names in os.walk(below) for name in names)
    return sorted(path for path in paths if path.endswith(ending))


def older(store):
    """The node as an older release left it."""
    for path in control(store, "/node.json"):
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(re.sub('"release":"[^"]*"', '"release":"0.0.1"', text))


def damage(store):
    """What has to be made anew: the description of a node, an index, a retained content."""
    for ending in ("/node.json", "/generations/index.json"):
        for path in control(store, ending)[:1]:
            with open(path, "w") as file:
                file.write("{")


def entry(store):
    return json.loads(store.run("log", "--json").stdout.splitlines()[0])["id"]


LISTS = (("list", "hosts"),)
OPEN = (("log", "--json"),)
NODES = (("nodes", "--json"),)
STATUS = (("status", "--json"),)

WORKS = [
    Work("init", ["init", "--config", "given.json"], is_new=True),
    Work("set", ["set", "hosts/a", "port:=10"]),
    Work("delete", ["delete", "hosts/b"]),
    Work("watch --once", ["watch", "--once"], rewrite),
    Work("sync --wait", ["sync", "--wait"], rewrite),
    Work("import", ["import", "copy.json", "--into", "hosts", "--base", "1"],
         lambda store: store.write("copy.json", REWRITE)),
    Work("rollback", ["rollback", "hosts", "1"], lambda store: store.run("set", "hosts/a", "port:=9")),
    Work("restore", ["restore", entry], conflict, looks=LISTS + OPEN),
    Work("dismiss", ["dismiss", entry], conflict, looks=LISTS + OPEN),
    Work("add", ["add", "other.json"], other, looks=LISTS + (("list", "other"),)),
    Work("remove", ["remove", "hosts"], looks=LISTS + STATUS),
    Work("nodes retire", ["nodes", "retire", "n2"],
         lambda store: store.run("set", "hosts/b", "port:=3", node="n2"), looks=LISTS + NODES),
    Work("accept", ["accept", entry], hold, looks=LISTS + OPEN),
    Work("compact", ["compact"], segments, looks=LISTS + OPEN, configuration=FORGETFUL),
    Work("upgrade", ["upgrade"], older, looks=LISTS + NODES),
    Work("verify --repair", ["verify", "--repair"], damage, looks=LISTS + NODES, is_needed=True),
    Work("export -o", ["export", "hosts", "-o", "out.json"], file="out.json"),
]


# What could not be done, to what, why; what state things are in; perhaps what to do.
SENTENCE = r"^replicator: cannot [a-z ]+('.*'|on)?.*: .+(\. [A-Z].+|; .+)"


class Store:
    def __init__(self, executable, directory):
        self.executable = executable
        self.root = os.path.join(directory, "store")
        self.template = os.path.join(directory, "template")
        os.makedirs(directory, exist_ok=True)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        with open(path + ".new", "w") as file:
            file.write(text)
        os.rename(path + ".new", path)

    def read(self, name="hosts.json"):
        try:
            with open(os.path.join(self.root, name)) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def argv(self, words, node="n1"):
        return [self.executable, "--store", self.root, "--node", node, *words]

    def run(self, *words, node="n1", before=(), **options):
        return subprocess.run(
            [*before, *self.argv(words, node)], capture_output=True, text=True, timeout=120,
            cwd=self.root, **options)

    def prepare(self, work):
        """Makes the template from which each run begins."""
        for path in (self.root, self.template):
            shutil.rmtree(path, ignore_errors=True)
        os.makedirs(self.root)
        self.write("given.json", json.dumps(work.configuration))
        self.write("hosts.json", START)
        if not work.is_new:
            for words in (["init", "--config", "given.json"], ["set", "hosts/a", "port:=7"]):
                done = self.run(*words)
                assert done.returncode == 0, done.stderr
        if work.before:
            work.before(self)
        self.words = [word(self) if callable(word) else word for word in work.words]
        shutil.copytree(self.root, self.template, symlinks=True)

    def reset(self):
        shutil.rmtree(self.root, ignore_errors=True)
        subprocess.run(["cp", "-a", self.template, self.root], check=True)

    def observe(self, work):
        """What a person can see after a command, without times and ids."""
        seen = [self.read()]
        if work.file:
            seen.append(self.read(work.file))
        for words in work.looks:
            text = self.run(*words).stdout
            if words[0] == "list":
                seen.append(text)
            else:
                # Which nodes are retired, which entries are open, which documents have a place.
                seen.append(sorted(set(re.findall(r'"(?:name|retired|open|path|release)":[^,}]*', text))))
        return seen


class Sweep:
    """Disturbs one command at many points and looks each time at what is left."""

    def __init__(self, store, work):
        self.store, self.work = store, work
        self.complaints = []
        self.points = 0
        store.prepare(work)
        self.old = store.read()
        done = store.run(*store.words)
        self.code = done.returncode
        assert self.code in (0, 1), f"{work.name}: {done.stderr}"
        self.settle()
        self.new = store.observe(work)

    def settle(self):
        return self.store.run("watch", "--once")

    def complain(self, kind, at, text):
        self.complaints.append((kind, f"{self.work.name}, {at}: {text}"))

    def check(self, at, code, errors=None):
        """`code` is what the disturbed command ended with: 0, or as undisturbed, means acknowledged.
        `errors` is what it complained about: each failure has a sentence."""
        self.points += 1
        # Where every write fails, that of the sentence does as well.
        silent = errors == "" and at.startswith("write ")
        if code == 2 and errors is not None and not silent and not re.search(SENTENCE, errors, re.MULTILINE):
            self.complain("failure", at, f"no sentence for it: {errors!r}")
        store = self.store
        texts = {self.old, self.new[0], START, REWRITE}
        shown = store.read()
        if shown not in texts and not self.is_between(shown):
            self.complain("unreadable", at, f"the document is {shown!r}")
        if self.work.file and store.read(self.work.file) not in (None, self.new[1]):
            self.complain("unreadable", at, f"{self.work.file} is {store.read(self.work.file)!r}")
        # 64: without /proc it does not know its own words; 127: the loader found no library.
        if code not in (0, 1, 2, 3, 4, -9, 64, 127, 137):
            self.complain("failure", at, f"it ended with {code}")
        is_acknowledged = code == self.code
        if self.work.is_needed and not is_acknowledged:
            again = store.run(*store.words)
            if again.returncode != self.code:
                self.complain("failure", at, f"once more: {again.stderr}")
        settled = self.settle()
        if settled.returncode not in (0, 1):
            kind = "stuckLock" if "lock" in settled.stderr else "failure"
            self.complain(kind, at, f"the next watch --once: {settled.stderr}")
        if not is_acknowledged and not self.work.is_needed:
            # Whatever became of it, it can be done again.
            store.run(*store.words)
        seen = store.observe(self.work)
        if seen != self.new:
            self.complain("lostWrite", at, f"{seen} and not {self.new}")
        verified = store.run("verify", "--json")
        if verified.returncode != 0:
            self.complain("unreadable", at, f"verify: {verified.stdout}{verified.stderr}")
        # Who is killed while it writes a file that a person named leaves a part, which nobody looks for.
        known = [".replicator", *([".replicator-"] if code in (-9, 137) and self.work.file else [])]
        left = [name for name in os.listdir(store.root)
                if name.startswith(".") and not (name in known or name.startswith(tuple(known[1:])))]
        if left:
            self.complain("leftover", at, str(left))

    def is_between(self, shown):
        """A command imports what is pending before it does its own: that is a whole version, too."""
        try:
            return isinstance(json.loads(shown or ""), dict) and shown.count('"id"') in (1, 2)
        except ValueError:
            return False
