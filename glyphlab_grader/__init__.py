"""The instructor's cycle on nbgrader: one outcome for every submission, whatever it does.

Where to look:

- `cli`, `progress`, `summary`: the command ``glyphlab-grade`` and what it prints
- `course`, `names`, `settings`: where the course's files are, which names are taken, the limits
- `grading`: grades the submissions of an assignment, one at a time
- `intake`: what can be said of a submission before anything in it runs
- `runner`, `worker`: one notebook in a process of its own; `faults` reads what happened there
- `gradebook`: the only code of the course that writes to nbgrader's gradebook; `grades` exports it
- `outcome`, `records`: what is said of a submission, as JSON, and kept from one run to the next
- `cycle`: the steps around grading (generate, release, submit, collect, feedback)
- `demonstration`: a class of our own answers that goes through the whole cycle
"""
