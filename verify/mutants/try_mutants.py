#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation testing of a room: tries each mutant, and requires that the checks kill it.

    try_mutants.py PROGRAM                            every mutant of a program of checks (mutants.cc)
    try_mutants.py PROGRAM --sample 200 --seed 7      a random sample
    try_mutants.py PROGRAM --of-each-file 2           two of each file
    try_mutants.py PROGRAM --list FILE                those that FILE names, one a line
    try_mutants.py PROGRAM --file impl/layout/digits.cc     those of a source file
    try_mutants.py PROGRAM --kind cap                 those of a kind (docs/mutation.md)
    try_mutants.py PROGRAM --checks tests --tests MapText   with these unit tests alone, which is quick
    try_mutants.py PROGRAM --checks differs           looks for questions that get another answer with the mutant
    try_mutants.py PROGRAM --recheck                  those listed as equivalent
    try_mutants.py PROGRAM --reach                    tries none; prints which are reached
    try_mutants.py PROGRAM --check-lists              tries none; checks the lists. With --of-each-file N
                                                      the --list must have N mutants of each file. In place
                                                      of PROGRAM, mutants.tsv of seed_mutants.py has also
                                                      the changes that do not compile

--record FILE appends results to FILE, one a line, and skips the mutants that have one. If the
program or the corpus changed, the record starts empty.

    # checks 93ab1f0c2d5e7788
    killed layout 12<tab>impl/layout/digits.cc: `if (a.size == b.size) return a;` == is !=

--equivalent FILE names mutants that change no behavior. They are not tried. An indented line with
the reason follows each name, or each run of names without an empty line or a comment between.
--open FILE names, in the same format, mutants that are known to survive.

Prints a table by file and every survivor. If the time is over (--time), and on SIGINT and SIGTERM,
prints the results so far.

Exit status:
  1  a mutant survived that is not open, or with --recheck an equivalent one was killed
  2  nothing to try, a list is out of date, or a check fails without a mutant
  3  some mutants were not tried
