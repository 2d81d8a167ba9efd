"""A network written as an ONNX graph, node by node, and run by ONNX Runtime: no torch in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError, MissingResourceError
from rubrica.neural.cache import Matrix

# LayerNormalization came with 17, Gelu with 20.
_OPSET, _IR_VERSION = 20, 9
# Smaller constants are written into the graph; larger ones stay where they are in memory.
_INLINE_BYTES = 1024
# Products of 8-bit numbers are added in pairs, in 16 bits where the processor has nothing better: with
# weights no larger than this nothing overflows, and all processors give the same numbers.
_LARGEST_INT8 = 63


def import_onnxruntime() -> Any:
    """onnxruntime, or a `MissingResourceError` with the command that installs it."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingResourceError(
            "backend onnx needs ONNX Runtime: pip install 'rubrica[onnx]'"
        ) from error
    return onnxruntime


class Graph:
    """Nodes in the order in which they are computed; a value is known by its name.

    All is for one text at a time: token ids and positions in, matrices of [tokens, width] within. With
    `int8` linear maps are computed in whole numbers: weights scaled per output, what comes in per text.
    """

    def __init__(self, *, int8: bool = False) -> None:
        self._int8 = int8
        self._nodes: list[Any] = []
        self._constants: dict[str, NDArray[Any]] = {}
        self._quantized: dict[str, list[str]] = {}

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node with one output; its name."""
        return self.ops(kind, *inputs, outputs=1, **attributes)[0]

    def ops(self, kind: str, *inputs: str, outputs: int, **attributes: Any) -> list[str]:
        """A node with several outputs; their names."""
        from onnx import helper

        made = [f"{kind}.{len(self._nodes)}.{at}" for at in range(outputs)]
        self._nodes.append(helper.make_node(kind, list(inputs), made, **attributes))
        return made

    def constant(self, array: NDArray[Any]) -> str:
        """An array as a value."""
        name = f"constant.{len(self._constants)}"
        self._constants[name] = np.ascontiguousarray(array)
        return name

    def linear(self, x: str, weight: Matrix, bias: NDArray[np.float32]) -> str:
        """x times the transposed weight [out, in], plus the bias."""
        if not self._int8:
            return self.op("Gemm", x, self.constant(weight), self.constant(bias), transB=1)
        # One value often goes into several maps.
        if x not in self._quantized:
            self._quantized[x] = self.ops("DynamicQuantizeLinear", x, outputs=3)
        whole, scale, zero = self._quantized[x]
        scales = np.abs(weight).max(axis=1) / np.float32(_LARGEST_INT8)
        scales[scales == 0] = 1
        rounded = np.rint(weight / scales[:, None]).astype(np.int8)
        zeros = self.constant(np.zeros(len(rounded), dtype=np.int8))
        summed = self.op("MatMulInteger", whole, self.constant(rounded.T), zero, zeros)
        factor = self.op("Mul", scale, self.constant(scales.astype(np.float32)))
        product = self.op("Mul", self.op("Cast", summed, to=_float()), factor)
        return self.op("Add", product, self.constant(bias))

    def session(self, outputs: Sequence[str], *, threads: int | None) -> GraphSession:
        """The graph at work: `input_ids` and `position_ids` in, these values out."""
        from onnx import TensorProto, helper

        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["tokens"])
            for name in ("input_ids", "position_ids")
        ]
        told = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        large = {k: one for k, one in self._constants.items() if one.nbytes > _INLINE_BYTES}
        constants = [
            _tensor(name, array, inline=name not in large)
            for name, array in self._constants.items()
        ]
        graph = helper.make_graph(self._nodes, "encoder", inputs, told, constants)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION
        )
        return GraphSession(model.SerializeToString(), large, threads=threads)


class GraphSession:
    """A session of ONNX Runtime on the CPU, from a graph's bytes or its file."""

    def __init__(
        self,
        source: bytes | str,
        constants: Mapping[str, NDArray[Any]] | None = None,
        *,
        threads: int | None,
    ) -> None:
        runtime = import_onnxruntime()
        options = runtime.SessionOptions()
        options.intra_op_num_threads = threads or int(os.environ.get("OMP_NUM_THREADS") or 0)
        options.inter_op_num_threads = 1
        # Threads that wait do not keep a processor busy.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Texts have all lengths: a plan of the memory for each would only pile up.
        options.enable_mem_pattern = False
        options.log_severity_level = 3
        names = list(constants or {})
        # The session does not copy these arrays: they must live as long as it does.
        self._held = [
            runtime.OrtValue.ortvalue_from_numpy(array) for array in (constants or {}).values()
        ]
        if names:
            options.add_external_initializers(names, self._held)
        try:
            self._session = runtime.InferenceSession(
                source, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            # The classes of ONNX Runtime's errors have nothing in common but their words.
            where = source if isinstance(source, str) else None
            raise DataError(f"cannot be loaded by ONNX Runtime: {error}", file=where) from error
        self.inputs = [one.name for one in self._session.get_inputs()]
        self.outputs = [one.name for one in self._session.get_outputs()]

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> list[Matrix]:
        """The values of some outputs."""
        made: list[Matrix] = self._session.run(list(outputs), dict(inputs))
        return made


def _tensor(name: str, array: NDArray[Any], *, inline: bool) -> Any:
    from onnx import TensorProto, helper

    made = TensorProto()
    made.name = name
    made.dims.extend(array.shape)
    made.data_type = helper.np_dtype_to_tensor_dtype(array.dtype)
    if inline:
        made.raw_data = array.tobytes()
    else:
        made.data_location = TensorProto.EXTERNAL
        place = made.external_data.add()
        place.key, place.value = "location", "memory"
    return made


def _float() -> int:
    from onnx import TensorProto

    return int(TensorProto.FLOAT)
