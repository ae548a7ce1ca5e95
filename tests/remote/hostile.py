#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
hostile - an SFTP server over its standard streams that lies.

    hostile.py [sftp-server's or ssh's words, which are not looked at]

Stands in for sftp-server (auth_server.c) and for ssh itself ($TS_SSH).  How it lies is $TS_HOSTILE:
    honest          answers all that reading needs, from memory
    length-0 length-huge length-short
                    packets whose length is wrong
    version-2 no-version noise closes
                    how it begins
    endless         data without end, though nothing was asked
    unknown-id twice wrong-type
                    answers that nobody waits for, or not so
    errors          a failure to every request
    data-long       more data than was asked for
    size-absurd     a file of 2^63 bytes and more
    shrinks         reads end long before the size
    sparse          a file of 1 TiB, all of it zeros but for what is at its begin
    names           a directory of 10,000 entries, of which some have escapes, slashes, dots and no UTF-8
    endless-names   a directory that never ends
    fifo directory  what the path is
    silent          no answer after the version
"""

import os
import struct
import sys

INIT, VERSION, OPEN, CLOSE, READ, LSTAT, FSTAT, OPENDIR, READDIR, REALPATH, STAT = 1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 17
STATUS, HANDLE, DATA, NAME, ATTRS = 101, 102, 103, 104, 105
OK, EOF, NO_SUCH_FILE, FAILURE, UNSUPPORTED = 0, 1, 2, 4, 8
REGULAR, FOLDER, FIFO = 0o100644, 0o40755, 0o10644
TIB = 1 << 40


def text(b):
    return struct.pack(">I", len(b)) + b


def attrs(size, mode):
    return struct.pack(">IQIII", 0x1 | 0x4 | 0x8, size, mode, 1700000000, 1700000000)


def names(odd):
    out = [b"plain.%d" % i for i in range(10000 - len(odd))]
    return odd + out


ODD = [b".", b"..", b"\x1b[2J\x1b]0;title\x07", b"a/b", b"../../etc/passwd", b"/etc/passwd", b"\xff\xfe\x80",
       b"", b"new\nline", b"nul\0inside", b"x" * 4000, b"\xe2\x80\xae" + b"gnp.exe", b"-rf"]


class Server:
    def __init__(self, mode):
        self.mode = mode
        self.inp, self.out = sys.stdin.buffer, sys.stdout.buffer
        path = os.environ.get("TS_HOSTILE_FILE")
        self.content = open(path, "rb").read() if path else b"SQLite format 3\0" + bytes(4080)
        self.listed = 0

    def send(self, kind, body, length=None):
        self.out.write(struct.pack(">IB", 1 + len(body) if length is None else length, kind) + body)
        self.out.flush()

    def status(self, ident, code, why=b"because\x1b[31m"):
        self.send(STATUS, struct.pack(">II", ident, code) + text(why) + text(b""))

    def receive(self):
        head = self.inp.read(4)
        if len(head) < 4:
            sys.exit(0)
        body = self.inp.read(struct.unpack(">I", head)[0])
        return body[0], body[1:]

    def size(self):
        return {"size-absurd": (1 << 63) + 5, "sparse": TIB, "shrinks": 1 << 30}.get(self.mode, len(self.content))

    def kind(self):
        return {"fifo": FIFO, "directory": FOLDER, "names": FOLDER, "endless-names": FOLDER}.get(self.mode, REGULAR)

    def begin(self):
        self.receive()
        if self.mode == "closes":
            sys.exit(0)
        if self.mode == "noise":
            self.out.write(os.urandom(4096))
            self.out.flush()
            return
        if self.mode == "no-version":
            self.status(0, FAILURE)
            return
        self.send(VERSION, struct.pack(">I", 2 if self.mode == "version-2" else 3))

    def read_at(self, ident, body):
        n = struct.unpack(">I", body[:4])[0]
        offset, want = struct.unpack(">QI", body[4 + n:])
        if self.mode == "shrinks" and offset >= len(self.content):
            return self.status(ident, EOF)
        data = self.content[offset:offset + want]
        if self.mode == "sparse":
            data += bytes(min(want, TIB - offset) - len(data))
        if not data:
            return self.status(ident, EOF)
        if self.mode == "data-long":
            data = data + b"more" * 1000
        if self.mode == "length-short":
            return self.send(DATA, struct.pack(">II", ident, len(data) + 100000) + data)
        if self.mode == "length-huge":
            return self.send(DATA, struct.pack(">II", ident, 0xffffffff), length=0xfffffff0)
        if self.mode == "length-0":
            return self.send(DATA, b"", length=0)
        if self.mode == "unknown-id":
            self.send(DATA, struct.pack(">I", ident ^ 0x5a5a5a5a) + text(data))
        if self.mode == "wrong-type":
            return self.send(HANDLE, struct.pack(">I", ident) + text(data[:200]))
        self.send(DATA, struct.pack(">I", ident) + text(data))
        if self.mode == "twice":
            self.send(DATA, struct.pack(">I", ident) + text(data))

    def read_dir(self, ident):
        endless = self.mode == "endless-names"
        if not hasattr(self, "names"):
            self.names = names(ODD if self.mode == "names" else [])
        part = self.names[:100] if endless else self.names[self.listed:self.listed + 100]
        self.listed += 100
        if not part:
            return self.status(ident, EOF)
        body = struct.pack(">II", ident, len(part))
        for n in part:
            body += text(n) + text(b"-rw " + n) + attrs(1, FOLDER if n in ODD else REGULAR)
        self.send(NAME, body)

    def answer(self, kind, body):
        ident = struct.unpack(">I", body[:4])[0]
        body = body[4:]
        if self.mode == "errors":
            self.status(ident, FAILURE)
        elif kind == REALPATH:
            self.send(NAME, struct.pack(">II", ident, 1) + text(b"/there/" + body[4:]) + text(b"") + attrs(0, FOLDER))
        elif kind in (STAT, LSTAT) and self.mode.endswith("names") and b"." in body[4:].rsplit(b"/", 1)[-1][1:]:
            self.status(ident, NO_SUCH_FILE)            # what a report may have in it
        elif kind in (STAT, LSTAT, FSTAT):
            self.send(ATTRS, struct.pack(">I", ident) + attrs(self.size(), self.kind()))
        elif kind in (OPEN, OPENDIR):
            self.listed = 0
            self.send(HANDLE, struct.pack(">I", ident) + text(b"handle"))
        elif kind == READ:
            self.read_at(ident, body)
        elif kind == READDIR:
            self.read_dir(ident)
        elif kind == CLOSE:
            self.status(ident, OK)
        else:
            self.status(ident, UNSUPPORTED)

    def run(self):
        self.begin()
        while self.mode == "endless":
            self.send(DATA, struct.pack(">I", 7) + text(bytes(65536)))
        while True:
            kind, body = self.receive()
            if self.mode != "silent":
                self.answer(kind, body)


if __name__ == "__main__":
    try:
        Server(os.environ.get("TS_HOSTILE", "honest")).run()
    except (BrokenPipeError, struct.error):
        pass
