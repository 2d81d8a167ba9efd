"""Many annotators at once on one study server: latency of saving, and no answer lost or doubled.

    python benchmarks/bench_serve.py --annotators 200 --seconds 20

Each annotator is a thread that saves an answer, waits `--pause` seconds on average, and goes on.
Afterwards the file is compared with what was confirmed.
"""

import argparse
import http.client
import json
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from rubrica.serve.study_database import StudyDatabase
from rubrica.study.forms.base import Item

SERVER = """
import sys
from rubrica.serve.app import make_app
from rubrica.serve.server import bind, serve
from rubrica.serve.study_database import StudyDatabase
listening = bind("127.0.0.1", 0)
print(listening.getsockname()[1], flush=True)
serve(make_app(StudyDatabase(sys.argv[1])), listening)
"""


def items(tasks, statements):
    listed = tuple({"id": str(n), "text": f"fact {n}", "known": ""} for n in range(statements))
    return [Item("rate", f"d{n}", "system", "A text. " * 40, listed) for n in range(tasks)]


class Simulated(threading.Thread):
    """One annotator, with a connection of their own."""

    def __init__(self, port, token, until, pause, statements):
        super().__init__(daemon=True)
        self.port, self.token, self.until, self.pause = port, token, until, pause
        self.statements, self.confirmed, self.times = statements, {}, []
        self.failures, self.cookie, self.forgery = [], "", ""

    def run(self):
        chance = random.Random(self.token)
        # People do not come in the same moment.
        time.sleep(chance.random() * self.pause)
        answer, _ = self.ask("GET", f"/a/{self.token}")
        self.cookie = answer.getheader("set-cookie").partition(";")[0]
        position, place = 1, 0
        self.open(position)
        while time.monotonic() < self.until:
            time.sleep(chance.expovariate(1 / self.pause))
            value = chance.choice("pn")
            start = time.perf_counter()
            body = {"position": position, "place": place, "value": value}
            try:
                status = self.ask("POST", "/answer", body)[0].status
            except OSError:  # the server was killed
                return
            self.times.append(time.perf_counter() - start)
            if status != 200:
                self.failures.append(status)
                continue
            self.confirmed[position, place] = value
            place += 1
            if place == self.statements:
                self.ask("POST", "/submit", {"position": position})
                position, place = position + 1, 0
                self.open(position)

    def open(self, position):
        found = re.search(
            r'forgery-token" content="(\w+)"', self.ask("GET", f"/task/{position}")[1]
        )
        self.forgery = found[1] if found else ""

    def ask(self, method, path, body=None):
        """A request on a connection of its own: idle ones are closed after five seconds."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Cookie": self.cookie}
        if body is not None:
            headers |= {"Content-Type": "application/json", "X-Forgery-Token": self.forgery}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        return answer, text


def stored_answers(path):
    with sqlite3.connect(path) as db:
        rows = db.execute(
            "SELECT p.token, a.position, x.place, x.value FROM answers x JOIN assignments a ON "
            "a.annotator = x.annotator AND a.task = x.task JOIN annotators p ON p.id = x.annotator"
        ).fetchall()
    return {(token, position, place): value for token, position, place, value in rows}, len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--annotators", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--pause", type=float, default=2.0, help="mean seconds between answers")
    parser.add_argument(
        "--kill", action="store_true", help="end the server with SIGKILL at the end"
    )
    arguments = parser.parse_args()
    statements = 8
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "study.db")
        store = StudyDatabase(path)
        names = [f"annotator-{n}" for n in range(arguments.annotators)]
        store.set_up(items(40, statements), names, per_task=None, seed=0, facts={"kind": "rate"})
        tokens = [annotator.token for annotator in store.annotators()]
        store.close()
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER, path], stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        port = int(server.stdout.readline())
        until = time.monotonic() + arguments.seconds
        people = [Simulated(port, token, until, arguments.pause, statements) for token in tokens]
        for person in people:
            person.start()
        if arguments.kill:
            time.sleep(arguments.seconds * 0.7)
            server.kill()
        for person in people:
            person.join()
        server.kill() if arguments.kill else server.terminate()
        server.wait()
        found, rows = stored_answers(path)
    confirmed = {(p.token, *place): value for p in people for place, value in p.confirmed.items()}
    lost = sum(found.get(place) != value for place, value in confirmed.items())
    times = sorted(t for p in people for t in p.times)
    cuts = statistics.quantiles(times, n=100)
    print(
        f"{arguments.annotators} annotators, {len(times):,} saves in {arguments.seconds:g} s on {os.cpu_count()} cores"
    )
    print(
        f"saving: median {cuts[49] * 1000:.1f} ms, p95 {cuts[94] * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms, "
        f"max {times[-1] * 1000:.0f} ms"
    )
    print(
        f"confirmed {len(confirmed):,}, stored {rows:,}, lost or changed {lost}, "
        f"doubled {rows - len(found)}, refused {sum(len(p.failures) for p in people)}"
    )


if __name__ == "__main__":
    main()
