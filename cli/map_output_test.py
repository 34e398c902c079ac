# SPDX-License-Identifier: Apache-2.0
"""What `tileproof map --verify` shows before it is done. cli/map_output_test.py PROGRAM CORPUS

The last instruction of slow_call.hlo takes seconds. A reader of standard output has all others before that one is done,
and a terminal on standard error says how many instructions are done.
"""
import os
import pty
import re
import subprocess
import sys

LAST = "ROOT c = "


def read_some(descriptor):
    try:
        return os.read(descriptor, 1 << 20).decode()
    except OSError:  # the other side of the terminal is closed
        return ""


def all_but_one(shown):
    """Whether the terminal shows that all instructions but one are done."""
    line = re.search(r"\r(\d+) of (\d+) instructions[^\r]*\Z", shown)
    return line and int(line[1]) == int(line[2]) - 1


def main():
    program, corpus = sys.argv[1:]
    module = os.path.join(corpus, "hlo", "slow_call.hlo")
    terminal, error = pty.openpty()
    process = subprocess.Popen([program, "map", "--verify", "--timeout", "60000", module], stdout=subprocess.PIPE,
                               stderr=error, stdin=subprocess.DEVNULL)
    os.close(error)
    output, shown = "", ""
    try:
        while "\nk = " not in output:  # the instruction before the last
            some = read_some(process.stdout.fileno())
            if not some:
                sys.exit(f"FAILED: standard output ends early:\n{output}")
            output += some
        if LAST in output:
            sys.exit("FAILED: the first instructions were printed together with the last, which takes seconds")
        while not all_but_one(shown):
            some = read_some(terminal)
            if not some:
                sys.exit(f"FAILED: expected a terminal that says how many instructions are done, found {shown[-200:]!r}")
            shown += some
    finally:
        process.kill()
        process.wait()
    print("all instructions but the last are printed and counted before it is done")


main()
