"""Numbers as the book says them: known answers from section 2 of the design of the dashboards."""

import math

import pytest

from recprivlib.plots import numerals as n

T = n.THIN


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1, "0.10"), (0.954, "0.95"), (1, "1.0"), (2.5, "2.5"), (7.56, "7.6"), (9.94, "9.9"), (9.96, "10"),
     (14.3, "14"), (250, "250"), (4505.2, f"4{T}505"), (math.inf, "no finite ε"), (0, "0"), (0.0012, "0.0012")],
)  # fmt: skip
def test_epsilon_has_two_digits_below_ten_and_none_above(value, text):
    assert n.epsilon(value) == text


@pytest.mark.parametrize("value", [0.0823, 0.981, 1.483, 1.97, 2.999, 7.39, 9.99, 11.6, 4504.9])
def test_a_printed_bound_still_holds(value):
    """A lower bound that is rounded up, or an upper one rounded down, claims more than was shown."""
    assert float(n.epsilon(value, "lower").replace(T, "")) <= value <= float(n.epsilon(value, "upper").replace(T, ""))


@pytest.mark.parametrize(
    ("value", "bound", "text"),
    [(0.996, "lower", "0.99"), (0.996, "upper", "1.0"), (0.996, "", "1.0"), (9.96, "lower", "9.9"),
     (9.96, "upper", "10"), (9.94, "upper", "10"), (0.0996, "lower", "0.099"), (0.0996, "upper", "0.10"),
     (0.0994, "", "0.099"), (0.0996, "", "0.10"), (10.9, "lower", "10"), (10.1, "upper", "11"), (99.6, "lower", "99"),
     (1.0, "lower", "1.0"), (9.949, "", "9.9"), (9.951, "", "10")],
)  # fmt: skip
def test_digits_are_those_of_the_number_not_of_what_it_rounds_to(value, bound, text):
    assert n.epsilon(value, bound) == text


def test_a_larger_bound_never_prints_less():
    """Around every change of digits: what more tries prove is at least what fewer proved."""
    steps = [edge * (1 + at / 1000) for edge in (0.01, 0.1, 1.0, 10.0, 100.0) for at in range(-60, 61)]
    for bound in ("lower", "", "upper"):
        printed = [float(n.epsilon(value, bound)) for value in steps]
        assert printed == sorted(printed)
        assert bound != "lower" or all(one <= value * (1 + 1e-8) for one, value in zip(printed, steps, strict=True))
        assert bound != "upper" or all(one >= value * (1 - 1e-8) for one, value in zip(printed, steps, strict=True))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0138, ".014"), (0.000637, ".001"), (0.0004, "<.001"), (-0.0004, ">−.001"), (3.86916, "3.869"), (9.9999, "10.0"),
     (-2.5, "−2.500"), (999.96, f"1{T}000"), (4505.2, f"4{T}505"), (0.0, ".000"), (1.0, "1.000"), (math.nan, ""),
     (math.inf, "∞")],
)  # fmt: skip
def test_a_cell_has_as_many_decimals_as_its_neighbours(value, text):
    assert n.cell(value) == text


@pytest.mark.parametrize("value", [0.1, 0.93, 1.0, 8.0, 14.0])
def test_a_bound_that_needs_no_rounding_is_left_alone(value):
    assert n.epsilon(value, "lower") == n.epsilon(value) == n.epsilon(value, "upper")


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.283, f"28{T}%"), (1, f"100{T}%"), (0, f"0{T}%"), (0.999, f"more than 99{T}%"), (0.001, f"less than 1{T}%")],
)
def test_a_share_in_a_sentence_is_whole_and_never_falsely_all_or_nothing(share, text):
    assert n.percent(share) == text


def test_tables_write_rates_without_a_leading_zero():
    assert n.rate(0.283, 0.262, 0.305) == ".283 [.262, .305]"
    assert n.rate(1.0) == "1.000"
    assert n.bare(-0.021) == "−.021"


@pytest.mark.parametrize(
    ("delta", "text"),
    [(1e-5, f"1 in 100{T}000"), (1e-6, f"1 in 1{T}000{T}000"), (0.01, "1 in 100"), (0, "0"), (1 / 943, "1 in 940")],
)
def test_delta_is_said_as_a_chance(delta, text):
    assert n.one_in(delta).replace("\u00a0", " ") == text


def test_long_numbers_have_thin_spaces():
    assert n.count(75440) == f"75{T}440"
    assert n.setting(1000) == f"1{T}000"
    assert n.setting(0.5) == "0.5"
    assert n.stars(0.9399) == "0.94 stars"
    assert n.pool(10, 1682, True) == f"top 10 of all 1{T}682"


def test_the_steps_of_the_strip_are_what_the_design_says_a_guess_can_reach():
    """The budgets .2, 1, 3, 10 mean at most 55, 73, 95, 99.995 %."""
    assert [round(100 * n.best_guess(step), 3) for step in n.STEPS] == pytest.approx([55, 73, 95, 99.995], abs=0.3)
    words = [n.word(value) for value in (0.1, 0.5, 2, 5, 100, math.inf)]
    assert words == list(n.WORDS)
