#!/usr/bin/env python3
"""Read by audit_main.py: what programs say of themselves, in files of their own beside the stores.

RECORDS/NAME.jsonl, one for each program, appended and synchronised line by line. The first line is
  {"client":NAME,"kind":word,"document":D,"collection":C,"path":FILE,"direct":bool,"reads":bool}
`direct` writes through replicator, the others rewrite FILE; `reads` says whether the program notes
what it had read. Then, for each write, in this order
  {"intent":N,"time":s,"read":HASH,"write":HASH,"destroys":HASH,"edits":[EDIT…]}
  {"done":N,"displaced":HASH,"inode":n,"detached":bool}      or   {"failed":N,"why":text}
EDIT is {"record":id,"path":pointer,"value":any,"old":any}: `old` is what the program had read there,
absent where there was nothing; without `value` the member is removed. {"record":id,"create":record}
and {"record":id,"delete":record as it was read} stand for whole records. HASH is the XXH3-128 of a
content: `read` the one that the write was made from, `write` the new one, `displaced` the one that
the write took the name from, as the program found it there afterwards; `destroys` the one that a write
in place was going to overwrite. `detached`: when it was done another file had the name.
An intent without an end was cut off: it may or may not have taken place.

RECORDS/notary: lines "SIZE HASH PATH": a log or journal had SIZE bytes, and HASH is the XXH3-64 of
them. RECORDS/complaints: what readers and the run itself found, a line each."""
import glob
import json
import os
from collections import defaultdict

from audit_format import frozen, hash64, parse, record_key, whole
from audit_store import leaves

GONE = "gone"


class Intent:
    __slots__ = ("client", "number", "time", "read", "write", "destroys", "new", "old", "gone", "is_done",
                 "has_failed", "displaced", "inode", "detached", "end")


class Client:
    def __init__(self, path, rules):
        self.intents = {}
        with open(path, "rb") as file:
            lines = [parse(line) for line in file.read().split(b"\n")[:-1] if line]
        head = lines[0]
        self.name, self.kind, self.path = head["client"], head["kind"], head.get("path")
        self.document, self.collection = head.get("document"), head.get("collection")
        self.is_direct, self.reads = head.get("direct", False), head.get("reads", True)
        self.rules = rules.get(self.document)
        for line in lines[1:]:
            self.take(line)

    def take(self, line):
        if "intent" in line:
            number = whole(line["intent"])
            self.intents[number] = self.intent(number, line)
        elif "done" in line:
            one = self.intents[whole(line["done"])]
            one.is_done, one.displaced = True, line.get("displaced")
            one.inode, one.detached = line.get("inode"), line.get("detached", False)
            one.end = float(line["time"].text) if "time" in line else one.time
        elif "failed" in line:
            self.intents[whole(line["failed"])].has_failed = True

    def intent(self, number, line):
        one = Intent()
        one.client, one.number, one.time = self, number, float(line["time"].text)
        one.read, one.write, one.destroys = line.get("read"), line.get("write"), line.get("destroys")
        one.is_done, one.has_failed, one.displaced = False, False, None
        one.inode, one.detached, one.end = None, False, one.time
        # Leaves by place: what it wrote, what it had read where it wrote, which records it took away.
        one.new, one.old, one.gone = [], [], []
        for edit in line["edits"]:
            place = (self.document, self.collection, record_key(edit["record"]))
            if "create" in edit:
                one.new += [(place, *leaf) for leaf in leaves(edit["create"], "", self.rules)]
            elif "delete" in edit:
                one.gone.append(place)
                one.old += [(place, *leaf) for leaf in leaves(edit["delete"], "", self.rules)]
            else:
                if "value" in edit:
                    one.new += [(place, *leaf) for leaf in
                                leaves(edit["value"], edit["path"], self.rules)]
                if "old" in edit:
                    one.old += [(place, *leaf) for leaf in leaves(edit["old"], edit["path"], self.rules)]
        return one


