# SPDX-License-Identifier: Apache-2.0
"""What a program under test does to other processes. cli/processes_test.py TILEPROOF PLUGIN

Each program below answers like `tileproof respond`, and does something else first. Whatever it does, a report is
there, the exit status says what it says, and no process of the program is left. A program writes the ids of its
processes to the file $PIDS; this test looks for those, and ends only them.
"""
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

TILEPROOF, PLUGIN = sys.argv[1:]
# A program signals its parent only if that is a process of this test.
OURS = 'case $(cat /proc/$PPID/comm) in tileproof*) ;; *) echo "not our process" >&2; exit 9;; esac\n'
RIGHT = f'exec {TILEPROOF} respond\n'
LIMIT = 60  # seconds for a run; the machine may be busy

PASS, CRASH, TIMEOUT = "pass", "crash", "timeout"
PARENT = "its parent process was ended by signal 9 (Killed)"
# name: (what the program does first, the verdict, the exit status, what the report says of the crash)
SHELL = {
    "ends its parent": (OURS + "kill -9 $PPID\nsleep 1000 & echo $! >> $PIDS\n" + RIGHT, CRASH, 1, PARENT),
    "asks its parent to end": (OURS + "for s in HUP INT QUIT TERM USR1 ALRM PIPE CHLD; do kill -$s $PPID; done\n" + RIGHT,
                               PASS, 0, ""),
    "stops its parent": (OURS + "kill -STOP $PPID\n" + RIGHT, PASS, 0, ""),
    "ends its group": ("trap '' TERM\nkill -TERM 0\n" + RIGHT, PASS, 0, ""),
    "leaves a child": ("sleep 1000 & echo $! >> $PIDS\n" + RIGHT, PASS, 0, ""),
    "leaves a session": ("setsid sh -c 'echo $$ >> $PIDS; exec sleep 1000' &\n" + RIGHT, PASS, 0, ""),
    "leaves deaf children": ("setsid sh -c 'trap \"\" HUP INT TERM; echo $$ >> $PIDS; while :; do sleep 100; done' &\n" + RIGHT,
                             PASS, 0, ""),
    "leaves fifty sleepers": ("for i in $(seq 50); do setsid sleep 1000 & echo $! >> $PIDS; done\n" + RIGHT, PASS, 0, ""),
    "becomes a daemon": (f"""exec python3 -c '
import os, time
def daemon():
    if os.fork(): return
    os.setsid()
    if os.fork(): os._exit(0)
    open(os.environ["PIDS"], "a").write(f"{{os.getpid()}}\\n")
    for fd in range(3): os.close(fd)
    time.sleep(1000)
    os._exit(0)
for i in range(3): daemon()
os.execv("{TILEPROOF}", ["tileproof", "respond"])'
""", PASS, 0, ""),
    "stops itself": ("echo $$ >> $PIDS; read hello; echo '{\"id\":0,\"result\":{}}'; read line; kill -STOP $$\n" + RIGHT,
                     TIMEOUT, 1, "no answer in 1 s"),
    "closes its output": ("read hello; echo '{\"id\":0,\"result\":{}}'; echo $$ >> $PIDS; read line; exec >&-; sleep 1000\n",
                          CRASH, 1, "it closed its standard output"),
    "ends while others hold its output": ("setsid sleep 1000 & echo $! >> $PIDS\nread hello; echo '{\"id\":0,\"result\":{}}'\n"
                                          "read line; exit 3\n", CRASH, 1, "status 3"),
    "fills standard error": ("head -c 3000000 /dev/zero | tr '\\0' x >&2\n" + RIGHT, PASS, 0, ""),
    "ends itself": ("read hello; echo '{\"id\":0,\"result\":{}}'; read line; kill -9 $$\n", CRASH, 1, "signal 9 (Killed)"),
}
# What the plug-in does at every second layout (conform/plugin/testdata/misbehaving_plugin.cc).
IN_PROCESS = {
    "end-parent": (CRASH, 1), "ask-parent": (PASS, 0), "raise": (CRASH, 1), "leave": (CRASH, 1), "fork": (PASS, 0),
}


def pids_in(file):
    try:
        with open(file, encoding="utf-8") as lines:
            return [int(line) for line in lines]
    except FileNotFoundError:
        return []


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Run:
    """A run of the judge on one program, with its reports."""

    def __init__(self, folder, name, script=None, mode=None, options=()):
        self.name = name
        self.pids = os.path.join(folder, "pids")
        self.files = [os.path.join(folder, form) for form in ("junit", "sarif")]
        environment = dict(os.environ, PIDS=self.pids, TILEPROOF_TEST_PLUGIN=mode or "")
        if script is not None:
            self.script = os.path.join(folder, "program.sh")
            with open(self.script, "w", encoding="utf-8") as file:
                file.write(script)
        program = ["--plugin", PLUGIN] if script is None else ["--", "sh", self.script]
        reports = [f"--report=junit:{self.files[0]}", f"--report=sarif:{self.files[1]}"]
        command = [TILEPROOF, "conform", "--suite", "layout", "--json", *reports, *options, *program]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env=environment, start_new_session=True)

    def end(self):
        try:
            output, _ = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            output, _ = self.process.communicate()
        self.status = self.process.returncode
        self.report = json.loads(output) if output else None
        return self

    def leaves_nothing(self, patience=0.0):
        end = time.monotonic() + patience
        while any(map(lives, pids_in(self.pids))) and time.monotonic() < end:
            time.sleep(0.05)
        left = [pid for pid in pids_in(self.pids) if lives(pid)]  # only in the file of this run
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        return not left


