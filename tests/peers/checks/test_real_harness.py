# Tests of the harness for real programs (tests/real): several readers at once; a case in which a thread fails.
from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import os
import random
import sys
import tempfile
import threading
import unittest
from unittest import mock

import enet_wire
import stage
from enet_wire import ENET, commands

REAL = os.path.dirname(os.path.abspath(enet_wire.__file__))


class _Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


def compressed(body: bytes) -> bytes:
    """A datagram with this body, compressed by the range coder."""
    ENET.enet_range_coder_compress.restype = ctypes.c_size_t
    ENET.enet_range_coder_compress.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Buffer), ctypes.c_size_t, ctypes.c_size_t,
                                               ctypes.c_char_p, ctypes.c_size_t]
    coder, room = ENET.enet_range_coder_create(), ctypes.create_string_buffer(len(body))
    size = ENET.enet_range_coder_compress(coder, _Buffer(body, len(body)), 1, len(body), room, len(room))
    ENET.enet_range_coder_destroy(coder)
    return bytes([0x40, 0]) + room.raw[:size]


def unreliable(data: bytes) -> bytes:
    return bytes([enet_wire.UNRELIABLE, 0, 0, 0, 0, 0]) + len(data).to_bytes(2, "big") + data


class Readers(unittest.TestCase):
    def test_several_threads_decompress_at_once(self) -> None:
        dice, wrong = random.Random(5), []
        packets = [bytes(dice.choices(b"\0\0\0\1abc", k=1000)) for _ in range(100)]
        datagrams = [compressed(unreliable(packet)) for packet in packets]

        def read() -> None:
            for _ in range(10):
                for packet, datagram in zip(packets, datagrams):
                    if [data for *_, data in commands(datagram)] != [packet]:
                        wrong.append(datagram)
        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], wrong)


class DeadThreads(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(setattr, threading, "excepthook", threading.excepthook)
        self.addCleanup(stage._dead_threads.clear)
        self.enterContext(mock.patch("threading.__excepthook__"))  # prints nothing about intended failures
        loader = importlib.machinery.SourceFileLoader("real_run", os.path.join(REAL, "run"))
        self.run_script = importlib.util.module_from_spec(importlib.util.spec_from_loader("real_run", loader))
        with mock.patch.dict(sys.modules), mock.patch.object(sys, "path", [REAL, *sys.path]):
            sys.modules.pop("aos", None)  # tests/peers has a module with the same name
            loader.exec_module(self.run_script)
        self.given = mock.Mock(logs=self.enterContext(tempfile.TemporaryDirectory()), build="", real=None, minutes=0)

    def play(self, error: Exception, then_waits: bool = False) -> tuple[str, str]:
        def dies() -> None:
            raise error

        def case(_: stage.Stage) -> str:
            thread = threading.Thread(target=dies, name="eyes")
            thread.start()
            thread.join()
            if then_waits:
                stage.wait_until(lambda: False, 60, "nothing came")
            return "all was seen"
        verdict, seen, _ = self.run_script.play("case", case, self.given)
        return verdict, seen

    def test_a_case_fails_by_a_thread_that_died(self) -> None:
        for then_waits in (False, True):
            verdict, seen = self.play(stage.Failed("a datagram that does not decompress"), then_waits)
            self.assertEqual("FAIL", verdict)
            self.assertIn("a thread of the case died (eyes): Failed('a datagram that does not decompress')", seen)

    def test_a_peer_that_hangs_up_is_no_such_death_and_a_case_is_not_blamed_for_the_one_before(self) -> None:
        self.play(ValueError("before"))
        self.assertEqual(("ok", "all was seen"), self.play(ConnectionResetError("gone")))


if __name__ == "__main__":
    unittest.main()
