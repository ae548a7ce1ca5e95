# SPDX-License-Identifier: MIT
"""cases_remote - HOST:PATH in the place of a path: what a verb says of a report there, and of a host that is not reached.

In the place of ssh stands a script that starts OpenSSH's SFTP server, or fails as ssh does.
"""

import os
import pty
import shutil
import sqlite3
import subprocess

from .harness import case, expect, one_line, parse, plain

SERVER = "/usr/lib/openssh/sftp-server"


def ssh(ctx, *lines):
    path = ctx.path("ssh")
    with open(path, "w") as f:
        f.write("\n".join(("#!/bin/sh",) + lines) + "\n")
    os.chmod(path, 0o700)
    return {"TS_SSH": path}


@case(params=["summary", "schema", "check"])
def remote_same(ctx, verb):
    """The same words as of the report here."""
    if not os.access(SERVER, os.X_OK):
        return
    env = ssh(ctx, "exec " + SERVER)
    rep = plain(ctx, 7)
    here = ctx.run(verb, "--cache", "none", rep.dir)
    there = ctx.run(verb, "--cache", "none", "box:" + rep.dir, env=env)
    expect(there.rc == here.rc, there, "exit status %d here" % here.rc)
    expect(there.out.replace(b"box:", b"") == here.out, there, "other words than here")
    expect(there.err.replace(b"box:", b"") == here.err, there, "other warnings than here")


@case(params=["Connection refused", "Permission denied (publickey).", "Host key verification failed."])
def remote_refused(ctx, why):
    env = ssh(ctx, "echo 'me@box: %s' >&2" % why, "exit 255")
    one_line(ctx.run("summary", "box:report", env=env), why.rstrip("."), rc=5)


@case()
def remote_no_such_ssh(ctx):
    """The host is not reached; the program is named, and the host once."""
    path = ctx.path("no-such-ssh")
    res = ctx.run("summary", "box:report", env={"TS_SSH": path})
    one_line(res, "box:report: %s: cannot be run: No such file" % path, rc=5)


@case()
def remote_silent_ssh(ctx):
    """What TS_SSH names is no ssh at all: it is named."""
    script = ssh(ctx, "exit 0")
    res = ctx.run("summary", "box:report", env=script)
    one_line(res, "box:report: %s, which is run as ssh (TS_SSH), has ended without a word" % script["TS_SSH"], rc=5)


@case(params=["summary", "check", "export", "app"])
def remote_no_such_configuration(ctx, verb):
    """--ssh-config of a file that cannot be read: a line, exit status 2, and nothing is started."""
    env = ssh(ctx, "touch %s" % ctx.path("started"))
    words = [] if verb == "app" else [verb]
    for name, why in (("no-such-file", "No such file"), (".", "Is a directory")):
        path = ctx.path(name)
        one_line(ctx.run(*words, "--ssh-config", path, "box:report", env=env), "--ssh-config %s: cannot be read: %s" % (path, why), rc=2)
    expect(not os.path.exists(ctx.path("started")), None, "ssh was started")
    env = ssh(ctx, "echo $2 >%s" % ctx.path("started"), "echo no >&2", "exit 255")
    res = ctx.run(*words, "--ssh-config", "none", "--transport", "ssh", "box:report", env=env)
    expect(res.rc == 5 and open(ctx.path("started")).read() == "none\n", res, "none is a configuration, too")


@case()
def remote_many_links(ctx):
    """Links that were not followed are no directories that were looked into."""
    if not os.access(SERVER, os.X_OK):
        return
    top = ctx.path("links")
    os.mkdir(top)
    for i in range(1100):
        os.symlink("nowhere", os.path.join(top, "l%d" % i))
    one_line(ctx.run("summary", "box:" + top, env=ssh(ctx, "exec " + SERVER)),
             "nor in what is looked at below it (at most 256 directories): open the one that you mean", rc=3)


