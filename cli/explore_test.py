#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `tileproof explore`: what it serves, wrong calls, malformed requests.

    explore_test.py TILEPROOF
"""

import http.client
import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

PROGRAM = sys.argv[1]
PAGE = "<!doctype html><html><head><title>page</title></head></html>"


def start(page, port=0):
    server = subprocess.Popen([PROGRAM, "explore", "--port", str(port), "--page", page], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    line = server.stdout.readline()
    return server, int(line.rsplit(":", 1)[1].strip("/\n")) if line else None


def ask(port, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request(method, path, body, headers or {})
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply, text


def raw(port, text):
    """The first line that the server replies to these bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        reply = b""
        try:
            while data := connection.recv(65536):
                reply += data
        except ConnectionResetError:
            pass
    return reply.split(b"\r\n", 1)[0].decode()


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def serves(port):
    reply, text = ask(port, "GET", "/")
    expect(reply.status == 200 and "tileproofProgram=true" in text and "<title>page" in text, text)
    expect("default-src 'none'" in reply.getheader("Content-Security-Policy"), "a policy")
    reply, text = ask(port, "HEAD", "/")
    expect(reply.status == 200 and text == "", "HEAD has no body")
    reply, text = ask(port, "POST", "/answer", '{"ask":"element","text":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}')
    expect(reply.status == 200 and json.loads(text)["ok"]["offset"] == 17, text)
    with ThreadPoolExecutor(40) as pool:
        replies = list(pool.map(lambda i: json.loads(ask(port, "POST", "/answer", json.dumps(
            {"ask": "element", "text": "f32[64]{0}", "index": [i]}))[1])["ok"]["offset"], range(40)))
    expect(replies == list(range(40)), f"answers belong to their questions: {replies}")


def runs_commands(port):
    def run(command, texts, *options):
        question = {"ask": "command", "command": command, "texts": texts, "options": options}
        return json.loads(ask(port, "POST", "/answer", json.dumps(question))[1])

    found = run("banks", ["f16[64,64]{1,0}"], "--access=ldmatrix", "--json")["ok"]
    expect(found["status"] == 0 and json.loads(found["output"])["ways"] == 8, found)
    found = run("equiv", ["f32[2,2]", "f32[2,2]{0,1}"], "--json")["ok"]
    expect(found["status"] == 1 and json.loads(found["output"])["equal"] is False, found)
    found = run("layout", ["f32[2"])["ok"]
    expect(found["status"] == 2 and "text 1:1:6: expected" in found["errors"], found)
    found = run("layout", ["/etc/passwd"])["ok"]
    expect("root" not in found["output"] + found["errors"], "a text is no name of a file")
    for command, option in [("fuzz", "--json"), ("layout", "--svg=/tmp/x"), ("layout", "--sharding=@/etc/passwd"),
                            ("equiv", "--sharding=/etc/passwd"), ("banks", "--access=-"), ("layout", "/etc/passwd"),
                            ("layout", "--jsonx"), ("grid", "--svg=-")]:
        expect("may not ask" in run(command, [], option)["error"], (command, option))
    expect("error" in run("grid", "no array"), "texts are an array")


def refuses(port):
    long = b"x" * (1 << 15)
    for request, status in [
        (b"nonsense\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + long + b"\r\n\r\n", "431"),
        (b"POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1073741824\r\n\r\n", "413"),
        (b"POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
        (b"GET / HTTP/1.1\r\n\r\n", "403"),
        (b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"),
        (b"DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"),
    ]:
        line = raw(port, request)
        expect(line.startswith("HTTP/1.1 " + status), f"{request[:60]}: expected {status}, found {line}")
    for request in [b"", b"\0" * 100, b"POST /answer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{\"half",
                    b"POST /answer HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"]:
        raw(port, request)
    for body in ["", "{", "[]", "{}", '{"ask":7}', '{"ask":"layout"}', '{"ask":"layout","text":7}',
                 '{"ask":"module","text":"("}', "[" * 100000, '{"ask":"layout","text":"f32[' + "9" * 1000 + ']"}',
                 '{"ask":"tile","text":"a = f32[2] iota(), iota_dimension=0","computation":9,"instruction":1,"tile":"x"}',
                 '{"ask":"reads","text":"a = f32[2] iota(), iota_dimension=0","computation":0,"instruction":0,"tile":"0:9"}',
                 '{"ask":"plot","text":"(d0) -> (d0)","x":"d0","result":0,"at":[1,2,3]}']:
        reply, text = ask(port, "POST", "/answer", body)
        expect(reply.status == 400 or "error" in json.loads(text), f"{body[:60]}: {text}")
    reply, _ = ask(port, "POST", "/answer", "{}", {"Origin": "http://evil.example"})
    expect(reply.status == 403, "questions of other sites")


def closes(server, port):
    """The process that answers has no socket of the server: it would keep closed connections open,
    and a browser would wait for a reply on one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    for method, path, body in [("GET", "/", None), ("POST", "/answer", "{}")]:
        connection.request(method, path, body)
        connection.getresponse().read()
    children = [child for task in pathlib.Path(f"/proc/{server.pid}/task").iterdir()
                for child in (task / "children").read_text().split()]
    expect(len(children) == 1, f"one process answers: {children}")
    files = [str(file.readlink()) for file in pathlib.Path(f"/proc/{children[0]}/fd").iterdir()]
    expect(files and not any(file.startswith("socket:") for file in files), f"no sockets: {files}")
    connection.close()


def wrong_calls(page, port):
    for arguments, message in [(["--page", "/no/such/page"], "cannot read the page"),
                               (["--port", "70000"], "--port"),
                               (["--page", page, "--port", str(port)], f"port {port}: ")]:
        done = subprocess.run([PROGRAM, "explore", *arguments], capture_output=True, text=True, timeout=60)
        expect(done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1,
               f"{arguments}: {done.returncode} {done.stderr}")


with tempfile.TemporaryDirectory() as folder:
    page = pathlib.Path(folder, "page.html")
    page.write_text(PAGE)
    server, port = start(str(page))
    expect(port, "explore prints its address")
    try:
        closes(server, port)  # first, so that the process begins while a connection is open
        serves(port)
        runs_commands(port)
        refuses(port)
        wrong_calls(str(page), port)
        serves(port)  # nothing above harmed it
        server.send_signal(signal.SIGTERM)
        expect(server.wait(timeout=60) == 0, "explore ends with 0")
    finally:
        server.kill()
print("explore: all as expected")
