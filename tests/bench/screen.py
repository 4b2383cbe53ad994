"""The X server from this process: a key pressed, a point watched. No program is started in between, so that
what is measured is the program under test alone.
"""

import ctypes
import time
from collections.abc import Callable, Mapping
from typing import Any, Self

_ALL_PLANES, _Z_PIXMAP = ctypes.c_ulong(-1), 2
_STEP_S = 0.002


class XScreen:
    """A connection to the screen of a session."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._x: Any = ctypes.CDLL("libX11.so.6")
        self._test: Any = ctypes.CDLL("libXtst.so.6")
        self._x.XOpenDisplay.restype = self._x.XGetImage.restype = ctypes.c_void_p
        self._x.XDefaultRootWindow.restype = self._x.XGetPixel.restype = ctypes.c_ulong
        self._x.XStringToKeysym.restype = ctypes.c_ulong
        self._x.XDestroyImage.argtypes = (ctypes.c_void_p,)
        self._x.XGetPixel.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
        self._display = ctypes.c_void_p(self._x.XOpenDisplay(environment["DISPLAY"].encode()))
        assert self._display.value, "no connection to the screen"
        self._root = ctypes.c_ulong(self._x.XDefaultRootWindow(self._display))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._x.XCloseDisplay(self._display)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        width, height = self._x.XDisplayWidth(self._display, 0), self._x.XDisplayHeight(self._display, 0)
        return int(width), int(height)

    def press(self, *names: str) -> None:
        """Press keys together, by their X names: press("Control_L", "Alt_L", "space")."""
        codes = [self._code(name) for name in names]
        for code in codes:
            self._test.XTestFakeKeyEvent(self._display, code, 1, 0)
        for code in reversed(codes):
            self._test.XTestFakeKeyEvent(self._display, code, 0, 0)
        self._x.XSync(self._display, 0)

    def _code(self, name: str) -> int:
        symbol = ctypes.c_ulong(self._x.XStringToKeysym(name.encode()))
        return int(self._x.XKeysymToKeycode(self._display, symbol))

    def colour(self, x: int, y: int) -> int:
        """What a point of the screen shows."""
        image = self._x.XGetImage(self._display, self._root, x, y, 1, 1, _ALL_PLANES, _Z_PIXMAP)
        colour = int(self._x.XGetPixel(image, 0, 0))
        self._x.XDestroyImage(image)
        return colour

    def until(self, point: tuple[int, int], check: Callable[[int], bool], seconds: float = 10.0) -> float:
        """Wait until a point shows a colour that is right; the moment, on the monotonic clock."""
        end = time.monotonic() + seconds
        while not check(colour := self.colour(*point)):
            if time.monotonic() > end:
                raise AssertionError(f"{point} shows {colour:#x}")
            time.sleep(_STEP_S)
        return time.monotonic()
