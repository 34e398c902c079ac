#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests try_mutants.py with a program whose checks misbehave (artificial_checks.cc).

    try_mutants_test.py PROGRAM
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

import try_mutants

PROGRAM = sys.argv.pop(1)
SCRIPT = pathlib.Path(__file__).with_name("try_mutants.py")

RESULTS = {
    "a.cc: fails": "killed known 1",
    "a.cc: crashes": "crashed Aborted",
    "a.cc: hangs": "hung",
    "a.cc: does nothing": "survived known 4",
    "a.cc: needs memory": "wrong without a mutant: known 5, Aborted",
    "a.cc: is killed from outside": "stopped Killed",
    "a.cc: is ended once": "killed known 7",
    "b.cc: fails at random": "killed random 3",
    "b.cc: crashes at random": "crashed Aborted",
    "b.cc: hangs at random": "hung",
    "b.cc: fails late": "killed random 7",
    "b.cc: does nothing at random": "survived random 0",
    "b.cc: fails without a mutant": "wrong without a mutant: fails",
    "b.cc: may fail without a mutant": "survived may-fail 0",
    "b.cc: is never reached": "unreached",
}
TEN = [try_mutants.Mutant(i + 1, "a.cc" if i < 7 else "b.cc", str(i + 1), "constant" if i % 5 else "bound", f"line {i}") for i in range(10)]


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)


class Trials(WithFolder):
    def run_script(self, *options):
        return subprocess.run([SCRIPT, PROGRAM, "--case-seconds", "1", "--seconds", "1.5", *options], capture_output=True, text=True,
                              env={"ARTIFICIAL_FILE": str(self.folder / "once")})

    def test_every_way_in_which_a_mutant_can_end(self):
        record = self.folder / "record"
        found = self.run_script("--jobs", "4", "--record", str(record))
        self.assertEqual(found.returncode, 1, found.stderr)
        results = dict(reversed(line.split("\t")) for line in record.read_text().splitlines()[1:])
        results["a.cc: is killed from outside"] = "stopped Killed"  # is on no record: it is tried again
        for name, result in RESULTS.items():
            self.assertTrue(results.pop(name, "no result").startswith(result), f"{name}: {record.read_text()}")
        self.assertEqual(results, {})
        self.assertIn("stopped Killed: a.cc: is killed from outside\n", found.stdout)
        self.assertNotIn(": a.cc: fails\n", found.stdout)
        self.assertRegex(found.stdout, r"(?m)^total +15 +4 +2 +2 +0 +3 +1 +3 +53.3%$")
        again = self.run_script("--record", str(record), "--name", "a.cc: fails", "--name", "b.cc: is never reached")
        self.assertNotIn("to try", again.stderr)

    def test_a_stop_discards_running_trials(self):
        found = self.run_script("--checks", "known", "--time", "3", "--jobs", "2", "--name", "a.cc: fails", "a.cc: hangs")
        self.assertEqual(found.returncode, 3, found.stderr)
        self.assertIn("1 mutants not tried in time\n", found.stdout)

    def test_open_and_equivalent_mutants(self):
        both = self.write("both", "a.cc: fails\na.cc: does nothing\n  why\n")
        names = ("--checks", "known", "--name", "a.cc: fails", "--name", "a.cc: does nothing")
        found = self.run_script(*names, "--open", both)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("open, but killed known 1: a.cc: fails\nopen: survived known 4: a.cc: does nothing\n", found.stdout)
        self.assertEqual(self.run_script(*names).returncode, 1)
        found = self.run_script("--checks", "known", "--equivalent", both, "--recheck")
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertIn("equivalent, but killed known 1: a.cc: fails\n", found.stdout)
        found = self.run_script("--equivalent", both, "--open", both, "--check-lists")
        self.assertEqual(found.returncode, 2)
        self.assertIn("/both: also listed as equivalent: a.cc: fails\n", found.stderr)
        self.assertIn("mutants: expected lists of mutants of this build, found 2 problems\n", found.stderr)

    def test_reach_names_what_no_case_executes(self):
        found = self.run_script("--reach", "--file", "b.cc")
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertRegex(found.stdout, r"(?m)^total +7 of +8 +87.5%\nunreached: b.cc: is never reached$")

    def test_shows_questions_that_get_another_answer(self):
        record = self.folder / "record"
        found = self.run_script("--checks", "differs", "--name", "a.cc: hangs", "--record", str(record))
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertRegex(found.stdout, r"(?m)^# a.cc: hangs\nquestion \d$")
        self.assertFalse(record.exists())

    def test_rejects_wrong_options(self):
        for options in (["--percent", "0"], ["--sample", "-1"], ["--time", "1w"], ["--name", "none"], ["--checks", "none", "--file", "c.cc"]):
            self.assertEqual(self.run_script(*options).returncode, 2, options)


