#!/usr/bin/env python3
"""The plain programs of Tools/chaos, and loops over replicator's own commands. Each is one process:
  chaos_clients.py KIND '{"name":…,"seed":…,…}'
and works until SIGTERM. Each value that one writes is written by nobody else."""
import json
import os
import random
import signal
import subprocess
import sys
import time

from chaos_files import (
    EXPECTED, SAVES, Recorder, Spelt, dump_exactly, load_exactly, read_file, recover)

RELEASE_1 = ["id", "name", "hostname", "port", "username", "connectionMethod", "identity", "jump", "tags",
             "options", "createdAt", "updatedAt"]
RELEASE_2 = [*RELEASE_1, "tunnels"]
TEXTS = ["name", "username", "identity", "jump"]

is_over = False


def end(*_):
    global is_over
    is_over = True


class Program:
    def __init__(self, kind, words):
        self.kind, self.words, self.name = kind, words, words["name"]
        self.recorder = Recorder(
            os.path.join(words["records"], self.name + ".jsonl"), client=self.name, kind=kind,
            document=words["document"], collection="items", path=words.get("path"),
            direct=words.get("direct", False), reads=words.get("reads", True))
        self.chance = random.Random(f"{words['seed']} {self.name} {self.recorder.number}")

    def complain(self, kind, text):
        line = json.dumps({"kind": kind, "where": self.name, "text": text}) + "\n"
        with open(os.path.join(self.words["records"], "complaints"), "a") as file:
            file.write(line)

    def value(self):
        """A text that nobody else writes."""
        return f"{self.name} {self.recorder.number + 1}"

    def run(self):
        while not is_over:
            time.sleep(self.chance.uniform(0.4, 1.6) * self.words["pause"])
            if not is_over:
                self.step()


class Rewriter(Program):
    """Reads the whole file, changes one thing, writes the whole file."""

    def __init__(self, kind, words):
        super().__init__(kind, words)
        self.path = words["path"]
        self.model = None
        recover(self.path, self.name, self.recorder)

    def step(self):
        try:
            old = read_file(self.path)
            document = self.load(old)
        except (OSError, ValueError):
            # Absent or in the middle of somebody's write: a person would try again.
            return
        if not document.get("items"):
            return
        # A person looks at the screen.
        time.sleep(self.chance.choice((0, 0, 0.05, 0.3)) * self.words["pause"])
        edits = self.edit(document)
        new = self.dump(document, old)
        if new is None:
            return
        old = self.based_on(old, new)
        try:
            SAVES[self.words["save"]](self.path, self.name, old, new, edits, self.recorder)
        except OSError as error:
            if error.errno not in EXPECTED:
                raise
            recover(self.path, self.name, Recorder(self.recorder_path()))

    def recorder_path(self):
        return os.path.join(self.words["records"], self.name + ".jsonl")

    def load(self, data):
        return load_exactly(data)

    def dump(self, document, old):
        return (dump_exactly(document) + "\n").encode()

    def based_on(self, old, new):
        return old

    def edit(self, document):
        record = self.chance.choice(document["items"])
        member = self.chance.choice(self.words.get("members", TEXTS))
        edit = {"record": record["id"], "path": "/" + member, "value": self.value()}
        if member in record:
            edit["old"] = record[member]
        record[member] = edit["value"]
        return [edit]


class Closed(Rewriter):
    """A release that drops every member it does not know, and takes unknown values for 'ssh'."""

    def dump(self, document, old):
        known = RELEASE_1 if self.kind == "release-1" else RELEASE_2
        methods = ("ssh", "mosh") if self.kind == "release-1" else ("ssh", "mosh", "et")
        items = []
        for record in document["items"]:
            kept = {name: record[name] for name in known if name in record}
            if kept.get("connectionMethod", "ssh") not in methods:
                kept["connectionMethod"] = "ssh"
            items.append(kept)
        closed = {"schemaVersion": document["schemaVersion"], "items": items}
        return (dump_exactly(closed) + "\n").encode()


class Naive(Rewriter):
    """json.loads and json.dumps: numbers are doubles."""

    def load(self, data):
        return json.loads(data, parse_int=lambda text: int(float(text)) if len(text) > 15 else int(text))

    def dump(self, document, old):
        return json.dumps(document, indent=1).encode()


class Filter(Rewriter):
    """jq, as in a shell script."""

    def edit(self, document):
        self.edits = super().edit(document)
        return self.edits

    def dump(self, document, old):
        edit = self.edits[0]
        done = subprocess.run(
            ["jq", "--arg", "v", edit["value"], "--argjson", "id", json.dumps(edit["record"]),
             f".items |= map(if .id == $id then {edit['path'].replace('/', '.')} = $v else . end)"],
            input=old, capture_output=True)
        return done.stdout if done.returncode == 0 else None


