#!/usr/bin/env python3
"""Read by chaos_main.py: the stores, nodes and places of a run, and which programs work there."""
import json
import os
import subprocess
import sys

HOSTS = 12
TOOLS = os.path.dirname(os.path.abspath(__file__))


def configuration(shipped):
    """The default one with more patience, for programs that are stopped for seconds, and without
    declared programs but where a place names them."""
    with open(shipped, encoding="utf-8") as file:
        made = json.load(file)
    for document in made["documents"].values():
        document["clients"] = []
    made["clients"]["lossy"] = {"understands": "everything", "numbers": "double"}
    made["clients"]["naive"] = {"schemas": {"hosts:items": "schemas/naive.schema.json"}}
    made["generations"]["keep"] = 150
    return made


# What host-manager-naive knows of a host; everything else it drops.
NAIVE = {
    "type": "object", "required": ["id"],
    "properties": {
        "id": {"type": "string"}, "name": {"type": "string"}, "hostname": {"type": "string"},
        "port": {"type": "integer"}, "username": {"type": "string"},
        "connectionMethod": {"enum": ["ssh", "mosh"], "default": "ssh"},
        "tags": {"type": "array", "items": {"type": "string"}}}}


def first_hosts():
    """Records of release 3: members and raw values that releases 1 and 2 do not know, and numbers
    that no double holds."""
    items = []
    for number in range(HOSTS):
        items.append(
            f'{{"id": "h{number}", "name": "first name {number}", "hostname": "h{number}.example.org",'
            f' "port": {2200 + number}, "username": "first user {number}",'
            f' "connectionMethod": "{("et", "quic", "ssh")[number % 3]}", "tags": ["kept"],'
            f' "future": {{"exact": 1.0, "long": 12345678901234567890, "small": 0.12345678901234567890{number},'
            f' "deep": {{"list": [null, {{}}]}}}},'
            f' "tunnels": [{{"name": "first", "kind": "local", "listen": {number}, "target": "db:1"}}]}}')
    return '{\n  "schemaVersion": 1,\n  "items": [\n    ' + ",\n    ".join(items) + "\n  ]\n}\n"


def first_books():
    items = [f'{{"id": "b{number}", "title": "first title {number}", "status": "{("lent", "read")[number % 2]}",'
             f' "notes": "none", "shelf": {{"row": {number}.50}}}}' for number in range(HOSTS)]
    return '{\n  "schemaVersion": 1,\n  "items": [\n    ' + ",\n    ".join(items) + "\n  ]\n}\n"


