"""Build a network as an ONNX graph, node by node, and run it by ONNX Runtime, without torch."""

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
# Some processors add pairs of 8-bit products in 16 bits. With weights no larger than this nothing
# overflows, and all processors give the same numbers.
_LARGEST_INT8 = 63


def import_onnxruntime() -> Any:
    """Return onnxruntime, or raise a `MissingResourceError` with the command that installs it."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingResourceError(
            "backend onnx needs ONNX Runtime: pip install 'rubrica[onnx]'"
        ) from error
    return onnxruntime


class Graph:
    """Nodes in the order of their computation; values are identified by name.

    A graph processes one text: token ids and positions in, matrices of [tokens, width] within. With
    `int8`, linear maps are computed in integers: weights are scaled per output, inputs per text.
    """

    def __init__(self, *, int8: bool = False) -> None:
        self._int8 = int8
        self._nodes: list[Any] = []
        self._constants: dict[str, NDArray[Any]] = {}
        self._quantized: dict[str, list[str]] = {}

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output and return its name."""
        return self.ops(kind, *inputs, outputs=1, **attributes)[0]

    def ops(self, kind: str, *inputs: str, outputs: int, **attributes: Any) -> list[str]:
        """Add a node with several outputs and return their names."""
        from onnx import helper

        names = [f"{kind}.{len(self._nodes)}.{at}" for at in range(outputs)]
        self._nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names

    def constant(self, array: NDArray[Any]) -> str:
        """Add a constant and return its name."""
        name = f"constant.{len(self._constants)}"
        self._constants[name] = np.ascontiguousarray(array)
        return name

    def linear(self, x: str, weight: Matrix, bias: NDArray[np.float32]) -> str:
        """Add x times the transposed weight [out, in], plus the bias; return its name."""
        if not self._int8:
            return self.op("Gemm", x, self.constant(weight), self.constant(bias), transB=1)
        # One value often goes into several maps.
        if x not in self._quantized:
            self._quantized[x] = self.ops("DynamicQuantizeLinear", x, outputs=3)
        quantized, scale, zero = self._quantized[x]
        scales = np.abs(weight).max(axis=1) / np.float32(_LARGEST_INT8)
        scales[scales == 0] = 1
        rounded = np.rint(weight / scales[:, None]).astype(np.int8)
        zeros = self.constant(np.zeros(len(rounded), dtype=np.int8))
        summed = self.op("MatMulInteger", quantized, self.constant(rounded.T), zero, zeros)
        factor = self.op("Mul", scale, self.constant(scales.astype(np.float32)))
        product = self.op("Mul", self.op("Cast", summed, to=_float()), factor)
        return self.op("Add", product, self.constant(bias))

    def session(self, outputs: Sequence[str], *, threads: int | None) -> GraphSession:
        """Return a session with inputs `input_ids` and `position_ids` and these outputs."""
        from onnx import TensorProto, helper

        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["tokens"])
            for name in ("input_ids", "position_ids")
        ]
        output_infos = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs
        ]
        large = {k: array for k, array in self._constants.items() if array.nbytes > _INLINE_BYTES}
        constants = [
            _tensor(name, array, inline=name not in large)
            for name, array in self._constants.items()
        ]
        graph = helper.make_graph(self._nodes, "encoder", inputs, output_infos, constants)
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
        # Waiting threads do not spin.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Texts have many lengths: memory plans for all of them would pile up.
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
            # The exceptions of ONNX Runtime have no common base class.
            path = source if isinstance(source, str) else None
            raise DataError(f"cannot be loaded by ONNX Runtime: {error}", file=path) from error
        self.inputs = [value.name for value in self._session.get_inputs()]
        self.outputs = [value.name for value in self._session.get_outputs()]

    def run(self, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> list[Matrix]:
        """Return the values of some outputs."""
        matrices: list[Matrix] = self._session.run(list(outputs), dict(inputs))
        return matrices


def _tensor(name: str, array: NDArray[Any], *, inline: bool) -> Any:
    from onnx import TensorProto, helper

    tensor = TensorProto()
    tensor.name = name
    tensor.dims.extend(array.shape)
    tensor.data_type = helper.np_dtype_to_tensor_dtype(array.dtype)
    if inline:
        tensor.raw_data = array.tobytes()
    else:
        tensor.data_location = TensorProto.EXTERNAL
        place = tensor.external_data.add()
        place.key, place.value = "location", "memory"
    return tensor


def _float() -> int:
    from onnx import TensorProto

    return int(TensorProto.FLOAT)
