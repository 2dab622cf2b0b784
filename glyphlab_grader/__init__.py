"""The instructor's cycle on nbgrader: one outcome for every submission, whatever it does.

Where to look:

- `cli`, `progress`, `summary`: the command ``glyphlab-grade`` and what it prints
- `course`, `names`, `notebooks`: where the course's files are, which names are taken, how a
  stranger's notebook is read
- `grading`: grades the submissions of an assignment; none can touch another
- `runner`, `worker`, `submission`: warm worker processes, and what one does with a submission:
  `intake` looks at the file, `restoring` puts it right, `execution` runs it, `faults` reads it
- `filing`, `gradebook`, `records`: the one writer: nbgrader's gradebook, executed notebooks, and
  outcomes kept from one run to the next
- `outcome`, `grades`: what is said of a submission, as JSON, and the export to CSV
- `feedback`, `preprocessors`, `forbidden`: what ``nbgrader_config.py`` plugs into nbgrader
- `formgrader`, `formulas`: what a student wrote, made harmless and readable for a browser
- `cycle`: the steps around grading (generate, release, submit, collect, feedback), and what
  nbgrader may collect
- `release`: making the released notebooks
- `demonstration`, `doctor`: a class of our own answers; whether this machine can grade
"""
