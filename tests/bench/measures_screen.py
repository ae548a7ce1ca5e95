# SPDX-License-Identifier: MIT
"""What the user sees: the program on a pseudo-terminal, and its peers on the same one."""

import os
import re
import threading
import time

from engine import Skip, measure
from session import Gone, Session

WORST = re.compile(r"worst tile [\d,]+.*\d [KM]iB")
FLOOR_SQL = "SELECT tile, total FROM memory_by_tile ORDER BY total DESC LIMIT 1"
TEXT = "down*20 pgdn*8 up*6 pgup*4"
CHART = "right*8 +*4 L*4 left*6 H*3 -*4"
LISTS = ("memory", "trace", "variables")
SHORT = "down*2 right*2 + L"
# the first keys of a session: to a view, and about in it
STARTS = {"trace": "7 right*8 +*3 L*4 left*4 H*2 -*2 tab down*6 pgdn*4 end home",
          "memory": "3 right*8 +*3 L*4 left*4 H*2 -*2 tab down*4 tab down*6 pgdn*4 up*4",
          "variables": "8 down*6 pgdn*4 up*4 end home",
          "tables": "9 tab down*6 pgdn*4 up*4 end home"}
STARTS_BERT = {"liveness": "4 right*8 +*3 L*4 left*4 H*2 -*2 tab down*6"}
EARLY = 0.05            # seconds from the start of the program until the first of them


def worst(screen):
    return any(WORST.search(screen.line(y)) for y in range(screen.h))


def shows(text):
    return lambda screen: any(text in screen.line(y) for y in range(screen.h))


def app(b, report, *args, cache="none", **more):
    return Session([b.program, "--cache", cache, *args, report], env=b.env(), **more)


def ms(seconds):
    return None if seconds is None else seconds * 1e3


def at_rest(b, s, limit=60):
    """Until nothing is drawn or worked for a while: what there was to build is built."""
    quiet = 0.1 if b.tiny else 0.5
    until = time.perf_counter() + limit
    while time.perf_counter() < until:
        before, began, drawn = s.cpu(), time.perf_counter(), False
        while time.perf_counter() < began + quiet:
            drawn = s.read(quiet / 4) or drawn
        s.model()
        if not drawn and s.cpu() - before < 0.01:
            return


# ---- the first screen ----

def first_screen(b, path, cache):
    with app(b, path, cache=cache) as s:
        return ms(s.start(worst))


def floor_screen(b, path):
    with Session([b.tool("floor_first"), path, FLOOR_SQL], env=b.env()) as s:
        return ms(s.start(shows("worst tile")))


@measure("first-screen-warm", "first-screen-new")
def first_warm(b):
    path = b.report()
    cache = b.indexed(path)
    out = {"first-screen-warm": {"note": "no index yet"}, "first-screen-new": {}}
    floor_screen(b, path)
    if cache:
        out["first-screen-warm"] = {"ours": first_screen(b, path, cache)}
    for figures in out.values():
        figures["curses+sqlite"] = floor_screen(b, path)
    out["first-screen-new"]["ours"] = first_screen(b, path, b.cache("new", empty=True))
    if b.have("lnav") and not b.tiny:
        with Session([b.have("lnav"), "-N", path], env=b.env()) as s:
            try:
                out["first-screen-new"]["lnav"] = ms(s.start(shows("CREATE TABLE"), limit=10))
            except Gone:
                pass
    return out


@measure("first-screen-cold")
def first_cold(b):
    path = b.report()
    cache = b.indexed(path) or "none"
    out = {}
    for party, fn in (("ours", lambda: first_screen(b, path, cache)),
                      ("curses+sqlite", lambda: floor_screen(b, path))):
        out["note"] = b.forget(path, *([cache] if cache != "none" else []))
        out[party] = fn()
    return {"first-screen-cold": out}


# ---- memory ----

class Watch:
    """The most anonymous memory that a session has, looked at every few milliseconds."""

    def __init__(self, session):
        self.session, self.most, self.stop = session, 0, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while not self.stop.wait(0.01):
            try:
                self.most = max(self.most, self.session.memory()[1])
            except (OSError, AttributeError):
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


