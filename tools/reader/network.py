"""The reader: the embedder's encoder with layers of its own, and a linear head for each question."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from base import HEADS, HIDDEN, INNER, LAYERS
from examples import GUARDS, RELATIONS, ROLES


class Layer(nn.Module):
    def __init__(self, weights, dropout):
        super().__init__()
        self.attention_in = nn.Linear(HIDDEN, 3 * HIDDEN)
        self.attention_out = nn.Linear(HIDDEN, HIDDEN)
        self.inner = nn.Linear(HIDDEN, INNER)
        self.outer = nn.Linear(INNER, HIDDEN)
        self.attention_norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        for name in ("attention_in", "attention_out", "inner", "outer"):
            linear, (weight, bias) = getattr(self, name), weights[name]
            linear.weight.data, linear.bias.data = torch.tensor(weight), torch.tensor(bias)
        gains = torch.tensor(weights["norms"])
        self.attention_norm.weight.data, self.attention_norm.bias.data = gains[0], gains[1]
        self.norm.weight.data, self.norm.bias.data = gains[2], gains[3]

    def forward(self, x, mask):
        batch, length, _ = x.shape
        q, k, v = self.attention_in(x).view(batch, length, 3, HEADS, HIDDEN // HEADS).permute(2, 0, 3, 1, 4)
        # The queries of the file carry the division by the root of the width already.
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=1.0)
        mixed = mixed.transpose(1, 2).reshape(batch, length, HIDDEN)
        x = self.attention_norm(x + self.dropout(self.attention_out(mixed)))
        return self.norm(x + self.dropout(self.outer(F.gelu(self.inner(x)))))


class Reader(nn.Module):
    def __init__(self, base, dropout=0.1):
        super().__init__()
        self.register_buffer("words", torch.tensor(base.words), persistent=False)
        self.register_buffer("positions", torch.tensor(base.positions), persistent=False)
        self.register_buffer("gains", torch.tensor(base.norm), persistent=False)
        self.layers = nn.ModuleList(Layer(weights, dropout) for weights in base.layers)
        self.cut = nn.Linear(HIDDEN, 1)
        self.lasting = nn.Linear(HIDDEN, 1)
        self.role = nn.Linear(HIDDEN, len(ROLES))
        self.guard = nn.Linear(HIDDEN, len(GUARDS))
        self.relation = nn.Linear(3 * HIDDEN, len(RELATIONS))
        assert len(self.layers) == LAYERS

    def heads(self):
        return [self.cut, self.lasting, self.role, self.guard, self.relation]

    def unpack(self, packed):
        """Takes over the weights of a packed reader."""
        for layer, theirs in zip(self.layers, packed.layers):
            for name in ("attention_in", "attention_out", "inner", "outer"):
                take(getattr(layer, name).weight, theirs[name][0])
                take(getattr(layer, name).bias, theirs[name][1])
            norms = (layer.attention_norm.weight, layer.attention_norm.bias, layer.norm.weight, layer.norm.bias)
            for parameter, numbers in zip(norms, theirs["norms"]):
                take(parameter, numbers)
        for name in ("cut", "lasting", "role", "guard", "relation"):
            take(getattr(self, name).weight, packed.heads[name][0])
            take(getattr(self, name).bias, packed.heads[name][1])

    def states(self, ids, mask):
        x = self.words[ids] + self.positions[: ids.shape[1]]
        x = F.layer_norm(x, (HIDDEN,), self.gains[0], self.gains[1], 1e-12)
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        return x

    def turns(self, ids, mask, spans, cuts):
        """`spans` and `cuts` are rows of (example, first, last) and (example, token)."""
        states = self.states(ids, mask)
        pieces = means(states, spans)
        return self.cut(states[cuts[:, 0], cuts[:, 1]])[:, 0], self.lasting(pieces)[:, 0], self.role(pieces), self.guard(pieces)

    def pairs(self, ids, mask, held, said):
        states = self.states(ids, mask)
        held, said = means(states, held), means(states, said)
        return self.relation(torch.cat([held, said, held * said], dim=1))


def take(parameter, numbers):
    parameter.data = torch.tensor(np.ascontiguousarray(numbers))


def means(states, spans):
    """The mean of the states of each span."""
    places = torch.arange(states.shape[1], device=states.device)[None]
    inside = ((places >= spans[:, 1:2]) & (places < spans[:, 2:3])).to(states.dtype)
    total = torch.einsum("st,sth->sh", inside, states[spans[:, 0]])
    return total / inside.sum(1, keepdim=True).clamp(min=1)


def padded(examples, device):
    """Ids and mask of some examples, filled up to the longest."""
    length = max(len(it["ids"]) for it in examples)
    ids = np.zeros((len(examples), length), np.int64)
    mask = np.zeros((len(examples), length), bool)
    for row, it in enumerate(examples):
        ids[row, : len(it["ids"])] = it["ids"]
        mask[row, : len(it["ids"])] = True
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)


def turn_batch(examples, device):
    spans = [(row, *span) for row, it in enumerate(examples) for span in it["spans"]]
    cuts = [(row, at) for row, it in enumerate(examples) for at, _ in it["cuts"]] or [(0, 0)]
    return (*padded(examples, device), torch.tensor(spans, device=device), torch.tensor(cuts, device=device))


def pair_batch(examples, device):
    held = [(row, *it["held"]) for row, it in enumerate(examples)]
    said = [(row, *it["said"]) for row, it in enumerate(examples)]
    return (*padded(examples, device), torch.tensor(held, device=device), torch.tensor(said, device=device))
