# SPDX-License-Identifier: Apache-2.0
"""Asks XLA's parser and printer of shapes. Reads texts as JSON strings, one a line, and writes answers as lines

    {"text": .., "is": what XLA prints}    or "error": its message    or "ends": its message when it ended the process

    xla_questions shapes ../../corpus/layouts/real.txt 1000 | python ask_shapes.py | xla_judge shapes

`python ask_shapes.py --work` is the process that calls XLA; it is restarted whenever a text ends it.
"""

import json
import re
import subprocess
import sys
import tempfile


def answer(hlo, text):
    try:
        return {"text": text, "is": str(hlo.Shape(text))}
    except Exception as error:
        return {"text": text, "error": re.sub(r"\s+", " ", str(error))[:200]}


def work():
    from jaxlib import _hlo

    for line in sys.stdin:
        print(json.dumps(answer(_hlo, json.loads(line))), flush=True)


class Worker:
    def __init__(self):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([sys.executable, __file__, "--work"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors, text=True)

    def ask(self, line):
        """Returns the answer, or None if the process ended."""
        self.process.stdin.write(line)
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def last_words(self):
        status = self.process.wait()
        self.errors.seek(0)
        said = [re.sub(r"^F.*?\] ", "", text).strip() for text in self.errors if re.match(r"F\d{4} ", text)]
        return f"status {status}: {said[0] if said else ''}"


def main():
    import jaxlib

    print(json.dumps({"jaxlib": jaxlib.__version__}))
    worker = Worker()
    for line in sys.stdin:
        said = worker.ask(line)
        if not said:
            said = json.dumps({"text": json.loads(line), "ends": worker.last_words()}) + "\n"
            worker = Worker()
        sys.stdout.write(said)


work() if "--work" in sys.argv else main()