@measure("memory-anon", "memory-peak")
def memory(b):
    path = b.report()
    with app(b, path, cache=b.cache("new", empty=True)) as s, Watch(s) as w:
        s.start(worst)
        s.play("3 %s tab down*3 7 %s tab pgdn*4 end home 8 pgdn*4 end home"
               % (SHORT, SHORT))
        at_rest(b, s)                           # the index is built, the sums are made
        s.play("1 3 7 8")
        peak, anon = s.memory()
        out = {"memory-anon": {"ours": max(w.most, anon) / 1024},
               "memory-peak": {"ours": peak / 1024}}
    if b.have("sqlite3"):
        _, kib, _ = b.timed(b.have("sqlite3"), "-readonly", path,
                            "SELECT sum(cycles) FROM steps_by_ipu")
        for figures in out.values():
            figures["sqlite3"] = kib / 1024
    return out


# ---- keys ----

# what views of memory and liveness have beside lists and charts: keys before, keys measured
VIEWS = {
    "insights": ["2", "down*4 up*2 tab down*2 ) down*3 ) down*3 o O ) down*2 = esc"],
    "map": ["3 f", "right*6 left*3 down*5 up*3 F*9 c*3 p*2 + - 0 w*3 W m right m = esc"],
    "addresses": ["3 w ::tab|addresses enter tab",
                  "down*6 up*3 pgdn*2 pgup*2 + right*2 - z*2 = esc"],
    "tabs": ["3 w tab", "down*3 ) down*3 o ) down*3 o ) down*3 o ) down*3 o ) down*3"],
    "sources": ["4 ::source|tile|7 enter",
                "right*4 + - 0 p P ::source|tile|1300 enter right*3 m right*2 m p tab down*4 = esc"],
    "heat": ["4 ::tab|heat enter tab",
             "right*4 down*4 +*4 L H right*2 down*2 -*4 a + - a 0 c B = esc z*2"],
    "variables": ["8", "down*6 pgdn*4 up*4 end home o*3 O down*3 pgdn*2 C-d = esc"],
}
WARM = "4 x ::tab|heat enter ::tab|what-if enter ::source|tile|7 enter 8 o o o o down"


class Keys:
    """What keys did, sorted into the rows' pots."""

    def __init__(self):
        self.last, self.cpu, self.named, self.during = [], [], [], []
        self.first, self.own = [], []
        self.left_out = []
        self.view = ""
        self.line, self.page, self.column, self.sweep = [], [], [], []

    def text(self, played):
        self.add(played)
        for name, a, _ in played:
            if name in ("up", "down"):
                self.line.append(a.bytes)
            elif name in ("pgup", "pgdn"):
                self.page.append(a.bytes)

    def chart(self, played):
        self.add(played)
        for name, a, _ in played:
            if name in ("left", "right"):
                self.column.append(a.bytes)
            elif name in ("H", "L"):
                self.sweep.append(a.bytes)

    def add(self, played):
        """A key is left out when the host of this machine had a processor meanwhile: the row says how many were."""
        for name, a, cpu in played:
            if a.last is not None and a.stolen:
                self.left_out.append(ms(a.last))
            elif a.last is not None:
                self.last.append(ms(a.last))
                self.first.append(ms(a.first))
                self.own.append(ms(a.own))
                self.cpu.append(ms(cpu))
                if a.working:
                    self.during.append(ms(a.last))
                self.named.append((ms(a.last), ms(a.first), ms(cpu), ms(a.waited),
                                   "%s %s" % (self.view, name)))

    def slowest(self):
        """The three slowest, for who wants to know which: they stand in the JSON."""
        return ["%s: last byte %.1f ms, first %.1f, CPU %.1f, waited for a processor %.1f" %
                (what, last, first, cpu, waited)
                for last, first, cpu, waited, what in sorted(self.named, reverse=True)[:3]]

    def row(self, figures=None):
        """What a row is given of it; `figures`: one of its lists, else what took until the last byte."""
        return {"ours": self.last if figures is None else figures, "slowest": self.slowest(),
                "left_out": self.left_out}


