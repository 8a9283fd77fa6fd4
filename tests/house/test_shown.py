"""Every public value shows itself: as text, and as a cell of a notebook that is safe, bounded, and touches nothing else."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from test_reference import PUBLIC

import tremble
from hand_made import dominated_tie  # noqa: F401
