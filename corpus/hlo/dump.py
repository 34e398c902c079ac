"""Writes the HLO of every program of programs.py into a folder. Called by make_dumps."""

import pathlib
import re
import sys

import jax

import programs

FOLDERS = re.compile(r'(?m)(^\d+ |source_file=)"[^"\n]*/([^"/\n]+)"')


def without_folders(text):
    """File names without the folders of this machine, in FileNames and in metadata."""
    return FOLDERS.sub(r'\1"\2"', text)


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    for name, function, arguments in programs.PROGRAMS:
        lowered = jax.jit(function).lower(*arguments)
        texts = {"before": lowered.as_text(dialect="hlo"), "after": lowered.compile().as_text()}
        for when, text in texts.items():
            (folder / f"{name}.{when}.hlo").write_text(without_folders(text))
    print(f"{len(programs.PROGRAMS)} programs", file=sys.stderr)


main(sys.argv[1])
