"""What SacreROUGE's configurations are made of: registered classes, parameters, a temporary folder."""

import os
from pathlib import Path

from rubrica.compat.sacrerouge.common.params import ConfigurationError, Params
from rubrica.compat.sacrerouge.common.registrable import FromParams, Registrable
from rubrica.compat.sacrerouge.common.util import TemporaryDirectory

# Where SacreROUGE keeps the files of its metrics; they are used from there.
DATA_ROOT = os.getenv("SACREROUGE_DATA_ROOT", Path.home() / ".sacrerouge")

__all__ = [
    "DATA_ROOT",
    "ConfigurationError",
    "FromParams",
    "Params",
    "Registrable",
    "TemporaryDirectory",
]
