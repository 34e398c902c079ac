# SPDX-License-Identifier: Apache-2.0
"""Speaks the protocol (docs/protocol.md) for a program that has a function for each operation."""
import json
import sys


class Invalid(Exception):
    """The request has no right result."""


class Unknown(Exception):
    """The program does not do this."""


def answer(operations, request):
    """The answer to one request, without its id."""
    if request["op"] not in operations:
        return {"unsupported": request["op"]}
    try:
        return {"result": operations[request["op"]](request)}
    except Unknown as why:
        return {"unsupported": str(why) or "unknown"}
    except Exception as why:  # also what a wrong program runs into
        return {"error": f"{type(why).__name__}: {why}"}


def serve(operations, name):
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "hello":
            reply = {"result": {"name": name, "window": 64, "parsed": True, "ops": sorted(operations)}}
        else:
            reply = answer(operations, request)
        print(json.dumps({"id": request["id"], **reply}), flush=True)