def play_views(b, path, cache, text, chart, k, views=("memory", "trace"), wait=True, busy=False):
    """Lists and charts of the views of a report."""
    for view in views:
        k.view = view
        with app(b, path, "--at", view, cache=cache) as s:
            s.start(shows(":Trace"))
            if wait:
                s.settle()
            else:                       # until the title tells of the building, if it ever does
                until = time.perf_counter() + (0.1 if b.tiny else 1.5)
                while not s.working() and time.perf_counter() < until:
                    s.answer(time.perf_counter(), limit=0.1, silent=0.05)
            if busy:
                search(s)
            if chart:
                k.chart(s.play(chart))
            if text:                    # to a list that is longer than these keys go: what one
                s.play("tab tab" if view == "memory" else "tab")    # draws is then always its own
                k.text(s.play(text))
                k.add(s.play("end home"))


def search(s):
    """Begin a search for something that no step is called."""
    s.play("/ ::zzzz", limit=2)
    s.press(b"\r", limit=0.5)           # what it draws itself is no answer to the next key


def less_file(b):
    """A text of many lines, for those who look at texts."""
    path = os.path.join(b.folder, b.size + "-lines.txt")
    lines = {"full": 2000000, "small": 200000, "tiny": 2000}[b.size]
    if not os.path.exists(path):
        with open(path + ".tmp", "w") as f:
            for i in range(lines):
                f.write("%10d  OnTileExecute  bert/encoder/layer_%d/attention/self/query/matMul/"
                        "Conv_1  %d cycles\n" % (i, i % 48, i * 7919 % 65536))
        os.rename(path + ".tmp", path)
    return path


def peers(b):
    """(name, arguments, directory) of what is installed."""
    text = less_file(b)
    found = []
    for name, args in (("less", [text]), ("tig", []), ("htop", []), ("lnav", ["-N", text])):
        path = b.have(name)
        if not path or name == "tig" and not os.path.isdir(os.path.join(b.srcdir, ".git")):
            continue
        found.append((name, [path] + args))
    return found


def play_peers(b, spec):
    """{peer: what the keys did}."""
    out = {}
    here = os.getcwd()
    for name, argv in peers(b):
        k = Keys()
        try:
            os.chdir(b.srcdir)
            s = Session(argv, env=b.env(), ignore_rows=())
        finally:
            os.chdir(here)
        with s:
            s.answer(s.began, limit=3, silent=1)
            try:
                k.text(s.play(spec, limit=5))
            except Gone:
                continue
            out[name] = k
    return out


@measure("keys-text-p50", "keys-text-p99", "keys-chart-p50", "keys-chart-p99", "scroll-bytes",
         "scroll-bytes-chart", "page-bytes", "page-bytes-chart", "cpu-frame")
def keys_quiet(b):
    path = b.report()
    cache = b.indexed(path) or "none"
    text, chart = Keys(), Keys()
    play_views(b, path, cache, "down*2 pgdn" if b.tiny else TEXT, None, text, LISTS)
    play_views(b, path, cache, None, SHORT if b.tiny else CHART, chart)
    if b.scale == "100x":       # the view that needs what the other reports do not have
        play_views(b, b.bert(), b.indexed(b.bert()) or "none", None, SHORT if b.tiny else CHART,
                   chart, ["liveness"])
    out = {"keys-text-p50": {"ours": text.last},
           "keys-text-p99": text.row(),
           "keys-chart-p50": {"ours": chart.last},
           "keys-chart-p99": chart.row(),
           "scroll-bytes": {"ours": text.line}, "page-bytes": {"ours": text.page},
           "scroll-bytes-chart": {"ours": chart.column},
           "page-bytes-chart": {"ours": chart.sweep},
           "cpu-frame": {"ours": text.cpu + chart.cpu}}
    if b.scale == "100x" and not b.tiny:
        for name, k in play_peers(b, "down*20 pgdn*6 up*6 pgup*4").items():
            for row, pot in (("keys-text-p50", k.last), ("keys-text-p99", k.last),
                             ("scroll-bytes", k.line), ("page-bytes", k.page),
                             ("cpu-frame", k.cpu)):
                out[row][name] = pot
    return out


def known(b):
    """The report at bert scale, and a cache with all that its views keep of it."""
    path = b.bert()
    cache = b.indexed(path)
    if cache and not b.tiny and not getattr(b, "views_known", False):
        with app(b, path, cache=cache) as s:
            s.start(worst)
            for key in WARM.split():
                s.play(key)
                if key in ("enter", "o", "down"):
                    at_rest(b, s)
        b.views_known = True
    return path, cache or "none"


@measure("keys-views-first", "keys-views-own", *["keys-" + view for view in VIEWS],
         scales=("100x",))