class Lists(WithFolder):
    def problems(self, text, with_reasons=True):
        path = self.write("list", text)
        return [line.removeprefix(path) for line in try_mutants.read_list(path, {mutant.name for mutant in TEN}, with_reasons)[1]]

    def test_reads_names_and_their_reasons(self):
        path = self.write("list", "# why\n\nline 8\n  because\nline 0\nline 1\n  two\n  lines\n")
        self.assertEqual(try_mutants.read_list(path, {"line 0", "line 1", "line 8"}, True), (["line 8", "line 0", "line 1"], []))
        self.assertEqual(self.problems("# none yet\n"), [])
        self.assertEqual(self.problems("line 0\nline 1\n", with_reasons=False), [])

    def test_reports_problems(self):
        self.assertEqual(self.problems("line 0\nline 10\n", with_reasons=False), [":2: not a mutant of this build: line 10"])
        self.assertEqual(self.problems("line 0\nline 0\n", with_reasons=False), [":2: duplicate: line 0"])
        self.assertEqual(self.problems("line 0\n  why\n", with_reasons=False), [":2: expected a name, found:   why"])
        self.assertEqual(self.problems("  why\nline 0\n  why\n"), [":1: expected a name, found:   why"])
        for end in ("", "\n", "# another\n  why\n"):
            self.assertEqual(self.problems("line 0\n  why\nline 1\nline 2\n" + end), [":4: expected a line with the reason after: line 2"])
        self.assertEqual(try_mutants.read_list("/nowhere/list", set(), False),
                         ([], ["/nowhere/list: expected a list of mutants, cannot read the file"]))

    def test_names_files_with_too_few_mutants(self):
        self.assertEqual(list(try_mutants.thin_files(TEN, ["line 0", "line 6", "line 7", "line 8"], 2)), [])
        self.assertEqual(list(try_mutants.thin_files(TEN, ["line 0", "line 6", "line 7"], 2)), ["expected 2 mutants of b.cc, found 1"])
        self.assertEqual(list(try_mutants.thin_files(TEN, ["line 7", "line 8", "line 9"], 5)), ["expected 5 mutants of a.cc, found 0"])


class Select(unittest.TestCase):
    def select(self, listed=None, **changes):
        options = {"name": None, "file": None, "kind": None, "of_each_file": 0, "sample": 0, "seed": 1} | changes
        return [mutant.number for mutant in try_mutants.select(TEN, argparse.Namespace(**options), listed)]

    def test_unites_list_and_names_within_files_and_kinds(self):
        self.assertEqual(self.select(), list(range(1, 11)))
        self.assertEqual(self.select(["line 1", "line 8"], name=["line 3"]), [2, 4, 9])
        self.assertEqual(self.select(["line 1", "line 8"], name=["line 3"], file=["a.cc"]), [2, 4])
        self.assertEqual(self.select(kind=["bound"]), [1, 6])
        self.assertEqual(self.select(kind=["constant", "bound"], file=["b.cc"]), [8, 9, 10])

    def test_rejects_what_there_is_not(self):
        for message, options in {"expected a mutant, found: x": {"name": ["line 0", "x"]},
                                 "expected a file with mutants, found c.cc": {"file": ["a.cc", "c.cc"]},
                                 "expected a kind of mutants (bound, constant), found cap": {"kind": ["cap"]},
                                 "expected mutants to try, found none": {"listed": []}}.items():
            with self.assertRaises(try_mutants.Wrong) as wrong:
                self.select(**options)
            self.assertEqual(str(wrong.exception), message)

    def test_takes_samples(self):
        met = set()
        for seed in range(100):
            some = self.select(of_each_file=2, seed=seed)
            self.assertTrue(len(some) == 4 and some[0] < some[1] <= 7 < some[2] < some[3], some)
            met.update(some)
        self.assertEqual(len(met), 10)
        self.assertEqual(self.select(file=["b.cc"], of_each_file=9), [8, 9, 10])
        self.assertEqual(len(self.select(sample=4, seed=3)), 4)
        self.assertNotEqual(self.select(sample=4, seed=3), self.select(sample=4, seed=4))


class Records(WithFolder):
    def record(self, path, checks):
        record = try_mutants.Record(path, checks)
        self.addCleanup(record.file.close)
        return record

    def test_keeps_the_results_of_the_same_checks(self):
        path = str(self.folder / "record")
        for name in ("a", "b"):
            record = self.record(path, "1")
            record.add(name, "killed layout 12")
            record.add("c", "stopped Killed")
            self.assertEqual(record.results["c"], "stopped Killed")
        self.assertEqual(self.record(path, "1").results, {"a": "killed layout 12", "b": "killed layout 12"})
        self.assertEqual(self.record(path, "2").results, {})
        self.assertEqual(self.record(path, "1").results, {})
        self.assertEqual(self.record(self.write("malformed", "killed\ta\n"), "1").results, {})
        with self.assertRaisesRegex(try_mutants.Wrong, "^/nowhere/record: expected a writable file$"):
            try_mutants.Record("/nowhere/record", "1")

    def test_the_hash_depends_on_the_corpus_but_for_the_lists(self):
        def hash_now():
            return try_mutants.hash_of_checks(pathlib.Path(PROGRAM), self.folder)

        self.write("maps.txt", "one")
        before = hash_now()
        self.assertEqual(len(before), 16)
        self.write("mutants/open.txt", "name")
        self.assertEqual(hash_now(), before)
        self.write("maps.txt", "two")
        self.assertNotEqual(hash_now(), before)
        self.write("maps.txt", "one")
        self.assertEqual(hash_now(), before)
        (self.folder / "maps.txt").rename(self.folder / "map.txt")
        self.assertNotEqual(hash_now(), before)


if __name__ == "__main__":
    unittest.main()
