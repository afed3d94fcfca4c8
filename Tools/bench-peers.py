#!/usr/bin/env python3
"""The peers' side of `Tools/bench --only merge`: Yrs (pycrdt) and Loro on the same field writes.

usage: bench-peers.py yrs|loro merge|apply WRITES RECORDS ROUNDS

A document is a map of records, each a map of ten fields. `merge`: two replicas write every field of
the records in turn without having seen each other, one takes in the other's update. `apply`: a
replica that has the records takes in that many writes. Prints one JSON object: milliseconds
(median of the rounds) to take in one bulk update and then to read every record.
"""

import json
import statistics
import sys
import time

FIELDS = 10


class Yrs:
    def __init__(self, update=None):
        import pycrdt

        self.pycrdt = pycrdt
        self.doc = pycrdt.Doc()
        self.items = self.doc.get("items", type=pycrdt.Map)
        if update:
            self.doc.apply_update(update)

    def create(self, records):
        with self.doc.transaction():
            for number in range(records):
                self.items[f"record-{number}"] = self.pycrdt.Map(
                    {f"field{field}": "first" for field in range(FIELDS)}
                )

    def write(self, name, count, records):
        maps = [self.items[f"record-{number}"] for number in range(records)]
        for number in range(count):
            maps[number // FIELDS % records][f"field{number % FIELDS}"] = f"{name} {number}"

    def version(self):
        return self.doc.get_state()

    def update(self, version=None):
        return self.doc.get_update(version) if version else self.doc.get_update()

    def take(self, update):
        self.doc.apply_update(update)

    def read(self):
        return len(self.items.to_py())


class Loro:
    def __init__(self, update=None):
        import loro

        self.loro = loro
        self.doc = loro.LoroDoc()
        self.items = self.doc.get_map("items")
        if update:
            self.doc.import_(update)

    def create(self, records):
        for number in range(records):
            record = self.items.insert_container(f"record-{number}", self.loro.LoroMap())
            for field in range(FIELDS):
                record.insert(f"field{field}", "first")
        self.doc.commit()

    def write(self, name, count, records):
        maps = [
            self.items.get_or_create_container(f"record-{number}", self.loro.LoroMap())
            for number in range(records)
        ]
        for number in range(count):
            maps[number // FIELDS % records].insert(f"field{number % FIELDS}", f"{name} {number}")
            self.doc.commit()

    def version(self):
        return self.doc.oplog_vv

    def update(self, version=None):
        if version is None:
            return self.doc.export(self.loro.ExportMode.Snapshot())
        return self.doc.export(self.loro.ExportMode.Updates(version))

    def take(self, update):
        self.doc.import_(update)

    def read(self):
        return len(self.items.get_deep_value())


def once(peer, task, writes, records):
    first = peer()
    first.create(records)
    start = first.update()
    here, there = peer(start), peer(start)
    version = there.version()
    if task == "merge":
        here.write("here", writes, records)
    there.write("there", writes, records)
    update = there.update(version)
    begin = time.perf_counter()
    here.take(update)
    taken = time.perf_counter()
    assert here.read() == records
    read = time.perf_counter()
    return (taken - begin) * 1000, (read - taken) * 1000, len(update)


def main():
    name, task, writes, records, rounds = sys.argv[1:]
    peer = {"yrs": Yrs, "loro": Loro}[name]
    results = [once(peer, task, int(writes), int(records)) for _ in range(int(rounds))]
    apply, show, size = (round(statistics.median(column), 3) for column in zip(*results))
    print(json.dumps({"apply": apply, "show": show, "bytes": size}))


main()
