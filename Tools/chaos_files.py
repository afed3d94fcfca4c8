#!/usr/bin/env python3
"""Read by chaos_clients.py: how plain programs save files, and what each notes of itself (the form
is described in audit_records.py, which shares no code with this)."""
import ctypes
import errno
import json
import os
import time

LIBC = ctypes.CDLL(None, use_errno=True)
XXHASH = ctypes.CDLL("libxxhash.so.0")
HERE, NOREPLACE, EXCHANGE = -100, 1, 2


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


XXHASH.XXH3_128bits.restype = Hash128
XXHASH.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
XXHASH.XXH3_64bits.restype = ctypes.c_uint64
XXHASH.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def digest(data):
    made = XXHASH.XXH3_128bits(data, len(data))
    return f"{made.high:016x}{made.low:016x}"


def short_digest(data):
    return f"{XXHASH.XXH3_64bits(data, len(data)):016x}"


def rename2(old, new, flags):
    if LIBC.renameat2(HERE, os.fsencode(old), HERE, os.fsencode(new), flags) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), new)


def read_file(path):
    with open(path, "rb") as file:
        return file.read()


class Spelt:
    """A number with its spelling, for programs that keep what they do not know."""

    def __init__(self, text):
        self.text = text


def load_exactly(data):
    return json.loads(data, parse_float=Spelt, parse_int=Spelt)


def dump_exactly(value, indent=""):
    deeper = indent + "  "
    if isinstance(value, Spelt):
        return value.text
    if isinstance(value, dict) and value:
        inner = (f"{deeper}{json.dumps(name, ensure_ascii=False)}: {dump_exactly(each, deeper)}"
                 for name, each in value.items())
        return "{\n" + ",\n".join(inner) + "\n" + indent + "}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(deeper + dump_exactly(each, deeper) for each in value) + "\n" + indent + "]"
    return json.dumps(value, ensure_ascii=False)


class Recorder:
    """A program's own record: appended, synchronised, never in a store."""

    def __init__(self, file, **head):
        is_new = not os.path.exists(file)
        self.number, self.open_intent = 0, None
        if not is_new:
            self.read(read_file(file))
        self.file = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        if not is_new and not read_file(file).endswith(b"\n"):
            os.write(self.file, b"\n")
        if is_new:
            self.write(head)

    def read(self, data):
        # A line that kill -9 cut off was not synchronised: what it announces did not begin.
        for text in data.split(b"\n")[:-1]:
            try:
                line = json.loads(text)
            except ValueError:
                continue
            if "intent" in line:
                self.number, self.open_intent = line["intent"], line
            elif "done" in line or "failed" in line:
                self.open_intent = None

    def write(self, line):
        data = dump_line(line)
        written = os.write(self.file, data)
        assert written == len(data)
        os.fdatasync(self.file)

    def intent(self, edits, **more):
        self.number += 1
        self.write({"intent": self.number, "time": time.monotonic(), **more, "edits": edits})

    def done(self, **more):
        self.write({"done": self.number, "time": time.monotonic(), **more})

    def failed(self, why, **more):
        self.write({"failed": self.number, "time": time.monotonic(), "why": str(why), **more})


def dump_line(value):
    def plain(each):
        if isinstance(each, Spelt):
            return each
        if isinstance(each, dict):
            return {name: plain(one) for name, one in each.items()}
        return [plain(one) for one in each] if isinstance(each, list) else each

    def text(each):
        if isinstance(each, Spelt):
            return each.text
        if isinstance(each, dict):
            return "{" + ",".join(f"{json.dumps(name)}:{text(one)}" for name, one in each.items()) + "}"
        if isinstance(each, list):
            return "[" + ",".join(text(one) for one in each) + "]"
        return json.dumps(each)

    return (text(plain(value)) + "\n").encode()


# Ways to save. Each is given (path, name of the program, old bytes, new bytes, edits, recorder).

def save_by_exchange(path, name, old, new, edits, recorder):
    """Like a rename over the file, but what it took the name from can still be looked at."""
    beside = temporary(path, name)
    with open(beside, "wb") as file:
        file.write(new)
    recorder.intent(edits, read=digest(old), write=digest(new))
    try:
        rename2(beside, path, EXCHANGE)
    except FileNotFoundError:
        try:
            rename2(beside, path, NOREPLACE)
            recorder.done()
        except FileExistsError as error:
            recorder.failed(error)
            os.unlink(beside)
        return
    note_displaced(beside, recorder)


def note_displaced(beside, recorder):
    with open(beside, "rb") as file:
        inode, displaced = os.fstat(file.fileno()).st_ino, digest(file.read())
    recorder.done(displaced=displaced, inode=inode)
    os.unlink(beside)


def save_as_editor(path, name, old, new, edits, recorder):
    """Moves the file away, makes a new one, removes the old one."""
    beside = temporary(path, name)
    recorder.intent(edits, read=digest(old), write=digest(new))
    os.rename(path, beside)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        os.write(file, new)
        os.fsync(file)
        os.close(file)
    except OSError as error:
        recorder.failed(error, displaced=digest(read_file(beside)))
        os.unlink(beside)
        return
    note_displaced(beside, recorder)


def save_in_place(path, name, old, new, edits, recorder):
    """Truncates and writes, in pieces; `old` is what the very file had when it was opened."""
    file = os.open(path, os.O_RDWR)
    try:
        present = os.pread(file, 1 << 26, 0)
        if present != old:
            return
        recorder.intent(edits, read=digest(old), write=digest(new), destroys=digest(present))
        os.ftruncate(file, 0)
        middle = len(new) // 2
        os.pwrite(file, new[:middle], 0)
        time.sleep(0.003)
        os.pwrite(file, new[middle:], middle)
        mine = os.fstat(file).st_ino
    finally:
        os.close(file)
    try:
        detached = os.stat(path).st_ino != mine
    except FileNotFoundError:
        detached = True
    recorder.done(inode=mine, detached=detached)


def temporary(path, name):
    return os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{name}.tmp")


def recover(path, name, recorder):
    """After kill -9: what became of the save that was under way."""
    beside, cut = temporary(path, name), recorder.open_intent
    if cut is None or "destroys" in cut:
        if os.path.exists(beside):
            os.unlink(beside)
        return
    if not os.path.exists(beside):
        # Taken away by us alone: the file had no name to exchange with, or it never came to that.
        return
    content = digest(read_file(beside))
    if content == cut["write"]:
        recorder.failed("cut off before the exchange")
    else:
        recorder.failed("cut off behind the exchange", displaced=content)
    os.unlink(beside)


SAVES = {"exchange": save_by_exchange, "editor": save_as_editor, "in-place": save_in_place}
EXPECTED = (errno.ENOSPC, errno.ENOENT, errno.EEXIST, errno.EDQUOT)
