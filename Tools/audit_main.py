#!/usr/bin/env python3
"""The auditor: see Tools/audit."""
import argparse
import json
import sys

from audit_format import Trouble
from audit_promises import Promises
from audit_records import Records, check_complaints, check_notary
from audit_store import Stores
from audit_values import Conservation, Values


def audit(roots, directory=None):
    """(what is wrong as (kind, where, text), counts)"""
    trouble = Trouble()
    stores = Stores(roots, trouble)
    values = Values(stores)
    records = Records(directory, stores)
    conservation = Conservation(values, records, trouble)
    conservation.check()
    conservation.check_invented()
    promises = Promises(values, records, trouble)
    promises.check()
    marks = 0
    if directory:
        marks = check_notary(directory, trouble)
        check_complaints(directory, trouble)
    counts = {
        "stores": len(roots), "nodes": len(stores.logs), "places": len(stores.places),
        "transactions": len(stores.transactions), "entries": len(stores.entries),
        "values": conservation.checked, "unread": values.unread,
        "written": promises.checked, "unseen": promises.excused, "marks": marks,
    }
    return trouble.found, counts


def main():
    parser = argparse.ArgumentParser(prog="Tools/audit")
    parser.add_argument("stores", nargs="+", metavar="STORE")
    parser.add_argument("--records", metavar="DIR")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found, counts = audit(options.stores, options.records)
    if options.json:
        print(json.dumps({**counts, "violations": [
            {"kind": kind, "where": where, "text": text} for kind, where, text in found]}))
    else:
        for kind, where, text in found:
            print(f"{kind}: {where}: {text}")
        print(", ".join(f"{count} {name}" for name, count in counts.items()))
        print(f"{len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
