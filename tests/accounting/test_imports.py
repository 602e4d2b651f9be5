"""A bill is not kept waiting by what only a curve needs: SciPy's parts are loaded where they are first used."""

import subprocess
import sys


def test_what_an_import_need_not_load_is_loaded_later():
    code = (
        "import sys, recprivlib.accounting as a; early = [n for n in ('scipy.special', 'scipy.sparse', 'pandas')"
        " if n in sys.modules]; from recprivlib.accounting import tradeoff; tradeoff.mu_of(.1, .2);"
        " print(early, 'scipy.special' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True"
