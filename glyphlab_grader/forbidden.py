"""Which names of the library an exercise may not use, as ``nbgrader_config.py`` needs them."""

from pathlib import Path

from glyphlab.course import load

__all__ = ["forbidden_names"]


def forbidden_names(path: Path) -> dict[str, list[str]]:
    """Read the forbidden names of each notebook from the course's file.

    Parameters
    ----------
    path : Path
        ``course.yml``; a course without one forbids nothing.

    Returns
    -------
    dict of str to list of str
        By assignment and notebook, as in ``ch23_1/F3``.
    """
    if not path.is_file():
        return {}
    return {
        f"{name}/{notebook}": list(exercise.forbidden)
        for name, assignment in load(path).assignments.items()
        for notebook, exercise in assignment.exercises.items()
    }
