"""A federated run for real: phones, proxy and server as processes of their own, carried by an engine that exists.

    phones ──messages, by name──> proxy ──single reports, in no order──> server
       ▲                            │                                      │
       └────────────────────── the item vectors ◀──────────────────────────┘

`roles` is what each of them does, bytes in and bytes out; `flower` lets Flower carry the bytes (`make federation` has
it in an environment of its own). Nothing else of recprivlib knows either.

What Flower would tell its makers it does not tell: this is set before anything of it is imported.
"""

import os
import tempfile
from pathlib import Path

os.environ["FLWR_TELEMETRY_ENABLED"] = "0"
os.environ["FLWR_DISABLE_UPDATE_CHECK"] = "1"
os.environ["FLWR_HOME"] = str(Path(tempfile.gettempdir()) / "recprivlib-flower")  # it numbers its users in there
os.environ["no_grpc_proxy"] = "127.0.0.1"  # noqa: SIM112 - gRPC reads it so; a proxy is the outside too
