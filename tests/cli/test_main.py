import json
import signal
import subprocess
import sys

import pytest

from recprivlib import cli
from recprivlib.cli import main
from recprivlib.parameters import BUDGET, parameters
from recprivlib.registry import systems
from recprivlib.yardsticks.plain import ItemKNN

SMALL = ["--data", "synthetic", "--users", "60", "--items", "150"]


def recpriv(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "recprivlib", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_without_a_verb_it_lists_the_verbs(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out
    for verb in cli.verbs():
        assert verb in said


@pytest.mark.parametrize("verb", cli.verbs())
def test_every_verb_explains_itself_and_takes_json(verb, capsys):
    assert main([verb, "--help"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: recpriv {verb}")
    assert "--json" in said


def test_a_file_in_the_folder_is_a_new_verb(tmp_path, monkeypatch, capsys):
    (tmp_path / "greet.py").write_text(
        "GLOSS = 'greets'\n"
        "def arguments(parser): parser.add_argument('name')\n"
        "def execute(args): print(f'hello {args.name}')\n"
    )
    monkeypatch.setattr(cli, "__path__", [*cli.__path__, str(tmp_path)])
    assert main(["greet", "you"]) == 0
    assert capsys.readouterr().out == "hello you\n"


def test_systems_as_json_says_everything_about_each(capsys):
    assert main(["systems", "--json"]) == 0
    listed = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert list(listed) == list(systems())
    knn = listed["item-knn"]
    assert (knn["paper"], knn["role"], knn["task"], knn["personalised"]) == ("common", "baseline", "ranking", True)
    assert (knn["unit"], knn["relation"]) == (None, None)
    assert knn["parameters"]["neighbors"] == {
        "kind": "int", "default": 50, "range": [1, 100_000], "choices": None, "optional": False,
        "meaning": parameters(ItemKNN)["neighbors"].gloss,
        "tuned": {"range": [5, 100_000], "scale": "log"}, "not_tuned": None,
    }  # fmt: skip
    assert knn["parameters"]["similarity"]["tuned"] == {"values": ["jaccard", "cosine"]}
    paid = listed["dplcf-sp"]["parameters"]["epsilon"]
    assert (paid["tuned"], paid["not_tuned"]) == (None, BUDGET)
    assert (listed["dplcf-sp"]["unit"], listed["dplcf-sp"]["relation"]) == ("interaction", "add-remove")


def test_systems_as_text_names_each_with_its_parameters(capsys):
    assert main(["systems"]) == 0
    said = capsys.readouterr().out
    for name in systems():
        assert name in said
    assert parameters(ItemKNN)["neighbors"].gloss in said
    assert "5 to 100000 by factors" in said


def test_run_as_json_is_one_document_with_an_object_for_each_seed(capsys):
    assert main(["run", "item-knn", *SMALL, "--set", "neighbors=20", "--seeds", "0-2", "--json"]) == 0
    said = capsys.readouterr()
    reports = json.loads(said.out)
    assert [report["seed"] for report in reports] == [0, 1, 2]
    for report in reports:
        assert list(report) == [
            "system", "data", "protocol", "seed", "params", "metrics", "guarantee", "seconds", "users", "intervals",
                "notes", "noise",
        ]  # fmt: skip
        assert report["params"] == {"neighbors": 20, "similarity": "jaccard"}
        assert report["guarantee"] is None
    assert "seed 2" in said.err


def test_run_as_text_is_a_table_with_intervals(capsys):
    assert main(["run", "popularity", *SMALL]) == 0
    first, *rows, bill, seconds = capsys.readouterr().out.splitlines()
    assert first == "popularity on synthetic, loo-latest, seed 0"
    assert any(row.split()[0] == "hr@10" and row.endswith("]") for row in rows)
    assert bill == "no privacy is promised"
    assert seconds.startswith("fit ")


def test_a_bill_is_said_in_the_same_words_by_run_and_account(capsys):
    assert main(["run", "laplace-rr-svd", *SMALL]) == 0
    run = [line for line in capsys.readouterr().out.splitlines() if "ε = " in line]
    assert main(["account", "laplace-rr-svd"]) == 0
    account = [line for line in capsys.readouterr().out.splitlines() if "ε = " in line]
    assert run == account[:2]
    assert run[0].startswith("  claimed  ε = 2.0 (rating, replace-value; ")
    assert run[1].startswith("  counted  ε = ∞ (rating, replace-value; what the server sees; ")


def test_what_the_split_had_to_leave_out_is_said_on_stderr(capsys):
    assert main(["run", "popularity", "--data", "synthetic", "--users", "40", "--items", "90", "--json"]) == 0
    said = capsys.readouterr()
    (report,) = json.loads(said.out)
    assert report["notes"]
    assert f"note: {report['notes'][0]}" in said.err


def test_ctrl_c_ends_quietly():
    # A process of its own, as a shell would start it; it is interrupted once it computes (its first seed is done).
    with recpriv("run", "popularity", *SMALL, "--seeds", "0-9999") as process:
        assert process.stderr.readline().startswith("seed 0")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert out == ""


def test_a_reader_that_goes_away_is_no_error():
    with recpriv("systems", "--json") as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_it_runs_from_any_folder_with_its_own_exit_codes(tmp_path):
    with recpriv("run", "svdd", cwd=tmp_path) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("recpriv: there is no system 'svdd'")
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.iterdir())
