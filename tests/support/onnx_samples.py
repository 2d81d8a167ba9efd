"""Encoders on either backend over small random checkpoints, and processes in which packages are absent."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from rubrica.neural.checkpoint import find_checkpoint
from rubrica.neural.encoder import Encoder
from rubrica.neural.onnx.encoder import encoder_for
from rubrica.neural.running import Settings
from support.tiny_models import checkpoint


def encoder(folder: str, backend: str, **options: Any) -> Encoder:
    settings = {name: options.pop(name) for name in ("cache_dir", "threads") if name in options}
    chosen: Any = {"cache_dir": "off", "device": "cpu", "backend": backend, **settings}
    return encoder_for(find_checkpoint(folder, remedy=""), Settings(**chosen), **options)


WITHOUT = '''
import json, sys
absent = sys.argv[1].split(",")

class Without:
    """A finder of modules that does not find some."""

    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            return None
        return self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
from rubrica.errors import RubricaError
from rubrica.metrics import Metric
made = {}
for config in json.loads(sys.argv[2]):
    metric = Metric.from_config(config)
    try:
        made[config["type"]] = [str(metric.signature()), metric.score("Rain fell.", [["It rained."]])]
    except RubricaError as error:
        made[config["type"]] = f"{type(error).__name__}: {error}"
assert not {*absent} & {name.partition(".")[0] for name in sys.modules}
print(json.dumps(made))
'''


def scored_without(packages: str, *configs: dict[str, Any]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, packages, json.dumps(configs)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def config_of(name: str, **more: Any) -> dict[str, Any]:
    return {"type": name, "model_type": checkpoint("encoder"), "cache_dir": "off", **more}
