# SPDX-License-Identifier: MIT
"""
proxy - a slow, thin or broken way to a server on loopback.

A thread takes connections and passes bytes on: each way half the round trip later, at most so many bytes a second.
stall() holds everything back, resume() lets it go on; cut() ends all connections at once, refuse() further ones.
Counted are bytes each way, connections, and how often the client spoke after it had been told something: turns, whatever
else was on its way, and waits, when nothing was: the number of round trips that somebody had to wait for.  Where much
comes, SSH says in the midst of it that there is room for more: that asks nothing, and is told by its length.
"""

import collections
import select
import socket
import threading
import time

CHUNK = 64 * 1024
AHEAD = 4 * 1024 * 1024     # bytes that may be on their way: what a real line's buffers hold
ROOM_FOR_MORE = (36, 72)    # bytes of one or two SSH_MSG_CHANNEL_WINDOW_ADJUST, as the usual ciphers have them: no question has these


class Way:
    """One direction of a connection."""

    def __init__(self, src, dst, out):
        self.src, self.dst, self.out = src, dst, out
        self.queue = collections.deque()    # (due, bytes)
        self.held = 0
        self.free_at = 0.0                  # when the line has sent what it was given
        self.ended = False


class Proxy(threading.Thread):
    def __init__(self, port, rtt=0.0, rate=None):
        super().__init__(daemon=True)
        self.target, self.rtt, self.rate = port, rtt, rate
        self.lock = threading.Lock()
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(50)
        self.port = self.listener.getsockname()[1]
        self.wake_r, self.wake_w = socket.socketpair()
        self.ways = []
        self.stalled = self.refusing = self.stopping = self.cutting = False
        self.cut_after = None               # bytes to the client
        self.sent = self.received = self.connections = self.turns = self.waits = 0
        self.told = self.waited = True
        self.start()

    # --- what a test does ---

    def stall(self):
        self._set(stalled=True)

    def resume(self):
        self._set(stalled=False, refusing=False)

    def refuse(self):
        """Connections are taken and closed."""
        self._set(refusing=True)

    def cut(self):
        self._set(cutting=True)

    def cut_when(self, received):
        """Cut once when the client has been sent so many bytes more."""
        self._set(cut_after=self.received + received)

    def counts(self):
        with self.lock:
            return {"sent": self.sent, "received": self.received, "turns": self.turns, "waits": self.waits,
                    "connections": self.connections}

    def stop(self):
        self._set(stopping=True)
        self.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _set(self, **what):
        with self.lock:
            for k, v in what.items():
                setattr(self, k, v)
        self.wake_w.send(b"x")

    # --- the thread ---

    def run(self):
        while not self.stopping:
            self._turn()
        self._close_all()
        self.listener.close()

    def _turn(self):
        now = time.monotonic()
        due = [w.queue[0][0] for w in self.ways if w.queue and not self.stalled]
        wait = max(0.0, min(due) - now) if due else None
        readers = [self.listener, self.wake_r]
        readers += [w.src for w in self.ways if not w.ended and w.held < AHEAD]
        writers = [w.dst for w in self.ways if w.queue and w.queue[0][0] <= now and not self.stalled]
        ready, _, _ = select.select(readers, [], [], 0 if writers else wait)
        with self.lock:
            if self.wake_r in ready:
                self.wake_r.recv(4096)
            if self.cutting:
                self.cutting = False
                self._close_all()
                return
            if self.listener in ready:
                self._accept()
            for w in list(self.ways):
                if w.src in ready:
                    self._read(w)
            self._deliver()

    def _accept(self):
        client, _ = self.listener.accept()
        if self.refusing:
            client.close()
            return
        try:
            server = socket.create_connection(("127.0.0.1", self.target), 5)
        except OSError:
            client.close()
            return
        for s in (client, server):
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            s.setblocking(False)
        self.connections += 1
        self.ways += [Way(client, server, True), Way(server, client, False)]

    def _read(self, w):
        try:
            data = w.src.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        now = time.monotonic()
        if w.out and data and len(data) not in ROOM_FOR_MORE:
            self.turns += self.told
            self.told = False
            if self.waited and not any(v.queue for v in self.ways if not v.out):
                self.waits += 1
                self.waited = False
        self.sent += len(data) if w.out else 0
        start = max(now, w.free_at)
        w.free_at = start + (len(data) / self.rate if self.rate else 0)
        w.queue.append((w.free_at + self.rtt / 2, data))
        w.held += len(data)
        w.ended = not data

    def _deliver(self):
        now = time.monotonic()
        for w in list(self.ways):
            while w in self.ways and w.queue and w.queue[0][0] <= now and not self.stalled:
                due, data = w.queue.popleft()
                if not data:
                    self._close(w)
                    break
                try:
                    n = w.dst.send(data)
                except BlockingIOError:
                    n = 0
                except OSError:
                    self._close(w)
                    break
                w.held -= n
                if not w.out:
                    self.received += n
                    self.told = self.waited = True
                    if self.cut_after is not None and self.received >= self.cut_after:
                        self.cut_after = None
                        self._close_all()
                        return
                if n < len(data):
                    w.queue.appendleft((now + 0.001, data[n:]))
                    break

    def _close(self, way):
        for w in [w for w in self.ways if {w.src, w.dst} == {way.src, way.dst}]:
            self.ways.remove(w)
        way.src.close()
        way.dst.close()

    def _close_all(self):
        for w in list(self.ways):
            if w in self.ways:
                self._close(w)