def expect(condition, run, what):
    if not condition:
        run.leaves_nothing()
        raise AssertionError(f"{run.name}: expected {what}; status {run.status}, {json.dumps(run.report)[:2000]}")


def verdicts(report):
    return {verdict for counts in report["ops"].values() for verdict in counts}


def check(run, verdict, status, words=""):
    run.end()
    expect(run.report is not None and run.status == status, run, f"a report and status {status}")
    expect(run.report["status"] == status and run.report["cases"] > 0, run, "cases")
    expect(verdict in verdicts(run.report), run, verdict)
    expect(verdict != PASS or verdicts(run.report) <= {PASS, "unsupported"}, run, "no failure")
    expect(words in json.dumps(run.report["failures"]), run, words)
    expect(run.leaves_nothing(), run, "no process that is left")
    for file in run.files:
        expect(os.path.getsize(file) > 0, run, file)


def wait_until(condition, run, what):
    end = time.monotonic() + LIMIT
    while not condition():
        run.status, run.report = run.process.poll(), None
        expect(time.monotonic() < end and run.status is None, run, what)
        time.sleep(0.02)


# One that takes a while for each answer, and one that is wrong.
SLOW = "setsid sleep 1000 & echo $! >> $PIDS\nread hello; echo '{\"id\":0,\"result\":{}}'\n" \
       f"while read line; do echo x >> $PIDS.asked; sleep 0.05; echo \"$line\" | {TILEPROOF} respond; done\n"
WRONG = SLOW.replace("respond;", "respond | sed 's/\"result\":/\"result\":7,\"x\":/';")


def interrupted(folder, name, script, number, status, jobs=1):
    """The judge gets a signal while the program answers, and reports what it knows until then."""
    run = Run(folder, name, script, options=["--count", "100000", "--jobs", str(jobs)])
    asked = run.pids + ".asked"
    wait_until(lambda: os.path.exists(asked) and os.path.getsize(asked) > 20, run, "an answer")
    begin = time.monotonic()
    os.kill(run.process.pid, number)
    run.end()
    expect(time.monotonic() - begin < LIMIT / 2, run, "an end soon")
    expect(run.report is not None and run.status == status, run, f"a report and status {status}")
    expect(run.report["interrupted"] is True and 0 < run.report["cases"] < 100000, run, "a part of the cases")
    expect(f"interrupted by signal {int(number)}" in run.report["not_asked"]["layout"], run, "the signal")
    expect(run.leaves_nothing(), run, "no process that is left")
    texts = [open(file, encoding="utf-8").read() for file in run.files]
    expect(all("interrupted by signal" in text for text in texts), run, "the signal in each report")


def in_folder(function, *arguments):
    with tempfile.TemporaryDirectory(prefix="tileproof") as folder:
        function(folder, *arguments)


def main():
    def of_shell(folder, name, script, *expected):
        check(Run(folder, name, script, options=["--count", "12", "--timeout", "10s"] if PASS in expected else ["--count", "1", "--timeout", "1s"]),
              *expected)

    def of_plugin(folder, mode, *expected):
        check(Run(folder, mode, mode=mode, options=["--count", "60", "--timeout", "10s"]), *expected)

    def ended_by_force(folder):
        """Nothing is reported then, but the program's processes end, too."""
        run = Run(folder, "the judge is killed", SLOW)
        wait_until(lambda: os.path.exists(run.pids + ".asked"), run, "an answer")
        run.process.kill()
        run.end()
        expect(run.leaves_nothing(patience=LIMIT), run, "no process that is left")

    runs = [(of_shell, name, script, *expected) for name, (script, *expected) in SHELL.items()]
    runs += [(of_plugin, mode, *expected) for mode, expected in IN_PROCESS.items()]
    runs += [(interrupted, "interrupted", SLOW, number, 3) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]
    runs += [(interrupted, "interrupted, with failures", WRONG, signal.SIGTERM, 1),
             (interrupted, "interrupted, several copies", SLOW, signal.SIGTERM, 3, 3), (ended_by_force,)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:  # they wait most of the time
        failed = [str(done.exception()) for done in [pool.submit(in_folder, *run) for run in runs] if done.exception()]
    sys.exit("\n".join(failed) or 0)


main()
