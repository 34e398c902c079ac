#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seeds mutants: writes copies of C++ sources in which every operator, bound, constant, order,
condition, table entry, case and cap can be switched to a wrong one, one at a time.

    seed_mutants.py --kinds KIND,.. SOURCE_FOLDER OUTPUT_FOLDER FILE..

    sum + 2      operation<7, std::plus<>, std::minus<>>(sum, constant<8>(2))

The operation (verify/mutants/mutant.h) adds; while mutant 7 is on, it subtracts. The copies go to
OUTPUT_FOLDER under the same names. mutants.tsv there has one line for each mutant: number, file,
line, kind, name. A name contains the text of its line, so edits of other lines do not change it:

    impl/layout/digits.cc: `sum += term.weight * most(term.digit);` * is /

The script reads tokens and relies on clang-format: a binary operator has spaces on both sides, the
< of a template has none. The templates drop changes that do not compile for the type (no - for
strings). The numbers of each file start at a multiple of 4096, in the order of the arguments.
--kinds names the kinds to seed: operator, bound, constant, order, condition, statement, entry, case,
cap, and, for provers, guard, part, element.
"""
import bisect
import collections
import os
import re
import sys

PER_FILE = 4096
SPEED_ONLY = "// speed only"  # ends a line that changes no answer, and so takes no mutants
TOKEN = re.compile(
    r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*'
    r"|[A-Za-z_]\w*|\d[\w']*(?:\.\d[\w']*)?(?:(?<=[eE])[-+]\d+)?|->|::|\+\+|--|<<=|<<|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|%=|&=|\|="
    r"|\.\.\.|[{}()\[\]<>;:,.?=+\-*/%&|^!~]",
    re.S | re.M)

PRECEDENCE = {"*": 5, "/": 5, "%": 5, "+": 6, "-": 6, "<<": 7, "&": 11, "^": 12, "|": 13, "<": 9, ">": 9, "<=": 9, ">=": 9,
              "==": 10, "!=": 10, "&&": 14, "||": 15}
# The standard function object of each operator, and the operators it mutates to.
OBJECTS = {"*": "multiplies", "/": "divides", "%": "modulus", "+": "plus", "-": "minus",
           "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal",
           "==": "equal_to", "!=": "not_equal_to"}
CHANGES = {"*": ["/"], "/": ["*"], "%": ["/"], "+": ["-"], "-": ["+"], "==": ["!="], "!=": ["=="],
           "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"]}
ASSIGNMENTS = {"+=": ("add_to", "-="), "-=": ("take_from", "+=")}
ALGORITHMS = {"all_of": "true", "none_of": "true", "equal": "true", "any_of": "false"}
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "decltype", "catch", "case", "else",
            "do", "const", "auto", "using", "static", "constexpr", "break", "continue", "default",
            "struct", "class", "enum", "typedef", "throw", "delete", "goto", "namespace"}
CLOSE = {"(": ")", "[": "]", "{": "}", "<": ">"}
SIGN, CONDITION, ARGUMENT, STATEMENT = 3, 16, 20, 30  # levels of wrapped text, ordered like PRECEDENCE
STOPS = {",", ";", "=", "?", ":", "return", "else", "case", "throw", "<<=", "+=", "-=", "*=",
         "/=", "%=", "&=", "|=", "do", "..."}


class Source:
    """The tokens of a file, with matched brackets."""

    def __init__(self, text):
        self.text = text
        self.tokens = []  # (text, start, end), without comments and preprocessor lines
        for match in TOKEN.finditer(text):
            t = match.group()
            if t.startswith(("//", "/*")) or t.lstrip().startswith("#"):
                continue
            self.tokens.append((t, match.start(), match.end()))
        self.mate = {}
        self.parent = [None] * len(self.tokens)
        self.match_brackets()
        self.in_function = [False] * len(self.tokens)
        self.mark_functions()

    def at(self, i):
        return self.tokens[i][0] if 0 <= i < len(self.tokens) else ""

    def spaced(self, i):
        """Returns whether token i has spaces on both sides, like a binary operator."""
        _, start, end = self.tokens[i]
        return self.text[start - 1].isspace() and self.text[end:end + 1].isspace()

    def word(self, i):
        return re.match(r"\w", self.at(i)) is not None

    def match_brackets(self):
        stack = []
        for i, (t, _, _) in enumerate(self.tokens):
            if t == ">" and stack and self.at(stack[-1]) == "<" and not self.spaced(i):
                pass
            elif t not in (")", "]", "}"):
                self.parent[i] = stack[-1] if stack else None
                if t in ("(", "[", "{") or (t == "<" and not self.spaced(i)):
                    stack.append(i)
                continue
            opened = stack.pop()
            while CLOSE[self.at(opened)] != t:  # a < that is a comparison
                opened = stack.pop()
            self.mate[i], self.mate[opened] = opened, i
            self.parent[i] = stack[-1] if stack else None

    def mark_functions(self):
        by_compiler = set()  # brackets inside of consteval functions
        for i, (t, _, _) in enumerate(self.tokens):
            up = self.parent[i]
            if up is None:
                continue
            if up in by_compiler or (self.at(up) == "{" and self.opens_consteval(up)):
                by_compiler.add(i)
                by_compiler.add(up)
                continue
            self.in_function[i] = self.in_function[up] or (
                self.at(up) == "{" and self.opens_function(up))

    def opens_consteval(self, brace):
        i = brace - 1
        while i >= 0 and self.at(i) not in (";", "{", "}"):
            if self.at(i) == "consteval":
                return True
            i = self.mate[i] - 1 if i in self.mate and self.mate[i] < i else i - 1
        return False

    def opens_function(self, brace):
        i, has_parameters = brace - 1, False
        while i >= 0 and self.at(i) not in (";", "{", "}"):
            if self.at(i) in ("namespace", "enum", "struct", "class", "union"):
                return False
            if self.at(i) == "=":
                return False
            if i in self.mate and self.mate[i] < i:
                has_parameters |= self.at(i) == ")"
                i = self.mate[i]
            i -= 1
        return has_parameters

    def in_template(self, i):
        while i is not None:
            if self.at(i) == "<" and i in self.mate:
                return True
            i = self.parent[i]
        return False

    def in_question(self, i):
        """Returns whether the token is in assert(..) or requires {..}: they take no mutants."""
        i = self.parent[i]
        while i is not None:
            before = self.mate.get(i - 1, i) - 1 if self.at(i - 1) == ")" else i - 1  # of parameters
            if self.at(before) in ("assert", "requires"):
                return True
            i = self.parent[i]
        return False

    def operand_left(self, i, precedence):
        """Returns the first token of the left operand of operator i."""
        j = i
        while True:
            k = j - 1
            t = self.at(k)
            if t in STOPS or t in ("(", "[", "{", "") or (t == "<" and k in self.mate):
                return j
            if t in PRECEDENCE and self.spaced(k) and PRECEDENCE[t] > precedence:
                return j
            if precedence >= 14 and t in PRECEDENCE and PRECEDENCE[t] == precedence:
                return j  # one operand of a chain of && or ||
            j = self.mate[k] if k in self.mate else k

    def operand_right(self, i, precedence):
        """Returns the token after the right operand of operator i."""
        k = i + 1
        while True:
            t = self.at(k)
            if t in STOPS or t in (")", "]", "}", ""):
                return k
            if t in PRECEDENCE and self.spaced(k) and PRECEDENCE[t] >= precedence:
                return k
            k = self.mate[k] + 1 if k in self.mate else k + 1


class Seeder:
    def __init__(self, source, first, kinds):
        self.s = source
        self.number = first
        self.kinds = kinds  # those that are seeded
        self.is_seeded = True  # whether the latest mutant is
        self.mutants = []  # (number, position, kind, change)
        self.again = set()  # numbers of mutants that duplicate another one
        self.edits = []  # (position, order .., text): insertions
        self.replaced = []  # (start, end, text)
        self.constant_until = 0
        self.tables = self.constant_tables()
        self.exchanged = {}  # the first mutant of each table

    def constant_tables(self):
        """Returns the number of entries of each constexpr array of the file, by name."""
        s, tables = self.s, {}
        for i in range(len(s.tokens)):
            if s.at(i) != "[" or s.at(i + 1) != "]" or s.at(i + 2) != "=" or s.at(i + 3) != "{":
                continue
            if not re.fullmatch(r"k[A-Z]\w*", s.at(i - 1)):
                continue
            opened, k = i + 3, i + 4
            entries = 1 if s.at(k) != "}" else 0
            while k < s.mate[opened]:
                entries += s.at(k) == "," and k + 1 < s.mate[opened]
                k = s.mate[k] + 1 if k in s.mate and s.mate[k] > k else k + 1
            tables[s.at(i - 1)] = entries
        return tables

    def new(self, token, kind, change):
        self.is_seeded = kind in self.kinds
        if not self.is_seeded:
            return -1
        self.mutants.append((self.number, self.s.tokens[token][1], kind, change))
        self.number += 1
        return self.number - 1

    def wrap(self, first, behind, before, after, level):
        """Puts text of the latest mutant around the tokens first .. behind - 1, outside text of a
        lower level."""
        if not self.is_seeded:
            return
        start, end = self.s.tokens[first][1], self.s.tokens[behind - 1][2]
        size = end - start
        self.edits.append((start, 1, -size, -level, before))
        self.edits.append((end, 0, size, level, after))

    def replace(self, token, text):
        """Replaces a token for the latest mutant."""
        if not self.is_seeded:
            return
        _, start, end = self.s.tokens[token]
        self.replaced.append((start, end, text))

    def run(self):
        s = self.s
        for i, (t, start, _) in enumerate(s.tokens):
            if not s.in_function[i] or s.in_template(i) or s.in_question(i):
                continue
            if t in ("constexpr", "static", "static_assert", "using", "case", "typedef"):
                if s.at(i - 1) != "if" and s.at(s.parent[i]) == "{":
                    j = i
                    while s.at(j) not in (";", ":"):
                        j = s.mate[j] + 1 if j in s.mate and s.mate[j] > j else j + 1
                    self.constant_until = max(self.constant_until, j)
            if i < self.constant_until:
                continue
            self.token(i, t)

    def token(self, i, t):
        s = self.s
        if t in OBJECTS and s.spaced(i):
            self.binary(i, t)
        elif t in ("&&", "||") and s.spaced(i):
            self.condition(i, t)
        elif t == "-" and not s.spaced(i) and (s.at(i - 1) in STOPS or s.at(i - 1) in "([{" or
                                              s.at(i - 1) in PRECEDENCE):
            self.sign(i)
        elif t[0].isdigit():
            self.literal(i, t)
        elif t in ("true", "false"):
            n = self.new(i, "constant", "is " + ("false" if t == "true" else "true"))
            self.replace(i, f"mutant::truth<{n}>({t})")
        elif t in ("min", "max") and s.at(i - 2) == "std" and s.at(i + 1) == "(" and s.at(i + 2) != "{":
            other = "max" if t == "min" else "min"
            n = self.new(i, "operator", f"{t} is {other}")
            self.replace(i - 2, "mutant")
            self.replace(i, f"{t}<{n}>")
        elif t == "if" and s.at(i + 1) == "(":
            self.branch(i)
            self.guard(i)
        elif t == "for" and s.at(i + 1) == "(":
            self.element(i)
        elif t in ALGORITHMS and s.at(i - 2) == "ranges" and s.at(i + 1) == "(":
            self.algorithm(i, t)
        elif t in ("StrAppend", "StrCat") and s.at(i + 1) == "(":
            self.parts(i, t)
        elif t == "?":
            self.choice(i)
        elif t == "switch" and s.at(i + 1) == "(":
            self.cases(i)
        elif self.tables.get(t, 0) > 1:
            self.table(i, t)
        elif re.fullmatch(r"k(Max|Most)[A-Z]\w*|kMost", t) and s.at(i - 1) not in (".", "->"):
            self.cap(i, t)
        if t == "(" and s.word(i - 1) and s.at(i - 1) not in KEYWORDS:
            self.arguments(i)
        self.statement(i)

    def cap(self, i, t):
        """Makes a limit one lower where it is used."""
        first = i  # of a qualified name
        while self.s.at(first - 1) == "::" and self.s.word(first - 2):
            first -= 2
        n = self.new(i, "cap", f"{t} is one lower")
        self.again |= {n} if self.is_bound(first, i, False) else set()
        self.wrap(first, i + 1, f"mutant::cap<{n}>(", ")", SIGN)

    def table(self, i, t):
        """Makes an entry of a constant table the next one, wherever the file uses the table."""
        if t not in self.exchanged:
            self.exchanged[t] = self.number
            for k in range(self.tables[t] - 1):
                self.new(i, "entry", f"entry {k} of {t} is the next")
        self.is_seeded = "entry" in self.kinds
        self.replace(i, f"mutant::table<{self.exchanged[t]}>({t})")

    def cases(self, i):
        """Forgets a case of a switch that has a default."""
        s = self.s
        opened = s.mate[i + 1] + 1
        labels, default = [], False
        for k in range(opened + 1, s.mate.get(opened, opened)):
            if s.parent[k] != opened:
                continue
            default |= s.at(k) == "default"
            if s.at(k) == "case":
                end = k + 1
                while s.at(end) != ":":
                    end += 1
                labels.append(s.text[s.tokens[k + 1][1]:s.tokens[end - 1][2]])
        if not default or not labels:
            return
        numbers = [self.new(i, "case", f"case {label} forgotten") for label in labels]
        self.wrap(i + 2, s.mate[i + 1], f"mutant::switched<{numbers[0]}>(",
                  ", " + ", ".join(labels) + ")", CONDITION)

    def binary(self, i, t):
        first = self.s.operand_left(i, PRECEDENCE[t])
        behind = self.s.operand_right(i, PRECEDENCE[t])
        name = "operation" if len(CHANGES[t]) == 1 else "comparison"
        kind = "operator" if name == "operation" else "bound"
        numbers = [self.new(i, kind, f"{t} is {change}") for change in CHANGES[t]]
        objects = ", ".join(f"std::{OBJECTS[c]}<>" for c in [t] + CHANGES[t])
        self.wrap(first, behind, f"mutant::{name}<{numbers[0]}, {objects}>(", ")", PRECEDENCE[t])
        self.replace(i, ",")

    def condition(self, i, t):
        s = self.s
        first, behind = s.operand_left(i, PRECEDENCE[t]), s.operand_right(i, PRECEDENCE[t])
        if s.at(i + 1) == "..." or s.at(i - 1) == "...":
            return  # folds a pack
        operands = [(i + 1, behind)]
        if s.at(first - 1) != t:
            operands.append((first, i))
        for a, b in operands:
            text = s.text[s.tokens[a][1]:s.tokens[b - 1][2]]
            n = self.new(i, "condition", f"{t} without {' '.join(text.split())}")
            if t == "&&":
                self.wrap(a, b, f"(mutant::on<{n}>() || (", "))", CONDITION)
            else:
                self.wrap(a, b, f"(!mutant::on<{n}>() && (", "))", CONDITION)

    def sign(self, i):
        s = self.s
        k = i + 1
        while s.word(k) or s.at(k) in ("::", ".", "->", "(", "[", "{") or (
                s.at(k) == "<" and k in s.mate):
            k = s.mate[k] + 1 if k in s.mate else k + 1
        if k == i + 1:
            return
        n = self.new(i, "constant", "no minus")
        self.wrap(i, k, f"mutant::negative<{n}>(", ")", SIGN)
        self.replace(i, "")

    def literal(self, i, t):
        changes = {"0": ["1", "-1"], "1": ["2", "0"]}.get(t, [t + " + 1", t + " - 1"])
        if not re.fullmatch(r"[\d']+", t):
            return
        numbers = [self.new(i, "constant", f"{t} is {change}") for change in changes]
        self.again |= {numbers[k] for k in range(2) if self.is_bound(i, i, k == 0)}
        self.replace(i, f"mutant::constant<{numbers[0]}>({t})")

    def is_bound(self, first, last, more):
        """Returns whether changing the number by one equals a mutant of the bound next to it: x < 1
        is x <= 0, and x > kMax with kMax one lower is x >= kMax."""
        for operator, behind, end in ((first - 1, True, last + 1), (last + 1, False, first - 1)):
            t = self.s.at(operator)
            if t not in ("<", "<=", ">", ">=") or not self.s.spaced(operator):
                continue
            if self.s.at(end) in PRECEDENCE and PRECEDENCE[self.s.at(end)] < PRECEDENCE["<"]:
                continue  # an operand of a sum or product
            return more == ((t in ("<", ">=")) == behind)
        return False

    def compares(self, first, behind):
        """Returns whether the tokens have a comparison, && or || outside brackets."""
        k = first
        while k < behind:
            if PRECEDENCE.get(self.s.at(k), 0) >= 9 and self.s.spaced(k):
                return True
            k = self.s.mate[k] + 1 if k in self.s.mate and self.s.mate[k] > k else k + 1
        return False

    def branch(self, i):
        s = self.s
        first, behind = i + 2, s.mate[i + 1]
        if "=" in (s.at(k) for k in range(first, behind) if s.parent[k] == i + 1):
            return
        if ";" in (s.at(k) for k in range(first, behind)) or self.compares(first, behind):
            return
        n = self.new(i, "condition", "if not")
        self.wrap(first, behind, f"mutant::truth<{n}>(static_cast<bool>(", "))", CONDITION)

    def guard(self, i):
        """Removes a guard: an if that only leaves its block is never taken."""
        s = self.s
        first, behind = i + 2, s.mate[i + 1]
        for k in range(first, behind):
            if s.at(k) == ";" and s.parent[k] == i + 1:
                first = k + 1
        if "=" in (s.at(k) for k in range(first, behind) if s.parent[k] == i + 1):
            return
        k = behind + 1
        leaves = s.at(k) in ("return", "continue", "break")
        if s.at(k) == "{":
            end = s.mate[k]
            leaves = any(s.at(j) in ("return", "continue", "break") and s.parent[j] == k for j in range(k, end))
            if s.at(end + 1) == "else":
                return
        if leaves:
            n = self.new(i, "guard", "never")
            self.wrap(first, behind, f"!mutant::on<{n}>() && (", ")", CONDITION)

    def algorithm(self, i, t):
        """Does not ask whether all or any elements fulfill a condition."""
        s = self.s
        first, behind = i - 2, s.mate[i + 1] + 1
        while s.at(first - 1) == "::":
            first -= 2
        n = self.new(i, "guard", f"{t} is {ALGORITHMS[t]}")
        before = "mutant::on<{}>() ||" if ALGORITHMS[t] == "true" else "!mutant::on<{}>() &&"
        self.wrap(first, behind, f"({before.format(n)} (", "))", CONDITION)

    def element(self, i):
        """Leaves out the last element of a loop over a range."""
        s = self.s
        inside = [k for k in range(i + 2, s.mate[i + 1]) if s.parent[k] == i + 1]
        colons = [k for k in inside if s.at(k) == ":"]
        if len(colons) != 1 or s.at(colons[0] + 1) == "{" or any(s.at(k) == "?" for k in inside):
            return
        n = self.new(i, "element", "without the last element")
        self.wrap(colons[0] + 1, s.mate[i + 1], f"mutant::all_but_last<{n}>(", ")", STATEMENT)

    def parts(self, i, t):
        """Leaves out a part of a text that is no message: texts are keys of caches and values."""
        s = self.s
        up = s.parent[i]
        while up is not None:
            if s.at(up) == "(" and re.search(r"(Error|expected|failed|refused)$", s.at(up - 1)):
                return
            up = s.parent[up]
        opened, end = i + 1, s.mate[i + 1]
        bounds = [opened] + [k for k in range(opened, end) if s.at(k) == "," and s.parent[k] == opened] + [end]
        for j in range(1 if t == "StrAppend" else 0, len(bounds) - 1):
            first, behind = bounds[j] + 1, bounds[j + 1]
            if all(s.at(k).startswith('"') for k in range(first, behind)):
                continue
            text = " ".join(s.text[s.tokens[first][1]:s.tokens[behind - 1][2]].split())
            n = self.new(first, "part", f"without {text}")
            self.wrap(first, behind, f'(mutant::on<{n}>() ? absl::AlphaNum("") : absl::AlphaNum(', "))",
                      STATEMENT)

    def choice(self, i):
        first = self.s.operand_left(i, 16)
        if self.compares(first, i):
            return
        n = self.new(i, "condition", "? if not")
        self.wrap(first, i, f"mutant::truth<{n}>(static_cast<bool>(", "))", CONDITION)

    def arguments(self, i):
        """Swaps neighboring arguments of a call."""
        s = self.s
        if s.at(i - 2) == "new" or (s.word(i - 2) and s.at(i - 2) not in KEYWORDS):
            return  # a declaration
        bounds, k = [i], i + 1
        while k < s.mate[i]:
            if s.at(k) == ",":
                bounds.append(k)
            k = s.mate[k] + 1 if k in s.mate else k + 1
        bounds.append(s.mate[i])
        args = [(bounds[j] + 1, bounds[j + 1]) for j in range(len(bounds) - 1)]

        def simple(a, b):  # nobody confuses the tables that functions work on
            return s.at(a) not in ("context", "m") and b > a and b - a <= 7 and all(
                s.word(k) or s.at(k) in (".", "->", "::", "[", "]", "*", "-") for k in range(a, b))

        j = 0
        while j + 1 < len(args):
            (a, b), (c, d) = args[j], args[j + 1]
            left = s.text[s.tokens[a][1]:s.tokens[b - 1][2]] if b > a else ""
            right = s.text[s.tokens[c][1]:s.tokens[d - 1][2]]
            if simple(a, b) and simple(c, d) and left != right:
                n = self.new(i, "order", f"{left} and {right} swapped")
                lead = f"mutant::either<{n}>([&]() -> decltype(auto) {{ return ("
                rest = lambda x: "); }, [&]() -> decltype(auto) { return (" + x + "); })"
                self.wrap(a, b, lead, rest(right), ARGUMENT)
                self.wrap(c, d, lead, rest(left), ARGUMENT)
                j += 1
            j += 1

    def statement(self, i):
        """Leaves out a statement: an assignment or a call."""
        s = self.s
        up = s.parent[i]
        if up is None or s.at(up) != "{" or not s.in_function[i]:
            return
        before = s.at(i - 1)
        starts = before in ("{", "}", ";", "else") or (
            before == ")" and s.at(s.mate[i - 1] - 1) in ("if", "for", "while", "constexpr"))
        if not starts or s.spaced(i) and s.at(i) == "*" or not (
                s.word(i) or s.at(i) in ("++", "--", "*", "(")):
            return
        if s.at(i) in KEYWORDS and s.at(i) not in ("continue", "break"):
            return
        k, operator = i, None
        while s.at(k) not in (";", "}", ""):
            if s.at(k) in ("=", "+=", "-=", "*=", "/=", "%=", "|=", "&="):
                operator = operator or k
            if s.at(k) in ("{",) and operator is None and s.at(k - 1) != "=" and k > i and (
                    s.at(k - 1) in (")", "do")):
                return
            k = s.mate[k] + 1 if k in s.mate and s.mate[k] > k else k + 1
        if s.at(k) != ";" or self.declares(i, k):
            return
        text = " ".join(s.text[s.tokens[i][1]:s.tokens[k][2]].split())
        n = self.new(i, "statement", f"without {text if len(text) < 60 else text[:56] + ' ..'}")
        self.wrap(i, k + 1, f"{{ if (!mutant::on<{n}>()) ", " }", STATEMENT)
        if operator is not None and s.at(operator) in ASSIGNMENTS:
            name, change = ASSIGNMENTS[s.at(operator)]
            m = self.new(operator, "operator", f"{s.at(operator)} is {change}")
            self.wrap(i, k, f"mutant::{name}<{m}>(", ")", STATEMENT)
            self.replace(operator, ",")

    def declares(self, i, behind):
        """Returns whether a declaration starts at i: two words, or a word after & * > or a template."""
        s = self.s
        k = i
        if s.at(k) in ("++", "--", "*", "(", "continue", "break", "return"):
            return False
        while k < behind and (s.word(k) or s.at(k) == "::" or (s.at(k) == "<" and k in s.mate)):
            k = s.mate[k] + 1 if k in s.mate else k + 1
            if s.word(k) and (s.word(k - 1) or s.at(k - 1) == ">"):
                return True
        if s.at(k) == "*" and s.at(k + 1) == "const":
            k += 1
        return s.at(k) in ("&", "*", "&&", "const") and s.word(k + 1) and k + 2 <= behind and s.at(k + 2) in (
            "=", ";", "(", "{", ":", "[")

    def output(self):
        """Returns the text with all edits and the same line numbers."""
        text = self.s.text
        pieces, position = [], 0
        events = [edit + (edit[0],) for edit in self.edits]
        events += [(a, 2, 0, 0, r, b) for a, b, r in self.replaced]
        for start, _, _, _, insert, end in sorted(events, key=lambda e: e[:4]):
            pieces += [text[position:start], insert]
            position = max(position, end)
        return "".join(pieces) + text[position:]


def main():
    assert sys.argv[1] == "--kinds"
    kinds, folder, out, files = sys.argv[2].split(","), sys.argv[3], sys.argv[4], sys.argv[5:]
    lines = []
    for index, name in enumerate(files):
        with open(os.path.join(folder, name)) as file:
            text = file.read()
        seeder = Seeder(Source(text), PER_FILE * index + 1, kinds)
        seeder.run()
        assert len(seeder.mutants) < PER_FILE, name
        starts = [0] + [m.end() for m in re.finditer("\n", text)]
        seen = collections.Counter()
        for number, position, kind, change in seeder.mutants:
            line = bisect.bisect_right(starts, position)
            code = text[starts[line - 1]:].split("\n", 1)[0].strip()
            mutant = f"{name}: `{code}` {change}"
            seen[mutant] += 1
            if seen[mutant] > 1:
                mutant += f" #{seen[mutant]}"
            if number in seeder.again or code.endswith(SPEED_ONLY):
                continue  # it keeps its number, so the names of its neighbors stay
            lines.append(f"{number}\t{name}\t{line}\t{kind}\t{mutant}\n")
        result = seeder.output()
        if seeder.mutants:
            first_include = result.find("#include")
            result = result[:first_include] + '#include "verify/mutants/mutant.h"\n' + \
                f"#line {text.count(chr(10), 0, text.find('#include')) + 1}\n" + \
                result[first_include:]
        path = os.path.join(out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        old = open(path).read() if os.path.exists(path) else None
        if old != result:
            with open(path, "w") as file:
                file.write(result)
    remove_others(out, files)
    with open(os.path.join(out, "mutants.tsv"), "w") as file:
        file.writelines(lines)


def remove_others(out, files):
    """Removes the copies of an earlier run; the compiler would take them for the right headers."""
    wanted = {os.path.normpath(os.path.join(out, name)) for name in files + ["mutants.tsv"]}
    for folder, _, names in os.walk(out):
        for name in names:
            path = os.path.normpath(os.path.join(folder, name))
            if path not in wanted:
                os.remove(path)


if __name__ == "__main__":
    main()
