# SPDX-License-Identifier: Apache-2.0
"""Decides every SMT-LIB file of some folders again: with the Z3 of the Python package, and with cvc5 if it is installed.

    python cross_check_solvers.py [--milliseconds 2000] FOLDER ..

Each (check-sat) has a status, the answer that tileproof got. A proof rests on the `unsat` answers; after `sat` tileproof
asked again with more facts. An answer opposite to the status is a disagreement. The script counts what a solver leaves
undecided, and lists it if tileproof has an answer. Exit status: 0 no disagreement; 1 a disagreement; 2 nothing was decided.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import z3


def statuses(path):
    """The status before each (check-sat)."""
    found, status = [], "unknown"
    for word in re.findall(r"\(set-info :status (\w+)\)|(\(check-sat\))", path.read_text()):
        if word[1]:
            found.append(status)
        else:
            status = word[0]
    return found


def by_z3(text, milliseconds):
    answers = []
    context = z3.Context()
    option = f"(set-option :timeout {milliseconds})\n"
    try:
        said = z3.Z3_eval_smtlib2_string(context.ref(), option + text)
    except z3.Z3Exception as error:
        return [f"error: {error}"]
    for line in said.splitlines():
        answers.append(line.strip())
    return answers


def by_cvc5(path, milliseconds):
    call = ["cvc5", "--lang=smt2", "--incremental", f"--tlimit-per={milliseconds}", str(path)]
    done = subprocess.run(call, capture_output=True, text=True)
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--milliseconds", type=int, default=2000)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    solvers = {f"Z3 {z3.get_version_string()}": lambda path: by_z3(path.read_text(), arguments.milliseconds)}
    if shutil.which("cvc5"):
        version = subprocess.run(["cvc5", "--version"], capture_output=True, text=True).stdout.split()
        solvers[f"cvc5 {version[version.index('version') + 1]}"] = lambda path: by_cvc5(path, arguments.milliseconds)
    decided = disagreements = 0
    for folder in arguments.folders:
        files = {path: statuses(path) for path in sorted(folder.rglob("*.smt2"))}
        expected = [status for all_of in files.values() for status in all_of]
        print(f"{folder.name}: {len(expected)} questions; tileproof's answers: {expected.count('unsat')} unsat, {expected.count('sat')} sat, "
              f"{expected.count('unknown')} undecided")
        for name, solve in solvers.items():
            agreed, others, left_open = 0, 0, []
            for path, wanted in files.items():
                answers = [line for line in solve(path) if line in ("sat", "unsat", "unknown")]
                answers += ["unknown"] * (len(wanted) - len(answers))
                for want, answer in zip(wanted, answers):
                    agreed += want == answer != "unknown"
                    others += want == "unknown" != answer
                    if {want, answer} == {"sat", "unsat"}:
                        disagreements += 1
                        print(f"  {name} DISAGREES: {path}: {answer}, tileproof says {want}")
                    if want != "unknown" == answer:
                        left_open.append(str(path.relative_to(folder)))
            decided += agreed
            print(f"  {name}: {agreed} agree, {others} newly decided, {len(left_open)} left undecided"
                  f"{': ' if left_open else ''}{', '.join(left_open)}")
    if disagreements:
        return 1
    return 0 if decided else 2


sys.exit(main())