class Stale(Rewriter):
    """Hardly ever reads again: what it writes is its own model."""

    def load(self, data):
        if self.model is None or self.chance.random() < 0.03:
            self.model, self.read = load_exactly(data), data
        return self.model

    def dump(self, document, old):
        return (dump_exactly(document) + "\n").encode()

    def based_on(self, old, new):
        before, self.read = self.read, new
        return before


class Sorter(Rewriter):
    """Writes the list sorted by name."""

    def dump(self, document, old):
        document["items"].sort(key=lambda record: str(record.get("name")))
        return super().dump(document, old)


class Maker(Rewriter):
    """Makes records of its own and removes them again."""

    def edit(self, document):
        mine = [record for record in document["items"] if str(record["id"]).startswith(self.name + "-")]
        if len(mine) > 3 or (mine and self.chance.random() < 0.4):
            record = self.chance.choice(mine)
            document["items"].remove(record)
            return [{"record": record["id"], "delete": record}]
        number = self.recorder.number + 1
        record = {"id": f"{self.name}-{number}", "name": self.value(),
                  "hostname": f"{self.name}-{number}.example.org"}
        document["items"].append(record)
        return [{"record": record["id"], "create": record}]


class Demo(Program):
    """A real program that keeps no record of what it reads: demo-client."""

    def __init__(self, kind, words):
        super().__init__(kind, words)
        self.path = words["path"]

    def step(self):
        try:
            items = json.loads(read_file(self.path))["items"]
        except (OSError, ValueError):
            return
        if not items:
            return
        record, member = self.chance.choice(items)["id"], self.chance.choice(self.words["members"])
        edit = {"record": record, "path": "/" + member, "value": self.value()}
        self.recorder.intent([edit])
        done = subprocess.run(self.command(record, member, edit["value"]), capture_output=True, text=True)
        if done.returncode == 0:
            self.recorder.done()
        else:
            self.recorder.failed(done.stderr.strip())

    def command(self, record, member, value):
        return [self.words["client"], self.words["word"], self.path, self.chance.choice(self.words["ways"]),
                "--think", str(int(self.chance.choice((0, 100, 400)) * self.words["pause"])),
                "--set", record, f"{member}={value}"]


class Application(Demo):
    """An example application of the library that works on the plain file, with no store at all."""

    def command(self, record, member, value):
        return [self.words["client"], "--file", self.path, "set", record, f"{member}={value}"]


class NaiveApplication(Demo):
    """The same as most are written: it drops what it does not know."""

    def command(self, record, member, value):
        return [self.words["client"], self.path, "set", record, value]


class Commands(Program):
    """Writes through replicator; one in ten of its processes is killed at a random moment."""

    def replicator(self, *words):
        process = subprocess.Popen(
            [*self.words["replicator"], "--node", self.words["node"], *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **self.words.get("environment", {})})
        if self.chance.random() < 0.1 and not self.words.get("environment"):
            time.sleep(self.chance.uniform(0, 0.1))
            process.kill()
        try:
            out, said = process.communicate(timeout=90)
        except subprocess.TimeoutExpired:
            process.kill()
            self.complain("hang", f"{words} did not end in 90 s")
            return None, "", ""
        # 75: busy. 2 and 1: no room, or the record was deleted meanwhile.
        if process.returncode not in (0, 1, 2, 75, -9):
            self.complain("crash", f"{words} ended with {process.returncode}: {said[-500:]}")
        return process.returncode, out, said

    def step(self):
        edits, words = self.plan()
        if not words:
            return
        self.recorder.intent(edits)
        code, _, said = self.replicator("--quiet", *words)
        if code == 0:
            self.recorder.done()
        else:
            self.recorder.failed(f"{code}: {said.strip()}")


class Setter(Commands):
    """Release 3: writes members and raw values that the others do not know."""

    def plan(self):
        record, value = f"h{self.chance.randrange(self.words['hosts'])}", self.value()
        member = self.chance.choice(
            ["name", "username", "hostname", "future", "deep", "method", "tags", "tunnels"])
        number = f"{self.words['index']}{self.recorder.number + 1:06}.10"
        path, text = {
            "future": ("/future/exact", Spelt(number)),
            "deep": (f"/future/deep/{self.name}", value),
            "method": ("/connectionMethod", self.chance.choice(["et", "quic", f"raw {value}"])),
            "tags": ("/tags", [value, "kept"]),
            "tunnels": ("/tunnels", [{"name": value, "kind": "local", "listen": 1, "target": "db:1"}]),
        }.get(member, ("/" + member, value))
        spelt = dump_exactly(text).replace("\n", "")
        return ([{"record": record, "path": path, "value": text}],
                ["set", f"{self.words['document']}/{record}", f"{path}:={spelt}"])


