# SPDX-License-Identifier: Apache-2.0
"""The transcripts of docs/python.md, as Python prints them."""

import doctest
import pathlib

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


def test_the_transcripts_of_the_documentation():
    results = doctest.testfile(str(DOCUMENT), module_relative=False)
    assert results.attempted > 15
    assert results.failed == 0
