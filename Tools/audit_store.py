#!/usr/bin/env python3
"""Read by audit_main.py: all stores together: logs and their copies, documents and where they lie."""
import json
import os

from audit_format import Number, NodeLog, frozen, hash128, parse, record_key, segments

CONFIGURATION = "/config"


def children(directory):
    try:
        return sorted(os.listdir(directory))
    except FileNotFoundError:
        return []


class Rules:
    """What the configuration says of one document."""

    def __init__(self, description):
        self.collections = description.get("collections", [])
        self.keyed = description.get("keyed", {})
        self.sets = description.get("sets", [])
        self.silent = [*description.get("volatile", []), *description.get("local", []),
                       *description.get("derived", [])]
        self.monotonic = description.get("monotonic", [])


class Place:
    """A document under one path, for some nodes."""

    def __init__(self, store, directory):
        with open(os.path.join(directory, "binding.json"), encoding="utf-8") as file:
            binding = json.load(file)
        self.store, self.directory = store, directory
        self.document, self.path = binding["document"], binding["path"]
        self.nodes = [each["id"] for each in binding["nodes"] if not each.get("unbound")]
        try:
            with open(self.path, "rb") as file:
                self.content = file.read()
        except FileNotFoundError:
            self.content = None

    def set_aside(self):
        """The bytes that were put into quarantine here."""
        directory = os.path.join(self.directory, "quarantine")
        for name in children(directory):
            if not name.startswith("held-"):
                with open(os.path.join(directory, name), "rb") as file:
                    yield file.read()


class Stores:
    """Everything that the audit looks at."""

    def __init__(self, roots, trouble):
        self.roots, self.trouble = roots, trouble
        self.owned, self.places = {}, []
        for root in roots:
            self.read_local(root)
        self.logs = self.read_logs()
        self.transactions = [one for log in self.logs.values() for one in log.transactions]
        self.entries = [each for log in self.logs.values() for each in log.entries]
        self.check_labels()
        self.check_entries()
        self.documents = self.check_documents()
        self.rules = self.read_rules()

    def read_local(self, root):
        local = os.path.join(root, ".replicator", "local")
        names = os.path.join(local, "nodes.json")
        if os.path.exists(names):
            with open(names, encoding="utf-8") as file:
                for node in json.load(file)["nodes"]:
                    self.owned[node["id"]] = root
        bindings = os.path.join(local, "bindings")
        for name in children(bindings):
            directory = os.path.join(bindings, name)
            # What `verify --repair` set aside has another name, and a killed `add` leaves none.
            if os.path.exists(os.path.join(directory, "binding.json")):
                self.places.append(Place(root, directory))

    def read_logs(self):
        """Each node once, as its owner has it; the copies elsewhere must be the same."""
        logs = {}
        for root in self.roots:
            nodes = os.path.join(root, ".replicator", "nodes")
            for node in children(nodes):
                directory = os.path.join(nodes, node)
                owner = self.owned.get(node, root)
                if owner == root:
                    logs[node] = NodeLog(directory, self.trouble)
                self.compare(node, directory,
                             os.path.join(owner, ".replicator", "nodes", node))
        for node, root in self.owned.items():
            if node not in logs:
                self.trouble.add("node", node, f"has no directory in {root}, which made it")
        return logs

    def compare(self, node, directory, original):
        if directory == original:
            return
        for kind in ("log", "journal"):
            mine = segments(os.path.join(directory, kind), self.trouble)
            its = segments(os.path.join(original, kind), self.trouble)
            if mine != its:
                self.trouble.add("copy", directory, f"its {kind} differs from that of its owner")

    def check_labels(self):
        seen = {}
        for one in self.transactions:
            other = seen.setdefault(one.label, one)
            if other is not one:
                self.trouble.add("label", one.where, f"{one.label} is there with two sums")

    def check_entries(self):
        """One id is one entry, in whatever journal it stands."""
        seen = {}
        decided = (each for one in self.transactions for each in one.decisions)
        for entry in [*self.entries, *decided]:
            what = tuple(json.dumps(entry.get(name), default=repr, sort_keys=True)
                         for name in ("kind", "document", "collection", "record", "path", "group"))
            if seen.setdefault(entry["id"], what) != what:
                self.trouble.add("id", entry["id"], f"is {what} and {seen[entry['id']]}")

    def check_documents(self):
        """All places of a document must have the same bytes; returns those."""
        contents = {}
        for place in self.places:
            if not place.nodes:
                continue
            if place.content is None:
                self.trouble.add("document", place.path, "is not there")
                continue
            first = contents.setdefault(place.document, place)
            if first.content != place.content:
                self.trouble.add("equal", place.path,
                                 f"{hash128(place.content)} here, {hash128(first.content)} in {first.path}")
        return {name: place.content for name, place in contents.items()}

    def read_rules(self):
        try:
            configuration = json.loads(self.documents[CONFIGURATION])
        except (KeyError, ValueError):
            return {CONFIGURATION: Rules({})}
        rules = {name: Rules(each) for name, each in configuration.get("documents", {}).items()}
        rules[CONFIGURATION] = Rules({})
        return rules


def resolve(value, pointer):
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value


def shown_records(content, rules):
    """{(collection, key): [record…]} of a document; what lies outside is (None, key of null)."""
    root = parse(content)
    found = {}
    for collection in rules.collections:
        records = resolve(root, collection.get("at", ""))
        if collection.get("kind") == "map" and isinstance(records, dict):
            for name, record in records.items():
                if name not in collection.get("except", []):
                    found.setdefault((collection["name"], frozen(name)), []).append(record)
        elif isinstance(records, list):
            for record in records:
                found.setdefault((collection["name"], identity(record, collection)), []).append(record)
    found[(None, record_key(None))] = [outside(root, rules)]
    return found


def identity(record, collection):
    pointers = collection.get("id", "/id")
    if isinstance(pointers, str):
        return record_key(resolve(record, pointers))
    parts = [resolve(record, pointer) for pointer in pointers]
    if collection.get("idMode") == "first-present":
        return record_key(next((part for part in parts if part is not None), None))
    return record_key(parts)


def outside(root, rules):
    """The root value with every collection emptied (FORMAT.md 3.7)."""
    for collection in rules.collections:
        records = resolve(root, collection.get("at", ""))
        if isinstance(records, list):
            records.clear()
        elif isinstance(records, dict):
            for name in [each for each in records if each not in collection.get("except", [])]:
                del records[name]
    return root


def element_name(value):
    """How a path names an element of a keyed array: quotes where a string reads as something else."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    reads_as_other = value in ("true", "false") or value.startswith('"') or value.lstrip("-").isdigit()
    return json.dumps(value) if reads_as_other else value


def escape(name):
    return name.replace("~", "~0").replace("/", "~1")


def leaves(value, path, rules):
    """(path, frozen value) of everything that merges by itself (docs/MERGING.md section 4)."""
    if isinstance(value, dict) and value:
        for name, each in value.items():
            yield from leaves(each, f"{path}/{escape(name)}", rules)
    elif isinstance(value, list) and path in rules.sets:
        for each in value:
            yield path, ("element", frozen(each))
    elif isinstance(value, list) and path in rules.keyed and all(
            isinstance(each, dict) and resolve(each, rules.keyed[path]) is not None for each in value):
        for each in value:
            name = escape(element_name(resolve(each, rules.keyed[path])))
            yield from leaves(each, f"{path}/{name}", rules)
    else:
        yield path, frozen(value)
