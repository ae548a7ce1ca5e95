#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
layers - who includes whom.

A file may include headers of its own layer and of those below it; a library's header is at home in one place;
config.h comes first in every .c file and in no header; an include guard is named after its file.
"""

import os
import re
import sys

# The layers that a layer may include, itself left out.
BELOW = {
    "base": "",
    "io": "base", "calc": "base", "job": "base", "ui": "base",
    "format": "io base",
    "db": "io base",
    "profile": "db io base",
    "demo": "profile format io base",
    "report": "profile db format io calc base",
    "view": "ui calc report db job base",
    "app": "view ui calc report profile db demo job format io base",
}
# Where the header of a library may be included.
HOME = [(re.compile(header), re.compile(path)) for header, path in (
    (r"(.*curses.*|term|panel|menu|form)\.h$", r"src/ui/tty\.c$"),
    (r"sqlite3.*\.h$", r"(src|include/tilescope)/(db|demo|profile|report)/"),
    (r"libssh/", r"src/io/sftp\.c$"),
    (r"pcre2\.h$", r"src/base/pattern\.c$"),
    (r"xxhash\.h$", r"src/(db|io|report)/"),
    (r"jansson.*\.h$", r"(src|include/tilescope)/(format|app)/"),
    (r"(cbor\.h$|cbor/|libelf\.h$|gelf\.h$|elf\.h$|yajl/)", r"src/format/"),
    (r"check\.h$", r"tests/"),
)]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]*)[">]', re.M)


def problems(path, text):
    """What is wrong with the includes of a file."""
    layer = path.removeprefix("include/tilescope/").removeprefix("src/").split("/")[0]
    may = {layer, *BELOW.get(layer, "").split()}
    source = path.endswith(".c")
    for n, (quote, name) in enumerate(INCLUDE.findall(text)):
        if source and (n == 0) != (name == "config.h"):
            yield "config.h is not the first include" if name == "config.h" else \
                "the first include is %s, not config.h" % name
        if not source and name == "config.h":
            yield "a header includes config.h"
        if name.startswith("tilescope/"):
            if quote == "<":
                yield "own header in angle brackets: " + name
            elif name.split("/")[1] not in may:
                yield "layer %s may not include %s" % (layer, name)
        elif quote == '"' and name != "config.h" and not os.path.exists(os.path.join(os.path.dirname(path), name)):
            yield "library header in quotes: " + name
        if any(header.match(name) and not home.match(path) for header, home in HOME):
            yield name + " may not be included here"
    if path.startswith("include/"):
        guard = "TS_" + re.sub(r"[/.]", "_", path.removeprefix("include/tilescope/")).upper()
        if "\n#ifndef %s\n" % guard not in text:
            yield "the include guard is not " + guard


def main():
    os.chdir(os.environ.get("srcdir") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    passed = failed = 0
    for top in ("include", "src"):
        for where, _, names in sorted(os.walk(top)):
            for path in sorted(os.path.join(where, n) for n in names if n.endswith((".c", ".h"))):
                with open(path, encoding="utf-8") as f:
                    found = list(problems(path, f.read()))
                passed, failed = passed + (not found), failed + bool(found)
                if found:
                    print("FAIL %s\n     %s" % (path, "\n     ".join(found)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
