import functools

import numpy as np

from assignments.model import lab
from assignments.writer.safetensors_reader import read_safetensors
from tests.grader.support.numbers_in_lessons_helpers import solution

TINY = lab.HERE / "tiny"
m = solution("model")
rows = {row.change: row for row in lab.saved()}
tiny = read_safetensors(TINY / "model.safetensors")
writer = lab.writer_model(m)
layer = writer["layers"][0]
head_dim = 2 * len(writer["frequencies"])
symbols = lab.symbols()


def loss(change: str) -> float:
    return rows[change].loss


@functools.cache
def logits() -> np.ndarray:
    return np.asarray(m.forward(lab.held_out(), writer)[0])


def row_sizes() -> list[float]:
    """Return the mean size of rows before the first layer and after the last layer."""
    x, length = writer["embedding"][lab.held_out()], lab.LENGTH
    sizes = [x]
    for one in writer["layers"]:
        x, _ = m.block(x, one, np.arange(length), writer["frequencies"], np.tri(length, dtype=bool))
        sizes.append(x)
    return [float(np.sqrt((rows**2).mean(axis=-1)).mean()) for rows in (sizes[0], sizes[-1])]


PROMPT = "The score of a query and a key "


def cached(layers: int, key_heads: int) -> int:
    """Return the number of values that the cache holds per token, for heads of 128 features."""
    return 2 * layers * key_heads * 128


def held_out_loss() -> float:
    """Return the loss of the writer's model on all held-out text, as measured during training."""
    rows = (line.split(",") for line in (lab.WRITER / "measured.csv").read_text("utf-8").splitlines()[1:])
    return float(dict(rows)["with RoPE"])


with np.load(TINY / "logits.npz") as recorded:
    as_float32 = m.from_checkpoint(tiny, recorded["frequencies"])
    difference = np.abs(m.forward(recorded["tokens"], as_float32)[0] - recorded["float32"]).max()
    as_float64 = m.from_checkpoint({name: one.astype(float) for name, one in tiny.items()}, recorded["frequencies"])
    exact = np.abs(m.forward(recorded["tokens"], as_float64)[0] - recorded["float64"]).max()
    first, cache = m.forward(recorded["tokens"][:7], as_float64)
    pieces = np.concatenate([first, m.forward(recorded["tokens"][7:], as_float64, cache=cache)[0]])
    in_pieces = np.abs(pieces - recorded["float64"]).max()

silu_of_1 = m.swiglu(np.ones((1, 1)), *np.ones((3, 1, 1)))[0, 0]
matrices = {name: layer[name].size for name in ("w_q", "w_k", "w_v", "w_o", "w_gate", "w_up", "w_down")}
attention = sum(matrices[name] for name in ("w_q", "w_k", "w_v", "w_o"))
fed = sum(matrices[name] for name in ("w_gate", "w_up", "w_down"))
scores, following = np.array([[5.0, 6.0, 7.0], [1.0, 2.0, 3.0]]), np.array([2, 0])
attention_of_8b, fed_of_8b = 2 * 4096**2 + 2 * 4096 * 1024, 3 * 4096 * 14336

