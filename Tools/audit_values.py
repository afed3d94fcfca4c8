#!/usr/bin/env python3
"""Read by audit_main.py: no value is lost. Each value in a log is shown, was replaced by somebody
who had seen it, or is in a journal; and each value that a program managed to write is in a log."""
from collections import defaultdict

from audit_format import frozen, parse, record_key
from audit_store import leaves, shown_records


def is_within(path, upper):
    return path == upper or path.startswith(upper + "/")


def is_silent(path, rules):
    return any(is_within(path, each) for each in rules.silent)


class Values:
    """What documents show, what logs wrote, what journals keep; by (document, collection, key)."""

    def __init__(self, stores):
        self.stores = stores
        self.shown, self.written, self.journaled = defaultdict(set), defaultdict(list), defaultdict(set)
        self.unread, self.told, self.losers = 0, set(), set()
        for document, rules in stores.rules.items():
            self.read_shown(document, rules)
        for one in stores.transactions:
            for operation in one.operations:
                place = (operation.document, operation.collection, operation.key)
                self.written[place].append(operation)
        decided = [each for one in stores.transactions for each in one.decisions]
        for entry in [*stores.entries, *decided]:
            self.read_entry(entry)

    def read_shown(self, document, rules):
        content = self.stores.documents.get(document)
        if content is None:
            return
        try:
            records = shown_records(content, rules)
        except ValueError as error:
            self.stores.trouble.add("document", document, f"is no JSON: {error}")
            return
        for (collection, key), found in records.items():
            for record in found:
                self.shown[(document, collection, key)] |= set(leaves(record, "", rules))

    def read_entry(self, entry):
        document = entry.get("document")
        rules = self.stores.rules.get(document)
        if rules is None:
            return
        sides = entry.get("discarded", [])
        if entry["kind"] == "create-create":
            self.losers |= {(document, entry.get("collection"), record_key(entry["record"]),
                             side["node"], side["stamp"]) for side in sides}
        if "record" in entry:
            self.told.add((document, entry.get("collection"), record_key(entry["record"])))
        affected = entry.get("affected")
        if affected is None:
            affected = [{"record": entry.get("record"), "path": entry.get("path", "")}] * len(sides)
        for side, at in zip(sides, affected):
            value = side.get("value")
            if "text" in side:
                try:
                    value = parse(side["text"])
                except ValueError:
                    self.unread += 1
                    continue
            elif "value" not in side:
                continue
            place = (document, entry.get("collection"), record_key(at.get("record")))
            self.journaled[place] |= set(leaves(value, at.get("path", ""), rules))


class Conservation:
    def __init__(self, values, records, trouble):
        self.values, self.records, self.trouble = values, records, trouble
        self.checked = 0
        self.made = {one.sum: one for one in values.stores.transactions}

    def check(self):
        for place, operations in self.values.written.items():
            rules = self.values.stores.rules.get(place[0])
            if rules is None:
                continue
            for operation in operations:
                if operation.sign not in ("=", "+"):
                    continue
                if not operation.is_readable:
                    self.values.unread += 1
                    continue
                for path, value in leaves(operation.value, operation.path, rules):
                    if not is_silent(path, rules):
                        self.checked += 1
                        self.check_leaf(place, operations, operation, path, value)

    def check_leaf(self, place, operations, operation, path, value):
        if (path, value) in self.values.shown[place]:
            return
        if (path, value) in self.values.journaled[place] or self.has_lost(place, operation):
            return
        if any(self.supersedes(later, operation, path) and self.is_true(place, later, path, value)
               for later in reversed(operations)):
            return
        if self.records.is_read_and_replaced(place, path, value, operations):
            return
        self.trouble.add(
            "lost", operation.transaction.where,
            f"{describe(place)}{path} = {value[1]!r} is neither shown, nor replaced by somebody who had"
            " seen it, nor in a journal")

    def has_lost(self, place, operation):
        """Whether it edits a creation that lost to another (`create-create`): the entry has later edits,
        too, which are read from the logs and not written into the journal once more."""
        made = self.made.get(operation.incarnation)
        return made is not None and (*place, made.node, made.stamp) in self.values.losers

    def supersedes(self, later, operation, path):
        """Whether an operation covers a value that its author had seen (MERGING.md section 2)."""
        one, other = later.transaction, operation.transaction
        if one is other:
            if later.index <= operation.index:
                return False
        elif not one.saw(other):
            return False
        if later.sign in ("x", "+"):
            return True
        return later.sign in ("=", "-") and (
            is_within(path, later.path) or is_within(later.path, path))

    def is_true(self, place, later, path, value):
        """Whether the author had really seen it: of an import the log only has what replicator took
        for its base. A program that kept a record of what it had read is believed instead."""
        if later.transaction.imported is None:
            return True
        return self.records.trusts(place, later)

    def check_invented(self):
        """Nothing is shown that nobody wrote."""
        for place, shown in self.values.shown.items():
            rules = self.values.stores.rules[place[0]]
            known = set()
            for operation in self.values.written.get(place, []):
                if operation.sign in ("=", "+") and operation.is_readable:
                    known |= set(leaves(operation.value, operation.path, rules))
            for path, value in shown - known:
                if not is_silent(path, rules):
                    self.trouble.add("invented", describe(place), f"{path} = {value[1]!r} is in no log")


def describe(place):
    document, collection, key = place
    name = key[1] if isinstance(key, tuple) else key
    return f"{document}:{collection or ''}/{name if name is not None else ''}"
