# SPDX-License-Identifier: Apache-2.0
"""Runs try the same random cases. With TILEPROOF_NEW_CASES=1, as at night, it tries new ones."""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", derandomize=False, deadline=None)
settings.load_profile("new" if os.environ.get("TILEPROOF_NEW_CASES") else "same")
