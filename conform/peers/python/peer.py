# SPDX-License-Identifier: Apache-2.0
"""The main loop of a peer in Python: a program under test that answers with another library.

    run("NumPy", numpy.__version__, {"layout.linearize": linearize})

An answer function takes a request with its parsed forms and returns the result. It raises Unsupported for what the library
cannot express, and ValueError for a request that is invalid by the rules of the protocol.
"""

import json
import sys


class Unsupported(Exception):
    pass


def run(name, version, answers, **limits):
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], **reply(name, version, answers, limits, request)}), flush=True)


def reply(name, version, answers, limits, request):
    if request["op"] == "hello":
        hello = {"name": name, "version": version, "ops": sorted(answers), "window": 16, "parsed": True}
        return {"result": {**hello, "limits": limits} if limits else hello}
    if request["op"] not in answers:
        return {"unsupported": request["op"]}
    try:
        return {"result": answers[request["op"]](request)}
    except Unsupported as why:
        return {"unsupported": str(why)}
    except ValueError as why:
        return {"error": str(why) or "invalid"}
    except KeyError as why:
        return {"error": f"expected the key {why}"}


def array_of(request):
    """The parsed shape of a request about an array of known sizes."""
    shape = request["parsed"].get("shape")
    if not shape or "dims" not in shape or None in shape["dims"] or shape["bits"] == 0:
        raise ValueError("expected an array with known sizes")
    return shape


def parsed_of(request, key):
    """The parsed form of a text, or an error if the text is missing or invalid."""
    parsed = request["parsed"].get(key)
    if parsed is None:
        raise ValueError(f"expected the key {key}")
    return parsed


def dense_array_of(request):
    """The same without tiles and tail: its sizes, and its dimensions from the most major one."""
    shape = array_of(request)
    if shape["tiles"] or shape["tail"] != 1:
        raise Unsupported("tiles, or a tail")
    return shape["dims"], shape["minor_to_major"][::-1]


def index_inside(dims, index):
    if len(index) != len(dims) or not all(isinstance(i, int) and 0 <= i < n for i, n in zip(index, dims)):
        raise ValueError(f"expected an index of {dims}")
    return index


def each(request, one, many, answer):
    """The answer for request[one], or the list of answers for request[many]."""
    return answer(request[one]) if one in request else [answer(item) for item in request[many]]


def evaluate_map(request, constant, operations):
    """map.evaluate: `operations` has a function of two values for +, *, floordiv, ceildiv and mod."""
    parsed = parsed_of(request, "map")
    if request["map"].strip().startswith("KNOWN"):
        raise ValueError("expected a map")
    values, inside = {}, True
    for kind, key in (("d", "dims"), ("s", "ranges"), ("rt", "runtime")):
        given, variables = request.get(key, []), parsed[key]
        if len(given) != len(variables):
            raise ValueError(f"expected {len(variables)} {key}")
        for i, (value, variable) in enumerate(zip(given, variables)):
            if not -2**63 <= value < 2**63:
                raise ValueError("a value beyond 64 bits")
            values[f"{kind}{i}"] = constant(value)
            inside = inside and variable["bounds"][0] <= value <= variable["bounds"][1]
    if not inside:
        return None

    def value_of(expression):
        if isinstance(expression, int):
            return constant(expression)
        if isinstance(expression, str):
            return values[expression]
        name, left, right = expression
        return operations[name](value_of(left), value_of(right))

    for constraint in parsed["constraints"]:
        if not constraint["bounds"][0] <= int(value_of(constraint["expr"])) <= constraint["bounds"][1]:
            return None
    return [int(value_of(result)) for result in parsed["results"]]
