#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_charts.py DIR: what must hold of every chart of a report, whatever its kind.

A script has its data, its caption and its pictures; drawn again it says nothing and gives the same SVG; its title is
there as it is written; no text leaves the picture or lies on another one. Prints what does not hold.
"""
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
CHAR = 0.54  # width of a character in font sizes, rather too little than too much
TITLE = 60  # characters that no title may lose


def texts(root):
    """(text, x, y, width, height) of all upright and level texts."""
    for g in root.iter(SVG + "g"):
        text = g.find(SVG + "text")
        if text is None:
            continue
        words = "".join(text.itertext())
        place = re.match(r"translate\(([-\d.]+),([-\d.]+)\)(?: rotate\(([-\d.]+)\))?", g.get("transform", ""))
        x, y, angle = float(place[1]), float(place[2]), float(place[3] or 0) % 360
        size = float(g.get("font-size"))
        length, height = CHAR * size * len(words), 0.7 * size
        shift = {"start": 0, "middle": length / 2, "end": length}[g.get("text-anchor", "start")]
        if angle == 0:
            yield words, x - shift, y - height, length, height
        elif angle in (90, 270):
            yield words, x - height, y - length + shift, height, length


def overlaps(a, b):
    return a[1] < b[1] + b[3] and b[1] < a[1] + a[3] and a[2] < b[2] + b[4] and b[2] < a[2] + a[4]


def check_svg(path, title):
    root = tree.parse(path).getroot()
    width, height = (float(v) for v in root.get("viewBox").split()[2:])
    found = [t for t in texts(root) if t[0].strip()]
    for t in found:
        if t[1] < -1 or t[2] < -1 or t[1] + t[3] > width + 1 or t[2] + t[4] > height + 1:
            yield f"'{t[0]}' leaves the picture"
    for i, a in enumerate(found):
        for b in found[i + 1:]:
            if overlaps(a, b):
                yield f"'{a[0]}' lies on '{b[0]}'"
    heads = [t[0].rstrip("….") for t in found]
    if not any(title.startswith(h) and len(h) >= min(TITLE, len(title.rstrip("….")) - 1) for h in heads):
        yield f"the title '{title}' is not there"


def png_size(path):
    with open(path, "rb") as f:
        head = f.read(24)
    return struct.unpack(">II", head[16:24]) if head[:8] == b"\x89PNG\r\n\x1a\n" else (0, 0)


def check_one(base):
    for ending in ("dat", "txt", "svg", "png"):
        if not os.path.isfile(f"{base}.{ending}") or not os.path.getsize(f"{base}.{ending}"):
            yield f"no {ending}"
            return
    if png_size(base + ".png")[0] != 1100:
        yield "the PNG is none, or not 1100 wide"
    with open(base + ".txt", encoding="utf-8") as f:
        title = f.readline().rstrip("\n")
    with open(base + ".dat", encoding="utf-8") as f:
        if re.search(r"\b(-nan|nan|inf)\b", f.read()):
            yield "a figure of C in the data"
    yield from check_svg(base + ".svg", title)


def drawn(path):
    """All but the empty group at the beginning, whose colour is that of what the process drew before."""
    with open(path, encoding="utf-8") as f:
        return re.sub(r"</defs>\n<g [^>]*>\n</g>", "", f.read(), count=1)


def draw_again(directory, names):
    """All pictures in one process; what it says, and which differ."""
    with tempfile.TemporaryDirectory() as copy:
        for path in glob.glob(glob.escape(directory) + "/*.gp") + glob.glob(glob.escape(directory) + "/*.dat"):
            shutil.copy(path, copy)
        done = subprocess.run(["gnuplot", "-d", "-e", "formats='svg'"] + [n + ".gp" for n in names], cwd=copy,
                              stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode or done.stdout.strip():
            yield f"gnuplot: {done.stdout.strip()}"
        for name in names:
            if drawn(f"{directory}/{name}.svg") != drawn(f"{copy}/{name}.svg"):
                yield f"{name}: drawn again it differs"


def check(directory):
    names = sorted(os.path.basename(p)[:-3] for p in glob.glob(glob.escape(directory) + "/*.gp"))
    if not names:
        yield "there are no charts"
        return
    for name in names:
        for what in check_one(f"{directory}/{name}"):
            yield f"{name}: {what}"
    yield from draw_again(directory, names)
    for path in glob.glob(glob.escape(directory) + "/*.svg"):
        if os.path.basename(path)[:-4] not in names:
            yield f"{path} has no script"


if __name__ == "__main__":
    bad = list(check(sys.argv[1]))
    print("\n".join(bad))
    sys.exit(1 if bad else 0)
