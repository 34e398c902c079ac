# SPDX-License-Identifier: Apache-2.0
"""Indexing maps: an implementation whose expressions are sums, and whose rules are about sums.

A sum is (constant, {term: factor}). A term is a variable, or ("/", sum, n), ("%", sum, n), ("*", sum, sum) or
("?", operator, sum, sum), with the sums as sorted tuples. n is positive.
"""
import itertools
import math
import random

from serve import Invalid, Unknown, serve

LEAST, MOST = -(2**63), 2**63 - 1


class Empty(Exception):
    """The map has no points."""


# ---- Sums ----

def sum_of(constant, factors=()):
    return constant, {t: k for t, k in dict(factors).items() if k}


def frozen(x):
    return x[0], tuple(sorted(x[1].items(), key=repr))


def thawed(x):
    return x[0], dict(x[1])


def add(x, y, times=1):
    factors = dict(x[1])
    for term, k in y[1].items():
        factors[term] = factors.get(term, 0) + k * times
    return sum_of(x[0] + y[0] * times, factors)


def scale(x, k):
    return sum_of(x[0] * k, {t: f * k for t, f in x[1].items()})


class Rules:
    """Builds sums in normal form, given what values variables take and which remainders are known."""

    def __init__(self, bounds, residues=()):
        self.bounds = bounds
        self.residues = dict(residues)  # frozen sum -> (modulus, remainder)

    def range_of_term(self, term):
        if isinstance(term, str):
            return self.bounds[term]
        if term[0] == "/":
            low, high = self.range(thawed(term[1]))
            return low // term[2], high // term[2]
        if term[0] == "%":
            low, high = self.range(thawed(term[1]))
            n = term[2]
            if low // n == high // n:
                return low % n, high % n
            return 0, n - 1
        if term[0] == "*":
            ends = [a * b for a in self.range(thawed(term[1])) for b in self.range(thawed(term[2]))]
            return min(ends), max(ends)
        return -math.inf, math.inf

    def range(self, x):
        low = high = x[0]
        for term, k in x[1].items():
            a, b = self.range_of_term(term)
            if k < 0:
                a, b = b, a
            low += a * k
            high += b * k
        return low, high

    def parts(self, x, n):
        """Divides by a part: yields (g, big, small) with x = g * big + small, g divides n, 0 <= small < g."""
        for g in sorted({math.gcd(k, n) for k in x[1].values()} | {math.gcd(n, *x[1].values())}, reverse=True):
            if g <= 1:
                continue
            big = {t: k for t, k in x[1].items() if k % g == 0}
            rest = {t: k for t, k in x[1].items() if k % g != 0}
            small = sum_of(x[0] % g, rest)
            low, high = self.range(small)
            if low >= 0 and high < g:
                yield g, sum_of(x[0] // g, {t: k // g for t, k in big.items()}), small

    def quotient(self, x, n):
        if n < 0:
            return self.quotient(scale(x, -1), -n)
        if n == 1:
            return x
        low, high = self.range(x)
        if low // n == high // n:
            return sum_of(low // n)
        whole = sum_of(x[0] // n, {t: k // n for t, k in x[1].items() if k % n == 0})
        rest = sum_of(x[0] % n, {t: k for t, k in x[1].items() if k % n != 0})
        if whole[0] or whole[1]:
            return add(whole, self.quotient(rest, n))
        for g, big, _ in self.parts(x, n):
            return self.quotient(big, n // g)
        if len(x[1]) == 1:
            (term, k), = x[1].items()
            if k == 1 and not isinstance(term, str):
                inner = thawed(term[1])
                if term[0] == "/":  # (x / a + c) / n
                    return self.quotient(add(inner, sum_of(x[0] * term[2])), term[2] * n)
                if term[0] == "%" and x[0] == 0 and term[2] % n == 0:
                    return self.remainder(self.quotient(inner, n), term[2] // n)
        return sum_of(0, {("/", frozen(x), n): 1})

    def remainder(self, x, n):
        if n < 0:
            return scale(self.remainder(scale(x, -1), -n), -1)
        if n == 1:
            return sum_of(0)
        x = sum_of(x[0] % n, {t: k for t, k in x[1].items() if k % n != 0})
        low, high = self.range(x)
        if low // n == high // n:
            return add(x, sum_of(-(low // n) * n))
        for term, k in x[1].items():
            if not isinstance(term, str) and term[0] == "%" and term[2] * k % n == 0:
                others = sum_of(x[0], {t: f for t, f in x[1].items() if t != term})
                return self.remainder(add(others, thawed(term[1]), k), n)
        for g, big, small in self.parts(x, n):
            return add(scale(self.remainder(big, n // g), g), small)
        known = self.residues.get(frozen(sum_of(0, x[1])))
        if known and known[0] % n == 0:
            return sum_of((known[1] + x[0]) % n)
        return sum_of(0, {("%", frozen(x), n): 1})

    def together(self, x):
        """Puts quotients and remainders of one sum together."""
        for term, k in x[1].items():
            if isinstance(term, str) or term[0] not in "/%":
                continue
            inner, n = thawed(term[1]), term[2]
            others = add(x, sum_of(0, {term: k}), -1)
            if term[0] == "%":
                high = ("/", term[1], n)
                if x[1].get(high) == k * n:  # k * (x % n) + k * n * (x / n)
                    return self.together(add(add(others, sum_of(0, {high: k * n}), -1), inner, k))
                for other, f in others[1].items():
                    if f == k * n and other[0] == "%" and thawed(other[1]) == self.quotient(inner, n):
                        rest = add(others, sum_of(0, {other: f}), -1)
                        return self.together(add(rest, self.remainder(inner, n * other[2]), k))
            elif k % n == 0 and all(x[1].get(t) == -(k // n) * f for t, f in inner[1].items()):
                f = k // n  # -f * x + f * n * (x / n) = -f * (x % n)
                return self.together(add(add(others, inner, f), self.remainder(inner, n), -f))
        return x

    def normal(self, expr):
        """The sum of a parsed expression."""
        if isinstance(expr, int):
            return sum_of(expr)
        if isinstance(expr, str):
            low, high = self.bounds[expr]
            return sum_of(low) if low == high else sum_of(0, {expr: 1})
        op, left, right = expr[0], self.normal(expr[1]), self.normal(expr[2])
        if op == "+":
            return self.together(add(left, right))
        if op == "*":
            if not right[1]:
                return scale(left, right[0])
            if not left[1]:
                return scale(right, left[0])
            return sum_of(0, {("*", frozen(left), frozen(right)): 1})
        if right[1]:
            return sum_of(0, {("?", op, frozen(left), frozen(right)): 1})
        if right[0] == 0:
            raise Invalid("division by zero")
        if op == "floordiv":
            return self.quotient(left, right[0])
        if op == "mod":
            return self.remainder(left, right[0])
        return scale(self.quotient(scale(left, -1), right[0]), -1)

    def again(self, x):
        return self.normal(tree(x))


def tree(x):
    """The parsed form of a sum."""
    expr = None
    for term, k in x[1].items():
        one = term
        if not isinstance(term, str):
            op = {"/": "floordiv", "%": "mod"}.get(term[0], term[1] if term[0] == "?" else "*")
            left, right = term[-2:]
            one = [op, tree(thawed(left)), tree(thawed(right)) if isinstance(right, tuple) else right]
        if k != 1:
            one = ["*", one, k]
        expr = one if expr is None else ["+", expr, one]
    if expr is None:
        return x[0]
    return ["+", expr, x[0]] if x[0] else expr


# ---- Domains ----

def up(a, b):
    return -(-a // b)


class Domain:
    def __init__(self, variables, constraints):
        self.bounds = {v: tuple(b) for v, b in variables.items()}
        self.given = [(c["expr"], *c["bounds"]) for c in constraints]
        self.sums = []

    def cut(self, variable, low, high):
        a, b = self.bounds[variable]
        self.bounds[variable] = max(a, low), min(b, high)
        if max(a, low) > min(b, high):
            raise Empty

    def solve(self):
        for low, high in self.bounds.values():
            if low > high:
                raise Empty
        for _ in range(8):
            before = dict(self.bounds), self.sums
            rules = Rules(self.bounds)  # what is known of remainders comes from these very constraints
            self.sums = []
            for expr, low, high in self.given:
                if low > high:
                    raise Empty
                self.learn(rules, rules.normal(expr), low, high)
            self.merge()
            if before == (self.bounds, self.sums):
                break

    def rules(self):
        residues = {}
        for x, low, high in self.sums:
            (term, k), = list(x[1].items()) if len(x[1]) == 1 else [("", 0)]
            if k == 1 and term and term[0] == "%" and low == high:
                inner = thawed(term[1])
                residues[frozen(sum_of(0, inner[1]))] = term[2], (low - x[0] - inner[0]) % term[2]
        return Rules(self.bounds, residues)

    def learn(self, rules, x, low, high):
        least, most = rules.range(x)
        if least >= low and most <= high:
            return
        if least > high or most < low:
            raise Empty
        if x[1]:
            g = math.gcd(*x[1].values())
            low, high = up(low - x[0], g), (high - x[0]) // g
            x = sum_of(0, {t: k // g for t, k in x[1].items()})
            if low > high:
                raise Empty
        if len(x[1]) == 1:
            (term, k), = x[1].items()
            if k == -1:
                low, high = -high, -low
                x = sum_of(0, {term: 1})
            if isinstance(term, str):
                return self.cut(term, low, high)
            if term[0] == "/":
                inner, n = thawed(term[1]), term[2]
                return self.learn(rules, inner, low * n, high * n + n - 1)
            if term[0] == "%":
                low, high = max(low, 0), min(high, term[2] - 1)
                if low > high:
                    raise Empty
                self.align(thawed(term[1]), term[2], low, high)
        else:
            self.narrow(x, low, high)
        self.sums.append((x, low, high))

    def align(self, x, n, low, high):
        """Moves the ends of a variable to where x % n is in [low, high]."""
        if len(x[1]) != 1:
            return
        (v, k), = x[1].items()
        if not isinstance(v, str):
            return
        if k not in (1, -1):
            g = math.gcd(k, n)
            if low != high:
                return
            if (low - x[0]) % g != 0:
                raise Empty
            m = n // g
            low = high = (low - x[0]) // g * pow(k // g, -1, m) % m if m > 1 else 0
            return self.align(sum_of(0, {v: 1}), m, low, high)
        least, most = self.bounds[v]
        if k == -1:
            least, most = -most, -least
        least, most = least + x[0], most + x[0]
        r = least % n
        if r < low:
            least += low - r
        elif r > high:
            least += n - r + low
        r = most % n
        if r > high:
            most -= r - high
        elif r < low:
            most -= r + n - high
        if k == 1:
            self.cut(v, least - x[0], most - x[0])
        else:
            self.cut(v, x[0] - most, x[0] - least)

    def narrow(self, x, low, high):
        """Bounds each variable of a sum by the bounds of the others."""
        for v, k in x[1].items():
            if not isinstance(v, str):
                continue
            rules = Rules(self.bounds)
            least, most = rules.range(add(x, sum_of(0, {v: k}), -1))
            a, b = low - most, high - least
            if math.isinf(a) or math.isinf(b):
                continue
            if k > 0:
                self.cut(v, up(a, k), b // k)
            else:
                self.cut(v, up(b, k), a // k)

    def merge(self):
        """Intersects what is known of one sum; puts congruences of one sum together."""
        known = {}
        for x, low, high in self.sums:
            key = frozen(x)
            if key in known:
                low, high = max(low, known[key][0]), min(high, known[key][1])
                if low > high:
                    raise Empty
            known[key] = low, high
        congruences = {}
        for key, (low, high) in list(known.items()):
            x = thawed(key)
            (term, _), = list(x[1].items()) if len(x[1]) == 1 else [("", 0)]
            if low == high and x[0] == 0 and term and term[0] == "%":
                n, r = term[2], low
                if term[1] in congruences:
                    m, s, other = congruences[term[1]]
                    g = math.gcd(m, n)
                    if (r - s) % g != 0:
                        raise Empty
                    lcm = m // g * n
                    if lcm > MOST:
                        continue
                    t = (s + (r - s) // g * pow(m // g, -1, n // g) % (n // g) * m) % lcm if n > g else s
                    del known[key], known[other]
                    n, r = lcm, t
                    key = frozen(sum_of(0, {("%", term[1], n): 1}))
                    known[key] = r, r
                congruences[term[1]] = n, r, key
        self.sums = [(thawed(key), *ends) for key, ends in known.items()]


def kinds(m):
    return {"d": m["dims"], "s": m["ranges"], "rt": m["runtime"]}


def variables_of(m):
    return {f"{letter}{i}": v["bounds"] for letter, all_of in kinds(m).items() for i, v in enumerate(all_of)}


def names_of(m):
    return {f"{letter}{i}": v["name"] for letter, all_of in kinds(m).items() for i, v in enumerate(all_of)}


def text(expr, names):
    if isinstance(expr, int):
        return f"({expr})" if expr < 0 else str(expr)
    if isinstance(expr, str):
        return names[expr]
    return f"({text(expr[1], names)} {expr[0]} {text(expr[2], names)})"


def numbers(expr):
    if isinstance(expr, int):
        return [expr]
    return [] if isinstance(expr, str) else numbers(expr[1]) + numbers(expr[2])


def printed(m, names=None):
    """The text of a map in parsed form."""
    names = names or names_of(m)
    values = [n for e in m["results"] for n in numbers(e)]
    values += [n for c in m["constraints"] for n in numbers(c["expr"]) + c["bounds"]]
    if any(not LEAST <= n <= MOST for n in values):
        raise Unknown("a number beyond 64 bits")
    lists = []
    for letter, brackets in (("d", "()"), ("s", "[]"), ("rt", "{}")):
        some = [names[f"{letter}{i}"] for i in range(len(kinds(m)[letter]))]
        lists.append(brackets[0] + ", ".join(some) + brackets[1] if some or letter == "d" else "")
    domain = [f"{names[v]} in [{low}, {high}]" for v, (low, high) in variables_of(m).items()]
    domain += [f"{text(c['expr'], names)} in [{c['bounds'][0]}, {c['bounds'][1]}]" for c in m["constraints"]]
    results = ", ".join(text(e, names) for e in m["results"])
    return "".join(lists) + f" -> ({results})" + (", domain: " + ", ".join(domain) if domain else "")


def simplified(m):
    domain = Domain(variables_of(m), m["constraints"])
    domain.solve()
    rules = domain.rules()
    results = [tree(rules.again(rules.normal(e))) for e in m["results"]]
    out = {"results": results, "constraints": [{"expr": tree(x), "bounds": [a, b]} for x, a, b in domain.sums]}
    for key, letter in (("dims", "d"), ("ranges", "s"), ("runtime", "rt")):
        out[key] = [{"name": v["name"], "bounds": list(domain.bounds[f"{letter}{i}"])} for i, v in enumerate(m[key])]
    return out


# ---- Operations ----

def parsed(request, key):
    m = request["parsed"].get(key)
    if m is None:
        raise Invalid("no map")
    return m


def value(expr, at):
    if isinstance(expr, int):
        return expr
    if isinstance(expr, str):
        return at[expr]
    a, b = value(expr[1], at), value(expr[2], at)
    if expr[0] == "+":
        return a + b
    if expr[0] == "*":
        return a * b
    if b == 0:
        raise Invalid("division by zero")
    if expr[0] == "floordiv":
        return a // b
    if expr[0] == "ceildiv":
        return -(-a // b)
    return a % b


def apply(m, at):
    """The results at a point, or None outside."""
    for v, (low, high) in variables_of(m).items():
        if not low <= at[v] <= high:
            return None
    for c in m["constraints"]:
        if not c["bounds"][0] <= value(c["expr"], at) <= c["bounds"][1]:
            return None
    return [value(e, at) for e in m["results"]]


def evaluate(request):
    m = parsed(request, "map")
    at = {}
    for key, letter, given in (("dims", "d", "dims"), ("ranges", "s", "ranges"), ("runtime", "rt", "runtime")):
        if len(m[key]) != len(request[given]):
            raise Invalid("another number of values")
        at.update({f"{letter}{i}": x for i, x in enumerate(request[given])})
    results = apply(m, at)
    if results and any(not LEAST <= r <= MOST for r in results):
        raise Invalid("beyond 64 bits")
    return results


def simplify(request):
    m = parsed(request, "map")
    try:
        return printed(simplified(m))
    except Empty:
        return "KNOWN EMPTY"
    except Unknown:
        return request["map"]


def renamed(expr, names):
    if isinstance(expr, int):
        return expr
    return names[expr] if isinstance(expr, str) else [expr[0], *(renamed(e, names) for e in expr[1:])]


def compose(request):
    first, second = parsed(request, "first"), parsed(request, "second")
    if len(first["results"]) != len(second["dims"]):
        raise Invalid("results and dimensions")
    put = {f"d{i}": e for i, e in enumerate(first["results"])}
    put.update({f"{k}{i}": f"{k}{i}" for k in ("s", "rt") for i in range(len(kinds(second)[k]))})
    back = {f"d{i}": f"d{i}" for i in range(len(first["dims"]))}
    for k in ("s", "rt"):
        more = len(kinds(second)[k])
        back.update({f"{k}{i}": f"{k}{i + more}" for i in range(len(kinds(first)[k]))})
    moved = {v: renamed(e, back) for v, e in put.items() if v[0] == "d"}
    put.update(moved)
    constraints = [{"expr": moved[f"d{i}"], "bounds": v["bounds"]} for i, v in enumerate(second["dims"])]
    constraints += [{"expr": renamed(c["expr"], put), "bounds": c["bounds"]} for c in second["constraints"]]
    constraints += [{"expr": renamed(c["expr"], back), "bounds": c["bounds"]} for c in first["constraints"]]
    both = {
        "dims": first["dims"], "ranges": second["ranges"] + first["ranges"], "runtime": second["runtime"] + first["runtime"],
        "results": [renamed(e, put) for e in second["results"]], "constraints": constraints}
    names = {v: v for v in variables_of(both)}
    try:
        return printed(simplified(both), names)
    except Empty:
        return "KNOWN EMPTY"
    except Unknown:
        return printed(both, names)


FEW = 300


def count(m):
    return math.prod(max(high - low + 1, 0) for low, high in variables_of(m).values())


def points(m, some=60):
    """All points of the bounds if they are few, or else ends, neighbors of ends and random ones."""
    bounds = variables_of(m)
    if count(m) == 0:
        return
    if count(m) <= FEW:
        for at in itertools.product(*(range(low, high + 1) for low, high in bounds.values())):
            yield dict(zip(bounds, at))
        return
    chance = random.Random(1)
    for _ in range(some):
        yield {v: chance.choice([low, high, min(low + 1, high), max(high - 1, low), chance.randint(low, high)])
               for v, (low, high) in bounds.items()}


def place(at):
    of = {"dims": "d", "ranges": "s", "runtime": "rt"}
    return {key: [x for v, x in at.items() if v.rstrip("0123456789") == letter] for key, letter in of.items()}


def equal(request):
    left, right = parsed(request, "left"), parsed(request, "right")
    if [len(left[k]) for k in ("dims", "ranges", "runtime", "results")] != [
            len(right[k]) for k in ("dims", "ranges", "runtime", "results")]:
        raise Invalid("other variables")
    for at in itertools.chain(points(left), points(right)):
        a, b = apply(left, at), apply(right, at)
        if a != b:
            return {"equal": False, "at": place(at), "left": a, "right": b}
    if max(count(left), count(right)) <= FEW:
        return {"equal": True}
    try:
        one, two = simplified(left), simplified(right)
    except Empty:
        return {"equal": None}
    names = {v: v for v in variables_of(one)}
    same = printed(one, names) == printed(two, names)
    return {"equal": True if same else None}


def check(request):
    m = parsed(request, "map")
    if count(m) > FEW:
        raise Unknown("many points")
    for key in ("inside", "onto"):
        if len(request.get(key, m["results"])) != len(m["results"]):
            raise Invalid("another rank")
    seen = {}
    for at in points(m):
        results = apply(m, at)
        if results is None:
            continue
        if "inside" in request and not all(low <= r <= high for r, (low, high) in zip(results, request["inside"])):
            return {"holds": False, "at": place(at)}
        if "one_to_one" in request:
            key = *results, "for", *place(at)["runtime"]
            if key in seen:
                return {"holds": False, "at": [place(seen[key]), place(at)]}
            seen[key] = at
        seen[tuple(results)] = at
    if "width" in request:
        raise Unknown("widths")
    if "onto" in request:
        for index in itertools.islice(itertools.product(*map(range, request["onto"])), 100_000):
            if index not in seen:
                return {"holds": False, "at": list(index)}
    return {"holds": True}


OPERATIONS = {"map.simplify": simplify, "map.evaluate": evaluate, "map.compose": compose, "map.equal": equal, "map.check": check}

if __name__ == "__main__":
    serve(OPERATIONS, "maps.py")
