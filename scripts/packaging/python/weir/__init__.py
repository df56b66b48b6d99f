"""Runs the command weir: every command is a function, its options are arguments (README.md)."""

import html
import json
import os
import subprocess
import sys
import tempfile

import numpy

_command = os.path.join(os.path.dirname(__file__), "bin", "weir")
_reports = {"check", "sim", "synth", "dse", "regress", "board", "run", "bringup", "doctor"}
_lists = {"boards", "devices", "operators", "components"}


class Error(Exception):
    """A command that failed: its exit status and what it said."""

    def __init__(self, status, text):
        super().__init__(text.strip() or f"exit status {status}")
        self.status = status


class Page(str):
    """The path of a page that notebooks show in place."""

    def _repr_html_(self):
        with open(self, encoding="utf-8") as page:
            return f'<iframe srcdoc="{html.escape(page.read())}" width="100%" height="800"></iframe>'


def main():
    """What the command weir of the wheel runs."""
    os.execv(_command, ["weir", *sys.argv[1:]])


def _words(options):
    for name, value in options.items():
        name = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                yield name
            elif one is not False and one is not None:
                yield from (name, str(one))


def run(command, *arguments, **options):
    """Runs a command; its output as text. Raises Error, but for a mismatch that it reports (3)."""
    words = [_command, command, *map(str, arguments), *_words(options)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in ((0, 3) if command in _reports else (0,)):
        raise Error(done.returncode, done.stderr or done.stdout)
    return done.stdout


def _run_json(command, *arguments, **options):
    """The command's report as a dictionary, or its list."""
    if command in _lists:
        return json.loads(run(command, *arguments, json=True, **options))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        run(command, *arguments, json=path, **options)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def evaluate(model, data, **options):
    """The model's outputs for frames, an array or a dictionary of arrays by input: an array, or a dictionary of several."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
        if isinstance(data, dict):
            numpy.savez(given, **data)
        else:
            given = os.path.join(folder, "in.npy")
            numpy.save(given, data)
        run("eval", model, data=given, output=made, **options)
        with numpy.load(made) as found:
            results = {name: found[name] for name in found.files}
    return next(iter(results.values())) if len(results) == 1 else results


def report(*folders, output="report.html", **options):
    """A page about folders that compile, check or dse wrote."""
    run("report", *folders, output=output, **options)
    return Page(output)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    command = name.rstrip("_")

    def call(*arguments, **options):
        reports = command in _reports | _lists or (command == "compile" and "device" in options)  # its estimate
        return (_run_json if reports else run)(command, *arguments, **options)

    call.__name__, call.__doc__ = name, f"weir {command}: `weir {command} --help` lists its options."
    return call
