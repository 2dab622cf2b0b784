"""The steps around grading, each nbgrader's own: generate, release, submit, collect, feedback."""
