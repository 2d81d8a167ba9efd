"""Convert BLEURT's TensorFlow folder to a transformers classifier with one output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rubrica.data.files import atomic_folder
from rubrica.errors import DataError
from rubrica.neural.convert.bert import (
    MAPPING,
    bert_state,
    linear_layers,
    loaded,
    plain_names,
)
from rubrica.neural.convert.sentencepiece_model import read_sentencepiece
from rubrica.neural.convert.tf_checkpoint import read_named_arrays
from rubrica.neural.running import import_transformers

_FILES = "its folder has bert_config.json, variables/ and vocab.txt or sent_piece.model"


def convert_bleurt(source: str, output: str) -> None:
    """Write the folder `output`, atomically: a BERT, or a RemBERT (BLEURT-20), with its tokenizer."""
    transformers = import_transformers()
    folder = Path(source)
    settings = _json(folder / "bleurt_config.json", needed=False)
    bert_config = _json(_beside(folder, settings.get("bert_config_file") or "bert_config.json"))
    arrays = plain_names(read_named_arrays(folder))
    state = bert_state(arrays, source)
    is_rembert = f"{MAPPING.replace('/', '.')}.weight" in state
    bert_config["hidden_act"] = _activation(folder, bert_config)
    bert_config["num_labels"] = 1
    if is_rembert:
        bert_config["input_embedding_size"] = state["embeddings.word_embeddings.weight"].shape[1]
    kind = "RemBert" if is_rembert else "Bert"
    try:
        config = getattr(transformers, f"{kind}Config")(**bert_config)
    except (TypeError, ValueError) as error:
        raise DataError(f"bert_config.json: {error}", file=source) from error
    weights = {f"{kind.lower()}.{name}": value for name, value in state.items()}
    kernel, bias = linear_layers(arrays, (config.hidden_size, 1), 1, source)
    weights |= {"classifier.weight": kernel, "classifier.bias": bias}
    network = getattr(transformers, f"{kind}ForSequenceClassification")(config)
    network = loaded(network, weights, source)
    tokenizer = _tokenizer(transformers, folder, settings)
    with atomic_folder(output) as target:
        network.save_pretrained(target)
        tokenizer.save_pretrained(target)


def _activation(folder: Path, bert_config: dict[str, Any]) -> str:
    """Return the activation: BLEURT calls a tanh approximation "gelu" unless its graph has Erf."""
    name = str(bert_config.get("hidden_act", "gelu"))
    if name != "gelu":
        return name
    graph = folder / "saved_model.pb"
    exact = graph.is_file() and b"Erf" in graph.read_bytes()
    return "gelu" if exact else "gelu_new"


def _tokenizer(transformers: Any, folder: Path, settings: dict[str, Any]) -> Any:
    longest = _whole(settings.get("max_seq_length", 128), folder)
    pieces = settings.get("sp_model")
    if pieces:
        from tokenizers.processors import TemplateProcessing

        path = _beside(folder, f"{pieces}.model")
        tokenizer = read_sentencepiece(path)
        places = {token: tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]")}
        if None in places.values():
            raise DataError("has no pieces [CLS] and [SEP]", file=str(path))
        tokenizer.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=list(places.items()),
        )
        return transformers.PreTrainedTokenizerFast(
            tokenizer_object=tokenizer,
            model_max_length=longest,
            cls_token="[CLS]",
            sep_token="[SEP]",
            pad_token=tokenizer.id_to_token(0),
        )
    vocabulary = _beside(folder, settings.get("vocab_file") or "vocab.txt")
    if not vocabulary.is_file():
        raise DataError(
            f"no {vocabulary.name}: not a BLEURT checkpoint; {_FILES}", file=str(folder)
        )
    lower = settings.get("do_lower_case")
    return transformers.BertTokenizer(
        str(vocabulary),
        model_max_length=longest,
        do_lower_case=True if lower is None else bool(lower),
    )


def _beside(folder: Path, name: Any) -> Path:
    """Return a path inside the folder, whatever path the configuration has."""
    return folder / Path(str(name)).name


def _json(path: Path, *, needed: bool = True) -> dict[str, Any]:
    if not path.is_file():
        if needed:
            raise DataError(
                f"no {path.name}: not a BLEURT checkpoint; {_FILES}", file=str(path.parent)
            )
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise DataError(f"cannot be read as JSON: {error}", file=str(path)) from error
    if not isinstance(content, dict):
        raise DataError("must hold a JSON object", file=str(path))
    return content


def _whole(number: Any, folder: Path) -> int:
    if not isinstance(number, int) or number < 4:
        raise DataError(
            f"max_seq_length must be a number of tokens (at least 4), found {number!r}",
            file=str(folder / "bleurt_config.json"),
        )
    return number
