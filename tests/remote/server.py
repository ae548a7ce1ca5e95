# SPDX-License-Identifier: MIT
"""
server - a private sshd on loopback: keys, configuration, home and port of its own.

Nothing of the machine's own SSH is read or changed.  As root the directory that sshd insists on is made when
it is not there; as any other user only that user can log in, which is what happens here.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from ..case import Skipped


def program(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")


def obstacle():
    """Why there can be no sshd here; None when there can."""
    for name in ("sshd", "ssh", "ssh-keygen", "ssh-agent", "ssh-add"):
        if not program(name):
            return "no %s" % name
    if os.getuid() == 0:
        try:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        except OSError as e:
            return "/run/sshd: %s" % e.strerror
    return None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def make_key(path, kind="ed25519", passphrase="", form=None):
    """A key pair in `path` and `path`.pub; returns the line of the public one."""
    more = {"rsa": ["-b", "2048"], "ecdsa": ["-b", "256"]}.get(kind, [])
    if form:
        more += ["-m", form]
    subprocess.run([program("ssh-keygen"), "-q", "-t", kind, "-N", passphrase, "-C", "test", "-f", path]
                   + more, check=True, stdin=subprocess.DEVNULL)
    return read(path + ".pub")


def read(path):
    with open(path) as f:
        return f.read().strip()


def write(path, text, mode=0o600):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


def user():
    return pwd.getpwuid(os.getuid()).pw_name


class Sshd:
    """
    A running server.  `dir`: where its files lie; `home`: where SFTP begins; `host_keys`: kinds; `options`:
    further lines of its configuration.  Public keys that may log in go to allow().
    """

    def __init__(self, where, host_keys=("ed25519",), options=(), port=None):
        why = obstacle()
        if why:
            raise Skipped(why)
        self.dir = os.path.join(where, "sshd")
        self.home = os.path.join(where, "there")
        self.keys = {}
        self.port = port or free_port()
        self.options = list(options)
        self.proc = None
        os.makedirs(self.dir, exist_ok=True)
        os.makedirs(self.home, exist_ok=True)
        for kind in host_keys:
            path = os.path.join(self.dir, "host_" + kind)
            if not os.path.exists(path):
                make_key(path, kind)
            self.keys[kind] = read(path + ".pub")
        self.authorized = os.path.join(self.dir, "authorized")
        write(self.authorized, "")

    def allow(self, *lines):
        with open(self.authorized, "a") as f:
            for line in lines:
                f.write(line + "\n")

    def config(self):
        lines = ["Port %d" % self.port, "ListenAddress 127.0.0.1", "PidFile none", "UsePAM no",
                 "StrictModes no", "UseDNS no", "PrintMotd no", "LogLevel VERBOSE",
                 "AuthorizedKeysFile %s" % self.authorized, "MaxStartups 100"]
        lines += ["HostKey %s" % os.path.join(self.dir, "host_" + k) for k in self.keys]
        lines += self.options       # the first one counts
        lines += ["PermitRootLogin yes", "PasswordAuthentication no",
                  "KbdInteractiveAuthentication no"]
        if not any(o.startswith("Subsystem") for o in self.options):
            lines.append("Subsystem sftp internal-sftp -d %s" % self.home)
        return "\n".join(lines) + "\n"

    def start(self):
        path = os.path.join(self.dir, "sshd_config")
        write(path, self.config())
        self.log = open(os.path.join(self.dir, "log"), "ab")
        self.proc = subprocess.Popen([program("sshd"), "-D", "-e", "-f", path], stdin=subprocess.DEVNULL,
                                     stdout=self.log, stderr=self.log, start_new_session=True)
        for _ in range(400):
            if self.proc.poll() is not None:
                raise RuntimeError("sshd ended: %s" % read(os.path.join(self.dir, "log")))
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.02)
        raise RuntimeError("sshd does not listen")

    def stop(self):
        if self.proc:
            end(self.proc)
            self.proc = None
            self.log.close()

    def said(self):
        return read(os.path.join(self.dir, "log"))

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def known(self, kind="ed25519", name=None, mark=""):
        """The line of known_hosts for one of its keys."""
        return "%s%s %s\n" % (mark, name or "[127.0.0.1]:%d" % self.port,
                              " ".join(self.keys[kind].split()[:2]))


def children(pid, deep=True):
    """Processes below one, the deepest first; else its own only."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open("/proc/%s/stat" % entry) as f:
                    if int(f.read().rsplit(")", 1)[1].split()[1]) == pid:
                        found += (children(int(entry)) if deep else []) + [int(entry)]
            except (OSError, IndexError):
                pass
    return found


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def stopped(pid):
    """Whether it cannot run any more: stopped, ended, or gone."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] in "TZX"
    except OSError:
        return True


def halt(pid):
    """A process and all below it stand still: from the top, so that none has a child that was not seen."""
    send(pid, signal.SIGSTOP)
    while not stopped(pid):
        time.sleep(0.001)
    for child in children(pid, deep=False):
        halt(child)


def end(proc):
    """A server and all below it, at one moment: a client that connects anew meanwhile would be served by the rest."""
    halt(proc.pid)
    for pid in children(proc.pid):
        send(pid, signal.SIGKILL)
    proc.kill()
    proc.wait()


class Agent:
    """A running ssh-agent with some keys."""

    def __init__(self, where, *keys):
        # a socket's path has 107 bytes, and that of a temporary directory may be long
        self.dir = tempfile.mkdtemp(prefix="ts-agent.", dir=None if len(where) < 80 else "/tmp")
        self.socket = os.path.join(self.dir, "agent.sock")
        self.proc = subprocess.Popen([program("ssh-agent"), "-D", "-a", self.socket],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            self.wait_for()
            for key in keys:
                subprocess.run([program("ssh-add"), "-q", key], check=True, stdin=subprocess.DEVNULL,
                               env=dict(os.environ, SSH_AUTH_SOCK=self.socket))
        except BaseException:
            self.stop()
            raise

    def wait_for(self):
        """The name of the socket is there before anybody listens."""
        for _ in range(1000):
            with socket.socket(socket.AF_UNIX) as s:
                if s.connect_ex(self.socket) == 0:
                    return
            time.sleep(0.02)
        raise RuntimeError("no ssh-agent listens at " + self.socket)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.proc.kill()
        self.proc.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


def sftp_server():
    for path in ("/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server",
                 "/usr/lib/ssh/sftp-server", "/usr/libexec/sftp-server"):
        if os.access(path, os.X_OK):
            return path
    return None


class AuthServer:
    """auth_server.c with some stages; port and keys as an Sshd has them."""

    def __init__(self, ctx, *stages, sftp=None, env=None):
        path = ctx.path("host_key")
        self.keys = {"ed25519": read(path + ".pub") if os.path.exists(path) else make_key(path)}
        self.err = open(ctx.path("auth_server.log"), "w+")
        self.proc = subprocess.Popen([ctx.tool("auth_server"), path, sftp or sftp_server()] + list(stages),
                                     env=dict(os.environ, **(env or {})),
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.err,
                                     cwd=ctx.dir, start_new_session=True)
        self.port = int(self.proc.stdout.readline())

    known = Sshd.known

    def said(self):
        self.err.seek(0)
        return self.err.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.proc)
        self.proc.stdout.close()
        self.err.close()