"""
import argparse
import collections
import concurrent.futures
import contextlib
import hashlib
import itertools
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

Mutant = collections.namedtuple("Mutant", "number file line kind name")
Check = collections.namedtuple("Check", "cases endless holds")

OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT}
CAUGHT = ("killed", "crashed", "hung")  # the first words of results that kill a mutant


class Wrong(Exception):
    """What the user must mend; the exit status is 2."""


def read_list(path, known, with_reasons):
    """Returns the names of a list, and its problems, "FILE:LINE: .."; if there are any, do not use the list."""
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except OSError:
        return [], [f"{path}: expected a list of mutants, cannot read the file"]
    names, problems, seen, unexplained = [], [], set(), 0
    for number, line in enumerate(lines + [""], 1):
        if line[:1] in ("", "#"):
            if unexplained and with_reasons:
                problems.append(f"{path}:{unexplained}: expected a line with the reason after: {names[-1]}")
            unexplained = 0
        elif line[0] == " ":
            if not names or not with_reasons:
                problems.append(f"{path}:{number}: expected a name, found: {line}")
            unexplained = 0
        else:
            if line not in known:
                problems.append(f"{path}:{number}: not a mutant of this build: {line}")
            if line in seen:
                problems.append(f"{path}:{number}: duplicate: {line}")
            seen.add(line)
            names.append(line)
            unexplained = number
    return names, problems


def thin_files(mutants, names, least):
    """Yields a line for each file with fewer than `least` mutants in `names`, unless all of its mutants are there."""
    counts, named = collections.Counter(mutant.file for mutant in mutants), set(names)
    found = collections.Counter(mutant.file for mutant in mutants if mutant.name in named)
    for file, count in sorted(counts.items()):
        if found[file] < min(least, count):
            yield f"expected {min(least, count)} mutants of {file}, found {found[file]}"


def read_lists(options, mutants):
    """Returns the names of the lists: (to try, equivalent, open). Reports all problems of all lists."""
    known, problems = {mutant.name for mutant in mutants}, []

    def read(path, with_reasons):
        names, found = read_list(path, known, with_reasons) if path else ([], [])
        problems.extend(found)
        return names

    listed, equivalent, unkilled = read(options.list, False), read(options.equivalent, True), read(options.open, True)
    for name in sorted(set(unkilled) & set(equivalent)):
        problems.append(f"{options.open}: also listed as equivalent: {name}")
    if options.check_lists and options.list:
        killable = [mutant for mutant in mutants if mutant.name not in {*equivalent, *unkilled}]
        problems += [f"{options.list}: {line}" for line in thin_files(killable, listed, options.of_each_file)]
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        raise Wrong(f"expected lists of mutants of this build, found {len(problems)} problems")
    return listed, equivalent, unkilled


def select(mutants, options, listed):
    """The mutants to choose from are those of the list and those named, or else all. Keeps their order."""
    names = {*(options.name or []), *(listed or [])}
    unknown = set(options.name or []) - {mutant.name for mutant in mutants}
    if unknown:
        raise Wrong(f"expected a mutant, found: {min(unknown)}")
    for file in options.file or []:
        if all(mutant.file != file for mutant in mutants):
            raise Wrong(f"expected a file with mutants, found {file}")
    kinds = sorted({mutant.kind for mutant in mutants})
    for kind in options.kind or []:
        if kind not in kinds:
            raise Wrong(f"expected a kind of mutants ({', '.join(kinds)}), found {kind}")
    by_file = {}
    for mutant in mutants:
        if ((listed is None and not options.name or mutant.name in names) and mutant.file in (options.file or [mutant.file])
                and mutant.kind in (options.kind or [mutant.kind])):
            by_file.setdefault(mutant.file, []).append(mutant)
    choose = random.Random(options.seed)

    def some(among, most):
        return [among[i] for i in sorted(choose.sample(range(len(among)), most))] if 0 < most < len(among) else among

    selected = some([mutant for of_file in by_file.values() for mutant in some(of_file, options.of_each_file)], options.sample)
    if not selected:
        raise Wrong("expected mutants to try, found none")
    return selected


def hash_of_checks(program, corpus):
    """Of the program (all checks and mutants), of this script, and of the corpus but for the lists of mutants."""
    whole = hashlib.sha256()
    files = [path for path in corpus.rglob("*") if path.is_file() and corpus / "mutants" not in path.parents]
    for path in [program, pathlib.Path(__file__)] + sorted(files):
        content = path.read_bytes()
        name = path.relative_to(corpus) if path in files else ""
        whole.update(f"{name} {len(content)}\n".encode() + content)
    return whole.hexdigest()[:16]


class Record:
    """The results by name. They are valid for one set of checks only, whose hash is in the file."""

    def __init__(self, path, checks):
        self.results, self.file, head = {}, None, f"# checks {checks}"
        if not path:
            return
        lines = pathlib.Path(path).read_text().splitlines() if os.path.exists(path) else []
        if lines and lines[0] != head:
            print(f"{path}: the checks changed, starting with no results", file=sys.stderr)
            lines = []
        self.results = {name: result for result, tab, name in (line.partition("\t") for line in lines[1:]) if tab}
        try:
            self.file = open(path, "a" if self.results else "w", buffering=1)
        except OSError:
            raise Wrong(f"{path}: expected a writable file")
        if not self.results:
            print(head, file=self.file)

    def add(self, name, result):
        """What ended from outside is tried again the next time."""
        self.results[name] = result
        if self.file and not result.startswith("stopped"):
            print(f"{result}\t{name}", file=self.file)


class Ended(Exception):
    """The process that runs cases ended, by this exit status, or by a signal's number with a minus."""

    def __init__(self, status):
        super().__init__(f"status {status}" if status >= 0 else signal.strsignal(-status))
        self.hung, self.is_outside = -status == signal.SIGXCPU, status >= 0 or -status in OUTSIDE


