"""The small population that models are tested on."""

from tests.models.conftest import small  # noqa: F401