def keys_views(b):
    path, cache = known(b)
    out, both = {}, Keys()
    for view, (before, spec) in VIEWS.items():
        k = Keys()
        k.view = both.view = view
        with app(b, path, cache=cache) as s:
            s.start(worst)
            s.settle()
            s.play(before)
            at_rest(b, s)
            played = s.play("?" if b.tiny else spec)
        k.add(played)
        both.add(played)
        out["keys-" + view] = k.row()
    out["keys-views-first"] = both.row(both.first)
    out["keys-views-own"] = {"ours": both.own}
    return out


def to_the_end(b, s, code, limit=60):
    """A key whose answer takes its time: seconds to the last change before nothing is worked."""
    since, last, calm = time.perf_counter(), None, None
    os.write(s.master, code)
    while time.perf_counter() < since + limit:
        cpu = s.cpu()
        drawn = s.read(0.02)
        last = s.model()[1] or last
        if drawn or s.cpu() - cpu > 0.001:
            calm = None
        else:
            calm = calm or time.perf_counter()
            if time.perf_counter() > calm + (0.1 if b.tiny else 0.4):
                break
    return None if last is None else last - since


@measure("keys-what-if", "keys-filter", scales=("100x",))
def keys_whole(b):
    """Keys whose answer goes through all lowered variables."""
    path, cache = known(b)
    out = {}
    for name, before, lines in (
            ("keys-what-if", "4 x ::tab|what-if enter",
             ("whatif|halve|layer_3", "whatif|remove|layer_1/")),
            ("keys-filter", "8", ("filter|size>100K", "filter|attention"))):
        with app(b, path, cache=cache) as s:
            s.start(worst)
            s.settle()
            s.play(before)
            at_rest(b, s)
            out[name] = {"ours": []}
            for line in lines:
                s.play("::" + line)
                took = to_the_end(b, s, b"\r")
                if took is not None:
                    out[name]["ours"].append(took)
    return out


@measure("keys-new-p50", "keys-new-p99")
def keys_indexing(b):
    """Every view anew on an empty cache, so that the building has only begun."""
    path = b.report()
    k = Keys()
    out = {}
    chart = SHORT if b.tiny else "right*8 +*3 L*4 left*4 H*2 -*2"
    for view in LISTS:
        play_views(b, path, b.cache("new", empty=True), "down*6 pgdn*4",
                   chart if view != "variables" else None, k, [view], wait=False)
    for name in ("keys-new-p50", "keys-new-p99"):
        out[name] = k.row(k.during or k.last)
        if not k.during:
            out[name]["note"] = "%s: it was built before the first key" % b.scale
    if b.scale == "100x" and b.have("lnav") and not b.tiny:
        with Session([b.have("lnav"), "-N", less_file(b)], env=b.env(), ignore_rows=()) as s:
            s.answer(s.began, limit=0.2)
            lnav = Keys()
            lnav.add(s.play("down*6 pgdn*4", limit=5))
        for figures in out.values():
            figures["lnav"] = lnav.last
    return out


@measure("keys-start-p50", "keys-start-p99")
def keys_start(b):
    """The first screen is there, there is no index, and somebody types: the switch to a view counts."""
    k = Keys()
    starts = [(b.report(), *item) for item in STARTS.items()]
    if b.scale == "100x":
        starts += [(b.bert(), *item) for item in STARTS_BERT.items()]
    for path, k.view, spec in starts:
        with app(b, path, cache=b.cache("new", empty=True)) as s:
            s.start(worst)
            while time.perf_counter() < s.began + EARLY:
                s.read(0.001)
            k.add(s.play(spec.split()[0] + " down right" if b.tiny else spec))
    return {name: k.row() for name in ("keys-start-p50", "keys-start-p99")}


@measure("keys-busy-p50", "keys-busy-p99")
def keys_busy(b):
    path = b.report()
    k = Keys()
    play_views(b, path, b.indexed(path) or "none", "down*8 pgdn*4 up*2 pgup*2",
               SHORT if b.tiny else "right*4 +*3 L*3 H*2 -*2", k, ["trace"], busy=True)
    figures = k.row()
    return {"keys-busy-p50": figures, "keys-busy-p99": figures}