SENTENCES = r"""
a Llama with «len(writer["layers"])» layers of «writer["embedding"].shape[1]» features, «layer["w_q"].shape[1] //
    head_dim» query heads and «layer["w_k"].shape[1] // head_dim» key heads, for «len(symbols)» characters
It reads «lab.WINDOWS» windows of «lab.LENGTH» letters
−ln of the probability that it gave to the next letter: «loss(lab.AS_IT_IS):.3f».
    (The unit is called *nat*. [All held-out text](../writer.md#how-good-is-it)
    together is easier: «held_out_loss():.2f».) <== held_out_loss() < loss(lab.AS_IT_IS) and
    abs(m.next_token_loss(logits(), lab.held_out()) - loss(lab.AS_IT_IS)) < 1e-3
all 84 characters are equally likely, the loss is ln 84 = «np.log(84):.3f»
the root of the mean of their squares, goes from «row_sizes()[0]:.2f» to «row_sizes()[1]:.2f» in four layers
Without any norm the loss is «loss("no norm at all"):.3f»
With ReLU instead of silu the loss is «loss("ReLU for silu"):.3f». With silu on $x W_\text{up}$ instead of
    the gate it is «loss("silu on up"):.3f»
With 64 key heads the cache would hold «cached(80, 64):,» numbers per token
with 8 key heads there are «cached(80, 8):,», an eighth <== cached(80, 64) == 8 * cached(80, 8)
all shapes fit, but the loss is «loss("tile for repeat"):.3f»: worse than guessing <== loss("tile for
    repeat") > np.log(84)
Without this step the loss is «loss("columns not reordered"):.3f»
reordered as one head, it is «loss("reordered as one head"):.3f»
With the base 500,000 of Llama 3 the loss of this model is «loss("base 500,000"):.3f»
Without this division the loss is «loss("scale missing"):.3f», by chance the same number as with the other
    base <== round(loss("base 500,000"), 3) == round(loss("scale missing"), 3)
(pytorch/pytorch #61165): with this mistake the loss is «loss("norm's output added"):.3f»
Without the sums it is «loss("no residual"):.3f»
Without the last norm the loss is «loss("no final norm"):.3f»
the token that it has just read, and the loss is «loss(lab.UNSHIFTED):.3f»
a checkpoint of «sum(one.size for one in tiny.values()):,» numbers
gave the logits for «len(np.load(TINY / "logits.npz")["tokens"])» tokens
shows about «difference:.0e»
In float64 the largest difference is below 10⁻¹² <== exact < 1e-12
With the tokens in two pieces (cache), also below 10⁻¹² <== in_pieces < 1e-12
$2 \cdot 128^2 + 2 \cdot 128 \cdot 64$ = «attention:,» numbers in the matrices of attention, and $3 \cdot 128 \cdot
    384$ = «fed:,» in the feed-forward part <== attention == 2 * 128**2 + 2 * 128 * 64 and fed == 3 * 128 * 384
np.take_along_axis(scores, tokens[..., None], axis=-1)[..., 0]  # [«np.take_along_axis(scores, following[..., None],
    axis=-1)[0, 0]:g»., «np.take_along_axis(scores, following[..., None], axis=-1)[1, 0]:g».]
np.logaddexp.reduce(scores, axis=-1)  # [«np.logaddexp.reduce(scores, axis=-1)[0]:.3f»,
    «np.logaddexp.reduce(scores, axis=-1)[1]:.3f»]
The mean of its squares is «np.mean(np.square([3, 4]))», the root of this mean «np.sqrt(12.5):.4f». So (3,
    4) becomes («m.rms_norm([3, 4], [1, 1], 0):.4f»). The row (6, 8) becomes the same <==
    np.allclose(m.rms_norm([6, 8], [1, 1], 0), m.rms_norm([3, 4], [1, 1], 0))
silu(1) = 1/(1 + e⁻¹) = «silu_of_1:.4f». If $x W_\text{up}$ is 6, the product is «6 * silu_of_1:.4f»
the key heads of the query heads are «m.repeat_heads(np.arange(2.0)[:, None, None], 3)[:, 0, 0]»
The new order of the columns of one head of 6 features is «m.to_half_layout(np.arange(6.0), 1)»
With three equal logits the loss is ln 3 = «m.next_token_loss(np.zeros((2, 3)), [0, 1]):.4f»
the third token has the probability 2/4, so its loss is ln 2 = «m.next_token_loss([[0, 0, np.log(2)]] * 2,
    [0, 2]):.4f»
The logits of this model are between «np.floor(logits().min())» and «np.ceil(logits().max())»
stays «loss("eps outside the root"):.3f» to three decimals; a logit changes by
    «rows["eps outside the root"].largest:.3f» at most
With an eps of 10⁻³ the loss is «loss("eps 1e-3"):.3f», and a logit changes by up to «rows["eps
    1e-3"].largest:.1f»
**One change is no mistake.** <== [row.change for row in lab.saved() if row.largest < 1e-3] == [lab.AS_IT_IS,
    "positions from 1", lab.UNSHIFTED]
the loss is «loss("scale missing"):.3f»: such a model still writes words <== round(loss("base 500,000"), 3)
    == round(loss("scale missing"), 3)
np.repeat([0, 1], 3)  # «np.repeat([0, 1], 3)»
np.tile([0, 1], 3)  # «np.tile([0, 1], 3)»
"""

ANSWERS = {
    "cached_numbers_per_token_llama_3_8b": cached(32, 8),
    "feed_forward_share_of_a_layer_llama_3_8b": fed_of_8b / (fed_of_8b + attention_of_8b),
    "logits_change_when_all_positions_shift_by_5": not np.allclose(
        *(m.forward([[1, 5, 9]], writer, np.arange(3) + shift)[0] for shift in (0, 5))
    ),
    "perplexity_of_a_uniform_guess_among_84": np.exp(m.next_token_loss(np.zeros((5, 84)), np.arange(5))),
    "tile_equals_repeat_for_one_key_head": np.array_equal(
        m.repeat_heads(np.ones((1, 2, 3)), 4), np.tile(np.ones((1, 2, 3)), (4, 1, 1))
    ),
    "key_head_of_query_head_13_of_32_with_8": m.repeat_heads(np.arange(8.0)[:, None, None], 4)[13, 0, 0],
    "parameters_of_a_gated_part_d_32_f_48": sum(
        tiny[f"model.layers.0.mlp.{part}_proj.weight"].size for part in ("gate", "up", "down")
    ),
    "loss_of_a_token_that_got_probability_1_in_8": m.next_token_loss(np.zeros((2, 8)), [0, 1]),
}
