#!/usr/bin/env python3
"""Read by audit_main.py: the files of a store as docs/FORMAT.md describes them, and nothing else.
It shares no code with the product; sections below are those of FORMAT.md."""
import ctypes
import json
import os
import re
import subprocess
from decimal import Decimal

# The library that Debian's build packages bring along.
XXHASH = ctypes.CDLL("libxxhash.so.0")
XXHASH.XXH3_64bits.restype = ctypes.c_uint64
XXHASH.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


class Wide(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


XXHASH.XXH3_128bits.restype = Wide
XXHASH.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

SEAL = re.compile(rb',"sum":"([0-9a-f]{16})"\}$')
SEGMENT = re.compile(r"^([0-9]{8}-[0-9]{8}|[0-9]{8})\.jsonl(\.zst)?$")
ZEROS = "0" * 16


def hash64(data):
    return f"{XXHASH.XXH3_64bits(data, len(data)):016x}"


def hash128(data):
    wide = XXHASH.XXH3_128bits(data, len(data))
    return f"{wide.high:016x}{wide.low:016x}"


class Number:
    """A number with its very spelling; equal where the exact values are."""

    __slots__ = ("text", "value")

    def __init__(self, text):
        self.text, self.value = text, Decimal(text)

    def __eq__(self, other):
        return isinstance(other, Number) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return self.text


def parse(text):
    return json.loads(text, parse_float=Number, parse_int=Number)


def whole(value):
    """A number of a line of ours as an int."""
    return int(value.text)


def frozen(value):
    """A value that can be compared and kept in a set; members in no order."""
    if isinstance(value, dict):
        return ("{}", frozenset((name, frozen(each)) for name, each in value.items()))
    if isinstance(value, list):
        return ("[]", tuple(frozen(each) for each in value))
    # True == 1 in Python.
    return (type(value).__name__, value)


class Trouble:
    """Collects what does not hold."""

    def __init__(self):
        self.found = []

    def add(self, kind, where, text):
        self.found.append((kind, where, text))


def segments(directory, trouble):
    """(name, bytes) of each segment of a directory in order, compressed ones too (3.1)."""
    try:
        names = sorted(os.listdir(directory))
    except FileNotFoundError:
        return []
    found = {}
    for name in names:
        matched = SEGMENT.match(name)
        if not matched:
            continue
        path = os.path.join(directory, name)
        if matched.group(2):
            done = subprocess.run(["zstd", "-dcq", path], capture_output=True)
            if done.returncode:
                trouble.add("archive", path, "does not decompress")
                continue
            data = done.stdout
        else:
            with open(path, "rb") as file:
                data = file.read()
        known = found.get(matched.group(1))
        if known is not None:
            shorter, longer = sorted((known, data), key=len)
            if not longer.startswith(shorter):
                trouble.add("archive", path, "differs from the plain file beside it")
            data = longer
        found[matched.group(1)] = data
    return sorted(found.items())


def sealed_lines(data, where, trouble):
    """(object, sum, start) of each line that is part of the file (section 3)."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        # Without a final newline it is not part of the log.
        if end < 0:
            return
        line = data[start:end]
        matched = SEAL.search(line)
        if matched and hash64(line[:matched.start()]) == matched.group(1).decode():
            yield parse(line.decode("utf-8", "surrogatepass")), matched.group(1).decode(), start
        elif matched:
            # Torn fragments do not end like a line. One that got a fence can: then a whole line
            # of the same text follows later, which the chain shows.
            trouble.add("sum", f"{where} at {start}", "a line's sum does not fit")
        start = end + 1


class Transaction:
    __slots__ = ("node", "writer", "n", "sum", "stamp", "context", "singles", "client", "imported",
                 "operations", "decisions", "retires", "gaps", "where")

    @property
    def label(self):
        return f"{self.writer} {self.n}"

    def saw(self, other):
        """Whether the author had seen another transaction."""
        return (self.context.get(other.writer, 0) >= other.n
                or (other.writer, other.n) in self.singles)


class Operation:
    """One OP of section 3.5. `sign` is '=', '-', '+', '@' or 'x'; `grade` its class."""

    __slots__ = ("transaction", "index", "document", "collection", "key", "sign", "path", "value",
                 "grade", "is_readable", "incarnation")


def record_key(identity):
    if isinstance(identity, dict):
        return ("key", identity["key"])
    return frozen(identity)


def read_operations(transaction, lines):
    """All OPs of a transaction with its part lines, numbered through."""
    operations = []
    for line in lines:
        for document, collection, records in line.get("ops", []):
            for identity, incarnation, steps in records:
                for step in steps:
                    operations.append(read_operation(
                        transaction, len(operations), document, collection, identity, step))
                    operations[-1].incarnation = incarnation_of(transaction, incarnation)
    return operations


def incarnation_of(transaction, name):
    """The sum of the transaction that made the record; None for what all adoptions share."""
    if isinstance(name, str):
        return name.partition(":")[0]
    return transaction.sum if whole(name) else None


def read_operation(transaction, index, document, collection, identity, step):
    operation = Operation()
    operation.transaction, operation.index = transaction, index
    operation.document, operation.collection = document, collection
    operation.key = record_key(identity)
    options = step[-1] if isinstance(step[-1], dict) else {}
    operation.grade = whole(options["class"]) if "class" in options else 2
    operation.is_readable = True
    operation.path, operation.value = "", None
    if step[0] in ("x", "@"):
        operation.sign = step[0]
    elif step[0] == "-":
        operation.sign, operation.path = "-", step[1]
    else:
        operation.sign = "+" if step[0] == "+" else "="
        operation.path = "" if step[0] == "+" else step[0]
        operation.value = step[1]
        # The options stand behind everything else: an object as the value is no option.
        least = 4 if operation.sign == "+" else 2
        if len(step) > least and options.get("quoted") is True:
            try:
                operation.value = parse(step[1])
            except ValueError:
                operation.is_readable = False
    return operation


class NodeLog:
    """The log and the journal of one node directory."""

    def __init__(self, directory, trouble):
        self.directory, self.node = directory, os.path.basename(directory)
        self.trouble = trouble
        self.transactions, self.entries, self.newest = [], [], {}
        self.read_log()
        self.read_journal()

    def read_log(self):
        previous, parts, knowledge = {}, {}, {}
        for name, data in segments(os.path.join(self.directory, "log"), self.trouble):
            epoch = int(name.split("-")[0])
            writer = f"{self.node}.{epoch}"
            where = f"{self.node}/log/{name}"
            for line, seal, start in sealed_lines(data, where, self.trouble):
                place = f"{where} at {start}"
                if "segment" in line:
                    head = line["segment"]
                    if (head["node"], whole(head["epoch"])) != (self.node, epoch):
                        self.trouble.add("segment", place, "names another node or epoch")
                    continue
                if "n" not in line and "part" not in line:
                    if line.get("optional") is not True:
                        self.trouble.add("unknown", place, f"a line of type {next(iter(line))}")
                    continue
                self.link(writer, line, seal, place, previous, parts, knowledge)

    def link(self, writer, line, seal, place, previous, parts, knowledge):
        """One part or transaction line: chain (3.2), parts (3.3), context (3.4)."""
        last_n, last = previous.get(writer, (0, ZEROS))
        n = whole(line["n"] if "n" in line else line["part"])
        if (n, seal) in self.newest.setdefault(writer, set()):
            return
        self.newest[writer].add((n, seal))
        pending = parts.setdefault(writer, [])
        if pending and ("part" in line or "parts" in line) and line["prev"] == pending[-1][1]:
            last = pending[-1][1]
        else:
            # Parts without their closing line are not applied, and are in no chain.
            pending.clear()
        if line["prev"] != last:
            self.trouble.add("chain", place, f"names {line['prev']} as the line before, that is {last}")
        if n != last_n + 1:
            self.trouble.add("sequence", place, f"is number {n} behind {last_n}")
        if "part" in line:
            pending.append((line, seal))
            return
        previous[writer] = (n, seal)
        if len(pending) != (whole(line["parts"]) if "parts" in line else 0):
            self.trouble.add("parts", place, "lines of the transaction are missing")
        lines = [*(part for part, _ in pending), line]
        pending.clear()
        self.transactions.append(self.read(writer, n, seal, place, line, lines, knowledge))

    def read(self, writer, n, seal, place, line, lines, knowledge):
        one = Transaction()
        one.node, one.writer, one.n, one.sum, one.where = self.node, writer, n, seal, place
        one.stamp, one.client = line["t"], line.get("client")
        one.imported, one.decisions = line.get("import"), line.get("decisions", [])
        one.retires, one.gaps = line.get("retires"), line.get("gaps", [])
        known = knowledge.setdefault(writer, ({}, set()))
        if "context" in line:
            one.context = {name: whole(at[0]) for name, at in line["context"]["writers"].items()}
            one.singles = {(name, whole(at)) for name, at, _ in line["context"].get("singles", [])}
        else:
            one.context, one.singles = dict(known[0]), set(known[1])
            for name, at in line.get("seen", {}).items():
                one.context[name] = max(one.context.get(name, 0), whole(at[0]))
        one.operations = read_operations(one, lines)
        merged, singles = known
        for name, at in one.context.items():
            merged[name] = max(merged.get(name, 0), at)
        singles |= one.singles
        merged[writer] = max(merged.get(writer, 0), n)
        return one

    def read_journal(self):
        previous, ids = ZEROS, set()
        for name, data in segments(os.path.join(self.directory, "journal"), self.trouble):
            where = f"{self.node}/journal/{name}"
            for line, seal, start in sealed_lines(data, where, self.trouble):
                place = f"{where} at {start}"
                if line.get("prev") != previous:
                    self.trouble.add(
                        "chain", place, f"names {line.get('prev')} as the line before, that is {previous}")
                previous = seal
                if "journal" in line:
                    if line["journal"]["node"] != self.node:
                        self.trouble.add("segment", place, "names another node")
                    continue
                if line["id"] in ids:
                    self.trouble.add("id", place, f"the entry {line['id']} stands there twice")
                ids.add(line["id"])
                self.entries.append(line)
