# SPDX-License-Identifier: Apache-2.0
"""The main loop of a peer in Python: a program under test that answers with another library.

    run("NumPy", numpy.__version__, {"layout.linearize": linearize})

An answer function takes a request with its parsed forms and returns the result. It raises Unsupported for what the library
cannot express, and ValueError for a request that is invalid by the rules of the protocol.
"""

import json
import re
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
    if not isinstance(index, list) or len(index) != len(dims) or not all(isinstance(i, int) and 0 <= i < n for i, n in zip(index, dims)):
        raise ValueError(f"expected an index of {dims}")
    return index


def each(request, one, many, answer):
    """The answer for request[one], or the list of answers for request[many]."""
    return answer(request[one]) if one in request else [answer(item) for item in request[many]]


KINDS = (("d", "dims"), ("s", "ranges"), ("rt", "runtime"))  # of variables


def map_of(request, key):
    if request.get(key, "").strip().startswith("KNOWN"):
        raise ValueError("expected a map")
    return parsed_of(request, key)


def map_text(parsed, results, constraints=None):
    """A map with the variables and intervals of a parsed one; its expressions, as texts, name the variables d0, s0, rt0."""
    names = {f"{kind}{i}": variable["name"] for kind, key in KINDS for i, variable in enumerate(parsed[key])}
    constraints = [flat_text(c["expr"]) for c in parsed["constraints"]] if constraints is None else constraints

    def named(text):
        return re.sub(r"\b(?:d|s|rt)\d+\b", lambda found: names[found[0]], text)

    lists = [", ".join(variable["name"] for variable in parsed[key]) for _, key in KINDS]
    head = f"({lists[0]})" + (f"[{lists[1]}]" if lists[1] else "") + (f"{{{lists[2]}}}" if lists[2] else "")
    domain = [(variable["name"], variable["bounds"]) for _, key in KINDS for variable in parsed[key]]
    domain += [(named(text), c["bounds"]) for text, c in zip(constraints, parsed["constraints"])]
    ends = ", ".join(f"{what} in [{low}, {high}]" for what, (low, high) in domain)
    return f"{head} -> ({', '.join(map(named, results))})" + (f", domain: {ends}" if ends else "")


def flat_text(expression):
    return f"({' '.join([flat_text(expression[1]), expression[0], flat_text(expression[2])])})" if isinstance(expression, list) else str(expression)


def require_equal_sizes(left, right):
    if any(len(left[key]) != len(right[key]) for key in ("dims", "ranges", "runtime", "results")):
        raise ValueError("the numbers of variables or results differ")
    return left, right


def point_of(request, parsed):
    """The values of all variables."""
    point = []
    for _, key in KINDS:
        given = request.get(key, [])
        if not isinstance(given, list) or len(given) != len(parsed[key]):
            raise ValueError(f"expected {len(parsed[key])} {key}")
        if not all(isinstance(value, int) and -2**63 <= value < 2**63 for value in given):
            raise ValueError("expected values of 64 bits")
        point += given
    return point


def evaluate_map(request, constant, operations):
    """map.evaluate: `operations` has a function of two values for +, *, floordiv, ceildiv and mod."""
    parsed = map_of(request, "map")
    point = point_of(request, parsed)
    variables = [(f"{kind}{i}", v["bounds"]) for kind, key in KINDS for i, v in enumerate(parsed[key])]
    if not all(low <= value <= high for value, (_, (low, high)) in zip(point, variables)):
        return None
    values = {name: constant(value) for value, (name, _) in zip(point, variables)}

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
