# SPDX-License-Identifier: MIT
"""
vt - a model of a terminal's screen, strict about what it is sent.

It knows the sequences that curses uses for the terminal types of the tests and nothing else: what
it does not know is kept in `unknown`, so that a test sees any escape sequence that is not ours
and any control character that got through from a report.  Cells are (character, attributes);
the second cell of a wide character is "".
"""

import re
import unicodedata

CSI = re.compile(rb"\x1b\[([<=>?]?)([0-9;:]*)([ !\"$'*]?)([@-~])")
STRING = re.compile(rb"\x1b([\]P_^])([^\x07\x1b]*)(\x07|\x1b\\)")
CHARSET = re.compile(rb"\x1b([()*+])([0-9A-Z@])")
LONGEST = 20000     # an escape sequence longer than this is none
BLANK = (" ", "")
GRAPHICS = dict(zip("`afgjklmnopqrstuvwxyz{|}~", "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"))


def width(ch):
    if unicodedata.combining(ch) or unicodedata.category(ch) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(ch) in "WF" else 1


class Screen:
    def __init__(self, columns, rows, wrap_at_once=False):
        """wrap_at_once: after the last column the cursor is on the next row, as ANSI.SYS has it."""
        self.w, self.h = columns, rows
        self.wrap_at_once = wrap_at_once
        self.pending = b""
        self.unknown = []       # what no terminal of the tests knows
        self.modes = set()      # private modes that are set ("25", "1049")
        self.modes.add("25")
        self.seen_sgr = set()   # numbers that came as attributes
        self.strings = []       # OSC and DCS strings
        self.bells = 0
        self.keypad = False
        self.main = None        # the main screen while the other one is shown
        self.reset()

    def reset(self):
        self.cells = [[BLANK] * self.w for _ in range(self.h)]
        self.x = self.y = 0
        self.saved = (0, 0)
        self.attr = ""
        self.top, self.bottom = 0, self.h - 1
        self.insert = self.graphics = self.shifted = self.wrap = False

    # ---- looking ----

    def line(self, y):
        return "".join(c[0] for c in self.cells[y]).rstrip()

    def text(self):
        return "\n".join(self.line(y) for y in range(self.h))

    def attributes(self, y):
        return [c[1] for c in self.cells[y]]

    # ---- changing ----

    def resize(self, columns, rows):
        for row in self.cells:
            del row[columns:]
            row += [BLANK] * (columns - len(row))
        del self.cells[rows:]
        self.cells += [[BLANK] * columns for _ in range(rows - len(self.cells))]
        self.w, self.h = columns, rows
        self.top, self.bottom = 0, rows - 1
        self.x, self.y = min(self.x, columns - 1), min(self.y, rows - 1)
        self.wrap = False

    def feed(self, data):
        data = self.pending + data
        self.pending = b""
        at, n = 0, len(data)
        while at < n:
            b = data[at]
            if b == 0x1b:
                used = self.escape(data, at)
                if used == 0:
                    self.pending = data[at:]
                    return
                at += used
            elif b < 0x20 or b == 0x7f:
                self.control(b)
                at += 1
            else:
                end = at
                while end < n and data[end] >= 0x20 and data[end] != 0x7f:
                    end += 1
                run, rest = data[at:end], b""
                if end == n:            # a character may be cut
                    for back in range(1, min(4, len(run) + 1)):
                        c = run[-back]
                        if c >= 0xc0:
                            if back < (2 if c < 0xe0 else 3 if c < 0xf0 else 4):
                                run, rest = run[:-back], run[-back:]
                            break
                        if c < 0x80:
                            break
                for ch in run.decode("utf-8", "surrogateescape"):
                    self.put(ch)
                self.pending = rest
                at = end

    def put(self, ch):
        o = ord(ch)
        if 0x80 <= o < 0xa0 or 0xdc80 <= o <= 0xdcff or 0x202a <= o <= 0x202e or \
                0x2066 <= o <= 0x2069 or o in (0x200e, 0x200f, 0x61c, 0x2028, 0x2029, 0xfeff):
            self.unknown.append(repr(ch))
            return
        if self.graphics or self.shifted:
            ch = GRAPHICS.get(ch, ch)
        wide = width(ch)
        if wide == 0:
            return
        if self.wrap:
            self.x, self.wrap = 0, False
            self.feed_line()
        row = self.cells[self.y]
        if self.insert:
            row[self.x:self.x] = [BLANK] * wide
            del row[self.w:]
        row[self.x] = (ch, self.attr)
        if wide == 2 and self.x + 1 < self.w:
            row[self.x + 1] = ("", self.attr)
        self.last = ch
        if self.x + wide >= self.w:
            self.x, self.wrap = self.w - 1, True
            if self.wrap_at_once:
                self.x, self.wrap = 0, False
                self.feed_line()
        else:
            self.x += wide

    def feed_line(self):
        if self.y == self.bottom:
            self.scroll(1)
        elif self.y < self.h - 1:
            self.y += 1

    def scroll(self, n, top=None):
        top = self.top if top is None else top
        for _ in range(min(abs(n), self.bottom - top + 1)):
            if n > 0:
                del self.cells[top]
                self.cells.insert(self.bottom, self.blank_row())
            else:
                del self.cells[self.bottom]
                self.cells.insert(top, self.blank_row())

    def erased(self):
        back = [a for a in self.attr.split(";") if a]
        return (" ", "erased " + self.attr) if back else BLANK

    def blank_row(self):
        return [self.erased()] * self.w

    def control(self, b):
        if b == 0x07:
            self.bells += 1
        elif b == 0x08:
            self.x, self.wrap = max(0, self.x - 1), False
        elif b == 0x09:
            self.x = min(self.w - 1, (self.x // 8 + 1) * 8)
        elif b == 0x0a:
            self.wrap = False
            self.feed_line()
        elif b == 0x0d:
            self.x, self.wrap = 0, False
        elif b in (0x0e, 0x0f):
            self.shifted = b == 0x0e
        elif b != 0:                    # NUL is padding
            self.unknown.append("\\x%02x" % b)

    def escape(self, data, at):
        """Bytes used; 0 = not complete."""
        two = data[at:at + 2]
        if len(two) < 2:
            return 0
        m = CSI.match(data, at)
        if m:
            self.csi(m)
            return m.end() - at
        m = STRING.match(data, at)
        if m:
            self.strings.append(m.group(1) + m.group(2))
            return m.end() - at
        m = CHARSET.match(data, at)
        if m:
            if m.group(1) == b"(":
                self.graphics = m.group(2) == b"0"
            return m.end() - at
        if two[1:] in b"[]P_^()*+" and len(data) - at < LONGEST:
            if two[1:] not in b"[" or re.fullmatch(rb"\x1b\[[<=>?]?[0-9;:]*[ !\"$'*]?",
                                                   data[at:at + 40]):
                return 0
        simple = {b"7": self.save, b"8": self.restore, b"M": self.reverse_line,
                  b"=": self.set_keypad, b">": self.reset_keypad, b"D": self.feed_line,
                  b"c": self.reset, b"\\": lambda: None, b"H": lambda: None}
        if two[1:] in simple:
            simple[two[1:]]()
        else:
            self.unknown.append(repr(data[at:at + 8]))
        return 2

    def save(self):
        self.saved = (self.x, self.y)

    def restore(self):
        self.x, self.y = min(self.saved[0], self.w - 1), min(self.saved[1], self.h - 1)
        self.wrap = False

    def reverse_line(self):
        if self.y == self.top:
            self.scroll(-1)
        else:
            self.y = max(0, self.y - 1)

    def set_keypad(self):
        self.keypad = True

    def reset_keypad(self):
        self.keypad = False

    def csi(self, m):
        private, par, between, final = m.groups()
        numbers = [int(p) if p else 0 for p in re.split(b"[;:]", par)]
        n = numbers[0] or 1
        key = (private + between + final).decode()
        row = self.cells[self.y]
        if key not in ("m", "?h", "?l", "h", "l"):
            self.wrap = False
        if key in ("H", "f"):
            self.y = min(n, self.h) - 1
            self.x = min((numbers[1] if len(numbers) > 1 else 1) or 1, self.w) - 1
        elif key == "A":
            self.y = max(0, self.y - n)
        elif key in ("B", "e"):
            self.y = min(self.h - 1, self.y + n)
        elif key in ("C", "a"):
            self.x = min(self.w - 1, self.x + n)
        elif key == "D":
            self.x = max(0, self.x - n)
        elif key in ("G", "`"):
            self.x = min(n, self.w) - 1
        elif key == "d":
            self.y = min(n, self.h) - 1
        elif key == "J":
            blank = self.erased()
            if numbers[0] == 0:
                row[self.x:] = [blank] * (self.w - self.x)
                for y in range(self.y + 1, self.h):
                    self.cells[y] = self.blank_row()
            elif numbers[0] == 1:
                row[:self.x + 1] = [blank] * (self.x + 1)
                for y in range(self.y):
                    self.cells[y] = self.blank_row()
            else:
                self.cells = [self.blank_row() for _ in range(self.h)]
        elif key == "K":
            a, b = {0: (self.x, self.w), 1: (0, self.x + 1)}.get(numbers[0], (0, self.w))
            row[a:b] = [self.erased()] * (b - a)
        elif key == "X":
            b = min(self.w, self.x + n)
            row[self.x:b] = [self.erased()] * (b - self.x)
        elif key == "b":
            for _ in range(n):
                self.put(self.last)
        elif key == "@":
            row[self.x:self.x] = [self.erased()] * min(n, self.w)
            del row[self.w:]
        elif key == "P":
            del row[self.x:self.x + n]
            row += [self.erased()] * (self.w - len(row))
        elif key == "L":
            self.scroll(-n, self.y)
        elif key == "M":
            self.scroll(n, self.y)
        elif key == "S":
            self.scroll(n)
        elif key == "T":
            self.scroll(-n)
        elif key == "I":
            for _ in range(n):
                self.control(0x09)
        elif key == "Z":
            self.x = max(0, (self.x - 1) // 8 * 8)
        elif key == "r":
            self.top = min(n, self.h) - 1
            self.bottom = min((numbers[1] if len(numbers) > 1 else 0) or self.h, self.h) - 1
            self.x = self.y = 0
        elif key == "m":
            self.sgr(par.decode())
        elif key in ("?h", "?l"):
            for p in par.decode().split(";"):
                self.mode(p, key == "?h")
        elif key in ("h", "l"):
            self.insert = key == "h" if numbers[0] == 4 else self.insert
        elif key == "s":
            self.save()
        elif key == "u":
            self.restore()
        elif key not in ("t", "!p", "?c", "i", "g", "?i") and key != "?1c":
            self.unknown.append(m.group(0).decode("latin-1"))

    def mode(self, p, on):
        if p in ("1049", "1047", "47"):
            if on and self.main is None:
                self.main = self.cells
                self.cells = [[BLANK] * self.w for _ in range(self.h)]
            elif not on and self.main is not None:
                self.cells, self.main = self.main, None
                self.resize(self.w, self.h)
        (self.modes.add if on else self.modes.discard)(p)

    def sgr(self, par):
        parts = (par or "0").split(";")
        for p in parts:
            self.seen_sgr.add(p)
        i = 0
        now = [a for a in self.attr.split(";") if a]
        while i < len(parts):
            p = parts[i] or "0"
            group = p
            if p in ("38", "48") and i + 1 < len(parts):
                take = 3 if parts[i + 1] == "5" else 5
                group = "_".join(parts[i:i + take])
                i += take - 1
            i += 1
            ends = {"0": None, "10": "1[0-9]", "22": "[12]", "23": "3", "24": "4", "25": "5",
                    "27": "7", "39": "(3[0-8]|9[0-7]).*", "49": "(4[0-8]|10[0-7]).*"}
            if group in ends:
                now = [] if ends[group] is None else [a for a in now
                                                      if not re.fullmatch(ends[group], a)]
                continue
            kind = "(3[0-8]|9[0-7]).*" if re.fullmatch("(3[0-8]|9[0-7]).*", group) else \
                "(4[0-8]|10[0-7]).*" if re.fullmatch("(4[0-8]|10[0-7]).*", group) else group
            now = [a for a in now if not re.fullmatch(kind, a)] + [group]
        self.attr = ";".join(now)
