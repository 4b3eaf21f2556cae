"""Privileged programs, which root creates."""
import os
import stat
import struct

NOBODY = 65534
CAP_NET_BIND_SERVICE = 10
EFFECTIVE, REVISION_2 = 1, 0x02000000  # of struct vfs_cap_data


def ways(path):
    """Gives the file PATH privileges in each way in turn: yields the way's name, and options of subprocess
    that start it as an unprivileged caller."""
    os.chown(path, NOBODY, NOBODY)
    os.chmod(path, stat.S_ISUID | 0o755)
    yield "set-user-id", {}
    os.chmod(path, stat.S_ISGID | 0o755)
    yield "set-group-id", {}
    os.chown(path, 0, 0)
    os.chmod(path, 0o755)
    os.setxattr(path, "security.capability", struct.pack("<5I", REVISION_2 | EFFECTIVE, 1 << CAP_NET_BIND_SERVICE, 0, 0, 0))
    yield "capability", {"user": NOBODY, "group": NOBODY, "extra_groups": []}
