#!/usr/bin/env python3
"""The run of Tools/chaos: start, disturb, settle, audit."""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from audit_main import audit
from chaos_faults import Carrier, Disk, Notary, SmallQueue
from chaos_files import LIBC
from chaos_world import World


def end_with_us():
    """PR_SET_PDEATHSIG: a run that is killed leaves no processes."""
    LIBC.prctl(1, signal.SIGKILL)


class Process:
    """One process of the run, started again when it was killed."""

    def __init__(self, name, argv, environment, output):
        self.name, self.argv, self.environment, self.output = name, argv, environment, output
        self.is_watch = name.startswith("watch")
        self.is_ours, self.stopped_until, self.again_at = False, None, None
        self.start()

    def start(self):
        self.again_at = None
        with open(self.output, "ab") as file:
            self.process = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=file, stderr=file, preexec_fn=end_with_us,
                env={**os.environ, **self.environment})

    def signal(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self, again_at):
        self.go_on()
        self.signal(signal.SIGKILL)
        self.process.wait()
        self.again_at = again_at

    def stop(self, until):
        self.signal(signal.SIGSTOP)
        self.stopped_until = until

    def go_on(self):
        if self.stopped_until is not None:
            self.signal(signal.SIGCONT)
            self.stopped_until = None

    def end(self, seconds):
        """Asks it to end; what it ended with, None where it had to be killed."""
        self.go_on()
        self.signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def tail(self):
        with open(self.output, "rb") as file:
            return file.read()[-600:].decode("utf-8", "replace")


class Run:
    def __init__(self, directory, options, seed):
        self.options, self.seed, self.directory = options, seed, directory
        self.chance = random.Random(seed)
        self.complaints, self.did = [], {"kills": 0, "stops": 0}
        self.disk = Disk(os.path.join(directory, "three"), self.chance)
        self.world = World(directory, options)
        self.processes = []

    def complain(self, kind, where, text):
        with open(os.path.join(self.world.records, "complaints"), "a", encoding="utf-8") as file:
            file.write(json.dumps({"kind": kind, "where": where, "text": text}) + "\n")

    def start(self):
        self.world.prepare()
        self.carrier = Carrier(self.world.roots, self.chance)
        self.notary = Notary(self.carrier, os.path.join(self.world.records, "notary"))
        output = os.path.join(self.directory, "output")
        os.makedirs(output)
        with SmallQueue(self.options.queue) as queue:
            for name, root, node, words in self.world.watches():
                self.add(name, [*self.world.argv(root, node), "watch", *words],
                         self.world.environment(node), output)
            time.sleep(1)
        self.queue = self.options.queue if queue.is_made else None
        for name, kind, words in self.world.programs():
            self.add(name, self.world.client_argv(kind, words), {}, output)

    def add(self, name, argv, environment, output):
        self.processes.append(Process(name, argv, environment, os.path.join(output, name + ".txt")))

    def disturb(self):
        """Until the time is over."""
        start = time.monotonic()
        end = start + self.options.seconds
        next_fault, next_notary, freed = start + 1, start, None
        while (now := time.monotonic()) < end:
            self.look_after(now)
            self.carrier.step()
            if now >= next_notary:
                self.notary.step()
                next_notary = now + 1
            if freed is not None and now >= freed:
                self.disk.free()
                freed = None
            if now >= next_fault:
                if self.chance.random() < 0.15 and freed is None:
                    self.disk.fill()
                    freed = now + self.chance.uniform(0.5, 2)
                else:
                    self.fault(now)
                next_fault = now + self.chance.uniform(0.2, 1.2)
            time.sleep(self.chance.uniform(0.1, 0.4))
        self.disk.free()

    def fault(self, now):
        one = self.chance.choice(self.processes)
        if one.again_at is not None or one.stopped_until is not None:
            return
        # The library of wrong clocks has a lock that a killed process would keep for ever.
        if self.chance.random() < 0.6 and not one.environment:
            one.kill(now + self.chance.uniform(0, 2))
            self.did["kills"] += 1
        else:
            one.stop(now + self.chance.uniform(0.3, 4))
            self.did["stops"] += 1

    def look_after(self, now):
        for one in self.processes:
            if one.stopped_until is not None and now >= one.stopped_until:
                one.go_on()
            if one.again_at is not None:
                if now >= one.again_at:
                    one.start()
            elif (code := one.process.poll()) is not None:
                self.complain("crash", one.name, f"ended by itself with {code}: {one.tail()}")
                one.start()

    def settle(self):
        """Programs end, then everything is carried and taken in until nothing is new any more."""
        end = time.monotonic() + self.options.settle
        for one in self.processes:
            one.go_on()
            if one.again_at is not None and one.is_watch:
                one.start()
        for one in self.processes:
            if not one.is_watch:
                one.signal(signal.SIGTERM)
        for one in self.processes:
            if not one.is_watch and one.again_at is None and one.end(60) not in (0, -15):
                self.complain("crash", one.name, f"did not end well: {one.tail()}")
        self.notary.step()
        quiet = 0
        while quiet < 2 and time.monotonic() < end:
            before = self.sizes()
            self.carrier.carry_all()
            # One 'sync' does the work of all nodes of its machine.
            for root, nodes in self.world.nodes.items():
                self.sync(root, nodes[0], end)
            quiet = quiet + 1 if self.sizes() == before else 0
        if quiet < 2:
            self.complain("unsettled", "all", "logs still grow, or sync does not end")
        for one in self.processes:
            if one.is_watch and (code := one.end(60)) != 0:
                self.complain("crash", one.name, f"watch ended with {code}: {one.tail()}")
        self.carrier.carry_all()
        self.notary.step()
        for root in self.world.roots:
            try:
                done = self.world.run(root, self.world.nodes[root][0], "verify")
            except subprocess.TimeoutExpired:
                self.complain("hang", root, "verify did not end in 60 s")
                continue
            if done.returncode != 0:
                self.complain("verify", root, (done.stdout + done.stderr)[-1500:])

    def sync(self, root, node, end):
        left = max(end - time.monotonic(), 5)
        try:
            done = self.world.run(root, node, "--quiet", "sync", "--wait", timeout=left)
        except subprocess.TimeoutExpired:
            self.complain("hang", node, f"sync did not end in {left:.0f} s")
            return
        if done.returncode != 0:
            self.complain("sync", node, f"{done.returncode}: {done.stderr}")

    def sizes(self):
        return sorted((root, name, os.stat(os.path.join(self.carrier.nodes(root), name)).st_size)
                      for root in self.world.roots for name in self.carrier.files(root))

    def end(self):
        for one in self.processes:
            one.go_on()
            if one.process.poll() is None:
                one.process.kill()
                one.process.wait()
        self.disk.free()
        self.world.end()


