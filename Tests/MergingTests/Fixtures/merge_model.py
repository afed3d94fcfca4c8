#!/usr/bin/env python3
"""docs/MERGING.md sections 2 to 5 once more, in another language and by another hand.

  merge_model.py WORLDS       state and journal of every world, one JSON line for each line of WORLDS

It is slow, short, and a function of the set of transactions: nothing here knows an order of
arrival. `ReferenceModelTests.swift` makes worlds, has them evaluated here in one process, and
compares with the engine. Not modelled: sets, groups, keyed arrays, volatile members, the order of
records, duplicate ids, forks.

A world is a list of transactions on one record, each with one write:
  {"node": 1, "stamp": 4, "seen": [0, 2], "kind": "create" | "set" | "delete",
   "incarnation": the number of the creating transaction or null for the adopted one,
   "path": ["a", "b"], "value": JSON (absent where it removes), "class": 0 | 1 | 2}
Its number is its place in the list; `seen` has the numbers of what its author had seen.

The answer: {"state": JSON or null where there is no record, "journal": [[kind, loser, path]]}; a
path of null is the record as a whole.
"""
import json
import sys
from collections import namedtuple

REMOVED, OBJECT = '<removed>', '<object>'  # what a leaf can be beside a scalar
FILL, ADOPTED, EXPLICIT = 0, 1, 2          # classes of operations
ADOPTION = None                            # the one incarnation that all adoptions of an id share

# One leaf of a write: `root` is the path of the write, `path` that of the leaf.
Op = namedtuple('Op', 'tx kind incarnation root path value rank seen')


def leaves(path, value):
    """The leaves of a value; an object is a leaf of its own beside those in it."""
    if isinstance(value, dict):
        yield path, OBJECT
        for name, member in value.items():
            yield from leaves(path + (name,), member)
    else:
        yield path, value


def operations(world):
    ops = []
    for number, write in enumerate(world):
        rank = (write['class'], write['stamp'], write['node'], number)
        root = tuple(write['path'])
        for path, value in leaves(root, write.get('value', REMOVED)):
            ops.append(Op(number, write['kind'], write['incarnation'], root, path, value, rank,
                          frozenset(write['seen'])))
    return ops


def is_above(upper, lower):
    """Whether a path lies at or above another."""
    return lower[:len(upper)] == upper


def are_concurrent(x, y):
    return x.tx != y.tx and x.tx not in y.seen and y.tx not in x.seen


def revives(op):
    """Only what was written on purpose stands against a deletion that did not see it."""
    return op.kind != 'delete' and op.rank[0] == EXPLICIT


# ---- incarnations ----------------------------------------------------------------------------


def creations(ops):
    """The operation that says the rank of each incarnation; of adoptions the greatest."""
    found = {}
    for op in ops:
        if op.kind != 'create' or op.path != ():
            continue
        if op.incarnation not in found or op.rank > found[op.incarnation].rank:
            found[op.incarnation] = op
    return found


def members(ops, incarnation):
    return {op.path: op.value for op in ops if op.kind == 'create' and op.incarnation == incarnation}


def is_live(ops, incarnation):
    mine = [op for op in ops if op.incarnation == incarnation and op.kind != 'delete']
    deletions = [op for op in ops if op.kind == 'delete']
    if not deletions:
        return bool(mine)
    return any(revives(op) and not any(op.tx in deletion.seen for deletion in deletions)
               for op in mine)


def has_seen(creation, ops, incarnation):
    """Whether the author of a creation had seen another incarnation, and so supersedes it."""
    return creation.incarnation not in (ADOPTION, incarnation) and any(
        op.tx in creation.seen for op in ops
        if op.kind == 'create' and op.incarnation == incarnation)


def shown_incarnations(ops):
    """What is shown of an id: the greatest creation, equal ones, and the adoptions."""
    known = creations(ops)
    candidates = [incarnation for incarnation in known if is_live(ops, incarnation)
                  and not any(has_seen(other, ops, incarnation) for other in known.values())]
    own = sorted((i for i in candidates if i is not ADOPTION), key=lambda i: known[i].rank)
    shown = [i for i in reversed(own) if members(ops, i) == members(ops, own[-1])]
    return shown + [ADOPTION] * (ADOPTION in candidates)


# ---- values ----------------------------------------------------------------------------------


