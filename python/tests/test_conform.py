# SPDX-License-Identifier: Apache-2.0
"""Judging functions that are written in Python."""

import io
import socket
import sys
import threading
import types

import numpy as np
import pytest

import tileproof as tp
from tileproof import _relay

pytest_plugins = ["pytester"]


def row_major(shape, index):
    """Right for arrays without tiles."""
    if shape.tiles:
        raise tp.Unsupported("tiles")
    if len(index) != len(shape.dims):
        raise ValueError("rank")
    offset = 0
    for d in shape.minor_to_major[::-1]:
        if not 0 <= index[d] < shape.dims[d]:
            raise IndexError("outside")
        offset = offset * shape.dims[d] + index[d]
    if offset >= 2**63:
        raise OverflowError("int64")
    return np.int64(offset)


def test_a_wrong_function_fails_with_a_small_request():
    def mine(shape, index):
        return 0  # wrong, on purpose

    r = tp.conform({"layout.linearize": mine}, cases=300, seed=1)
    assert not r
    assert r.passed is False
    assert r.failures[0].verdict == "wrong"
    assert r.failures[0].expected == tp.Layout(r.failures[0].request["shape"]).offset(
        *r.failures[0].request["index"]
    )
    assert "replay" in str(r)
    again = tp.conform({"layout.linearize": mine}, suite="layout", case=r.failures[0].case)
    assert not again
    assert r.counts["pass"] > 0


def test_valid_requests_alone_need_no_checks():
    def unchecked(shape, index):
        inside = len(index) == len(shape.dims)
        inside = inside and all(0 <= i < n for i, n in zip(index, shape.dims, strict=True))
        return tp.Layout(shape).offset(*index) if inside else 0

    assert not tp.conform({"layout.linearize": unchecked}, cases=200)
    assert tp.conform({"layout.linearize": unchecked}, cases=200, level="valid-only")
    with pytest.raises(tp.Error, match="level"):
        tp.conform({"layout.linearize": unchecked}, level="valid")


def test_a_right_function_passes():
    def linearize(shape, index):
        try:
            return tp.Layout(shape).offset(*index)
        except IndexError as error:
            raise ValueError(str(error)) from error

    r = tp.conform({"layout.linearize": linearize}, cases=200)
    assert r.passed, str(r)
    assert r.exceptions == ()


def test_functions_may_leave_requests_out():
    r = tp.conform({"layout.linearize": row_major}, cases=200, suite=["layout"])
    assert r.counts["unsupported"] > 0
    assert r.counts["pass"] > 50
    assert r.exceptions == ()
    assert not any(f.verdict == "wrong" for f in r.failures), str(r)


def test_marked_functions():
    @tp.implementation("map.simplify")
    def simplify(map):
        return tp.IndexingMap(map).simplify()

    r = tp.conform(simplify, cases=40)
    assert r.passed, str(r)
    assert tp.conform(cases=20, suite="simplify").cases >= 20
    with pytest.raises(tp.Error, match="decorator"):
        tp.conform(len)
    with pytest.raises(tp.Error, match="at least one"):
        tp.conform({})


def test_an_unknown_operation_is_an_error():
    def f(shape, index):
        return 0

    with pytest.raises(
        tp.Error, match=r"found 'layout.linearise'; did you mean 'layout.linearize'"
    ):
        tp.conform({"layout.linearise": f}, cases=5)
    with pytest.raises(tp.Error, match=r"did you mean 'map.simplify'"):
        tp.conform({"layout.linearize": f, "map.simplfy": f}, cases=5)
    with pytest.raises(tp.Error, match=r"found 'x': layout.physical, "):
        tp.conform({"x": f}, suite="layout", cases=5)


def test_a_run_that_asks_nothing_is_an_error():
    def offset(layout, index):
        return 0

    assert tp.conform({"layout.offset": offset}, cases=20).cases >= 20
    with pytest.raises(tp.Error, match=r"suite map asks nothing of layout.offset"):
        tp.conform({"layout.offset": offset}, suite="map", cases=20)


def test_one_traceback_of_each_kind():
    def broken(shape, index):
        return {}["key"]

    r = tp.conform({"layout.linearize": broken}, cases=50)
    assert len(r.exceptions) == 1
    assert "KeyError" in r.exceptions[0]


def test_results_may_be_arrays_and_tuples():
    def physical(shape):
        a = tp.Layout(shape)
        if shape.tiles:
            raise NotImplementedError
        dims = [shape.dims[d] for d in shape.minor_to_major[::-1]]
        return {"dims": tuple(dims), "elements": a.elements, "bytes": a.bytes}

    def delinearize(shape, offset):
        return np.array(tp.Layout(shape).index(offset))

    r = tp.conform({"layout.physical": physical, "layout.delinearize": delinearize}, cases=60)
    assert r.cases >= 60
    with pytest.raises(AttributeError):
        _ = physical_text().nothing


def physical_text():
    from tileproof.conformance import Text

    return Text("x")


def test_the_plug_in_reports_each_cause_as_a_test(pytester):
    pytester.makepyfile(
        """
        import pytest

        def mine(shape, index):
            return 0

        @pytest.mark.tileproof(suite="layout", cases=100)
        def implementation():
            return {"layout.linearize": mine}

        def test_fixture(tileproof_conform):
            assert not tileproof_conform({"layout.linearize": mine}, cases=20)
        """
    )
    result = pytester.runpytest()
    outcomes = result.parseoutcomes()
    assert outcomes["failed"] >= 2
    assert outcomes["passed"] >= 1
    result.stdout.fnmatch_lines(["*wrong layout.linearize: *", "*expected *", "*replay *"])


def test_the_plug_in_reports_tracebacks_and_silence(pytester):
    pytester.makepyfile(
        """
        import pytest
        import tileproof

        @pytest.mark.tileproof(suite="layout", cases=20)
        def raises():
            return {"layout.linearize": lambda shape, index: {}["key"]}

        @pytest.mark.tileproof(suite="layout", cases=20)
        def silent():
            def nothing(shape, index):
                raise tileproof.Unsupported("all")
            return {"layout.linearize": nothing}
        """
    )
    result = pytester.runpytest()
    result.stdout.fnmatch_lines(["*KeyError*", "*no answer was right*"])


def test_the_relay_passes_lines_both_ways(monkeypatch, tmp_path, capsysbinary):
    received = []

    def serve(server):
        connection, _ = server.accept()
        with connection:
            while data := connection.recv(4096):
                received.append(data)
            connection.sendall(b"answer\n")

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()
        thread = threading.Thread(target=serve, args=(server,))
        thread.start()
        monkeypatch.setattr(sys, "argv", ["_relay.py", str(tmp_path / "s")])
        raw = types.SimpleNamespace(raw=io.BytesIO(b"request\n"))
        monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=raw))
        _relay.main()
        thread.join()
    assert b"".join(received) == b"request\n"
    assert capsysbinary.readouterr().out == b"answer\n"
