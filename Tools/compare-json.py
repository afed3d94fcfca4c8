#!/usr/bin/env python3
"""Compares lines of `Fuzz values` with Python's json and, given an executable, with simdjson.

    compare-json.py VALUES [SIMDJSON]

Where the parsers may differ, and why, stands in the functions below; anything else is a finding.
"""
import json
import struct
import subprocess
import sys

sys.setrecursionlimit(20000)
DEPTH_MAX = 512  # of documents, docs/JSON.md


class Pairs(list):
    """The members of an object, those of one name included."""


class Number(str):
    """A number as it is spelt."""


def refuse(word):
    raise ValueError(word)


def parse(text):
    """The value that Python reads, or ValueError."""
    if text.startswith(b"\xef\xbb\xbf"):
        text = text[3:]  # A byte order mark is accepted by us and refused by Python.
    return json.loads(
        text.decode("utf-8"), object_pairs_hook=Pairs, parse_float=Number, parse_int=Number,
        parse_constant=refuse)


def number(spelling):
    """Digits and exponent, as JSONNumber.canonical spells them."""
    mantissa, _, exponent = spelling.lower().partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = whole + fraction
    shorter = digits.rstrip("0")
    power = int(exponent or "0") - len(fraction) + len(digits) - len(shorter)
    shorter = shorter.lstrip("0")
    if not shorter:
        return "0"
    return sign + shorter + (f"e{power}" if power else "")


def string(value):
    return "'" + value.encode("utf-8", "surrogatepass").hex() + "'"


def canonical(value):
    if value is None:
        return "n"
    if value is True:
        return "t"
    if value is False:
        return "f"
    if isinstance(value, Number):
        return number(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, Pairs):
        return "{" + "".join(string(k) + canonical(v) + "," for k, v in value) + "}"
    return "[" + "".join(canonical(v) + "," for v in value) + "]"


def depth(value):
    if isinstance(value, Pairs):
        value = [member for _, member in value]
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def parts(value):
    yield value
    if isinstance(value, Pairs):
        for key, member in value:
            yield key
            yield from parts(member)
    elif isinstance(value, list):
        for element in value:
            yield from parts(element)


def is_beyond_doubles(value):
    """simdjson refuses numbers beyond Double, and whole ones beyond 64 bits."""
    for part in parts(value):
        if isinstance(part, Number):
            if float(part) in (float("inf"), float("-inf")):
                return True
            if part.lstrip("-").isdigit() and not -(2**63) <= int(part) < 2**64:
                return True
    return False


def has_lone_surrogate(value):
    """simdjson refuses escapes of half a surrogate pair."""
    return any(
        isinstance(part, str) and any("\ud800" <= unit <= "\udfff" for unit in part)
        for part in parts(value))


def fail(text, ours, other, answer):
    sys.exit(f"the text {text!r} is {ours[:200]} for us, and for {other} {answer[:200]}")


def main():
    sys.set_int_max_str_digits(0) if hasattr(sys, "set_int_max_str_digits") else None
    texts, answers = [], []
    with open(sys.argv[1], encoding="ascii") as lines:
        for line in lines:
            text, answer = line.rstrip("\n").split(" ")
            texts.append(bytes.fromhex(text))
            answers.append(answer)
    values = []
    for text, ours in zip(texts, answers):
        try:
            value = parse(text)
            answer = "-" if depth(value) > DEPTH_MAX else canonical(value)
        except (ValueError, RecursionError):
            value, answer = None, "-"
        if ours != answer:
            fail(text, ours, "Python", answer)
        values.append(value)
    accepted = sum(answer != "-" for answer in answers)
    print(f"{len(texts)} texts, {accepted} accepted: Python's json reads the same values")
    if len(sys.argv) > 2:
        bare = [text[3:] if text.startswith(b"\xef\xbb\xbf") else text for text in texts]
        sent = b"".join(struct.pack("<I", len(text)) + text for text in bare)
        verdicts = subprocess.run([sys.argv[2]], input=sent, stdout=subprocess.PIPE, check=True)
        verdicts = verdicts.stdout.split()
        assert len(verdicts) == len(texts), "simdjson gave no verdict on some texts"
        excepted = 0
        for text, ours, value, verdict in zip(texts, answers, values, verdicts):
            if (ours != "-") == (verdict == b"0"):
                continue
            excepted += 1
            if ours == "-" or not (is_beyond_doubles(value) or has_lone_surrogate(value)):
                fail(text, ours, "simdjson", "error " + verdict.decode())
        print(f"simdjson gives the same verdict, but for {excepted} texts with numbers beyond"
              " Double or half a surrogate pair, which it refuses")


main()
