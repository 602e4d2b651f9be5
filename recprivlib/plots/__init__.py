"""Figures as plain Plotly JSON, the strip as SVG, numbers in words. No Plotly is imported here."""

from recprivlib.plots.axes import Axis as Axis
from recprivlib.plots.palette import css_variables as css_variables
from recprivlib.plots.palette import themed as themed
from recprivlib.plots.show import show as show
