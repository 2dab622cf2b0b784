"""Cutting what learners get from the instructor's notebooks, and trying answers on them.

- `canonical`: the one form that notebooks have in git
- `generate`: writes ``exercises/`` from ``solutions/`` through nbgrader
- `solution`: grades the instructor's notebooks before they are released
- `variants`: draws the varying parts of hidden tests, by the seed in ``course.yml``
- `links`: puts the book's address into links to its sections
- `leaks`: what of a solution or a hidden test stands in a text
- `bank`: the answers in ``tests/answers/``, put into a notebook
- `trial`: runs a filled notebook in this process, and says which tests fail
"""
