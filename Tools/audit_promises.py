#!/usr/bin/env python3
"""Read by audit_main.py: what programs wrote arrived, and rewrites did only what programs meant."""
import json

from audit_format import frozen
from audit_store import leaves
from audit_values import describe


def spelt(value):
    """The JSON text of a frozen scalar, as it stands in any file; None for other values."""
    if value[0] == "str":
        return json.dumps(value[1], ensure_ascii=False)
    return repr(value[1]) if value[0] == "Number" else None


class Promises:
    def __init__(self, values, records, trouble):
        self.values, self.records, self.trouble = values, records, trouble
        self.stores = values.stores
        self.checked, self.excused, self.intended = 0, 0, {}
        self.leaves = {place: self.written(operations) for place, operations in values.written.items()}
        self.aside = b"".join(data for place in self.stores.places for data in place.set_aside())

    def written(self, operations):
        found = set()
        for operation in operations:
            rules = self.stores.rules.get(operation.document)
            if rules and operation.sign in ("=", "+") and operation.is_readable:
                found |= set(leaves(operation.value, operation.path, rules))
        return found

    def is_known(self, place, path, value):
        leaf = (path, value)
        if leaf in self.leaves.get(place, ()) or leaf in self.values.journaled[place]:
            return True
        text = spelt(value)
        return text is not None and text.encode("utf-8", "surrogatepass") in self.aside

    def check(self):
        for one in self.records.intents:
            if one.is_done:
                self.check_intent(one)
        if self.records.clients:
            for one in self.stores.transactions:
                if one.imported is not None:
                    self.check_import(one)

    def check_intent(self, one):
        for place, path, value in one.new:
            self.checked += 1
            if self.is_known(place, path, value):
                continue
            if not one.client.is_direct and (
                    self.records.may_be_unseen((place, path, value))
                    or self.is_rewritten(one, place, path)):
                self.excused += 1
                continue
            what = "acknowledged" if one.client.is_direct else "written"
            self.trouble.add("vanished", f"{one.client.name} {one.number}",
                             f"{describe(place)}{path} = {value[1]!r} was {what} and is nowhere")
        for place in one.gone:
            self.checked += 1
            operations = self.values.written.get(place, [])
            if one.client.is_direct and not any(each.sign == "x" for each in operations):
                self.trouble.add("vanished", f"{one.client.name} {one.number}",
                                 f"the deletion of {describe(place)} was acknowledged and is in no log")

    def is_rewritten(self, one, place, path):
        """A program that notes no reads replaced its own value before anybody could see it."""
        return not one.client.reads and any(
            other.number > one.number and other.is_done
            and any(new[0] == place and new[1] == path for new in other.new)
            for other in one.client.intents.values())

    def meant(self, document):
        """Which members programs wrote or replaced in a document, and which records they made."""
        if document not in self.intended:
            leaves_of = [leaf for one in self.records.intents
                         if not one.client.is_direct and one.client.document == document
                         for leaf in [*one.new, *one.old]]
            self.intended[document] = ({path.split("/")[1] for _, path, _ in leaves_of if path},
                                       {place for place, path, _ in leaves_of if path == "/id"})
        return self.intended[document]

    def check_import(self, one):
        """No rewrite brings a value where no program of the run writes, or makes records by itself."""
        for operation in one.operations:
            place = (operation.document, operation.collection, operation.key)
            if operation.grade != 2 or operation.sign in ("@", "x"):
                continue
            members, made = self.meant(operation.document)
            if operation.sign == "+":
                if place not in made and self.is_revived(place):
                    self.trouble.add("revived", one.where,
                                     f"an import made {describe(place)}, which no program had made")
                continue
            member = operation.path.split("/")[1:2]
            if member and member[0] not in members and not self.is_echo(place, operation):
                self.trouble.add(
                    "foreign", one.where, f"an import by {one.client or 'an undeclared program'} wrote"
                    f" {describe(place)}{operation.path}, which no program of the run changes")

    def is_revived(self, place):
        """Whether a record is shown that somebody had deleted, and no entry tells why. (Over an older
        base a record that others made is made once more, which changes nothing.)"""
        was_deleted = any(each.sign == "x" for each in self.values.written[place])
        return was_deleted and bool(self.values.shown[place]) and place not in self.values.told

    def is_echo(self, place, operation):
        """A value that others had written there, which an import over an older base says once more."""
        others = self.written([each for each in self.values.written[place]
                               if each.transaction is not operation.transaction
                               and each.transaction.imported is None])
        rules = self.stores.rules[operation.document]
        return operation.sign == "=" and operation.is_readable and (
            set(leaves(operation.value, operation.path, rules)) <= others)