class Records:
    """All programs of a run. Empty where the audit is of a store alone: then the log is believed."""

    def __init__(self, directory, stores):
        self.stores, self.directory = stores, directory
        self.clients = []
        if directory:
            self.clients = [Client(path, stores.rules)
                            for path in sorted(glob.glob(os.path.join(directory, "*.jsonl")))]
        self.intents = [one for client in self.clients for one in client.intents.values()]
        plain = [one for one in self.intents if not one.client.is_direct]
        self.replacing, self.wrote, self.deleting = defaultdict(list), defaultdict(list), defaultdict(list)
        self.by_write, self.displacing = {}, defaultdict(list)
        for one in plain:
            for leaf in one.old:
                self.replacing[leaf].append(one)
            for leaf in one.new:
                self.wrote[leaf].append(one)
            for place in one.gone:
                self.deleting[place].append(one)
            if one.write:
                self.by_write[one.write] = one
            for content in {one.displaced, one.destroys} - {None}:
                self.displacing[content].append(one)

    # What Conservation asks

    def trusts(self, place, later):
        """Whether the context of an import is to be believed: no program's record says better."""
        if not self.clients:
            return True
        if later.sign in ("x", "-"):
            return any(not one.client.reads for one in self.deleting[place])
        rules = self.stores.rules[place[0]]
        written = [(place, *leaf) for leaf in leaves(later.value, later.path, rules)] \
            if later.is_readable else []
        return any(not one.client.reads for leaf in written for one in self.wrote[leaf])

    def is_read_and_replaced(self, place, path, value, operations):
        """Whether a program read the value and wrote another, or read that other and wrote a third…,
        and one of them arrived."""
        if not self.clients:
            return False
        arrived = self.arrived(place, operations)
        seen, waiting = set(), [(place, path, value)]
        while waiting:
            leaf = waiting.pop()
            for one in self.replacing[leaf]:
                if place in one.gone and GONE in arrived:
                    return True
                for new in one.new:
                    if new[0] != place or new in seen or not (
                            new[1] == leaf[1] or new[1].startswith(leaf[1] + "/")
                            or leaf[1].startswith(new[1] + "/")):
                        continue
                    if new in arrived:
                        return True
                    seen.add(new)
                    waiting.append(new)
                if (leaf[1], GONE) in arrived and not any(new[1] == leaf[1] for new in one.new):
                    return True
        return False

    def arrived(self, place, operations):
        """The leaves that logs have of a record, and what they removed."""
        found = set()
        rules = self.stores.rules[place[0]]
        for operation in operations:
            if operation.sign == "x":
                found.add(GONE)
            elif operation.sign == "-":
                found.add((operation.path, GONE))
            elif operation.sign in ("=", "+") and operation.is_readable:
                found |= {(place, *leaf) for leaf in leaves(operation.value, operation.path, rules)}
        return found

    # What was written must have been seen

    def contains(self, content, leaf):
        """Whether a program's content has a value: its own, or carried from what it had read."""
        passed = set()
        # A program that turns back what another had written leads to a content that was there before.
        while content in self.by_write and content not in passed:
            passed.add(content)
            one = self.by_write[content]
            if leaf in one.new:
                return True
            if leaf in one.old or leaf[0] in one.gone:
                return False
            content = one.read
        return False

    def may_be_unseen(self, leaf):
        """Whether other programs took the name from each content that had a value, or wrote over it:
        then replicator may have seen none of them."""
        return not any(
            one.is_done and not self.displacing.get(one.write) and not self.is_orphan(one)
            and self.contains(one.write, leaf)
            for one in self.by_write.values() if one.client.document == leaf[0][0])

    def is_orphan(self, one):
        """Written in place into a file whose name another program had taken meanwhile."""
        return one.detached and any(
            other.inode == one.inode and other is not one and one.time - 60 <= other.end <= one.end + 5
            for other in self.intents if other.inode is not None and not other.detached)


def check_notary(directory, trouble):
    """Logs and journals only grow: what was seen of one is a beginning of what is there."""
    path = os.path.join(directory, "notary")
    if not os.path.exists(path):
        return 0
    seen = defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for line in file:
            size, hashed, name = line.rstrip("\n").split(" ", 2)
            seen[name].append((int(size), hashed))
    for name, marks in seen.items():
        try:
            with open(name, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            if not os.path.exists(name + ".zst"):
                trouble.add("append-only", name, "is gone")
            continue
        for size, hashed in marks:
            if len(data) < size or hash64(data[:size]) != hashed:
                trouble.add("append-only", name, f"its first {size} bytes are others than they were")
                break
    return sum(len(marks) for marks in seen.values())


def check_complaints(directory, trouble):
    path = os.path.join(directory, "complaints")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                one = json.loads(line)
                trouble.add(one["kind"], one["where"], one["text"])
