#!/usr/bin/env python3
"""Whether the auditor notices what it is for: a real store is audited as it is, and then with one
thing wrong after the other.
  audit_check.py REPLICATOR [DIRECTORY]      exit 1 where a damage is not noticed"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from audit_format import hash64, hash128
from audit_main import audit

HOSTS = """{
  "schemaVersion": 1,
  "items": [
    {"id": "h1", "name": "one", "connectionMethod": "et", "future": {"exact": 1.50}},
    {"id": "h2", "name": "two", "connectionMethod": "et", "future": {"exact": 2.50}},
    {"id": "h3", "name": "three", "tags": ["a"]}
  ]
}
"""


class Store:
    def __init__(self, executable, directory):
        self.executable, self.directory = executable, directory
        self.root, self.template = os.path.join(directory, "store"), os.path.join(directory, "template")
        self.records = os.path.join(directory, "records")
        self.hosts, self.other = os.path.join(self.root, "hosts.json"), os.path.join(directory, "store", "two.json")
        os.makedirs(self.root)
        write(self.hosts, HOSTS.encode())
        self.run("init")
        self.run("add", self.other, "--name", "hosts", "--client", "hosts-1", node="two")
        self.run("sync", node="two")
        self.rewrite()
        self.run("set", "hosts/h2", "name=overwritten")
        self.run("set", "hosts/h2", "name=winner")
        self.run("set", "hosts/h1", "username=loser", "--based-on", "1")
        self.run("set", "hosts/h1", "username=keeper", "--based-on", "1", node="two")
        self.run("set", "hosts/h4", "name=gone", "future:={\"a\":[1.0,2]}")
        self.run("delete", "hosts/h4", node="two")
        self.run("set", "hosts/h5", "name=first", "--based-on", "1")
        first = self.generation()
        self.run("set", "hosts/h5", "name=second", "--based-on", "1", node="two")
        self.settle()
        # An edit of the creation that lost, after the entry stands in the journals.
        self.run("set", "hosts/h5", "name=edited", "--based-on", first)
        self.settle()
        shutil.copytree(directory, self.template, ignore=shutil.ignore_patterns("template"))

    def run(self, *words, node="one"):
        done = subprocess.run([self.executable, "--store", self.root, "--node", node, *words],
                              capture_output=True, text=True, cwd=self.root)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"

    def settle(self):
        for node in ("one", "two", "one"):
            self.run("sync", "--wait", node=node)

    def generation(self):
        """The number of the newest export of hosts.json."""
        done = subprocess.run([self.executable, "--store", self.root, "--node", "one", "status", "--json"],
                              capture_output=True, text=True, check=True)
        return str(json.loads(done.stdout)["documents"][0]["generation"])

    def rewrite(self):
        """As a program of release 1 does it."""
        with open(self.other, encoding="utf-8") as file:
            document = json.load(file)
        for record in document["items"]:
            record.pop("future", None)
            if record.get("connectionMethod") == "et":
                record["connectionMethod"] = "ssh"
        document["items"][2]["name"] = "three by release 1"
        write(self.other, json.dumps(document).encode())
        self.run("sync", node="two")

    def reset(self):
        shutil.rmtree(self.root)
        shutil.copytree(os.path.join(self.template, "store"), self.root)
        shutil.rmtree(self.records, ignore_errors=True)

    def segment(self, kind, number=0):
        """A segment of the log or journal: the longest, or the next one."""
        found = []
        for directory, _, names in os.walk(os.path.join(self.root, ".replicator", "nodes")):
            found += [os.path.join(directory, name) for name in names if directory.endswith(kind)]
        return sorted(found, key=os.path.getsize)[-1 - number]

    def record(self, name, head, lines):
        os.makedirs(self.records, exist_ok=True)
        head = {"client": name, "kind": "test", "document": "hosts", "collection": "items", **head}
        write(os.path.join(self.records, name + ".jsonl"),
              "".join(json.dumps(line) + "\n" for line in (head, *lines)).encode())


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path + ".new", "wb") as file:
        file.write(data)
    os.rename(path + ".new", path)


def replace(path, old, new):
    data = read(path)
    assert old in data, f"{path} has no {old}"
    write(path, data.replace(old, new))


def lines_of(path):
    return read(path).split(b"\n")[:-1]


def put_lines(path, lines):
    write(path, b"".join(line + b"\n" for line in lines))


def sealed(line):
    body = line[:line.rindex(b',"sum":"')]
    return body + b',"sum":"' + hash64(body).encode() + b'"}'


# Each damage is given the store; what follows is the kind of violation that must be found.

def forget_member(store):
    for path in (store.hosts, store.other):
        replace(path, b', "future": {"exact": 1.50}', b"")


def change_number(store):
    for path in (store.hosts, store.other):
        replace(path, b"2.50", b"2.75")


def coerce(store):
    for path in (store.hosts, store.other):
        replace(path, b'"et", "future": {"exact": 1.50', b'"ssh", "future": {"exact": 1.50')


def differ(store):
    replace(store.other, b"winner", b"overwritten")


def drop_entry(store):
    path = store.segment("/journal")
    put_lines(path, [line for number, line in enumerate(lines_of(path)) if number != 1])


def drop_loser(store):
    """Every trace of a value that lost, in all journals, chained anew."""
    for path in [store.segment("/journal", number) for number in range(2)]:
        previous, kept = b"0" * 16, []
        for line in lines_of(path):
            if b'"discarded":[{"value":"loser"' in line or b'"discarded":[{"value":"keeper"' in line:
                continue
            line = sealed(re.sub(rb'"prev":"[0-9a-f]{16}"', b'"prev":"' + previous + b'"', line))
            previous = line[-18:-2]
            kept.append(line)
        put_lines(path, kept)


def drop_transaction(store):
    path = store.segment("/log")
    put_lines(path, [line for number, line in enumerate(lines_of(path)) if number != 2])


def change_byte(store):
    replace(store.segment("/log"), b"overwritten", b"OVERWRITTEN")


def write_label_twice(store):
    path = store.segment("/log")
    lines = lines_of(path)
    put_lines(path, [*lines, sealed(lines[-1].replace(b'"t":"', b'"t":"f', 1))])


def write_entry_twice(store):
    path = store.segment("/journal")
    lines = lines_of(path)
    again = re.sub(rb'"prev":"[0-9a-f]{16}"', b'"prev":"' + lines[-1][-18:-2] + b'"', lines[-1])
    put_lines(path, [*lines, sealed(again)])


def shorten(store):
    path = store.segment("/journal")
    os.makedirs(store.records)
    write(os.path.join(store.records, "notary"),
          f"{os.path.getsize(path)} {hash64(read(path))} {path}\n".encode())
    put_lines(path, lines_of(path)[:-1])


def break_archive(store):
    path = archive(store)
    data = bytearray(read(path))
    data[len(data) // 2] ^= 1
    write(path, bytes(data))


def archive(store):
    path = store.segment("/log")
    subprocess.run(["zstd", "-q", "--rm", path], check=True)
    return path + ".zst"


def miss_acknowledged(store):
    edit = {"record": "h1", "path": "/name", "value": "never there"}
    store.record("setter", {"direct": True}, [{"intent": 1, "time": 1.0, "edits": [edit]}, {"done": 1}])


def miss_written(store):
    edit = {"record": "h1", "path": "/name", "value": "never there", "old": "one"}
    store.record("program", {}, [
        {"intent": 1, "time": 1.0, "read": "aa", "write": "bb", "edits": [edit]},
        {"done": 1, "displaced": "aa"}])


def replace_unseen(store):
    """Nothing wrong: another program took the name from it at once."""
    miss_written(store)
    edit = {"record": "h1", "path": "/name", "value": "three by release 1", "old": "one"}
    store.record("other", {}, [
        {"intent": 1, "time": 1.1, "read": "aa", "write": "cc",
         "edits": [{**edit, "record": "h3", "old": "three"}]}, {"done": 1, "displaced": "bb"}])


def turn_back(store):
    """Nothing wrong: two programs wrote what had been there before them, each over the other."""
    miss_written(store)
    for name, read, written in (("back", "bb", "cc"), ("to and fro", "cc", "bb"), ("last", "cc", "dd")):
        edit = {"record": "h3", "path": "/name", "value": "three by release 1", "old": "three"}
        store.record(name, {}, [{"intent": 1, "time": 1.1, "read": read, "write": written, "edits": [edit]},
                                {"done": 1, "displaced": read}])


def claim_unread(store):
    """The import says that its author had seen "three"; the program itself had read something else."""
    edit = {"record": "h3", "path": "/name", "value": "three by release 1", "old": "something else"}
    store.record("program", {}, [
        {"intent": 1, "time": 1.0, "read": "aa", "write": "bb", "edits": [edit]},
        {"done": 1, "displaced": "aa"}])


def change_unmeant(store):
    """The import changed a name, and no program says that it ever writes one."""
    edit = {"record": "h3", "path": "/username", "value": "x"}
    store.record("program", {}, [{"intent": 1, "time": 1.0, "read": "aa", "write": "bb", "edits": [edit]}])


DAMAGES = [
    (forget_member, "lost"), (change_number, "lost"), (change_number, "invented"), (coerce, "lost"),
    (differ, "equal"), (drop_entry, "chain"), (drop_loser, "lost"), (drop_transaction, "chain"),
    (drop_transaction, "sequence"), (change_byte, "sum"), (write_label_twice, "label"),
    (write_entry_twice, "id"), (shorten, "append-only"), (break_archive, "archive"),
    (miss_acknowledged, "vanished"), (miss_written, "vanished"), (claim_unread, "lost"),
    (change_unmeant, "foreign"),
]
SOUND = [lambda store: None, archive, replace_unseen, turn_back]


def main():
    executable = os.path.realpath(sys.argv[1])
    directory = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="replicator-audit.")
    store = Store(executable, directory)
    wrong = 0
    for change, kind in [*((each, None) for each in SOUND), *DAMAGES]:
        store.reset()
        change(store)
        found, _ = audit([store.root], store.records if os.path.isdir(store.records) else None)
        kinds = {each[0] for each in found}
        name = getattr(change, "__name__", "")
        if (kind is None and found) or (kind is not None and kind not in kinds):
            wrong += 1
            print(f"{name}: expected {kind}, found {found[:3]}")
    print(f"{len(DAMAGES)} damages and {len(SOUND)} sound stores, {wrong} judged wrongly")
    if len(sys.argv) <= 2:
        shutil.rmtree(directory)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