@case()
def remote_not_there(ctx):
    if os.access(SERVER, os.X_OK):
        res = ctx.run("summary", "box:/nowhere/at/all", env=ssh(ctx, "exec " + SERVER))
        one_line(res, "no such file", rc=3)


@case(params=["nohost.invalid", "me@nohost", "gpu7"])
def remote_colon_forgotten(ctx, word):
    """A word that is no file and could be a host; nothing is started for it."""
    env = ssh(ctx, "touch %s" % ctx.path("started"))
    one_line(ctx.run("summary", word, env=env), "a host is written with a colon: %s:" % word, rc=3)
    for path in ("nohost/", "./nohost", "dir/nohost.invalid", "profile.pop"):
        res = ctx.run("summary", path, env=env)
        expect(res.rc == 3 and b"colon" not in res.err, res, "a file or directory that is not there")
    expect(not os.path.exists(ctx.path("started")), res, "ssh was started")


@case(params=["-oProxyCommand=x:y", "ho st:x", "http://box/x", "sftp://me:secret@box/x", "box:~other/x"])
def remote_address(ctx, word):
    """Refused before anything is started."""
    env = ssh(ctx, "touch %s" % ctx.path("started"))
    res = ctx.run("summary", "--", word, env=env)
    one_line(res, rc=2)
    expect(b"secret" not in res.err, res, "a secret is repeated")
    expect(not os.path.exists(ctx.path("started")), res, "ssh was started")


@case()
def remote_all_parts(ctx):
    """A report with an archive and debug.cbor: what every verb that reads files says, and of --files --deep."""
    if not os.access(SERVER, os.X_OK):
        return
    env = ssh(ctx, "exec " + SERVER)
    rep = demo(ctx)
    for name, text in (("framework.json", '{"a": {"b": [1, 2]}}'), ("app.json", "[broken")):
        with open(os.path.join(rep, name), "w") as f:
            f.write(text)
    for words in (["summary", "-f", "json"], ["check"], ["check", "--files", "-f", "json"],
                  ["check", "--files", "--deep", "-f", "json"],
                  ["schema"], ["query", "SELECT count(*), sum(total) FROM tile_memory"],
                  ["query", "SELECT count(*), max(name) FROM context"], ["export", "-w", "tiles"]):
        verb, more = words[0], words[1:]
        here = ctx.run(verb, "--cache", "none", *place(rep, words))
        there = ctx.run(verb, "--cache", "none", *place("box:" + rep, words), env=env)
        expect(there.rc == here.rc, there, "exit status %d here" % here.rc)
        said = there.out.replace(b"box:", b"").replace(b'"host": "box"', b'"host": null')
        expect(said == here.out, there, "other words than here: %s" % more)
        expect(there.err.replace(b"box:", b"") == here.err, there, "other warnings than here: %s" % more)


def place(path, words):
    """The path before SQL, behind all else."""
    more = words[1:]
    return [path] + more if words[0] == "query" else more + [path]


def demo(ctx):
    res = ctx.run("demo", ctx.path("far"), "--ipus", "1", "--tiles", "24", "--steps", "300")
    expect(res.rc == 0, res, "no demo report")
    return ctx.path("far")


@case()
def remote_check_refused(ctx):
    """Of several paths that of the host counts for the exit status."""
    env = ssh(ctx, "echo 'Permission denied (publickey).' >&2", "exit 255")
    one_line(ctx.run("check", "--files", "box:report", env=env), "Permission denied", rc=5)