class Child:
    """A process that runs cases with one mutant on. Another one takes its place when it ends."""

    def __init__(self, runner, number):
        self.runner, self.number, self.tried_again = runner, number, False
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.runner.command + ["run", str(self.number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        self.runner.children.add(self.process)
        if self.runner.stopping:
            self.process.kill()

    def close(self):
        self.process.kill()
        with contextlib.suppress(BrokenPipeError):
            self.process.communicate()
        self.runner.children.discard(self.process)

    def run(self, case, seconds):
        """Returns whether the case (a check and a number) passes, and the seconds that it took. What ends from outside is tried
        once more."""
        try:
            print(case, seconds, file=self.process.stdin, flush=True)
            word, spent = self.process.stdout.readline().split()
            return word == "passed", float(spent)
        except (BrokenPipeError, ValueError):
            ended = Ended(self.process.wait())
        self.close()
        self.start()
        if not ended.is_outside or self.tried_again or self.runner.stopping:
            raise ended
        self.tried_again = True
        return self.run(case, seconds)


class Runner:
    """Starts the program of checks, for several mutants at once, until it is stopped."""

    def __init__(self, options):
        self.options, self.stopping, self.children = options, False, set()
        self.command = [str(options.program)]
        for name, values in (("--checks", options.checks), ("--tests", options.tests)):
            self.command += [word for value in values or [] for word in (name, value)]

    def stop(self, *_):
        self.stopping = True
        for child in list(self.children):
            child.kill()

    def run(self, *arguments, text="", stderr=subprocess.DEVNULL):
        """Returns the exit status, or a signal's number with a minus, and what was printed."""
        with tempfile.TemporaryFile("w+") as output:
            child = subprocess.Popen(self.command + [str(argument) for argument in arguments], stdin=subprocess.PIPE, stdout=output,
                                     stderr=stderr, text=True, start_new_session=True)
            self.children.add(child)
            if self.stopping:
                child.kill()
            child.communicate(text)
            self.children.discard(child)
            output.seek(0)
            return child.returncode, output.read()

    def checks(self):
        """Returns the checks by name: how many cases each has, whether more follow, and whether all pass."""
        words = [line.split() for line in self.run("checks")[1].splitlines()]
        return {name: Check(int(cases), endless == "1", holds == "1") for name, cases, endless, holds in words}

    def survey(self, mutants):
        """Returns the cases that execute each of the mutants, by number, as a text."""
        status, output = self.run("survey", "--percent", self.options.percent, text=" ".join(str(mutant.number) for mutant in mutants), stderr=None)
        if status and not self.stopping:
            raise Wrong("the checks do not pass without a mutant" if status > 0 else f"without a mutant: {signal.strsignal(-status)}")
        cases = dict(line.split(" ", 1) for line in output.splitlines() if not self.stopping)
        return {int(number): text for number, text in cases.items()}

    def passes(self, cases, share):
        """Whether these cases, with their limits, pass without a mutant, in this share of the time."""
        child = Child(self, 0)
        try:
            return all(child.run(case, share * limit)[0] for case, limit in cases)
        except Ended:
            return False
        finally:
            child.close()

    def course(self, cases):
        """The cases of a mutant with their limits: those of the survey, and then an endless sequence of random ones that takes
        turns among the endless checks that execute the mutant."""
        listed = [case.split(":") for case in cases.split()]
        yield from ((f"{check} {number}", 3 + 5 * float(seconds), True) for check, number, seconds in listed)
        endless = list(dict.fromkeys(check for check, *_ in listed if self.known[check].endless))
        for further in itertools.count():
            for check in endless:
                yield f"{check} {self.known[check].cases + further}", self.options.case_seconds, False
            if not endless:
                return

    def try_mutant(self, number, cases, seconds):
        """Returns what happened to the mutant. A crash and a timeout count as killed if the same cases end
        normally without the mutant, with the same memory limit and in half the time."""
        child, spent, before = Child(self, number), 0, []
        try:
            for case, limit, is_listed in self.course(cases):
                if not is_listed and spent >= seconds:
                    break
                before = [*before, (case, limit)] if is_listed else [(case, limit)]
                try:
                    passed, taken = child.run(case, limit)
                    found, share, why = f"killed {case}", 1, case
                except Ended as ended:
                    if ended.is_outside or self.stopping:
                        return f"stopped {ended}"
                    passed, taken = False, self.options.case_seconds if ended.hung else 0
                    found, share, why = ("hung", 0.5, f"{case}, time") if ended.hung else (f"crashed {ended}", 0.5, f"{case}, {ended}")
                begin = time.monotonic()
                if not passed and (is_listed and share == 1 or self.passes(before, share)):
                    return found
                if not passed and (is_listed or share == 1 and self.known[case.split()[0]].holds):
                    return f"wrong without a mutant: {why}"
                spent += 0 if is_listed else taken + (time.monotonic() - begin if share == 1 else 0)
            return f"survived {reached_by(cases)}"
        finally:
            child.close()

    def try_all(self, mutants, record):
        cases, self.known = self.survey(mutants), self.checks()
        control = "" if self.stopping else self.try_mutant(0, cases[0], 0)
        if not self.stopping and not control.startswith("survived"):
            raise Wrong(f"expected the trial without a mutant to pass, found: {control}")

        def try_one(mutant):
            if self.stopping:
                return None
            return self.try_mutant(mutant.number, cases[mutant.number], self.options.seconds) if mutant.number in cases else "unreached"

        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            trials = {pool.submit(try_one, mutant): mutant for mutant in mutants}
            for tried, trial in enumerate(concurrent.futures.as_completed(trials), 1):
                if self.stopping:
                    continue  # the signal that stops us may have ended the child
                record.add(trials[trial].name, trial.result())
                if tried % 100 == 0:
                    print(f"{tried} tried", file=sys.stderr)


def reached_by(cases):
    """The first case of each check that reaches the mutant; helps to investigate a survivor."""
    first = {}
    for case in cases.split():
        check, number, _ = case.split(":")
        first.setdefault(check, number)
    return ", ".join(f"{check} {number}" for check, number in first.items())


def print_reach(mutants, cases):
    """Prints for each file how many of its mutants the cases reach, then each unreached mutant. Returns whether all are."""
    for name in sorted({mutant.file for mutant in mutants} | {"total"}):
        rows = [mutant.number in cases for mutant in mutants if name in (mutant.file, "total")]
        print(f"{name:<30} {sum(rows):6} of {len(rows):6} {100 * sum(rows) / len(rows):6.1f}%")
    unreached = sorted(mutant.name for mutant in mutants if mutant.number not in cases)
    for name in unreached:
        print(f"unreached: {name}")
    return not unreached


def print_table(mutants, results):
    rows = collections.defaultdict(collections.Counter, total=collections.Counter())
    for mutant in mutants:
        if mutant.name in results:
            for row in (mutant.file, "total"):
                rows[row][results[mutant.name].split(" ")[0]] += 1
    print(f"{'':<30} mutants  killed crashed    hung   equal   survived unreached unclear    share")
    for name, row in sorted(rows.items()):
        counted = row.total() - row["equivalent"]
        share = f"{100 * sum(row[word] for word in CAUGHT) / counted:.1f}%" if counted else "-"
        print(f"{name:<30} {row.total():7} {row['killed']:7} {row['crashed']:7} {row['hung']:7} {row['equivalent']:7} {row['survived']:10} "
              f"{row['unreached']:9} {row['wrong'] + row['stopped']:7} {share:>8}")


def print_survivors(options, mutants, results, unkilled):
    """Prints the survivors, and the killed mutants that are listed as open or equivalent. Returns the exit status."""
    failed, untried, known = False, 0, set(unkilled)
    for mutant in mutants:
        result, is_open = results.get(mutant.name), mutant.name in known
        if result is None:
            untried += 1
        elif result.startswith(CAUGHT):
            failed |= options.recheck
            if options.recheck or is_open:
                print(f"{'equivalent' if options.recheck else 'open'}, but {result}: {mutant.name}")
        elif result != "equivalent" and not options.recheck:
            print(f"{'open: ' if is_open else ''}{result}: {mutant.name}")
            failed |= not is_open
    if untried:
        print(f"{untried} mutants not tried in time")
    return 1 if failed else 3 if untried else 0


def run(options):
    runner = Runner(options)
    is_table = options.check_lists and options.program.suffix == ".tsv"
    status, output = (0, options.program.read_text()) if is_table else runner.run("list", stderr=None)
    mutants = [Mutant(int(number), *rest) for number, *rest in (line.split("\t", 4) for line in output.splitlines())]
    if status:
        raise Wrong("expected a program of checks with mutants")
    listed, equivalent, unkilled = read_lists(options, mutants)
    if options.check_lists:
        print(f"{len(listed) + len(equivalent) + len(unkilled)} names, {len(mutants)} mutants")
        return 0
    selected = select(mutants, options, equivalent if options.recheck else listed if options.list else None)
    if options.reach:
        return 0 if print_reach(selected, runner.survey(selected)) else 1
    asks = options.checks == ["differs"]  # for questions, which kill no mutant before they are recorded
    record = Record(None if asks else options.record, hash_of_checks(options.program, pathlib.Path(__file__).resolve().parents[2] / "corpus"))
    if not options.recheck:
        record.results.update((name, "equivalent") for name in equivalent)
    unknown = [mutant for mutant in selected if mutant.name not in record.results]
    if unknown:
        print(f"{len(unknown)} mutants to try", file=sys.stderr)
        random.Random(options.seed).shuffle(unknown)  # so that a time limit does not always skip the same files
        for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, runner.stop)
        signal.setitimer(signal.ITIMER_REAL, options.time)
        runner.try_all(unknown, record)
        signal.setitimer(signal.ITIMER_REAL, 0)
    for mutant in unknown:
        if (words := record.results.get(mutant.name, "").split())[:2] == ["killed", "differs"]:
            print(f"# {mutant.name}\n{runner.run('show', *words[1:])[1]}")
    print_table(selected, record.results)
    return print_survivors(options, selected, record.results, unkilled)


def at_least(least, kind=int, most=None):
    def parse(text):
        value = kind(text)
        if value < least or most is not None and value > most:
            raise ValueError
        return value
    parse.__name__ = f"number of at least {least}"
    return parse


def duration(text):
    return at_least(0, float)(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]] if text[-1:] in ("s", "m", "h") else at_least(0, float)(text)