# kinds of keys of the Trace, each from several places and widths
TRACE = {"zoom": "+*6 -*3 +*5 -*8", "pan": "right*6 L*3 left*4 H*3", "hit": "n*6 N*3",
         "step": ".*4 ,*2 >*4 <*2 i*3 I*2 w*3 }*2 {", "draw": "f*5 F*5", "tab": "tab ]*6 [*3 tab"}
PLACES = 3


@measure(*["keys-trace-" + kind for kind in TRACE], scales=("100x",))
def keys_trace(b):
    """Each kind of key of the Trace from the whole run, then further in at steps anywhere."""
    path = b.report()
    pots = {kind: Keys() for kind in TRACE}
    with app(b, path, "--at", "trace", cache=b.indexed(path) or "none") as s:
        s.start(shows(":Trace"))
        s.settle()
        s.play("/ LayerNorm enter")
        at_rest(b, s)
        s.play("f*5")                   # what a drawing makes when it is first shown is made
        at_rest(b, s)
        for i in range(1 if b.tiny else PLACES):
            if i:
                step = (i * 7919 + b.round * 104729) * 1009 % b.steps()
                s.play(": ::goto|%d enter %s" % (step, "+*%d" % (4 * i)))
                at_rest(b, s)
            for kind, spec in TRACE.items():
                pots[kind].view = kind
                pots[kind].add(s.play(spec))
                at_rest(b, s, limit=5)
    return {"keys-trace-" + kind: k.row() for kind, k in pots.items()}


@measure("keys-jump")
def jump(b):
    path = b.report()
    out = {"ours": []}
    with app(b, path, "--at", "trace", cache=b.indexed(path) or "none") as s:
        s.start(shows(":Trace"))
        s.settle()
        s.play("tab")
        for i in range(1 if b.tiny else 5):
            out["ours"] += [ms(a.last) for _, a, _ in s.play("end home") if a.last]
            step = (i * 7919 + b.round * 104729) * 1009 % b.steps()
            s.play(": ::goto|%d" % step)
            a = s.press(b"\r")
            if a.last:
                out["ours"].append(ms(a.last))
    if b.have("less") and b.scale == "100x" and not b.tiny:
        with Session([b.have("less"), less_file(b)], env=b.env(), ignore_rows=()) as s:
            s.answer(s.began, limit=2)
            out["less"] = [ms(a.last) for _, a, _ in s.play("G g G g", limit=20) if a.last]
    return {"keys-jump": out}


# ---- idle, cancel, quit ----

@measure("idle-cpu", "idle-bytes", scales=("100x",))
def idle(b):
    path = b.report()
    cache = b.indexed(path) or "none"
    view = ("trace", "memory", "summary")[b.round % 3]
    with app(b, path, "--at", view, cache=cache) as s:
        s.start(shows(":Trace"))
        at_rest(b, s)
        before, seconds = s.cpu(), 0.2 if b.tiny else 2
        time.sleep(seconds)
        cpu = round((s.cpu() - before) / seconds * 100, 1)
        while s.read(0):
            pass
        return {"idle-cpu": {"ours": cpu}, "idle-bytes": {"ours": s.model()[2]}}


@measure("cancel-app")
def cancel_app(b):
    got = []
    with app(b, b.report(), "--at", "trace") as s:
        s.start(shows(":Trace"))
        s.settle()
        for i in range(1 if b.tiny else 3):
            search(s)
            until = time.perf_counter() + 0.1 + 0.05 * i
            while time.perf_counter() < until:
                s.read(0.01)
            s.model()
            if "no step" in s.screen.line(s.screen.h - 1):
                raise Skip("the search was through before")
            a = s.press(b"\x03", ready=shows("cancelled"), limit=2)
            if a.ready is None:
                raise Skip("the search was through before")
            got.append(ms(a.ready))
            s.play("esc", limit=2)
    return {"cancel-app": {"ours": got}}


@measure("quit")
def quit_working(b):
    """While the index, or what there is of it, is built: at its begin, and later."""
    got = []
    for later in (0.0, 0.1, 0.4):
        with app(b, b.report(), cache=b.cache("new", empty=True)) as s:
            s.start(worst)
            until = time.perf_counter() + later
            while time.perf_counter() < until:
                s.read(0.01)
            os.write(s.master, b"Q")
            took = s.end()
            if took is None:
                raise RuntimeError("does not end")
            got.append(ms(took))
    return {"quit": {"ours": got}}