def heads(ops):
    """What nobody covers: an author covers what he had seen at and below the path he wrote."""
    return [op for op in ops if not any(
        op.tx in later.seen and is_above(later.root, op.path) for later in ops)]


def value_at(path, ops):
    """The value that heads leave at a path, or REMOVED."""
    here = [op for op in ops if op.path == path]
    below = [op for op in ops if len(op.path) > len(path)]
    objects = [op.rank for op in here if op.value == OBJECT]
    objects += [op.rank for op in below if op.value != REMOVED]
    scalars = [op for op in here if op.value not in (OBJECT, REMOVED)]
    scalar = max(scalars, key=lambda op: op.rank, default=None)
    if objects and (scalar is None or max(objects) > scalar.rank):
        names = {op.path[len(path)] for op in below}
        inner = {name: value_at(path + (name,), [op for op in below if op.path[len(path)] == name])
                 for name in names}
        return {name: value for name, value in inner.items() if value != REMOVED}
    if objects:
        return scalar.value
    best = max(here, key=lambda op: op.rank, default=None)
    return REMOVED if best is None else best.value


def state(ops):
    shown = shown_incarnations(ops)
    if not shown:
        return None
    value = value_at((), heads([op for op in ops
                                if op.kind != 'delete' and op.incarnation in shown]))
    return value if isinstance(value, dict) else {}


# ---- journal ---------------------------------------------------------------------------------


def place(op):
    """Where an entry about a whole write lies."""
    return None if op.kind == 'create' else op.root


def are_one(x, y, ops):
    """Whether two incarnations can show as one record, so that their members clash."""
    if x.incarnation == y.incarnation:
        return True
    known = creations(ops)
    if ADOPTION in (x.incarnation, y.incarnation):
        own = known[y.incarnation if x.incarnation is ADOPTION else x.incarnation]
        return not has_seen(own, ops, ADOPTION)
    return are_concurrent(known[x.incarnation], known[y.incarnation]) and (
        members(ops, x.incarnation) == members(ops, y.incarnation))


def lost_to(x, y, ops):
    """The entries for what x lost to y, which is concurrent with it."""
    if x.kind == 'delete':
        return [('delete-edit', x.tx, None)] if revives(y) else []
    if y.kind == 'delete':
        return [] if revives(x) else [('delete-edit', x.tx, place(x))]
    if not are_one(x, y, ops):
        return []
    if x.value == REMOVED:
        if y.value == OBJECT and y.path == x.path or (
                y.value != REMOVED and y.path != x.path and is_above(x.path, y.path)):
            return [('delete-edit', x.tx, x.path)]
    if x.rank > y.rank:
        return []
    if x.path == y.path and OBJECT not in (x.value, y.value):
        return [('concurrent', x.tx, x.path)] if x.value != y.value else []
    if REMOVED in (x.value, y.value) or x.value == y.value == OBJECT:
        return []
    if x.value != OBJECT and is_above(x.path, y.path):
        return [('type-change', x.tx, x.path)]
    if y.value != OBJECT and is_above(y.path, x.path):
        # An object that was written as a whole is one entry.
        return [('type-change', x.tx, max(x.root, y.path, key=len))]
    return []


def journal(ops):
    entries = set()
    for x in ops:
        for y in ops:
            if are_concurrent(x, y):
                entries.update(lost_to(x, y, ops))
    known = creations(ops)
    own = {i: op for i, op in known.items() if i is not ADOPTION}
    for a in own.values():
        for b in own.values():
            if are_concurrent(a, b) and a.rank < b.rank and (
                    members(ops, a.incarnation) != members(ops, b.incarnation)):
                entries.add(('create-create', a.tx, None))
    for x in ops:  # what was written to an incarnation that a creation had replaced meanwhile
        for b in own.values():
            if x.kind != 'delete' and are_concurrent(x, b) and has_seen(b, ops, x.incarnation):
                entries.add(('create-create', x.tx, place(x)))
    return entries


def main():
    for line in open(sys.argv[1], encoding='utf-8'):
        ops = operations(json.loads(line))
        entries = [(kind, tx, None if path is None else list(path))
                   for kind, tx, path in journal(ops)]
        print(json.dumps({'state': state(ops), 'journal': entries}))


if __name__ == '__main__':
    main()
