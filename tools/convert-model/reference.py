"""The forward pass in plain f32 numpy: what the quantised one is compared with."""

import math

import numpy as np

from source import HEADS, HIDDEN, LAYERS

# Straight lines between 600,001 exact values are off by less than 1e-10.
ERF_AT = np.linspace(-6.0, 6.0, 600_001)
ERF = np.array([math.erf(at) for at in ERF_AT])


def embed(source, ids):
    """Mean of the last layer over all pieces, scaled to length one."""
    names = "embeddings.word_embeddings", "embeddings.position_embeddings", "embeddings.token_type_embeddings"
    words, positions, types = (source[name + ".weight"] for name in names)
    x = words[ids] + positions[: len(ids)] + types[0]
    x = layer_norm(source, "embeddings.LayerNorm", x)
    for layer in range(LAYERS):
        x = encoder_layer(source, f"encoder.layer.{layer}.", x)
    mean = x.mean(axis=0)
    return (mean / np.linalg.norm(mean)).astype("<f4")


def encoder_layer(source, at, x):
    tokens, width = len(x), HIDDEN // HEADS

    def heads(name):
        return linear(source, f"{at}attention.self.{name}", x).reshape(tokens, HEADS, width).transpose(1, 0, 2)

    scores = heads("query") @ heads("key").transpose(0, 2, 1) / math.sqrt(width)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    mixed = (shares @ heads("value")).transpose(1, 0, 2).reshape(tokens, HIDDEN)
    x = layer_norm(source, at + "attention.output.LayerNorm", x + linear(source, at + "attention.output.dense", mixed))
    inner = linear(source, at + "intermediate.dense", x)
    inner = (inner * 0.5 * (1.0 + np.interp(inner / math.sqrt(2.0), ERF_AT, ERF))).astype(np.float32)
    return layer_norm(source, at + "output.LayerNorm", x + linear(source, at + "output.dense", inner))


def linear(source, name, x):
    return x @ source[name + ".weight"].T + source[name + ".bias"]


def layer_norm(source, name, x):
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    return centred / spread * source[name + ".weight"] + source[name + ".bias"]
