"""Of a pair that stands in a file more than once, the latest counts, in whatever order the lines are."""

from __future__ import annotations

import numpy as np
import pytest

from recprivlib.data import load
from recprivlib.evaluation import split


@pytest.fixture(scope="module")
def events():
    """Who met what when, some pairs often: times in seconds, each once, in order."""
    rng = np.random.default_rng(22)
    users, items = rng.integers(0, 80, 4000), rng.integers(0, 60, 4000)
    seconds = 1_600_000_000 + 1000 * np.arange(4000)
    return list(zip(users.tolist(), items.tolist(), rng.integers(1, 6, 4000).tolist(), seconds.tolist(), strict=True))


def written(path, events, heading="user,item,rating,timestamp", when=str):
    path.write_text(heading + "\n" + "".join(f"u{u},i{i},{r},{when(t)}\n" for u, i, r, t in events))
    return load(str(path))


def hidden(data):
    """Whom `loo-latest` tests with what."""
    (fold,) = split(data.interactions, "loo-latest", 0)
    return [data.titles[item] for item in fold.held_out[np.argsort(fold.users)]]


def test_a_shuffled_export_hides_the_same_item_of_everybody_as_one_in_order(tmp_path, events):
    shuffled = [events[at] for at in np.random.default_rng(1).permutation(len(events))]
    ordered, mixed = written(tmp_path / "a.csv", events), written(tmp_path / "b.csv", shuffled)
    assert mixed.checksum == ordered.checksum
    assert hidden(mixed) == hidden(ordered)
    last = {u: f"i{i}" for u, i, _, _ in events}
    assert hidden(mixed) == [last[user] for user in sorted(last, key=lambda user: f"u{user}")]
    merged = len(events) - len({(u, i) for u, i, _, _ in events})
    assert merged > 1000, "the test has lost what it is about"
    assert any(f"merged with another of the same user and item: {merged:,} (the latest" in n for n in mixed.notes)
    other = [{(u, i): r for u, i, r, _ in rows} for rows in (events, shuffled)]
    assert other[0] != other[1], "by lines, the ratings would differ"


def test_without_times_the_last_line_counts_and_that_is_said(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("user,item,rating\na,x,1\na,y,2\na,x,5\n")
    data = load(str(path))
    assert data.interactions.ratings.tolist() == [5, 2]
    assert data.notes == (
        "rows merged with another of the same user and item: 1 (no times are known, so the last line counts)",
    )


def test_of_two_lines_in_one_second_the_fraction_decides_and_then_the_line(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("user,item,rating,ts\na,x,1,1600000000900\na,x,2,1600000000100\na,y,3,5000\na,y,4,5000\n")
    path.write_text(path.read_text().replace(",5000", ",1600000001000"))
    assert load(str(path)).interactions.ratings.tolist() == [1, 4]


def test_dates_and_every_unit_since_1970_are_the_same_times(tmp_path, events):
    from datetime import UTC, datetime, timedelta, timezone

    def date(second, zone=UTC):
        return datetime.fromtimestamp(second, zone)

    forms = {
        "seconds": str, "milliseconds": lambda t: f"{t}000", "microseconds": lambda t: f"{t}000000",
        "nanoseconds": lambda t: f"{t}000000000", "20240131235959": lambda t: date(t).strftime("%Y%m%d%H%M%S"),
        "as UTC": lambda t: date(t).strftime("%Y-%m-%d %H:%M:%S"), "": lambda t: date(t).strftime("%Y-%m-%dT%H:%M:%SZ"),
        " ": lambda t: date(t, timezone(timedelta(hours=2))).isoformat(), "  ": lambda t: f"{t}.0",
        "   ": lambda t: date(t).strftime("%Y/%m/%d %H:%M:%S.000000 UTC"),
    }  # fmt: skip
    found = {}
    for word, form in forms.items():
        data = written(tmp_path / "a.csv", events, when=form)
        found[word] = data.checksum
        said = " ".join(data.notes)
        assert word.strip() in said or word == "seconds", said
        assert ("times are read as" in said) == (
            word in ("milliseconds", "microseconds", "nanoseconds", "20240131235959")
        )
        assert data.span == "2020-09-13 to 2020-10-29"
    assert len(set(found.values())) == 1, found


def test_a_column_of_whole_days_is_read_as_dates(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("user,item,date\na,x,20240131\na,y,20240228\nb,y,20230101\n")
    data = load(str(path))
    assert data.span == "2023-01-01 to 2024-02-28"
    assert "times are read as dates like 20240131" in data.notes


def test_a_data_set_is_one_line(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text("customer_id,sku,ts\na,x,2024-01-31\nb,y,2024-02-01\n")
    assert repr(load(str(path))) == "Dataset(shop: 2 people, 2 items, 2 rows, 2024-01-31 to 2024-02-01)"
    assert repr(load("synthetic", users=30, items=40)).startswith("Dataset(synthetic: 30 people, 40 items, ")
    path.write_text("user,item\na,x\n")
    assert repr(load(str(path))) == "Dataset(shop: 1 people, 1 items, 1 rows, no times)"