def parse_options():
    parser = argparse.ArgumentParser(description="Mutation testing: the checks must kill every mutant.")
    several = {"nargs": "+", "action": "extend"}
    parser.add_argument("program", type=pathlib.Path, help="a program of checks, such as build/release/bin/mutants; for --check-lists a table of mutants")
    parser.add_argument("--sample", type=at_least(0), default=0, help="try a random sample of this size")
    parser.add_argument("--of-each-file", type=at_least(0), default=0, help="try a random sample of this size from each file")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random choices and of the order")
    parser.add_argument("--list", help="file of mutants to try, one name a line")
    parser.add_argument("--file", **several, help="try the mutants of these source files")
    parser.add_argument("--kind", **several, help="try the mutants of these kinds: operator, bound, ..")
    parser.add_argument("--name", **several, help="try this mutant")
    parser.add_argument("--record", help="file of results; skips the mutants that have one")
    parser.add_argument("--equivalent", help="file of mutants that change no behavior")
    parser.add_argument("--open", help="file of mutants known to survive")
    parser.add_argument("--checks", **several, help="run only these checks: layout, simplify, .., tests")
    parser.add_argument("--tests", **several, help="of the unit tests, run only those whose names contain one of these")
    parser.add_argument("--seconds", type=at_least(0, float), default=60, help="processor time for each surviving mutant")
    parser.add_argument("--case-seconds", type=at_least(0, float), default=10, help="processor time for one random case")
    parser.add_argument("--time", type=duration, default=0, help="limit for the whole run (30, 20m, 5h); 0: until all are tried")
    parser.add_argument("--percent", type=at_least(1, most=100), default=100, help="share of the random cases to run")
    parser.add_argument("--jobs", type=at_least(1), default=1, help="processes")
    parser.add_argument("--recheck", action="store_true", help="try the equivalent mutants; fail if one is killed")
    parser.add_argument("--reach", action="store_true", help="only print which mutants the cases reach")
    parser.add_argument("--check-lists", action="store_true", help="only check that the lists are up to date")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(run(parse_options()))
    except Wrong as wrong:
        sys.exit(print(f"mutants: {wrong}", file=sys.stderr) or 2)
