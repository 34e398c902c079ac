#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the transcripts of documents and compares what the program prints.

    transcripts_test.py TILEPROOF FILE.md ..

A transcript is an indented block. A line that begins with "$ " is a command, and the lines up to the
next command are its output, word for word, except that

    ..         alone on a line stands for any lines, also none
    a .. b     inside of a line stands for any text
    (no line)  a command without output lines may print anything

Commands run one after another in a new folder that has the repository's docs/ and corpus/. Commands
that begin with something that is not there, such as ./my_implementation, are not run and are counted.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def transcripts(text):
    """(line number, command, output lines) of each command."""
    found, current = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("    $ "):
            current = (number, line[6:], [])
            found.append(current)
        elif line.startswith("    ") and current:
            current[2].append(line[4:])
        else:
            current = None
    return found


def pattern_of(lines):
    """A regular expression of the output."""
    parts = []
    for line in lines:
        if line == "..":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(part) for part in re.split(r"(?<= )\.\.", line)) + r"\n")
    return re.compile("".join(parts))


def check(name, program, folder):
    failed = not_run = 0
    all_commands = transcripts((ROOT / name).read_text())
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}")
    for number, command, lines in all_commands:
        if re.search(r"(^|\s)(\./)?my_|module\.hlo", command):
            not_run += 1
            continue
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
        output = done.stdout if lines or done.returncode in (0, 1) else done.stderr
        right = pattern_of(lines).fullmatch(output) if lines else done.returncode in (0, 1)
        if not right:
            failed += 1
            expected = "".join(f"    {line}\n" for line in lines)
            print(f"FAILED: {name}:{number}: {command}\n  expected:\n{expected}  found (status {done.returncode}):")
            print("".join(f"    {line}\n" for line in (output + done.stderr).splitlines()))
    print(f"{name}: {len(all_commands)} commands, {not_run} not run, {failed} failed")
    return failed == 0 and len(all_commands) > not_run


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    passed = True
    for name in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            for room in ("docs", "corpus"):
                os.symlink(ROOT / room, pathlib.Path(folder) / room)
            passed = check(name, program, folder) and passed
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
