#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the transcripts of documents and compares what the program prints.

    transcripts_test.py TILEPROOF FILE.md ..

A transcript is an indented block. A line that begins with "$ " is a command, and the lines up to the
next command are its output, word for word, except that

    ..         alone on a line stands for any lines, also none
    a .. b     inside of a line, after a space or a quote, stands for any text
    (no line)  a command without output lines may print anything

Commands run one after another in a new folder that has the repository's docs/ and corpus/. A block

    ```python title="mine.py"

is saved as the file mine.py of that folder. Commands that name a program or file of the reader that is
not there, such as ./my_implementation or a .hlo or .mlir file, are not run and are counted.
FILE.md may be a folder, which stands for all pages in it. Commands of SLOW are run at night, with TILEPROOF_ONE_IN=1.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SLOW = {"tileproof zoo"}  # each run judges the same implementations in zoo_test
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
        if line.strip() == "..":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(part) for part in re.split(r"(?<=[ \"])\.\.", line)) + r"\n")
    return re.compile("".join(parts))


def save_files(text, folder):
    for name, content in re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', text, re.DOTALL | re.MULTILINE):
        (pathlib.Path(folder) / name).write_text(content)


def missing_file(command, folder):
    """Whether the command names a program or file that only the reader has."""
    names = re.findall(r"(?<![\w.])[\w./*-]+\.(?:hlo|mlir|so|json)\b", re.sub(r"> *\S+", "", command))
    return re.search(r"(^|\s)(\./)?my_", command) or any(not (pathlib.Path(folder) / name).exists() for name in names)


def check(name, program, folder):
    failed = not_run = 0
    text = (ROOT / name).read_text()
    save_files(text, folder)
    all_commands = transcripts(text)
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}")
    for number, command, lines in all_commands:
        at_night = os.environ.get("TILEPROOF_ONE_IN") == "1"
        if missing_file(command, folder) or (command in SLOW and not at_night):
            not_run += 1
            continue
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
        output = done.stdout or done.stderr
        right = pattern_of(lines).fullmatch(output) if lines else done.returncode in (0, 1)
        if not right:
            failed += 1
            expected = "".join(f"    {line}\n" for line in lines)
            print(f"FAILED: {name}:{number}: {command}\n  expected:\n{expected}  found (status {done.returncode}):")
            print("".join(f"    {line}\n" for line in (output + done.stderr).splitlines()))
    if all_commands:
        print(f"{name}: {len(all_commands)} commands, {not_run} not run, {failed} failed")
    return failed, len(all_commands) - not_run


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    failed = ran = 0
    names = []
    for name in sys.argv[2:]:
        pages = sorted(page.relative_to(ROOT) for page in (ROOT / name).rglob("*.md"))
        names += pages if (ROOT / name).is_dir() else [name]
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            for room in ("docs", "corpus"):
                os.symlink(ROOT / room, pathlib.Path(folder) / room)
            page_failed, page_ran = check(name, program, folder)
            failed, ran = failed + page_failed, ran + page_ran
    print(f"{len(names)} pages, {ran} commands run, {failed} failed")
    sys.exit(0 if failed == 0 and ran > 0 else 1)


if __name__ == "__main__":
    main()
