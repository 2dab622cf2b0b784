"""The bounds that a notebook runs under, each with its default."""

from dataclasses import dataclass, fields

__all__ = ["Limits"]

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one notebook may use; every bound holds as root and as an ordinary user.

    Parameters
    ----------
    cell_seconds : float
        Wall-clock time of one cell; for a test cell that includes every call into the student's
        functions and back.
    notebook_seconds : float
        Wall-clock time of all cells together.
    cell_cpu_seconds : float
        Processor time of one cell, over all processes and threads.
    notebook_cpu_seconds : float
        Processor time of the student's cells together, over all processes and threads.
    memory_bytes : int
        Memory that the notebook may hold beyond what an empty one does, over all processes. One
        process that asks for more gets a `MemoryError`; a notebook above it is ended.
    processes : int
        Processes and threads at one time.
    open_files : int
        Open files of one process.
    file_bytes : int
        Size of one file.
    disk_bytes : int
        All files of the private temporary folder together; shared memory has as much again.
    files : int
        Files and folders in either of these, empty ones too: each takes memory that is no file's.
        A notebook that makes more is ended.
    cell_output_bytes : int
        Output of one cell that is kept; the rest is cut, and a flood ends the cell.
    notebook_output_bytes : int
        Output of all cells that is kept.
    wire_bytes : int
        Size of one value that crosses between the student's process and the judge.
    wire_items : int
        Numbers, strings and containers in one such value; an array is one.
    wire_depth : int
        How deep containers may be nested in one such value.
    callbacks : int
        How often the student's code may call back during one call that a test makes.
    interrupt_seconds : float
        How long a cell may go on after it was interrupted before its process is ended.

    Examples
    --------
    >>> Limits(cell_seconds=5).cell_seconds
    5
    >>> Limits(processes=0)
    Traceback (most recent call last):
        ...
    ValueError: processes must be a positive number, not 0
    """

    cell_seconds: float = 30.0
    notebook_seconds: float = 300.0
    cell_cpu_seconds: float = 60.0
    notebook_cpu_seconds: float = 300.0
    memory_bytes: int = 1024 * MEBIBYTE
    processes: int = 64
    open_files: int = 256
    file_bytes: int = 64 * MEBIBYTE
    disk_bytes: int = 128 * MEBIBYTE
    files: int = 20_000
    cell_output_bytes: int = MEBIBYTE
    notebook_output_bytes: int = 8 * MEBIBYTE
    wire_bytes: int = 64 * MEBIBYTE
    wire_items: int = 1_000_000
    wire_depth: int = 32
    callbacks: int = 10_000
    interrupt_seconds: float = 2.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0 < value < float("inf"):
                raise ValueError(f"{field.name} must be a positive number, not {value!r}")
            if field.type is int and not isinstance(value, int):
                raise ValueError(f"{field.name} must be a whole number, not {value!r}")