@case(params=["fifo", "device", "empty", "nothing", "large", "many", "several", "link"], sample=2)
def remote_odd_paths(ctx, what):
    """One clear line and exit status 3, of summary as of check --files; nothing is opened that would not end."""
    if not os.access(SERVER, os.X_OK):
        return
    env = ssh(ctx, "exec " + SERVER)
    path = ctx.path("odd")
    words = {"fifo": "not a regular file", "device": "not a regular file", "empty": "the file is empty",
             "nothing": "no graph profile found", "large": "not an SQLite database",
             "many": "no graph profile found", "several": "open one below it",
             "link": "no such file"}[what]
    if what == "fifo":
        os.mkfifo(path)
    elif what == "device":
        path = "/dev/zero"
    elif what in ("empty", "large"):
        with open(path, "wb") as f:
            f.truncate(0 if what == "empty" else 1 << 40)
    elif what == "link":
        os.symlink("nowhere", path)
    else:
        os.mkdir(path)
        for i in range(10000 if what == "many" else 0):
            open(os.path.join(path, "file-%d" % i), "w").close()
        rep = plain(ctx, 7) if what == "several" else None
        for name in ("a", "b") if rep else ():
            shutil.copytree(rep.dir, os.path.join(path, name))
    one_line(ctx.run("summary", "box:" + path, env=env), words, rc=3)
    res = ctx.run("check", "--files", "box:" + path, env=env)
    expect(res.rc == 3, res, "check --files: exit status")
    expect(res.err.count(b"\n") == 1, res, "check --files: not one line")


def received(res):
    """Bytes that came from the host (--stats)."""
    line = next(line for line in res.err.decode().splitlines() if line.startswith("stats all host"))
    return int(dict(w.split("=") for w in line.split()[3:])["received"])


@case()
def remote_summary_again(ctx):
    """Of a report larger than what is kept of its blocks the first summary leaves what it needs of an index, the next one reads
    next to nothing; the same figures both times, without a cache, and here. A smaller one gets no index."""
    if not os.access(SERVER, os.X_OK):
        return
    env = ssh(ctx, "exec " + SERVER)
    rep = ctx.path("far")
    res = ctx.run("demo", rep, "--ipus", "1", "--tiles", "600", "--steps", "20000", "--no-archive")
    expect(res.rc == 0, res, "no demo report")
    profile = os.path.join(rep, "profile.pop")
    words = ["summary", "-f", "json", "--stats", "--cache", ctx.path("cache"), "box:" + rep]
    res = ctx.run(*words, env=env)
    expect(res.rc == 0 and not os.path.exists(ctx.path("cache", "index")), res, "an index of a small report")
    db = sqlite3.connect(profile)
    db.execute("CREATE TABLE unbound (bytes)")
    db.execute("INSERT INTO unbound VALUES (zeroblob(?))", (70 << 20,))
    db.commit()
    db.close()
    here = ctx.run("summary", "-f", "json", "--cache", "none", rep)
    took = []
    for cache in ("none", ctx.path("cache"), ctx.path("cache")):
        res = ctx.run("summary", "-f", "json", "--stats", "--cache", cache, "box:" + rep, env=env)
        expect(res.rc == 0, res, "exit status")
        expect(res.out.replace(b'"host": "box"', b'"host": null') == here.out, res, "other figures than here")
        took.append(received(res))
    expect(took[1] < 3 * took[0], res, "building reads too much: %s bytes" % took)
    expect(took[2] < 200000, res, "the second time: %s bytes" % took)
    expect(b"no index here" not in res.err, res, "progress where there is no terminal")
    said = on_terminal(ctx, "summary", "--cache", ctx.path("other"), "box:" + rep, env=env)
    expect("box:%s: no index here yet: tables of its 7" % rep in said and "C-c stops" in said, res, "what a terminal sees: %r" % said)
    said = on_terminal(ctx, "summary", "--cache", ctx.path("other"), "box:" + rep, env=env)
    expect("no index here" not in said, res, "what a terminal sees the second time: %r" % said)


