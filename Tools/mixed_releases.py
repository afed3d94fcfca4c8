#!/usr/bin/env python3
"""What Tools/mixed-releases runs: four writers, two of them in plain files, and an audit.

The hosts carry what neither release knows: members at three depths, raw values that no release writes, and
numbers that a lossy reader would change. The writers are host-manager-1 and host-manager-2 through the
store, and the same two with --file in files of their own, which two `replicator watch` follow.

Audited: every such member and raw value stands byte for byte in every document; all documents are equal;
every acknowledged write of the library is shown or in the history; so is every write to a plain file, or the
program that wrote it wrote the same field again later (what it had seen itself and replaced is no loss).
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

FUTURE = [
    '"region": {"zone": "a", "racks": [1.50, {"deep": 98765432109876543210}]}',
    '"quota": 12345678901234567890',
    '"later": "\\u00e9\\/x"',
    '"compression": "zstd-%d"',
    '"retries": {"max": 1e2, "step-%d": null}',
    '"kind": "dynamic-%d"',
    '"note": "tunnel %d"',
]


def host(number):
    future = [text % number if "%d" in text else text for text in FUTURE]
    return (
        '{"id": "host-%d", "name": "h", "hostname": "h.example.org", %s, %s, %s, '
        '"options": {%s, %s}, "tunnels": [{"name": "own", %s, "listen": 1, %s}]}'
        % (number, *future)
    )


class Trial:
    def __init__(self, options, directory):
        self.options = options
        self.root = directory / "store"
        self.files = [directory / "third" / "hosts.json", directory / "fourth" / "hosts.json"]
        self.failures = []

    def program(self, name):
        return str(pathlib.Path(self.options.programs) / name)

    def replicator(self, *words, node="one"):
        done = subprocess.run(
            [self.program("replicator"), "-C", str(self.root), "--node", node, *words],
            capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"replicator {words}: {done.stderr}")
        return done.stdout

    def prepare(self):
        self.root.mkdir()
        hosts = ",\n    ".join(host(number) for number in range(self.options.hosts))
        (self.root / "hosts.json").write_text(
            '{\n  "schemaVersion": 1,\n  "items": [\n    %s\n  ]\n}\n' % hosts)
        self.replicator("init", str(self.root))
        for node, file in zip(("three", "four"), self.files):
            file.parent.mkdir()
            self.replicator("add", str(file), "--name", "hosts", node=node)

    def write(self):
        count = str(max(1, self.options.writes // 4))
        watches = [
            subprocess.Popen(
                [self.program("replicator"), "-C", str(self.root), "--node", node, "watch"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for node in ("three", "four")
        ]
        store, (third, fourth) = str(self.root), map(str, self.files)
        pause = ["--pause", str(self.options.pause)]
        loops = [
            ["host-manager-1", store, "--node", "one", "loop", "--seed", "1"],
            ["host-manager-2", store, "--node", "two", "loop", "--seed", "2"],
            ["host-manager-1", "--file", third, "loop", "--seed", "3", *pause],
            ["host-manager-2", "--file", fourth, "loop", "--seed", "4", *pause],
        ]
        running = [
            subprocess.Popen(
                [self.program(words[0]), *words[1:], "--count", count],
                stdout=subprocess.PIPE, text=True)
            for words in loops
        ]
        self.written = []
        for number, process in enumerate(running):
            output, _ = process.communicate()
            if process.returncode:
                self.failures.append(f"writer {number + 1} ended with {process.returncode}")
            self.written.append([line.split(" ", 3)[1:] for line in output.splitlines()])
        for _ in range(3):
            for node in ("one", "two", "three", "four"):
                self.replicator("sync", node=node)
        for watch in watches:
            watch.terminate()
            if watch.wait():
                self.failures.append(f"a watch ended with {watch.returncode}")

    def audit(self):
        documents = [path.read_text() for path in (self.root / "hosts.json", *self.files)]
        documents.append(self.replicator("export", "hosts"))
        if len(set(documents)) != 1:
            self.failures.append("the documents differ")
        lost = 0
        for number in range(self.options.hosts):
            for text in FUTURE:
                part = text % number if "%d" in text else text
                # What is in a list that a program wrote may have another layout, not other tokens.
                pattern = r"\s*".join(map(re.escape, re.findall(r'"[^"]*"|[^\s"]', part)))
                expected = self.options.hosts if "%d" not in text else 1
                for document in documents[:1] if number else documents:
                    if len(re.findall(pattern, document)) < expected:
                        lost += 1
                        self.failures.append(f"lost: {part}")
        known = self.history() | self.shown(documents[0])
        unexplained = 0
        for number, writes in enumerate(self.written):
            last = {(record, field): index for index, (record, field, _) in enumerate(writes)}
            for index, (record, field, text) in enumerate(writes):
                replaced = number >= 2 and last[record, field] > index
                if not replaced and not known & self.values(record, field, text):
                    unexplained += 1
                    self.failures.append(f"writer {number + 1}: {record} {field} {text} is gone")
        verify = self.replicator("verify")
        if "no damage" not in verify:
            self.failures.append(verify)
        return lost, unexplained

    @staticmethod
    def values(record, field, text):
        """How a write of a field stands in the history, as (record, text of a value)."""
        if field == "tags":
            return {(record, json.dumps(text.split(","))), (record, "tag " + text.split(",")[1])}
        if field == "tunnel":
            return {(record, "listen " + text.split(",")[1])}
        return {(record, text if field == "port" else json.dumps(text))}

    def flatten(self, record, value):
        """Every value in a value, as `values` spells them."""
        yield record, json.dumps(value)
        if isinstance(value, dict):
            if "listen" in value:
                yield record, f"listen {value['listen']}"
            for inner in value.values():
                yield from self.flatten(record, inner)
        elif isinstance(value, list):
            for inner in value:
                yield record, f"tag {inner}"
                yield from self.flatten(record, inner)

    def shown(self, document):
        found = set()
        for item in json.loads(document)["items"]:
            found.update(self.flatten(item["id"], item))
        return found

    def history(self):
        found = set()
        for line in self.replicator("log", "--all", "--json").splitlines():
            entry = json.loads(line)
            for side in [entry.get("kept")] + entry.get("discarded", []):
                if side and "value" in side:
                    found.update(self.flatten(entry.get("record"), side["value"]))
        return found


def main():
    parser = argparse.ArgumentParser(prog="Tools/mixed-releases", description=__doc__.split("\n")[0])
    parser.add_argument("--writes", type=int, default=10_000, help="of all four writers together")
    parser.add_argument("--hosts", type=int, default=40)
    parser.add_argument("--pause", type=int, default=20, help="of the plain programs, milliseconds")
    parser.add_argument("--programs", default=".build/debug", help="where the programs were built")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        trial = Trial(options, pathlib.Path(directory))
        trial.prepare()
        start = time.monotonic()
        trial.write()
        seconds = time.monotonic() - start
        lost, unexplained = trial.audit()
    for failure in trial.failures[:20]:
        print(failure)
    acknowledged = sum(map(len, trial.written))
    print(
        f"{acknowledged} writes by four writers in {seconds:.0f} s: {lost} lost fields and raw values,"
        f" {unexplained} writes without a trace, {'all' if not trial.failures else 'not all'} is well")
    sys.exit(1 if trial.failures else 0)


main()
