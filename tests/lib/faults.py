#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""faults.py CASE...: make the calls of the program fail, one after the other, and look at what is left.

Each case is a command of $TOOL. It runs once undisturbed, with $TESTBED/faults.so counting its calls (see
tests/testbed/preload/faults.c); then once for each call and errno, or for a part of the calls where there are more than
FAULTS_FIRST + FAULTS_SAMPLE (FAULTS_FIRST=all: no limit; of allocations four times as many). After each fault:

  - it has ended by itself with a status of the manual, and a sentence when that is not 0;
  - with status 0 everything is as without the fault; what a program must ride out gives no other status;
  - files that it writes are whole or as they were before, and none of its temporary files is left, nor a process;
  - the database is whole, holds no half point, and every point that the program told of as finished.

Prints a line for each call, "N faults", and what was wrong. FAULTS_SEED draws the part; FAULTS_CALLS is a list of calls
to look at; FAULTS_SAY=1 prints every message once.
"""
import collections
import concurrent.futures
import difflib
import errno
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

TOOL = os.environ["TOOL"]
LIBRARY = os.path.join(os.environ["TESTBED"], "faults.so")
FIRST = os.environ.get("FAULTS_FIRST", "6")
SAMPLE = int(os.environ.get("FAULTS_SAMPLE", "8"))
SEED = os.environ.get("FAULTS_SEED", "1")
NR_FRAMES = 12
FRAMES = struct.Struct(f"{1 + NR_FRAMES}Q")
COUNTER = struct.Struct("16sQ")
LIMIT_S = 30

# What each call fails with. "!" in front: to be ridden out, so that nothing is to be seen of it.
ERRNOS = {
    "alloc": "ENOMEM", "open": "EMFILE EACCES", "mkdir": "ENOSPC", "mktemp": "ENOSPC", "opendir": "EMFILE",
    "read": "EIO !EINTR !short", "write": "ENOSPC EIO !EINTR !short", "print": "ENOSPC", "fsync": "EIO",
    "ftruncate": "EIO", "fchmod": "EPERM", "close": "EIO", "rename": "ENOSPC", "unlink": "EIO", "rmdir": "EBUSY",
    "stat": "EIO", "fcntl": "EIO ENOLCK", "flock": "ENOLCK", "ioctl": "EIO", "mmap": "ENOMEM", "memfd": "EMFILE",
    "thread": "EAGAIN", "pipe": "EMFILE", "spawn": "EAGAIN ENOENT", "wait": "!EINTR ECHILD", "poll": "!EINTR",
    "io_setup": "EAGAIN ENOMEM", "io_submit": "!EAGAIN !EINTR !short EIO EINVAL", "io_getevents": "!EINTR EIO",
    "io_destroy": "EINVAL",
}

# What a finished point is: that, and all that belongs to it.
POINT_SQL = """SELECT run_id || '/' || seq, status, ifnull(reason, ''), ifnull(ios, 0), ifnull(window_ns, 0),
    (SELECT count(*) FROM point_dir d WHERE d.point_id = p.id),
    (SELECT sum(length(d.lat_hist) > 0) FROM point_dir d WHERE d.point_id = p.id),
    (SELECT count(*) FROM point_worker w WHERE w.point_id = p.id),
    (SELECT group_concat(flag) FROM point_flag f WHERE f.point_id = p.id) FROM point p ORDER BY run_id, seq"""


class Wrong(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def last_line(text):
    return (text.strip().splitlines() or [""])[-1]


def sentence(text):
    """The last one of an error; what was made is told behind it."""
    said = [line[10:] for line in text.splitlines() if line.startswith("lunsweep: ")]
    said = [line for line in said if not line.startswith("warning: ")]
    return said[-1] if said else ""


def difference(old, new):
    lines = difflib.unified_diff(*([line[:160] for line in text.decode(errors="replace").splitlines()]
                                   for text in (old, new)), lineterm="", n=0)
    return " | ".join(list(lines)[3:7])


class Ended:
    """How the program ended."""

    def __init__(self, status, out, err, failed, frames, calls):
        self.status, self.out, self.err = status, out, err
        self.failed, self.frames, self.calls = failed, frames, calls


class Place:
    """A directory of one program at a time; what a case lays down before, and what is there afterwards."""

    def __init__(self, case, root, nr):
        self.case = case
        self.dir = os.path.join(root, f"{case.name}.{nr}")
        self.db = os.path.join(self.dir, "test.db")
        self.target = self.dir + ".target"
        self.state = os.path.join(root, f"{case.name}.{nr}.state")

    def lay(self):
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(os.path.join(self.dir, "tmp"))
        self.case.lay(self)

    def environment(self, call, at, errnum):
        env = dict(os.environ, LUNSWEEP_DB=self.db, TMPDIR=os.path.join(self.dir, "tmp"),
                   LC_ALL="C.UTF-8", LD_PRELOAD=LIBRARY, FAULT_STATE=self.state,
                   PATH=self.case.path + os.environ["PATH"])
        if call:
            env.update(FAULT_CALL=call, FAULT_AT=str(at),
                       FAULT_ERRNO="short" if errnum == "short" else str(getattr(errno, errnum)))
        return env

    def run_case(self, *fault):
        return self.run([arg.format(target=self.target) for arg in self.case.argv], *fault)

    def run(self, argv, call=None, at=0, errnum=None):
        with open(self.state, "wb"):
            pass
        p = subprocess.Popen([TOOL] + argv, cwd=self.dir, env=self.environment(call, at, errnum),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             start_new_session=True)
        try:
            out, err = p.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.communicate()
            raise Wrong(f"did not end within {LIMIT_S} s")
        if errnum != "ECHILD":  # or it would have to end what it is told does not exist
            self.no_process(p.pid)
        data = read(self.state)
        numbers = FRAMES.unpack_from(data)
        calls = {n.rstrip(b"\0").decode(): c for n, c in COUNTER.iter_unpack(data[FRAMES.size:])}
        return Ended(p.returncode, self.without_place(out).decode(errors="replace"), err.decode(errors="replace"),
                     numbers[0], [f for f in numbers[1:] if f], calls)

    def without_place(self, data):
        return data.replace(self.dir.encode(), b"PLACE")

    def no_process(self, group):
        """What it started must be gone with it; a moment for what is being ended."""
        for _ in range(20):
            try:
                os.killpg(group, 0)
            except ProcessLookupError:
                return
            time.sleep(0.02)
        os.killpg(group, signal.SIGKILL)
        raise Wrong("a process that it started was left behind")

    def files(self):
        """Every file, by name; what the database and the target are is looked at apart."""
        found = {}
        for folder, _, names in os.walk(self.dir):
            for name in names:
                path = os.path.join(folder, name)
                rel = os.path.relpath(path, self.dir)
                if not rel.startswith("test.db") and rel not in self.case.inputs:
                    found[rel] = self.case.plain(self.without_place(read(path)))
        return found

    def points(self):
        """What is stored, if anything is; the database must be whole."""
        if not os.path.exists(self.db) or not os.path.getsize(self.db):
            return {}
        db = sqlite3.connect(self.db)
        try:
            whole = db.execute("PRAGMA integrity_check").fetchone()[0]
            expect(whole == "ok", f"the database is damaged: {whole}")
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'point'").fetchone():
                return {}
            expect(not db.execute("PRAGMA foreign_key_check").fetchall(), "a row refers to nothing")
            return {row[0]: row[1:] for row in db.execute(self.case.point_sql)}
        finally:
            db.close()


class Case:
    name = ""
    argv = []
    statuses, good = {0, 1}, {0}
    again_when_busy = 0
    inputs = ()
    path = ""
    point_sql = POINT_SQL
    calls = None

    def lay(self, place):
        pass

    def plain(self, data):
        """What does not differ from one time to the next."""
        return data

    def lines(self, text):
        return text

    def sentence(self, ended):
        return sentence(ended.err)

    def may_know_less(self, call):
        """Whether a fault may make the host unknown, which is no failure."""
        return False

    def look(self, place, ended, before, whole, call):
        """What must hold after a fault; before: files before it, whole: of the undisturbed command."""
        expect(ended.status in self.statuses, f"status {ended.status}")
        if ended.status:
            last = self.sentence(ended)
            expect(len(last) > 12, f"no sentence but '{last_line(ended.err)}'")
            expect("(null)" not in last and "Success" not in last, f"no reason in '{last}'")
        files = place.files()
        for name, data in files.items():
            # What cannot be removed is told.
            if name not in before and name not in whole.files and os.path.dirname(name) in ended.err:
                continue
            expect(name in before or name in whole.files, f"{name} is left behind")
            is_right = data in (before.get(name), whole.files.get(name)) or self.is_whole(name, data, whole)
            expect(is_right, f"{name} is neither old nor new")
        for name in before:
            expect(name in files or self.may_go(name), f"{name} is gone")
        if not ended.status:
            expect(files.keys() == whole.files.keys(), "files are missing")
            for name, data in files.items() if not self.may_know_less(call) else ():
                expect(data == whole.files[name], f"status 0, but {name} is not the new one: " +
                       difference(whole.files[name], data))
            if not self.may_know_less(call):
                expect(self.lines(ended.out) == self.lines(whole.ended.out), "status 0, but the output differs: " +
                       difference(whole.ended.out.encode(), ended.out.encode()))
        self.look_at_points(place, ended, whole)

    def is_whole(self, name, data, whole):
        """A file that tells of what went wrong is neither the old nor the new one."""
        return False

    def may_go(self, name):
        return False

    def look_at_points(self, place, ended, whole):
        expect(place.points() == whole.points, "what is stored has changed")


class Reading(Case):
    """A command that only reads a database."""

    def lay(self, place):
        shutil.copy(SHARED["db"], place.db)


class Report(Reading):
    name, argv = "report", ["report", "1"]


class Show(Reading):
    name, argv = "show", ["show", "1", "2"]


class Export(Reading):
    name, argv = "export", ["export", "1", "--format", "json", "-o", "out.json"]


class Directory(Reading):
    """Charts by a small program that stands for gnuplot, over a report that is there already."""

    name, argv = "report-o", ["report", "1", "-o", "out"]

    def lay(self, place):
        super().lay(place)
        self.path = SHARED["bin"] + ":"
        shutil.copytree(SHARED["old"], os.path.join(place.dir, "out"))

    def is_whole(self, name, data, whole):
        """The page says which charts are missing, and Markdown shows those that are there."""
        if name == "out/report.html":
            return data.startswith(b"<!DOCTYPE html>") and data.endswith(b"</html>\n")
        text = whole.files[name].split(b"## Charts")[0]
        return name == "out/report.md" and data.startswith(text.rstrip()) and data.endswith(b"\n")

    def may_go(self, name):
        """A picture of before would be taken for one of this report, so all go first."""
        return name.endswith((".png", ".svg"))


class Import(Case):
    name, argv = "import", ["import", "csv", "table.csv", "--name", "taken in"]
    inputs = ("table.csv",)

    def lay(self, place):
        shutil.copy(SHARED["table"], os.path.join(place.dir, "table.csv"))

    def look_at_points(self, place, ended, whole):
        points = place.points()
        expect(points in ({}, whole.points), "only a part is stored")
        # A message that is not heard is no reason to take back what is stored.
        expect(ended.status or points, "status 0, but nothing is stored")


class OnTarget(Case):
    """A command that looks at a target of its own; only the second MiB of it may be written."""

    def lay(self, place):
        if not os.path.exists(place.target):
            shutil.copy(SHARED["target"], place.target)
            self.kept = self.outside(place)

        # A new one would take most of the time; import makes one.
        shutil.copy(SHARED["db"], place.db)

    def outside(self, place):
        data = read(place.target)
        return data[:1 << 20], data[2 << 20:]

    def may_know_less(self, call):
        return call in ("alloc", "open", "opendir", "read", "close", "stat", "ioctl", "flock")


class Plan(OnTarget):
    name, argv = "plan", ["plan", "--target", "{target}", "--iodepth", "1..16*2", "--seed", "1"]


class Measuring(OnTarget):
    """Short points; what is stored is what the program told of, and the same command ends what is not."""

    statuses = {0, 1, 3}
    # A machine that is busy with something else may complete nothing in so short a window.
    again_when_busy = 2
    accept = "unwritten,host-cache,foreign-load,stall"
    often = ["--offset", "1m", "--span", "1m", "--ramp-time", "1ms", "--runtime", "40ms", "--accept", accept,
             "--write-to", "{target}", "--yes", "--seed", "1"]

    def look(self, place, ended, before, whole, call):
        outside = self.outside(place)
        with LOCK:
            ledger["outside_checked"] += sum(map(len, outside))
            ledger["outside_changed"] += outside != self.kept
        expect(outside == self.kept, "something outside the span was written")
        return super().look(place, ended, before, whole, call)

    def lines(self, text):
        return len(text.splitlines()) > 5

    def look_at_points(self, place, ended, whole):
        stored = self.new_points(place, whole)
        self.look_at_them(stored, ended)
        told = len(re.findall(r"^\[\d+/\d+\] ", ended.err, re.M))
        final = {k: p for k, p in stored.items() if p[0] in ("ok", "failed", "no-io", "skipped")}
        lost = max(0, told - len(final))
        if ended.status == 1 and random.random() < 0.2:
            again = place.run_case()
            expect(again.status in self.again, f"the same command then ends with {again.status}: {last_line(again.err)}")
            stored_then = self.new_points(place, whole)
            lost += sum(stored_then.get(k) != p for k, p in final.items())
            self.look_at_them(stored_then, again)
        with LOCK:
            ledger["points_checked"] += len(final)
            ledger["points_lost"] += lost
        expect(not lost, f"{lost} finished points are lost")

    def new_points(self, place, whole):
        """Those of the run that was there before must be as they were."""
        points = place.points()
        expect({k: p for k, p in points.items() if k.startswith("1/")} ==
               {k: p for k, p in whole.points.items() if k.startswith("1/")}, "an earlier run has changed")
        return {k: p for k, p in points.items() if not k.startswith("1/")}

    def look_at_them(self, points, ended):
        for key, (status, reason, ios, window_ns, dirs, hists, workers, _) in points.items():
            if status == "ok":
                expect(ios and window_ns and dirs >= 2 and hists and workers, f"point {key} is only half there")
            expect(status != "failed" or len(reason) > 8, f"point {key} failed without a reason")
            expect(ended.status or status == "ok", f"status 0, but point {key} is {status}")


class Run(Measuring):
    name = "run"
    argv = ["run", "--target", "{target}", "--rw", "randread,randwrite", "--iodepth", "8", "--anchors", "never"]
    argv += Measuring.often
    again = {0}


class Find(Measuring):
    name = "find"
    argv = ["find", "--target", "{target}", "--cap", "mean:10s", "--max-depth", "4"] + Measuring.often
    # 3: on a busy machine this host is the limit; why it ended so is a part of its answer.
    good = again = {0, 3}

    def sentence(self, ended):
        return sentence(ended.err) or (ended.status == 3 and ended.out) or ""


class Prepare(OnTarget):
    name = "prepare"
    argv = ["prepare", "--target", "{target}", "--write-to", "{target}", "--offset", "1m", "--span", "1m", "--yes"]

    def look_at_points(self, place, ended, whole):
        expect(self.outside(place) == self.kept, "something outside the span was written")
        super().look_at_points(place, ended, whole)


class Make(Case):
    """A file that is made is whole or not there."""

    name = "prepare-make"
    argv = ["prepare", "--target", "new", "--make-file", "1m"]

    def plain(self, data):
        return str(len(data)).encode()


CASES = {c.name: c for c in (Report, Show, Export, Directory, Import, Plan, Run, Find, Prepare, Make)}
LOCK = threading.Lock()
ledger = collections.Counter()
SHARED = {}


class Whole:
    """The undisturbed command."""


class Trial:
    def __init__(self, case, root, nr_places=2):
        self.case = case
        self.places = [Place(case, root, i) for i in range(nr_places)]
        self.free = list(self.places)
        self.lock = threading.Lock()
        self.wrong, self.said = [], {}
        self.whole = Whole()

    def undisturbed(self):
        place = self.places[0]
        place.lay()
        self.before = place.files()
        self.whole.ended = place.run_case()
        expect(self.whole.ended.status in self.case.good, "undisturbed: " + self.whole.ended.err)
        self.whole.files, self.whole.points = place.files(), place.points()

    def one(self, call, at, errnum):
        with self.lock:
            place = self.free.pop()
        ended = None
        try:
            place.lay()
            ended = place.run_case(call, at, errnum.lstrip("!"))
            if not ended.failed:
                return 0
            for _ in range(self.case.again_when_busy if errnum.startswith("!") else 0):
                if ended.status in self.case.good:
                    break
                place.lay()
                ended = place.run_case(call, at, errnum.lstrip("!"))
            if errnum.startswith("!"):
                expect(ended.status in self.case.good, f"status {ended.status}, which was to be ridden out")
            self.case.look(place, ended, self.before, self.whole, call)
            with self.lock:
                last = (sentence(ended.err) or last_line(ended.out)) if ended.status else "(status 0)"
                self.said.setdefault((call, errnum, last), at)
            return 1
        except Wrong as e:
            with self.lock:
                self.wrong.append((call, at, errnum, str(e), ended))
            return 1
        finally:
            with self.lock:
                self.free.append(place)

    def chosen(self, call, nr):
        """Which of nr calls fail: all, or the first and a part of the others."""
        sample = SAMPLE * 4 if call == "alloc" else SAMPLE
        if FIRST == "all" or nr <= int(FIRST) + sample:
            return list(range(1, nr + 1))
        rest = range(int(FIRST) + 1, nr + 1)
        drawn = random.Random(f"{SEED} {self.case.name}").sample(rest, sample)
        return list(range(1, int(FIRST) + 1)) + sorted(drawn)

    def all(self, pool):
        only = os.environ.get("FAULTS_CALLS", "").split()
        told, total, began = [], 0, time.monotonic()
        for call, nr in self.whole.ended.calls.items():
            if not nr or (only and call not in only) or (self.case.calls and call not in self.case.calls):
                continue
            faults = [(call, at, e) for e in ERRNOS[call].split() for at in self.chosen(call, nr)]
            hit = sum(pool.map(lambda f: self.one(*f), faults))
            total += hit
            tried = len(self.chosen(call, nr))
            told.append(f"{call} {tried}" + (f" of {nr}" if tried < nr else ""))
        print(f"{self.case.name}: {', '.join(told)}; {time.monotonic() - began:.1f} s")
        return total


def where(frames):
    lines = subprocess.run(["addr2line", "-sfpe", TOOL] + [hex(f - 1) for f in frames],
                           stdout=subprocess.PIPE, check=False).stdout.decode().splitlines()
    return " < ".join(line.replace(" at ", " ") for line in lines)


def tell(trial):
    for call, at, errnum, text, ended in sorted(trial.wrong, key=lambda w: w[:2])[:int(os.environ.get("FAULTS_TOLD", "10"))]:
        print(f"WRONG {trial.case.name}: {call} {at} {errnum}: {text}")
        if ended:
            print(f"  status {ended.status}: {' / '.join(ended.err.strip().splitlines()[-3:])}\n  at {where(ended.frames)}")
    if os.environ.get("FAULTS_SAY"):
        for (call, errnum, last), at in sorted(trial.said.items()):
            print(f"  {call} {errnum} ({at}): {last}")


GNUPLOT = r"""#!/bin/sh
# Stands for gnuplot: says what it is at, and writes the files that the script names.
for arg; do
	case $arg in
	"print '"*) arg=${arg#print \'} && echo "${arg%\'}" >&2 ;;
	*.gp)
		formats= name=
		while read -r line; do
			case $line in
			"if (!exists('formats')) formats = '"*) formats=${line#*= \'} && formats=${formats%\'} ;;
			"set output '"*) name=${line#*\'} && name=${name%%\'*} ;;
			esac
		done <"$arg"
		for format in $formats; do
			echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>x</title></svg>' >"$name$format"
		done ;;
	esac
done
"""


def quietly(argv, good=(0,), **more):
    done = subprocess.run([TOOL] + argv, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    if done.returncode not in good:
        sys.exit(f"{' '.join(argv)} ended with {done.returncode}")


def prepare(root):
    """What cases share: a target, a database with a run, a table, and a report of before."""
    for name in ("db", "target", "table", "old", "bin"):
        SHARED[name] = os.path.join(root, "shared-" + name)
    with open(SHARED["target"], "wb") as f:
        f.write(os.urandom(4 << 20))
        f.flush()
        os.fsync(f.fileno())
    # A busy machine may give a point of 30 ms no I/O, which is 3.
    quietly(["run", "--db", SHARED["db"], "--target", SHARED["target"], "--iodepth", "1,2,8", "--span", "1m,4m",
             "--ramp-time", "1ms", "--runtime", "30ms", "--anchors", "never", "--accept", "host-cache"], good=(0, 3))
    with open(SHARED["table"], "w", encoding="utf-8") as f:
        f.write("rw,bs,iodepth,iops,lat_mean_ms\n")
        for depth in (1, 2, 4, 8):
            f.write(f"randread,4k,{depth},{depth * 100},10\n")
    os.mkdir(SHARED["bin"])
    with open(os.path.join(SHARED["bin"], "gnuplot"), "w", encoding="utf-8") as f:
        f.write(GNUPLOT)
    os.chmod(os.path.join(SHARED["bin"], "gnuplot"), 0o755)
    quietly(["report", "1", "--db", SHARED["db"], "-o", SHARED["old"]],
            env=dict(os.environ, PATH=SHARED["bin"] + ":" + os.environ["PATH"]))
    for name in os.listdir(SHARED["old"]):
        with open(os.path.join(SHARED["old"], name), "a", encoding="utf-8") as f:
            f.write("of before\n")


def main():
    root = tempfile.mkdtemp(dir=os.environ["SCRATCH"])
    total, wrong = 0, 0
    try:
        prepare(root)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for name in sys.argv[1:]:
                trial = Trial(CASES[name](), root)
                trial.undisturbed()
                total += trial.all(pool)
                tell(trial)
                wrong += len(trial.wrong)
    finally:
        shutil.rmtree(root)
    for key, nr in sorted(ledger.items()):
        print(f"ledger {key} {nr}")
    print(f"ledger faults {total - wrong}")
    print(f"{total} faults, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
