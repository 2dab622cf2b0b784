"""Switches for the attack tests alone: each shows what one defence is for by leaving it out.

No option, configuration or environment variable reaches them.
"""

from dataclasses import dataclass

__all__ = ["Defences"]


@dataclass(frozen=True, kw_only=True)
class Defences:
    """What protects a grader; everything is on unless a test says otherwise.

    Parameters
    ----------
    judge : bool
        Test cells run in a process of their own, not in the student's.
    network : bool
        The sandboxes have no network.
    system_calls : bool
        Calls that reach around the bounds are refused.
    library : bool
        The student gets an edition of the course's packages, not the packages.
    faults : bool
        A student's process that ends, is late or sends rubbish fails the test from outside.
        Without, the test gets an exception as it does from any other failure.
    privileges : bool
        The sandboxes' processes have no capabilities.
    read_only : bool
        Nothing but the private folders can be written.
    environment : dict of str to str
        Variables that the sandboxes' processes have besides their own few.
    shown : tuple of str
        Folders that a student's sandbox shows besides what it needs.
    """

    judge: bool = True
    network: bool = True
    system_calls: bool = True
    library: bool = True
    faults: bool = True
    privileges: bool = True
    read_only: bool = True
    environment: "dict[str, str] | None" = None
    shown: tuple[str, ...] = ()
