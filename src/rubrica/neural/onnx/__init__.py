"""Encoders on ONNX Runtime, without torch."""