def one_run(options, seed):
    directory = tempfile.mkdtemp(prefix="replicator-chaos.")
    run = Run(directory, options, seed)
    times = [time.monotonic()]
    try:
        run.start()
        times.append(time.monotonic())
        run.disturb()
        times.append(time.monotonic())
        run.settle()
        times.append(time.monotonic())
        found, counts = audit(run.world.roots, run.world.records)
        times.append(time.monotonic())
    finally:
        run.end()
        if "found" in locals() and (not found and not options.keep):
            run.disk.unmount()
            shutil.rmtree(directory)
        elif run.disk.kind:
            keep_disk(run)
    spent = dict(zip(("start", "run", "settle", "audit"),
                     (round(b - a, 1) for a, b in zip(times, times[1:]))))
    return {"seed": seed, "processes": len(run.processes), **run.did, "fillings": run.disk.fillings,
            "carried": run.carrier.carried, "disk": run.disk.kind, "queue": run.queue,
            "clocks": sorted(clock.offset for clock in run.world.fakes.values()), **counts, "seconds": spent,
            "directory": directory if os.path.exists(directory) else None,
            "violations": [{"kind": kind, "where": where, "text": text} for kind, where, text in found]}


def keep_disk(run):
    """What is to be looked at later must not need a mount."""
    copy = run.disk.place + ".kept"
    shutil.copytree(run.disk.place, copy, symlinks=True, ignore=shutil.ignore_patterns("lost+found"))
    run.disk.unmount()
    os.rmdir(run.disk.place)
    os.rename(copy, run.disk.place)


def say(result):
    skipped = [text for is_there, text in (
        (result["disk"], "no disk filled: mounting is not allowed here"),
        (result["queue"], "no small inotify queue: it cannot be set here"),
        (result["clocks"], "no clock faked: libfaketime or a dynamic executable is missing"),
    ) if not is_there]
    for text in skipped:
        print(f"  skipped: {text}")
    print(f"  seed {result['seed']}: {result['processes']} processes, {result['kills']} killed,"
          f" {result['stops']} stopped, disk filled {result['fillings']} times,"
          f" {result['carried']} files carried; {result['transactions']} transactions,"
          f" {result['entries']} entries, {result['values']} values in logs, {result['written']} written"
          f" by programs, {result['unseen']} replaced by others unseen;"
          f" {', '.join(f'{name} {each} s' for name, each in result['seconds'].items())}")
    for one in result["violations"][:25]:
        print(f"  {one['kind']}: {one['where']}: {one['text'][:400]}")
    if result["directory"]:
        print(f"  kept: {result['directory']}")


def main():
    parser = argparse.ArgumentParser(prog="Tools/chaos")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--pause", type=float, default=1)
    parser.add_argument("--queue", type=int, default=16)
    parser.add_argument("--settle", type=float, default=120)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--executable", required=True)
    parser.add_argument("--client", required=True)
    parser.add_argument("--shipped", required=True)
    parser.add_argument("--dynamic")
    options = parser.parse_args()
    if options.dynamic and not (shutil.which("faketime") and os.access(options.dynamic, os.X_OK)):
        options.dynamic = None
    violations, first = 0, options.seed
    for seed in range(first, first + options.runs):
        options.seed = seed
        result = one_run(options, seed)
        violations += len(result["violations"])
        if options.json:
            print(json.dumps(result))
        else:
            say(result)
        sys.stdout.flush()
    print(json.dumps({"runs": options.runs, "violations": violations, "seed": first}) if options.json
          else f"{options.runs} runs, {violations} violations, seed {first}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
