"""The lacks of a machine that cannot contain bots, and their remedies."""

import os
import platform

from bidwhist.jail import landlock, seccomp

_FULL = 6
"""The version of Landlock from which on it covers all that it is wanted for here."""
_ADDED = {
    2: "moving files between folders",
    3: "shortening files",
    4: "TCP (seccomp covers it)",
    5: "ioctl on devices (seccomp covers it)",
    6: "abstract sockets and signals to others, which a program of several processes could send",
}


def missing() -> list[str]:
    """Sentences, the gravest lack first; none on a machine that has everything."""
    system, machine = platform.system(), platform.machine()
    if system != "Linux":
        found = [
            f"{system or 'This system'} has neither Landlock nor seccomp: use Linux, or a virtual machine with it."
        ]
        if not hasattr(os, "fork"):
            found.append("It cannot fork, so bots have no processes of their own.")
        return found
    found = []
    if not seccomp.is_available():
        found.append(
            f"The system calls of {machine or 'this processor'} are not known here: x86-64 and AArch64 are, in a "
            f"64-bit Python."
        )
    version = landlock.version()
    if version == 0:
        found.append(
            "The kernel offers no Landlock. It needs Linux 5.13 or later, built with CONFIG_SECURITY_LANDLOCK=y and "
            "with `landlock` in its list of security modules: add `lsm=landlock,...` to the kernel's command line "
            "(the present list is in /sys/kernel/security/lsm). In a container the runtime's seccomp profile has to "
            "allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self: those of Docker 20.10.10 and "
            "Podman 4 do."
        )
    elif version < _FULL:
        lacking = "; ".join(words for since, words in _ADDED.items() if since > version)
        found.append(f"Landlock is of version {version}; version {_FULL} (Linux 6.12 or later) also covers {lacking}.")
    return found
