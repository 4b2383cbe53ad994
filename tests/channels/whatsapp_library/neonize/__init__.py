"""Stands before the real library on the path of WhatsApp's process: its client is ours, no more."""

import os
import sys

_HERE = os.path.realpath(os.path.dirname(__file__))
_ALL = [os.path.realpath(os.path.join(place, "neonize")) for place in sys.path]
__path__ = [_HERE, *(place for place in _ALL if os.path.isdir(place) and place != _HERE)]
