"""A filter of system calls that no notebook needs and that reach around the sandbox's bounds.

Memory that no limit counts (`memfd_create`, System V shared memory, pages that a pipe shares with
nobody any more), the hypervisor's sockets (AF_VSOCK belongs to no network namespace), kernel
interfaces with a long record of faults (io_uring, bpf, keys), mounts and namespaces, and other
processes' memory.
"""

import ctypes
import platform
import struct

__all__ = ["install", "program", "supported"]

_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_SOCKET_FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6: the latter two lead nowhere

# Audit number of the architecture, the number of socket(2), and the calls by number.
_ABSENT_BOTH = (425, 426, 427, 435, 447)  # io_uring (three), clone3, memfd_secret
_DENIED_BOTH = (428, 429, 430, 432, 438, 442)  # open_tree … mount_setattr, pidfd_getfd
_MACHINES: dict[str, tuple[int, int, tuple[int, ...], tuple[int, ...]]] = {
    "x86_64": (
        0xC000003E,
        41,
        (
            *(319, 29, 68, 64, 240, 323),  # memfd_create shmget msgget semget mq_open userfaultfd
            *(275, 276, 278),  # splice tee vmsplice: a slot of a pipe holds a huge page with each
        ),
        (
            *(298, 321, 248, 249, 250),  # perf_event_open bpf add_key request_key keyctl
            *(272, 308, 165, 166, 155),  # unshare setns mount umount2 pivot_root
            *(101, 310, 311),  # ptrace process_vm_readv process_vm_writev
            *(246, 320, 175, 313, 176, 167, 169),  # kexec, modules, swapon, reboot
            *(135, 303, 304),  # personality name_to_handle_at open_by_handle_at
        ),
    ),
    "aarch64": (
        0xC00000B7,
        198,
        (*(279, 194, 186, 190, 180, 282), *(76, 77, 75)),
        (
            *(241, 280, 217, 218, 219),
            *(97, 268, 40, 39, 41),
            *(117, 270, 271),
            *(104, 294, 105, 273, 106, 224, 142),
            *(92, 264, 265),
        ),
    ),
}

# clone(2) by its number, and flags that no notebook needs: CLONE_PARENT makes a child its parent's
# sibling, which the bounds would not see; CLONE_NEW… make namespaces.
_CLONE = {"x86_64": 56, "aarch64": 220}
_SIBLING_OR_NAMESPACE = 0x00008000 | 0x7E020000

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # BPF instruction codes
_ANY_BIT = 0x45
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_X32 = 0x40000000
_PR_SET_SECCOMP, _FILTER = 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def supported() -> bool:
    """Say whether the filter knows this machine's system calls."""
    return platform.machine() in _MACHINES


def install() -> None:
    """Filter this process's system calls, and its children's, for good.

    Raises
    ------
    OSError
        If the kernel refuses the filter; it needs no_new_privs to be set.
    """
    code = program()
    buffer = ctypes.create_string_buffer(code, len(code))
    filtering = _Program(len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(filtering), 0, 0):
        raise OSError(ctypes.get_errno(), "the system call filter was refused")


def program() -> bytes:
    """Give the filter for this machine, as the kernel and bubblewrap take it."""
    machine = platform.machine()
    return _program(_CLONE[machine], *_MACHINES[machine])


def _program(
    clone: int, arch: int, socket: int, absent: tuple[int, ...], denied: tuple[int, ...]
) -> bytes:
    """Assemble the filter: offsets 0, 4 and 16 are the call, the architecture, argument one."""
    code = [
        _step(_LOAD, 4),
        _step(_EQUAL, arch, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, 0),
        _step(_AT_LEAST, _X32, 0, 1),
        _step(_RETURN, _ERROR | _ENOSYS),
    ]
    for calls, error in (absent + _ABSENT_BOTH, _ENOSYS), (denied + _DENIED_BOTH, _EPERM):
        for number in calls:
            code += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _ERROR | error)]
    code += [_step(_EQUAL, clone, 0, 4), _step(_LOAD, 16)]
    code += [_step(_ANY_BIT, _SIBLING_OR_NAMESPACE, 0, 1), _step(_RETURN, _ERROR | _EPERM)]
    code += [_step(_RETURN, _ALLOW)]
    code += [_step(_EQUAL, socket, 1, 0), _step(_RETURN, _ALLOW), _step(_LOAD, 16)]
    for family in _SOCKET_FAMILIES:
        code += [_step(_EQUAL, family, 0, 1), _step(_RETURN, _ALLOW)]
    return b"".join([*code, _step(_RETURN, _ERROR | _EAFNOSUPPORT)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
