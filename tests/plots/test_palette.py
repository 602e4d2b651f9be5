"""Colours mean one thing, survive both themes and can be told apart."""

import itertools
import re
from typing import get_args

import pytest

from recprivlib.plots.axes import EPSILON, SAMPLED
from recprivlib.plots.chart import Chart, Label
from recprivlib.plots.palette import INK, PAGE, ROLES, SECONDARY, css_variables, inked, swaps, themed


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """WCAG 2.2, relative luminance."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1])
def test_lines_and_text_stand_out_from_the_page(theme):
    """Graphics need 3:1 and text 4.5:1 (WCAG 1.4.11 and 1.4.3)."""
    for role in ROLES.values():
        assert contrast((role.light, role.dark)[theme], PAGE[theme]) >= 3
    for pair in (INK, SECONDARY):
        assert contrast(pair[theme], PAGE[theme]) >= 4.5


def test_roles_of_one_colour_differ_in_their_line():
    for one, other in itertools.combinations(ROLES.values(), 2):
        assert one.light != other.light or one.dash != other.dash


def colours(part):
    return set(re.findall(r"#[0-9A-Fa-f]{6}|rgba\([^)]*\)", repr(part)))


@pytest.mark.parametrize("role", ROLES)
def test_every_colour_of_a_figure_has_a_dark_partner(role):
    chart = Chart(EPSILON, SAMPLED)
    traces = [chart.line([1, 2], [0.1, 0.2], role, "a"), chart.band([1, 2], [0, 0.1], [0.2, 0.3], role),
              chart.dots([(1, 0.5)], role, "b", False, (0.4, 0.6)), chart.trail([(2, 0.5)], role),
              chart.bars([1], [0.2], role, "c"), chart.cloud([1], [0.1], role, "d")]  # fmt: skip
    figure = chart.figure(traces, [Label("a", 0.2, role)])
    light = colours(figure) - {"rgba(0,0,0,0)"}
    assert light <= set(swaps())
    assert colours(themed(figure, "dark")) - {"rgba(0,0,0,0)"} == {swaps()[colour] for colour in light}
    assert themed(figure, "light") is figure


def test_css_names_every_role_in_both_themes():
    light, dark = css_variables().splitlines()
    for name, role in ROLES.items():
        assert f"--rp-{name}: {role.light};" in light
        assert f"--rp-{name}: {role.dark};" in dark


def test_a_system_is_drawn_in_its_role_of_the_registry():
    """One vocabulary: the word that `recpriv systems` gives a system is the name of its colour."""
    from recprivlib.papers.dp_pnbm.screen import publishing
    from recprivlib.papers.dplcf.screen import dashboard as dplcf
    from recprivlib.papers.fmf_ldp.screen import dashboard as fmf_ldp
    from recprivlib.protocols import Role
    from recprivlib.registry import get

    assert set(get_args(Role)) - {"baseline"} <= set(ROLES)
    drawn = {name: role for name, settings, role, _ in dplcf.SERVERS.values() if not settings}
    drawn |= {name: role for name, role, *_ in [*fmf_ldp.VARIANTS.values(), *publishing.VARIANTS.values()]}
    assert len(drawn) > 8
    assert drawn == {name: get(name).role for name in drawn}


def test_a_mark_in_a_key_has_the_colour_of_its_marks_in_both_themes():
    light = {"text": f"{inked('■', 'paper')} report"}
    assert themed(light, "dark") == {"text": light["text"].replace(ROLES["paper"].light, ROLES["paper"].dark)}
    assert themed({"text": "■ report"}, "dark") == {"text": "■ report"}
