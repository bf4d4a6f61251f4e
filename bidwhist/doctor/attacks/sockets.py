"""Sockets: to the world, to others on this machine, and to the kernel."""

import os
import socket

from bidwhist.doctor.attack import Attacks
from bidwhist.doctor.scene import Scene

ATTACKS = Attacks()


def _connects(family: int, kind: int, address: object) -> bool:
    with socket.socket(family, kind) as made:
        made.settimeout(1)
        made.connect(address)  # type: ignore[arg-type]  # addresses differ by family
        made.send(b"!")
    return True


@ATTACKS.add("connect by TCP")
def tcp(scene: Scene) -> bool:
    return _connects(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", scene.ports.tcp))


@ATTACKS.add("connect by TCP, version 6 of IP")
def tcp6(scene: Scene) -> bool:
    return bool(scene.ports.tcp6) and _connects(socket.AF_INET6, socket.SOCK_STREAM, ("::1", scene.ports.tcp6))


@ATTACKS.add("send with TCP Fast Open")
def tcp_fast(scene: Scene) -> bool:
    with socket.socket() as made:
        made.sendto(b"!", getattr(socket, "MSG_FASTOPEN", 0x20000000), ("127.0.0.1", scene.ports.tcp))
    return True


@ATTACKS.add("listen on a TCP port")
def tcp_listen(scene: Scene) -> bool:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        made.listen()
        return bool(made.getsockname()[1])


@ATTACKS.add("send by UDP")
def udp(scene: Scene) -> bool:
    return _connects(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", scene.ports.udp))


@ATTACKS.add("look up a name")
def look_up(scene: Scene) -> bool:
    return bool(socket.getaddrinfo("localhost", 80))


@ATTACKS.add("connect to a Unix socket")
def unix_stream(scene: Scene) -> bool:
    return _connects(socket.AF_UNIX, socket.SOCK_STREAM, scene.ports.stream)


@ATTACKS.add("send to a Unix socket")
def unix_datagram(scene: Scene) -> bool:
    return _connects(socket.AF_UNIX, socket.SOCK_DGRAM, scene.ports.datagram)


@ATTACKS.add("connect to an abstract socket")
def abstract(scene: Scene) -> bool:
    return _connects(socket.AF_UNIX, socket.SOCK_STREAM, scene.ports.abstract)


@ATTACKS.add("listen on an abstract socket")
def abstract_listen(scene: Scene) -> bool:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"\0bidwhist-{os.getpid()}")
        made.listen()
    return True


@ATTACKS.add("listen on a Unix socket in the scratch folder")
def unix_listen(scene: Scene) -> bool:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(scene.scratch / "s"))
        made.listen()
    return True


@ATTACKS.add("make a pair of sockets")
def pair(scene: Scene) -> bool:
    one, other = socket.socketpair()
    with one, other:
        one.send(b"!")
        return other.recv(1) == b"!"


@ATTACKS.add("ask the kernel by netlink")
def netlink(scene: Scene) -> bool:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) as made:
        made.bind((0, 0))
    return True


@ATTACKS.add("send raw packets", needs_root=True)
def raw(scene: Scene) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP):
        return True


@ATTACKS.add("listen to the network", needs_root=True)
def packets(scene: Scene) -> bool:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)):
        return True


@ATTACKS.add("use the kernel's ciphers")
def ciphers(scene: Scene) -> bool:
    with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET) as made:
        made.bind(("hash", "sha256"))
    return True