class Clock:
    """A wrong clock for dynamic executables. The library wants to set a variable in each process that
    has none of its own, which moves the words of the command away from where Swift looks for them; so
    one process holds what is shared, and the others get the variables ready made."""

    def __init__(self, offset):
        self.offset = offset
        self.holder = subprocess.Popen(
            ["faketime", "-f", offset, "sh", "-c", "env -0; echo; exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        data = self.holder.stdout.readline()
        while not data.endswith(b"\0\n"):
            data += self.holder.stdout.readline()
        self.environment = dict(
            each.split("=", 1) for each in data.decode().split("\0")
            if each.startswith(("FAKETIME", "LD_PRELOAD")))
        # File times stay the kernel's.
        self.environment.update(NO_FAKE_STAT="1", FAKETIME_DONT_FAKE_MONOTONIC="1")

    def end(self):
        self.holder.stdin.close()
        self.holder.wait()


class World:
    def __init__(self, directory, options):
        self.directory, self.options = directory, options
        self.records = os.path.join(directory, "records")
        self.roots = [os.path.join(directory, name) for name in ("one", "two", "three/store")]
        os.makedirs(self.records)
        self.fakes = {}
        self.nodes = {root: [] for root in self.roots}

    def argv(self, root, node):
        executable = self.options.dynamic if node in self.fakes else self.options.executable
        return [executable, "--store", root, "--node", node]

    def environment(self, node):
        return self.fakes[node].environment if node in self.fakes else {}

    def run(self, root, node, *words, timeout=60):
        return subprocess.run(
            [*self.argv(root, node), *words], capture_output=True, text=True, timeout=timeout,
            env={**os.environ, **self.environment(node)})

    def prepare(self):
        one, two, three = self.roots
        given = os.path.join(self.directory, "config.json")
        with open(given, "w", encoding="utf-8") as file:
            json.dump(configuration(self.options.shipped), file, indent=2)
        os.makedirs(os.path.join(self.directory, "schemas"))
        with open(os.path.join(self.directory, "schemas", "naive.schema.json"), "w") as file:
            json.dump(NAIVE, file)
        for root in self.roots:
            os.makedirs(root, exist_ok=True)
        for name, text in (("hosts.json", first_hosts()), ("library.json", first_books())):
            with open(os.path.join(one, name), "w", encoding="utf-8") as file:
                file.write(text)
        if self.options.dynamic:
            self.fakes = {"three-b": Clock("+3650d"), "two-d": Clock("-400d")}
        for root, name in zip(self.roots, ("one", "two", "three")):
            self.must(root, f"{name}-a", "init", root, "--config", given)
            self.nodes[root].append(f"{name}-a")
        self.place(one, "one-b", "hosts", "b-hosts.json", "hosts-1")
        # Programs without records of what they read and replaced have places of their own.
        self.place(one, "one-d", "hosts", "d-hosts.json", "hosts-1")
        self.place(one, "one-c", "hosts", "c-hosts.json", "hosts-1", "hosts-2")
        self.place(two, "two-b", "hosts", "b-hosts.json", "lossy")
        self.place(two, "two-c", "hosts", "c-hosts.json", "hosts-1")
        self.place(two, "two-e", "hosts", "e-hosts.json", "naive")
        self.place(two, "two-c", "library", "c-library.json", "book-2")
        self.place(three, "three-b", "hosts", "b-hosts.json", "hosts-2")

    def place(self, root, node, document, name, *profiles):
        words = [word for profile in profiles for word in ("--client", profile)]
        self.must(root, node, "add", self.file(root, name), "--name", document, *words)
        if node not in self.nodes[root]:
            self.nodes[root].append(node)

    def file(self, root, name):
        """Places beside the store, on its file system."""
        return os.path.join(root + "-places" if name[1] == "-" else root, name)

    def must(self, root, node, *words):
        os.makedirs(root + "-places", exist_ok=True)
        done = self.run(root, node, "--quiet", *words)
        if done.returncode != 0:
            raise SystemExit(f"chaos: {words} failed: {done.stdout}{done.stderr}")

    def program(self, name):
        """An example application, beside demo-client."""
        return os.path.join(os.path.dirname(self.options.client), name)

    def watches(self):
        """(name, root, node, more words)"""
        made = [(f"watch-{node}", root, node, []) for root in self.roots for node in self.nodes[root]]
        made.append(("watch-one-a2", self.roots[0], "one-a", []))
        made[-3] = (*made[-3][:3], ["--poll", "0.5"])
        return made

    def programs(self):
        """(name, kind, words) of every program beside the watches."""
        one, two, three = self.roots
        made = []

        def plain(name, kind, root, file, save="exchange", **more):
            made.append((name, kind, {"path": self.file(root, file), "save": save, **more}))

        def direct(name, kind, root, node, **more):
            made.append((name, kind, {
                "replicator": self.argv(root, node)[:3], "node": node, "store": root, "direct": True,
                "hosts": HOSTS,
                "index": len(made) + 1, "environment": self.environment(node), **more}))

        plain("keeper-1", "keeper", one, "hosts.json")
        plain("keeper-2", "sorter", one, "hosts.json")
        plain("editor-1", "keeper", one, "hosts.json", "editor")
        plain("maker-1", "maker", one, "hosts.json")
        plain("old-1", "release-1", one, "b-hosts.json")
        plain("old-2", "release-1", one, "c-hosts.json", members=["name", "identity"])
        plain("new-2", "release-2", one, "c-hosts.json", members=["username", "jump"])
        plain("scribbler-1", "keeper", two, "hosts.json", "in-place")
        plain("keeper-3", "keeper", two, "hosts.json")
        plain("naive-1", "naive", two, "b-hosts.json")
        plain("jq-1", "jq", two, "b-hosts.json")
        plain("keeper-4", "keeper", three, "hosts.json")
        plain("stale-1", "stale", three, "hosts.json")
        for name, word, root, file, members in (
                ("demo-1", "old-hosts", two, "c-hosts.json", ["name", "username"]),
                ("demo-2", "new-library", two, "c-library.json", ["title", "notes"]),
                ("demo-3", "new-hosts", three, "b-hosts.json", ["name", "jump"])):
            plain(name, "demo", root, file, client=self.options.client, word=word, members=members,
                  ways=["--rename", "--in-place"], reads=False,
                  document="library" if "library" in word else "hosts")
        for name, kind, root, file, members in (
                ("host-manager-1", "application", one, "d-hosts.json", ["name", "username"]),
                ("host-manager-2", "application", three, "b-hosts.json", ["name", "identity"]),
                ("host-manager-naive", "naive-application", two, "e-hosts.json", ["name"])):
            plain(name, kind, root, file, client=self.program(name), members=members, reads=False)
        direct("linked-1", "linked-application", one, "one-d", members=["name", "username"],
               client=self.program("host-manager-1"))
        direct("linked-2", "linked-application", three, "three-c", members=["name", "identity"],
               client=self.program("host-manager-2"))
        direct("setter-1", "setter", one, "one-a")
        direct("setter-2", "setter", one, "one-d")
        direct("setter-3", "setter", two, "two-d")
        direct("setter-4", "setter", three, "three-a", full=True)
        direct("deleter-1", "deleter", one, "one-c")
        direct("deleter-2", "deleter", two, "two-a")
        direct("person-1", "person", one, "one-b")
        direct("person-2", "person", three, "three-c", full=True)
        # Where programs write in place a version can be met by halves; where one moves the file away
        # it can be absent.
        for name, paths in (
                ("reader-1", [(one, "hosts.json", ["absent", "torn"]), (one, "b-hosts.json", [])]),
                ("reader-2", [(one, "c-hosts.json", []), (two, "b-hosts.json", []),
                              (two, "hosts.json", ["torn"])]),
                ("reader-3", [(three, "hosts.json", []), (three, "b-hosts.json", ["torn"])])):
            made.append((name, "reader", {
                "paths": [(self.file(root, file), allows) for root, file, allows in paths]}))
        for node, root in (("one-d", one), ("two-d", two), ("three-c", three)):
            self.nodes[root].append(node)
        common = {"records": self.records, "seed": self.options.seed, "pause": self.options.pause,
                  "document": "hosts"}
        return [(name, kind, {**common, **words, "name": name}) for name, kind, words in made]

    def end(self):
        for clock in self.fakes.values():
            clock.end()

    def client_argv(self, kind, words):
        return [sys.executable, os.path.join(TOOLS, "chaos_clients.py"), kind, json.dumps(words)]
