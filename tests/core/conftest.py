"""Property tests draw the same examples on every run, as many as the environment allows."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=list(HealthCheck),
    database=None,
)
# A wider search for whoever looks for faults: GLYPHLAB_HYPOTHESIS=wide pytest tests/core
settings.register_profile("wide", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("GLYPHLAB_HYPOTHESIS", "fixed"))
