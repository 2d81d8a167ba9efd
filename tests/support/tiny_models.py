"""Small random checkpoints with tokenizers made from the sample data, once for all workers, in seconds."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.shared import made_once, shared_folder

NEWS = Path(__file__).resolve().parents[2] / "examples" / "news"
HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="needs rubrica[neural]")
HAS_ONNX = all(importlib.util.find_spec(name) for name in ("onnxruntime", "onnx"))
needs_onnx = pytest.mark.skipif(not HAS_ONNX, reason="needs rubrica[onnx]")
POSITIONS = 1024


@cache
def corpus() -> list[str]:
    """Sentences of the sample data."""
    rows = [json.loads(line) for line in (NEWS / "summaries.jsonl").read_text("utf-8").splitlines()]
    texts = [row["summary"]["text"] for row in rows]
    texts += [one["text"] for row in rows for one in row["references"]]
    sentences = [s for text in texts for s in (text if isinstance(text, list) else [text])]
    return list(dict.fromkeys(sentences))


@cache
def _wordpiece(limit: int = POSITIONS) -> Any:
    from transformers import BertTokenizer

    return BertTokenizer(_vocabulary(), model_max_length=limit)


@made_once
def _vocabulary() -> str:
    path = shared_folder() / "vocab.txt"
    path.write_text("\n".join(_pieces()) + "\n", "utf-8")
    return str(path)


def _pieces(size: int = 600) -> list[str]:
    """Letters, beginnings, ends, and the most frequent words: the same in every run, unlike a trained vocabulary."""
    counts = Counter(re.findall(r"\w+|[^\w\s]", " ".join(corpus()).lower()))
    letters = sorted({letter for word in counts for letter in word})
    words = sorted(counts, key=lambda word: (-counts[word], word))
    made = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *letters,
        *(f"##{one}" for one in letters),
    ]
    made += [word for word in words if len(word) > 1][:300]
    made += [part for word in words if len(word) > 5 for part in (word[:3], f"##{word[3:6]}")]
    return list(dict.fromkeys(made))[:size]


@cache
def _byte_bpe(kind: str) -> Any:
    from tokenizers import ByteLevelBPETokenizer
    from transformers import PreTrainedTokenizerFast

    trained = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained.train_from_iterator(
        corpus(), vocab_size=600, min_frequency=1, special_tokens=special, show_progress=False
    )
    from tokenizers.processors import TemplateProcessing

    first = "" if kind == "t5" else "<s> "
    trained.post_processor = TemplateProcessing(
        single=f"{first}$A </s>",
        pair=f"{first}$A </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer,
        model_max_length=4096 if kind == "gpt" else POSITIONS,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
    )


def _bert_config(**more: Any) -> Any:
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(_wordpiece()),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=POSITIONS,
        # Larger weights than the usual: outputs of different inputs then differ visibly.
        initializer_range=0.3,
        **more,
    )


def _other_encoders() -> dict[str, Any]:
    """Configurations of encoders that are like BERT but for something."""
    import transformers as t

    small = {
        "vocab_size": len(_wordpiece()),
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 300,
        "initializer_range": 0.3,
    }
    distil = {"dim": 32, "n_heads": 4, "n_layers": 2, "hidden_dim": 64}
    relative = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 16}
    return {
        "distilbert": lambda: t.DistilBertConfig(
            vocab_size=small["vocab_size"], initializer_range=0.3, **distil
        ),
        "electra": lambda: t.ElectraConfig(embedding_size=16, **small),
        "mpnet": lambda: t.MPNetConfig(pad_token_id=1, **small),
        "albert": lambda: t.AlbertConfig(embedding_size=16, **small),
        "deberta": lambda: t.DebertaV2Config(**relative, **small),
    }


def _made(name: str) -> tuple[Any, Any]:
    import transformers as t

    if name in _other_encoders():
        return t.AutoModel.from_config(_other_encoders()[name]()), _wordpiece()
    if name == "encoder":
        return t.BertModel(_bert_config()), _wordpiece()
    if name == "roberta":
        config = t.RobertaConfig(
            vocab_size=len(_byte_bpe("roberta")),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=66,
            pad_token_id=1,
            initializer_range=0.3,
        )
        return t.RobertaModel(config), _byte_bpe("roberta")
    if name == "masked":
        return t.BertForMaskedLM(_bert_config()), _wordpiece()
    if name == "nli":
        labels = {0: "entailment", 1: "neutral", 2: "contradiction"}
        config = _bert_config(id2label=labels, label2id={v: k for k, v in labels.items()})
        return t.BertForSequenceClassification(config), _wordpiece()
    if name == "support":
        return t.BertForSequenceClassification(_bert_config(num_labels=2)), _wordpiece()
    if name == "regression":
        return t.BertForSequenceClassification(_bert_config(num_labels=1)), _wordpiece()
    if name == "five":
        return t.BertForSequenceClassification(_bert_config(num_labels=5)), _wordpiece()
    if name == "deberta-support":
        config = t.DebertaV2Config(
            vocab_size=len(_wordpiece()),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=64,
            position_biased_input=False,
            relative_attention=True,
            pos_att_type=["p2c", "c2p"],
            position_buckets=16,
            norm_rel_ebd="layer_norm",
            share_att_key=True,
            type_vocab_size=0,
            initializer_range=0.3,
            num_labels=2,
        )
        return t.DebertaV2ForSequenceClassification(config), _wordpiece(limit=1 << 30)
    if name == "qa":
        return t.BertForQuestionAnswering(_bert_config()), _wordpiece()
    if name in ("bart", "terse-bart"):
        config = t.BartConfig(
            vocab_size=len(_byte_bpe("bart")),
            d_model=32,
            encoder_layers=2,
            decoder_layers=2,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=64,
            decoder_ffn_dim=64,
            max_position_embeddings=POSITIONS,
            init_std=0.3,
            pad_token_id=1,
            bos_token_id=0,
            eos_token_id=2,
            decoder_start_token_id=2,
            forced_eos_token_id=2,
        )
        model = t.BartForConditionalGeneration(config)
        # Random models never stop by themselves; a terse one stops after a few tokens.
        model.final_logits_bias[0, config.eos_token_id] = 6.0 if name == "bart" else 9.0
        return model, _byte_bpe("bart")
    if name == "t5":
        config = t.T5Config(
            vocab_size=len(_byte_bpe("t5")),
            d_model=32,
            d_kv=8,
            d_ff=64,
            num_layers=2,
            num_heads=4,
            pad_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=1,
            # With more the shares of tokens are 0 or 1, and mistakes do not show.
            initializer_factor=1.0,
        )
        return t.T5ForConditionalGeneration(config), _byte_bpe("t5")
    if name == "gpt":
        config = t.GPT2Config(
            vocab_size=len(_byte_bpe("bart")),
            n_embd=32,
            n_layer=2,
            n_head=4,
            n_positions=4096,
            bos_token_id=0,
            eos_token_id=2,
        )
        return t.GPT2LMHeadModel(config), _byte_bpe("gpt")
    raise KeyError(name)


@made_once
def checkpoint(name: str) -> str:
    """The folder of a small random model of that kind."""
    import torch

    folder = shared_folder() / f"tiny-{name}"
    torch.manual_seed(20)
    model, tokenizer = _made(name)
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@made_once
def with_heads(name: str) -> str:
    """A checkpoint with the extra files that converted AlignScore, SumQE and LERC checkpoints have."""
    import torch
    from safetensors.torch import save_file

    folder = shared_folder() / f"tiny-{name}-heads"
    shutil.copytree(checkpoint(name), folder)
    draw = torch.Generator().manual_seed(7)

    def random(*shape: int) -> Any:
        # Small: shares of 0 and 1 would hide mistakes.
        return torch.randn(shape, generator=draw) / 5

    heads = {"nli.weight": random(3, 32), "nli.bias": random(3)}
    heads |= {"bin.weight": random(2, 32), "bin.bias": random(2)}
    save_file(heads, folder / "alignscore_heads.safetensors")
    save_file({"weight": random(5, 32), "bias": random(5)}, folder / "sumqe_head.safetensors")
    save_file({"weight": random(1, 32), "bias": random(1)}, folder / "lerc_head.safetensors")
    return str(folder)
