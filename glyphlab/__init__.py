"""The lab around `glyphlab_core`: data, network, plots, checks, expected values, command line.

Importing this package imports nothing heavy; torch and matplotlib come with the modules that need
them (`glyphlab.network`, `glyphlab.plots`).
"""

from importlib.metadata import version

__version__ = version("glyphlab")