class Deleter(Commands):
    """Makes and deletes records of its own."""

    def __init__(self, kind, words):
        super().__init__(kind, words)
        self.mine = []

    def plan(self):
        document = self.words["document"]
        if len(self.mine) > 2 or (self.mine and self.chance.random() < 0.4):
            record = self.mine.pop(self.chance.randrange(len(self.mine)))
            return [{"record": record, "delete": {}}], ["delete", f"{document}/{record}"]
        record = f"{self.name}-{self.recorder.number + 1}"
        self.mine.append(record)
        made = {"id": record, "name": self.value()}
        return [{"record": record, "create": made}], ["set", f"{document}/{record}", f"name={made['name']}"]


class LinkedApplication(Commands):
    """An example application of the library that opens the store."""

    def step(self):
        record = f"h{self.chance.randrange(self.words['hosts'])}"
        member, value = self.chance.choice(self.words["members"]), self.value()
        self.recorder.intent([{"record": record, "path": "/" + member, "value": value}])
        done = subprocess.run(
            [self.words["client"], self.words["store"], "--node", self.words["node"], "set", record,
             f"{member}={value}"], capture_output=True, text=True, timeout=90)
        if done.returncode == 0:
            return self.recorder.done()
        self.recorder.failed(f"{done.returncode}: {done.stderr.strip()}")
        # What it could not do it says, such as that there is no room.
        if done.returncode != 1:
            self.complain("crash", f"{self.name} ended with {done.returncode}: {done.stderr[-500:]}")


class Person(Commands):
    """Looks at the log and settles entries; looks at everything else as well."""

    def plan(self):
        if self.chance.random() < 0.5:
            look = self.chance.choice((["status"], ["log", "-n", "5"], ["list", "hosts"], ["nodes"],
                                       ["verify"], ["backups", "hosts"], ["compact"]))
            code, out, said = self.replicator(*look)
            # The carrier brings the files of a node one by one, its description perhaps last.
            damage = [line for line in out.splitlines()
                      if line.startswith("damage") and "node.json': it is not there" not in line]
            if (code == 2 and not self.words.get("full")) or damage:
                self.complain("failure", f"{look[0]} ended with {code}: {(out + said)[-500:]}")
            return [], None
        code, out, _ = self.replicator("--json", "log", "--open", "-n", "20")
        lines = out.splitlines() if code == 0 else []
        kinds = ("concurrent", "create-create")
        entries = [entry for entry in map(json.loads, lines) if entry["kind"] in kinds]
        if not entries:
            return [], None
        return [], [self.chance.choice(("restore", "dismiss")), self.chance.choice(entries)["id"]]


class Reader(Program):
    """Looks at every version of the documents that it can catch: each must be a whole one."""

    def run(self):
        seen, reads = {}, 0
        while not is_over:
            for path, allows in self.words["paths"]:
                reads += self.look(path, allows, seen)
            time.sleep(0.004)
        self.recorder.write({"reads": reads})

    def look(self, path, allows, seen):
        try:
            with open(path, "rb") as file:
                state = os.fstat(file.fileno())
                mark = (state.st_ino, state.st_size, state.st_mtime_ns)
                if seen.get(path) == mark:
                    return 0
                seen[path] = mark
                data = file.read()
        except FileNotFoundError:
            if "absent" not in allows:
                self.complain("absent", f"{path} was not there")
            return 1
        try:
            json.loads(data)
        except ValueError as error:
            if "torn" not in allows:
                self.complain("torn", f"{path} had {len(data)} bytes that are no JSON: {error}")
        return 1


KINDS = {
    "keeper": Rewriter, "release-1": Closed, "release-2": Closed, "naive": Naive, "jq": Filter,
    "stale": Stale, "sorter": Sorter, "maker": Maker, "demo": Demo, "application": Application,
    "naive-application": NaiveApplication, "linked-application": LinkedApplication, "setter": Setter, "deleter": Deleter,
    "person": Person, "reader": Reader,
}

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end)
    # One process group a program: what it started ends with it.
    KINDS[sys.argv[1]](sys.argv[1], json.loads(sys.argv[2])).run()
