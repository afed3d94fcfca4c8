#!/usr/bin/env python3
"""Run by Tools/faults: carries out the parts and prints the table."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import faults_blocks
import faults_disks
import faults_store
import faults_sweeps
import faults_trace

KINDS = {
    "lostWrite": "lost writes", "unreadable": "unreadable", "nameless": "without a name",
    "stuckLock": "stuck locks", "leftover": "leftovers", "failure": "failures",
}
PARTS = ["power", "mutations", "race", "kills", "errors", "reads", "limits", "full", "trace", "blocks"]
QUICK_WORKS = ["init", "set", "watch --once"]


class Table:
    def __init__(self):
        self.rows, self.notes, self.is_clean = [], [], True

    def add(self, part, tried, found, seconds):
        if any(found.values()):
            self.is_clean = False
        self.rows.append((part, tried, found, seconds))
        say(f"{part}: {tried}, {sum(found.values())} violations, {seconds:.0f} s")

    def note(self, text):
        self.notes.append(text)
        say(text)

    def print(self):
        heads = ["", "tried", *KINDS.values(), "seconds"]
        lines = [
            [part, tried, *(str(found.get(kind, 0)) for kind in KINDS), f"{seconds:.0f}"]
            for part, tried, found, seconds in self.rows
        ]
        widths = [max(len(line[i]) for line in [heads, *lines]) for i in range(len(heads))]
        for line in [heads, *lines]:
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
        for text in self.notes:
            print(text)


def say(text):
    print(text, file=sys.stderr, flush=True)


def inside(options, *words):
    """A part that runs inside one process of Sources/Faults."""
    done = subprocess.run(
        [os.path.join(options.static, "Faults"), *words], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"Faults {words[0]} ended with {done.returncode}")
    return json.loads(done.stdout)


def power(options, table, directory):
    begin = time.monotonic()
    effort = "quick" if options.quick else "full"
    found = inside(options, "power", "--effort", effort, "--seed", str(options.seed))
    tried = f"{found['cuts']} moments, {found['states']} disks, {found['recoveryStates']} in recoveries"
    table.add("power cuts in memory", tried, {kind: found[kind] for kind in KINDS}, time.monotonic() - begin)


def mutations(options, table, directory):
    begin = time.monotonic()
    found = inside(options, "mutations")
    tried = f"{found['flaws']} known-bad variants, {found['flaws'] - found['unnoticed']} noticed"
    table.add("the check itself", tried, {"failure": found["unnoticed"]}, time.monotonic() - begin)


def race(options, table, directory):
    begin = time.monotonic()
    versions = options.versions or (1000 if options.quick else 10_000)
    found = inside(options, "race", directory, "--versions", str(versions))
    tried = (f"{found['versions']} versions, {found['replacements']} replacements, "
             f"{found['caught']} caught; a plain rename lost {found['plainLost']}")
    table.add("a program that writes meanwhile", tried, {"nameless": found["lost"]}, time.monotonic() - begin)
    if found["plainLost"] == 0:
        table.note("The race was not real: a plain rename lost nothing either.")
        table.is_clean = False


def collect(name, unit, sweeps, table):
    """Carries out sweeps and makes one row of them."""
    begin, points, found, commands = time.monotonic(), 0, {}, 0
    for sweep in sweeps:
        commands += 1
        points += sweep.points
        for kind, text in sweep.complaints[:5]:
            say(f"  {kind}: {text}")
        for kind, _ in sweep.complaints:
            found[kind] = found.get(kind, 0) + 1
        say(f"  {name}, {sweep.work.name}: {sweep.points} points, {len(sweep.complaints)} violations")
    if commands == 0:
        table.note(f"{name}: not possible on this machine")
        return
    table.add(name, f"{points} {unit} in {commands} commands", found, time.monotonic() - begin)


def control(name, sweeps, table):
    """The same with a known-bad variant: a look that finds nothing would prove nothing."""
    begin, points, found = time.monotonic(), 0, 0
    for sweep in sweeps:
        points += sweep.points
        found += len(sweep.complaints)
    missed = 1 if points and not found else 0
    table.add(f"the check itself, {name}", f"without any sync {found} violations in {points}",
              {"failure": missed}, time.monotonic() - begin)


def kills(options, table, directory):
    if options.quick:
        sweeps = faults_sweeps.kills(options.executable, directory, options.works, 5, faults_store.LASTING)
        collect("SIGKILL", "kills", sweeps, table)
        table.note("SIGKILL: on the working file system, at every fifth call that changes the disk")
        return
    every = options.every
    sweeps = faults_sweeps.kills(options.executable, directory, options.works, every, "%file,%desc")
    collect("SIGKILL", "kills", sweeps, table)
    for kind in faults_disks.MEGABYTES:
        with faults_disks.mounted(kind, directory) as place:
            if place is None:
                table.note(f"SIGKILL on {kind}: this machine does not allow it; only the working file system")
                continue
            sweeps = faults_sweeps.kills(
                options.executable, place, options.works, every, faults_store.LASTING)
            collect(f"SIGKILL on {kind}", "kills", sweeps, table)


def errors(options, table, directory):
    every = 41 if options.quick else options.every
    sweeps = faults_sweeps.errors(options.executable, directory, options.works, every)
    collect("errors of calls", "errors", sweeps, table)


def reads(options, table, directory):
    every = 97 if options.quick else options.every
    sweeps = faults_sweeps.errors(
        options.executable, directory, options.works, every, faults_sweeps.READ_ERRORS)
    collect("errors of reading calls", "errors", sweeps, table)


def limits(options, table, directory):
    step = 512 if options.quick else 64
    sweeps = faults_sweeps.limits(options.executable, directory, options.works, step)
    collect("files that may not grow", "limits", sweeps, table)


def full(options, table, directory):
    lefts = range(0, 40, 8) if options.quick else range(0, 48)
    sweeps = faults_disks.full(options.executable, directory, options.works, lefts)
    collect("a full disk", "fillings", sweeps, table)
    collect("a read-only disk", "remounts", faults_disks.read_only(options.executable, directory), table)


def trace(options, table, directory):
    limit, samples, most = (2, 2, 40) if options.quick else (6, 32, 4000)
    sweeps = faults_trace.traces(options.executable, directory, options.works, options.seed, limit, samples, most)
    collect("power cuts of traces", "disks", sweeps, table)
    bad = faults_trace.traces(options.executable, directory, ["set"], options.seed, 1, 4, 24, syncs=False)
    control("traces", bad, table)


def blocks(options, table, directory):
    if options.quick:
        table.note("block images: only in full")
        return
    for kind in faults_blocks.MEGABYTES:
        place = os.path.join(directory, kind)
        os.makedirs(place)

        def sweeps(count, before=()):
            yield faults_blocks.blocks(options.executable, place, kind, count, options.seed, before)

        try:
            collect(f"block images of {kind}", "images", sweeps(options.images), table)
            control(f"blocks of {kind}", sweeps(12, faults_blocks.WITHOUT_SYNC), table)
        except faults_blocks.Impossible as reason:
            table.note(f"block images of {kind}: not possible on this machine: {reason}")


def main():
    parser = argparse.ArgumentParser(prog="Tools/faults")
    parser.add_argument("--static", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--commands")
    parser.add_argument("--executable")
    parser.add_argument("--versions", type=int)
    parser.add_argument("--images", type=int, default=100)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    names = [work.name for work in faults_store.WORKS]
    options.works = options.commands.split(",") if options.commands else QUICK_WORKS if options.quick else names
    for name in options.works:
        if name not in names:
            parser.error(f"there is no command {name}; there are {', '.join(names)}")
    options.executable = os.path.realpath(options.executable or os.path.join(options.static, "replicator"))
    wanted = options.only.split(",") if options.only else PARTS
    unknown = [part for part in wanted if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]}; there are {' '.join(PARTS)}")
    for name in ("REPLICATOR_STORE", "REPLICATOR_NODE"):
        os.environ.pop(name, None)
    table = Table()
    for part in PARTS:
        if part in wanted:
            with tempfile.TemporaryDirectory(prefix="replicator-faults-") as directory:
                globals()[part](options, table, os.path.realpath(directory))
    table.print()
    sys.exit(0 if table.is_clean else 1)


if __name__ == "__main__":
    main()
