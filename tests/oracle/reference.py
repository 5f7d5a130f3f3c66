"""headscope's model as a small subclass of torch.nn.Transformer: its tensors bear the same names,
so load_state_dict(strict=True) takes a headscope file as it is."""
import math

import torch
from torch import nn

SITES = ("encoder", "decoder", "cross")


def positions(config, steps):
    """The position encodings [steps, W] in float64 (Vaswani et al. 2017, 3.5; D2L 11.6.3)."""
    width = config["width"]
    table = torch.zeros(steps, width, dtype=torch.float64)
    index = torch.arange(steps, dtype=torch.float64)[:, None] + config["first_position"]
    column = torch.arange(0, width, 2, dtype=torch.float64)
    if config["positions"] == "interleaved":
        angle = index / torch.pow(10000, column / width)
        table[:, 0::2], table[:, 1::2] = torch.sin(angle), torch.cos(angle)
    elif config["positions"] == "halves":
        angle = index * torch.exp(-math.log(10000) * column / 2 / max(width // 2 - 1, 1))
        table[:, : width // 2], table[:, width // 2 :] = torch.sin(angle), torch.cos(angle)
    return table


class EncoderLayer(nn.TransformerEncoderLayer):
    """Keeps the attention weights, which PyTorch's own layer does not ask for."""

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        x, self.self_weights = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask,
            need_weights=True, average_attn_weights=False)
        return self.dropout1(x)


class DecoderLayer(nn.TransformerDecoderLayer):
    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        x, self.self_weights = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask,
            need_weights=True, average_attn_weights=False)
        return self.dropout1(x)

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        x, self.cross_weights = self.multihead_attn(
            x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask,
            need_weights=True, average_attn_weights=False)
        return self.dropout2(x)


class Reference(nn.Transformer):
    """Dropout is 0. It must stay in train(): evaluation takes a fast path that trims padding."""

    def __init__(self, config):
        width, epsilon = config["width"], config["layernorm_epsilon"]
        options = dict(
            d_model=width, nhead=config["heads"], dim_feedforward=config["ffn_width"], dropout=0.0,
            activation=config["activation"], layer_norm_eps=epsilon, batch_first=True,
            norm_first=config["pre_norm"])

        def final_norm():
            return nn.LayerNorm(width, eps=epsilon) if config["final_norm"] else None

        super().__init__(
            d_model=width, nhead=config["heads"], batch_first=True,
            custom_encoder=nn.TransformerEncoder(
                EncoderLayer(**options), config["encoder_layers"], norm=final_norm(),
                enable_nested_tensor=False),
            custom_decoder=nn.TransformerDecoder(
                DecoderLayer(**options), config["decoder_layers"], norm=final_norm()))
        self.src_embedding = nn.Embedding(config["source_vocab"], width)
        self.tgt_embedding = nn.Embedding(config["target_vocab"], width)
        self.generator = nn.Linear(width, config["target_vocab"])
        self.config = config
        if not config["attention_bias"]:
            self.hold_attention_biases_at_zero()

    def hold_attention_biases_at_zero(self):
        for name, tensor in self.named_parameters():
            if name.endswith(("in_proj_bias", "out_proj.bias")):
                tensor.requires_grad = False
                tensor.data.zero_()

    def embed(self, embedding, ids):
        x = embedding(ids)
        if self.config["embedding_scale"]:
            x = x * math.sqrt(self.config["width"])
        return x + positions(self.config, ids.shape[1]).to(x.dtype)

    def forward(self, source, source_lens, target, target_lens, causal=True):
        """Logits [B,T,V]; ids are padded, the lengths are at least 1."""
        source_padding = torch.arange(source.shape[1])[None] >= source_lens[:, None]
        target_padding = torch.arange(target.shape[1])[None] >= target_lens[:, None]
        future = torch.ones(target.shape[1], target.shape[1]).triu(1).bool()
        decoded = super().forward(
            self.embed(self.src_embedding, source), self.embed(self.tgt_embedding, target),
            tgt_mask=future if causal else None, src_key_padding_mask=source_padding,
            tgt_key_padding_mask=target_padding, memory_key_padding_mask=source_padding)
        return self.generator(decoded)

    def attention(self, site, layer):
        """The nn.MultiheadAttention of one layer."""
        if site == "encoder":
            return self.encoder.layers[layer].self_attn
        block = self.decoder.layers[layer]
        return block.self_attn if site == "decoder" else block.multihead_attn

    def heads(self):
        """Every head as (site, layer, head)."""
        return [(site, layer, head) for site in SITES
                for layer in range(self.config["encoder_layers" if site == "encoder" else
                                               "decoder_layers"])
                for head in range(self.config["heads"])]

    def attentions(self):
        """{site: [L,B,H,Tq,Tk]} of the last forward pass."""
        return {
            "encoder": torch.stack([layer.self_weights for layer in self.encoder.layers]),
            "decoder": torch.stack([layer.self_weights for layer in self.decoder.layers]),
            "cross": torch.stack([layer.cross_weights for layer in self.decoder.layers]),
        }


def load(config, tensors, dtype):
    """A Reference with a file's tensors; fails unless names and shapes are all as they must be."""
    model = Reference(config).to(dtype)
    state = {name: torch.from_numpy(array).to(dtype) for name, array in tensors.items()}
    model.load_state_dict(state, strict=True)
    return model.train()


def loss_of(logits, target_out, target_lens, smoothing):
    """The mean of the smoothed cross-entropy over the valid steps."""
    valid = torch.arange(target_out.shape[1])[None] < target_lens[:, None]
    return nn.functional.cross_entropy(logits[valid], target_out[valid], label_smoothing=smoothing)
