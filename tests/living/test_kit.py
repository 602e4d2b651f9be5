"""What all living pictures share, in Python and in the page."""

import json
import re

import pytest

from recprivlib.living import kit
from recprivlib.parameters import UserError


def test_a_sentence_with_a_place_left_open_is_refused():
    said = kit.fill("knows **{sure} of {whose} {total}**", sure=3, whose="Ada's", total=40)
    assert said == "knows **3 of Ada's 40**"
    with pytest.raises(KeyError):
        kit.fill("{sure} of {total}", sure=3)


def test_strong_words_are_strong_on_the_page_and_plain_to_the_ear():
    assert kit.strong("a < **b** & c") == "a &lt; <strong>b</strong> &amp; c"
    assert kit.plain("a **b** c") == "a b c"


def test_the_numbers_of_a_picture_cannot_end_its_script():
    told = {"id": "lv-x", "note": "</script><b>"}
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', kit.section("x", told, label="x"), re.S)
    assert json.loads(data) == told


def test_a_setting_that_a_picture_does_not_know_is_refused_with_those_it_knows():
    with pytest.raises(UserError, match="channel is 'spp', but can be sp, ap"):
        kit.chosen("channel", "spp", ("sp", "ap"))