def on_terminal(ctx, *words, env):
    """What standard error says where it is a terminal."""
    master, slave = pty.openpty()
    p = subprocess.Popen([ctx.program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave,
                         env=ctx.env(**env))
    os.close(slave)
    said = b""
    while True:
        try:
            more = os.read(master, 4096)
        except OSError:
            break
        if not more:
            break
        said += more
    os.close(master)
    expect(p.wait() == 0, None, "exit status")
    return said.decode()


@case()
def remote_archive(ctx):
    """One that is large and has no symbol table is left out, and said; --archive reads it."""
    if not os.access(SERVER, os.X_OK):
        return
    env = ssh(ctx, "exec " + SERVER)
    rep = demo(ctx)
    archive = os.path.join(rep, "archive.a")
    with open(archive, "ab") as f:
        size = 9 << 20
        f.write(b"%-16s%-12s%-6s%-6s%-8s%-10d`\n" % (b"large/", b"0", b"0", b"0", b"644", size))
        f.truncate(f.tell() + size)
    res = ctx.run("summary", "--cache", "none", "box:" + rep, env=env)
    expect(res.rc == 0, res, "exit status")
    expect(b"archive.a has no symbol table" in res.out, res, "not said that it is left out")
    expect(b"archive ok" in res.out, res, "state of the part")
    res = ctx.run("check", "--files", "box:" + rep, env=env)
    expect(b"no symbol table" in res.out, res, "not said by check that it is left out")
    expect(b"  members" not in res.out, res, "counts of what was not read")
    here = ctx.run("summary", "--cache", "none", rep)
    there = ctx.run("summary", "--cache", "none", "--archive", "box:" + rep, env=env)
    expect(there.out.replace(b"box:", b"") == here.out, there, "other words than here")
    os.remove(os.path.join(rep, "profile.pop"))
    one_line(ctx.run("summary", "box:" + rep, env=env), "--archive", rc=3)
    res = ctx.run("summary", "--archive", "box:" + rep, env=env)
    expect(res.rc == 0, res, "the archive alone")


@case()
def remote_stores(ctx):
    """What is kept of a report of a host is not one of the same path here, and no host is asked whether it is gone."""
    if not os.access(SERVER, os.X_OK):
        return
    env = ssh(ctx, "exec " + SERVER)
    rep = demo(ctx)
    for word in (rep, "box:" + rep):
        ctx.run("check", "--cache", ctx.path("cache"), word, env=env)
    res = ctx.run("cache", "--cache", ctx.path("cache"), "list", env=ssh(ctx, "exit 1"))
    expect(res.rc == 0 and b"gone" not in res.out, res, "a host's report counts as gone")


@case()
def remote_cache(ctx):
    """Blocks of files of a host are listed with it, by text and JSON, and cleared; what is not ours stays."""
    if not os.access(SERVER, os.X_OK):
        return
    env = ssh(ctx, "exec " + SERVER)
    rep, cache = demo(ctx), ("--cache", ctx.path("cache"))
    res = ctx.run("summary", *cache, "box:" + rep, env=env)
    expect(res.rc == 0, res, "exit status")
    with open(ctx.path("cache", "hosts", "mine"), "w"):
        pass
    res = ctx.run("cache", "list", "-f", "json", *cache)
    got = parse(res)
    paths = [f["path"] for f in got["files"]]
    expect("box:%s/profile.pop" % rep in paths and all(p.startswith("box:" + rep) for p in paths), res, "whose they are")
    size = sum(os.stat(os.path.join(ctx.path("cache", "hosts"), n)).st_size for n in os.listdir(ctx.path("cache", "hosts")))
    expect(sum(f["bytes"] for f in got["files"]) == size == got["bytes"], res, "bytes")
    expect(all(sorted(f) == ["bytes", "last_used", "path"] and f["last_used"] > 0 for f in got["files"]), res, "members")
    res = ctx.run("cache", "list", *cache)
    expect(b"box:%s/profile.pop" % rep.encode() in res.out and b"blocks of %d file" % len(paths) in res.out, res, "the table")
    res = ctx.run("cache", "clear", *cache)
    expect(b"removed: " in res.out and b"blocks of %d file" % len(paths) in res.out, res, "what clear says")
    expect(os.listdir(ctx.path("cache", "hosts")) == ["mine"], res, "what is left")
    res = ctx.run("cache", "clear", *cache)
    expect(res.out == b"nothing was removed\n", res, "what clear says the second time")
