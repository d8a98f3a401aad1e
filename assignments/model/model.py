"""Model: a whole language model, built from the parts of this course.

You build the layers of a small Llama from the functions of this course and a few new ones: a norm that subtracts no
mean, a gated feed-forward part, and heads that share keys. The whole lesson tests one claim: with the same weights,
your model gives the same logits as Llama in Hugging Face transformers.

A model is a dict of plain values:

    embedding     (V, d), one row per token of the vocabulary
    layers        a list of dicts, one per layer
    norm          (d,), the weight of the last norm
    frequencies   (dh/2,), the frequencies of RoPE
    eps           the small number in each norm
    head          (d, V); a model whose head is its embedding (a tied head) has no such entry

A layer is a dict of weights: `norm_1` (d,), `w_q` (d, h·dh), `w_k` and `w_v` (d, g·dh), `w_o` (h·dh, d),
`norm_2` (d,), `w_gate` and `w_up` (d, f), `w_down` (f, d). All matrices are used as x @ w. All sizes follow
from the shapes: dh is twice the number of frequencies; the numbers of query heads, h, and of key heads, g,
follow from the columns of w_q and w_k. Heads are consecutive blocks of dh columns. h·dh may differ from d.

A cache is a list with one pair (keys, values) per layer, both of shape (..., g, t, dh): the keys are rotated,
and no head is repeated.

Conventions: positions start at 0; `...` stands for any number of leading axes. A mask is boolean: True for
a key that a query may use. The result is float32 if x and all weight and cache arrays are float32, otherwise
float64. Angles are always computed in float64. No function changes an argument in place.
Only functions with a `Raises` line must refuse bad arguments.
"""

import numpy as np


def _features(*arrays):
    """Return the arrays as float64, and the result's dtype: float32 if every array is float32, else float64.

    This function is already provided in every lesson's file; lesson 1 explains how to use it.
    """
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


def rms_norm(x, weight, eps=1e-5):
    """Divide each row by its root mean square, and multiply the row by the weight.

        y = x / √(mean of x² + eps) · weight       mean over the last axis

    All rows of the result have about the same size. Unlike LayerNorm, RMSNorm subtracts no mean. eps is under the root,
    and prevents division by 0 for a row of zeros.

    Parameters: `x`, shape (..., d); `weight`, shape (d,); `eps`, a small number, not negative.
    Returns: the shape of x.
    Example: rms_norm([[3, 4]], [1, 10], eps=0) is [[0.8485, 11.31]]: √((9 + 16)/2) is 3.536.
    Source: Zhang and Sennrich 2019.
    """
    raise NotImplementedError("rms_norm is not written yet")


def swiglu(x, w_gate, w_up, w_down):
    """Return the output of the gated feed-forward part, computed for each token separately.

        (silu(x w_gate) ∘ (x w_up)) w_down        silu(z) = z / (1 + e^−z)

    ∘ multiplies element by element. silu is applied to the gate, not to x w_up or to the product. silu must be correct
    for z of any size: if e^−z overflows, silu(z) is 0. (If e^−z overflows, the formula also gives 0, but with a
    warning; the lesson has a form without the warning.)

    Parameters: `x`, shape (..., T, d); `w_gate` and `w_up`, shape (d, f); `w_down`, shape (f, d).
    Returns: the shape of x.
    Example: with x = [[1, 2]], w_gate = [[1], [0]], w_up = [[0], [3]] and w_down = [[1, −1]]: silu(1) · 6 =
    4.386, so [[4.386, −4.386]].
    Source: Shazeer 2020.
    """
    raise NotImplementedError("swiglu is not written yet")


def repeat_heads(x, n_rep):
    """Repeat each head n_rep times, with all copies of a head side by side: 0, 0, 1, 1, and not 0, 1, 0, 1.

    With these copies, the query heads j·n_rep … (j+1)·n_rep − 1 use key head j.

    Parameters: `x`, shape (..., g, T, dh); `n_rep`, an int, at least 1.
    Returns: shape (..., g·n_rep, T, dh).
    Raises: ValueError for n_rep below 1.
    Example: repeat_heads([[[1]], [[2]]], 2) is [[[1]], [[1]], [[2]], [[2]]].
    Source: Ainslie et al. 2023; `repeat_kv` in Hugging Face transformers.
    """
    raise NotImplementedError("repeat_heads is not written yet")


def to_half_layout(w, n_heads):
    """Reorder the columns of w_q or w_k from pairs (2i, 2i+1) to the half layout.

    In each head of the result, the columns 0, 2, 4, … come first, then the columns 1, 3, 5, …. In the new
    order, the pairs (i, i + dh/2) of the half layout give the same scores as the pairs (2i, 2i+1) gave in the
    old order.

    Never reorder w_v or w_o: values are not rotated.

    Parameters: `w`, shape (..., h·dh), any leading axes: (d, h·dh) for a matrix, (h·dh,) for a bias;
    `n_heads`, the number of heads in these columns: h for w_q, g for w_k.
    Returns: the shape of w.
    Raises: ValueError for heads of odd size.
    Example: to_half_layout([0, 1, 2, 3, 4, 5, 6, 7], 2) is [0, 2, 1, 3, 4, 6, 5, 7].
    Source: the function `permute` in the script that converts Llama's weights for Hugging Face transformers.
    """
    raise NotImplementedError("to_half_layout is not written yet")


def apply_rope_half_with(x, positions, frequencies):
    """Lesson 5's apply_rope_half with the frequencies as an argument, such as those of lesson 8.

        y_i        = x_i · cos − x_{i+dh/2} · sin
        y_{i+dh/2} = x_i · sin + x_{i+dh/2} · cos        (angle positions[t] · frequencies[i])

    Parameters: `x`, shape (..., T, dh); `positions`, shape (T,), or with leading axes that broadcast to
    those of x; `frequencies`, shape (dh/2,).
    Returns: the shape of x.
    Raises: ValueError unless there is one position per row.
    Example: apply_rope_half_with([[1, 1, 0, 0]], [2], [1, 0.5]) is [[cos 2, cos 1, sin 2, sin 1]] =
    [[−0.4161, 0.5403, 0.9093, 0.8415]].
    Source: Su et al. 2021; the layout is that of Hugging Face's Llama.
    """
    raise NotImplementedError("apply_rope_half_with is not written yet")


def grouped_query_attention(x, layer, positions, frequencies, mask, cache=None):
    """Attention in one layer, where several query heads share one key head.

        q, k, v = the heads of x w_q, x w_k, x w_v
        q and k are rotated at their positions, v is not
        k and v of the cache come before the new ones
        out = merged heads of softmax(q kᵀ / √dh, where the mask allows) v,   then times w_o

    h and g follow from the columns: w_q has h·dh columns, w_k has g·dh. Query heads j·h/g … (j+1)·h/g − 1 use key head
    j. The scale is √dh, where dh is the size of a head. A query with no allowed key gets zeros from attention. The
    result is finite for scores of any finite size.

    Parameters: `x`, shape (..., T, d), already normalized; `layer`, a dict with at least `w_q`, `w_k`, `w_v`
    and `w_o`; `positions` of the new tokens, shape (T,) or (..., T), the same for all heads; `frequencies`,
    shape (dh/2,); `mask`, bool: its last two axes are exactly (T, t + T), and the axes before them broadcast
    with (..., h), so a mask per text has shape (B, 1, T, t + T); `cache`, None or the pair (keys, values) of
    this layer, each (..., g, t, dh), with the keys already rotated.
    Returns: out, shape (..., T, d), and the pair (keys, values) that includes the new tokens, each (..., g,
    t + T, dh).
    Raises: ValueError for a mask whose last two axes are not (T, t + T), even if numpy would repeat a single row.
    Example: with one token and no cache, the only weight is 1, so out is v w_o, with the key heads' values
    repeated.
    Source: Ainslie et al. 2023 §2.2; LlamaAttention in Hugging Face transformers.
    """
    raise NotImplementedError("grouped_query_attention is not written yet")


def block(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    """One layer: attention is added to x, then the feed-forward part is added.

        x = x + attention(rms_norm(x, norm_1))
        x = x + swiglu(rms_norm(x, norm_2))

    Each part reads a normalized copy of x, and the part's output is added to x itself, the residual stream.

    Parameters: `x`, shape (..., T, d); `layer`, a dict with all weights of the layer; `positions`,
    `frequencies`, `mask` and `cache` as in grouped_query_attention; `eps` as in rms_norm.
    Returns: x, shape (..., T, d), and the pair (keys, values) of the layer.
    Example: if w_o and w_down are zero, nothing is added and the result is x.
    Source: Touvron et al. 2023 §2.2; LlamaDecoderLayer in Hugging Face transformers.
    """
    raise NotImplementedError("block is not written yet")


def from_checkpoint(tensors, frequencies, eps=1e-5):
    """Build a model from a checkpoint's tensors, which have the names that Hugging Face uses for Llama.

        model.embed_tokens.weight    embedding        model.norm.weight    norm        lm_head.weight    head
        and after model.layers.N. for layer N:
            input_layernorm.weight            norm_1        self_attn.q_proj.weight    w_q
            post_attention_layernorm.weight   norm_2        self_attn.k_proj.weight    w_k
            mlp.gate_proj.weight              w_gate        self_attn.v_proj.weight    w_v
            mlp.up_proj.weight                w_up          self_attn.o_proj.weight    w_o
            mlp.down_proj.weight              w_down

    A checkpoint stores each matrix as (out, in), so the matrices of the layers and of lm_head are transposed. The
    embedding is not transposed, because its rows are looked up. Layers are sorted numerically: 10 comes after 9.
    Without lm_head.weight, the head is tied, and the model has no `head` entry. The columns of w_q and w_k are already
    in the half layout. Ignore names that end in `rotary_emb.inv_freq`: old checkpoints store the frequencies under
    these names.

    Parameters: `tensors`, a dict of names to arrays, in any order; `frequencies`, shape (dh/2,); `eps`, a
    number.
    Returns: a model, the dict described at the top of this file; its entries include `frequencies` and `eps`.
    Raises: ValueError for a name not listed above: a model with a bias or another norm would give different
    logits.
    Example: the matrix `mlp.up_proj.weight` of shape (f, d) becomes `w_up` of shape (d, f).
    Source: LlamaForCausalLM in Hugging Face transformers.
    """
    raise NotImplementedError("from_checkpoint is not written yet")


def forward(tokens, model, positions=None, mask=None, cache=None):
    """Return the logits after each token, and the cache with all tokens in it, when reading a text or decoding.

        x = embedding[tokens]
        x = block(x, …) for each layer
        logits = rms_norm(x, norm) @ head              head = embeddingᵀ if the model has none

    The tokens come after the t tokens that are already in the cache. Without `positions`, the tokens are at positions t
    … t+T−1. Without a `mask`, row i may use keys 0 … t+i: the causal mask from row t on, even for T > 1 after a cache.
    To decode one more token: forward([token], model, cache=cache).

    Parameters: `tokens`, ints, shape (..., T); `model`, a dict; `positions`, None, (T,) or (..., T); `mask`, None or
    bool, as in grouped_query_attention; `cache`, None or a list with one pair (keys, values) per layer. The cache and
    its arrays are not modified.
    Returns: logits, shape (..., T, V), and the new cache, a list of pairs, each array (..., g, t + T, dh).
    Raises: IndexError for a token outside 0 … V−1. −1 is not a token, though numpy would take the last row.
    Example: without layers and with a tied head, the logits are rms_norm(embedding[tokens],
    norm) @ embeddingᵀ.
    Source: LlamaForCausalLM in Hugging Face transformers.
    """
    raise NotImplementedError("forward is not written yet")


def next_token_loss(logits, tokens):
    """Return the mean loss over all next tokens, in nats: how badly the logits predicted these tokens.

        mean over t < T−1 and all rows of   −log softmax(logits[t])[tokens[t+1]]

    The logits after token t are compared with token t+1: a single shift by one. The last logits have no next
    token to predict. The result is finite for logits of any finite size.

    Parameters: `logits`, shape (..., T, V); `tokens`, ints, shape (..., T), with T at least 2.
    Returns: a float. e raised to this power is called the perplexity.
    Raises: IndexError for a token outside 0 … V−1: −100, which other libraries leave out of the mean, is not a token in
    this function.
    Example: if all logits are equal, the loss is ln V, whatever the tokens are.
    Source: Touvron et al. 2023; the cross-entropy of every language model.
    """
    raise NotImplementedError("next_token_loss is not written yet")


def generate(tokens, model, count):
    """Return `count` new tokens, each the one that the model considers most likely after all tokens before it.

    Read the whole prompt first, then one new token at a time through the cache.

    Parameters: `tokens`, ints, shape (T,) with T at least 1; `model`, a dict; `count`, the number of new
    tokens, not negative.
    Returns: int64, shape (count,): only the new tokens.
    Raises: ValueError for a negative count.
    Example: generate(tokens, model, 1) is the argmax of the last row of forward's logits.
    Source: greedy decoding, `generate(do_sample=False)` in Hugging Face transformers.
    """
    raise NotImplementedError("generate is not written yet")


# Answer with a number, True or False.
ANSWERS = {
    # Llama 3 8B has 32 layers and 8 key heads of 128 features. How many numbers does the cache hold per token?
    "cached_numbers_per_token_llama_3_8b": None,
    # In a layer of Llama 3 8B (d = 4096, f = 14336, 32 query heads, 8 key heads of 128 features): what share of the
    # numbers in its matrices belongs to the feed-forward part? Three digits are enough.
    "feed_forward_share_of_a_layer_llama_3_8b": None,
    # All positions of a text grow by 5. Do the logits change?
    "logits_change_when_all_positions_shift_by_5": None,
    # A model predicts the same probability for all 84 characters. What is its perplexity?
    "perplexity_of_a_uniform_guess_among_84": None,
    # Does np.tile give the same result as np.repeat if there is a single key head?
    "tile_equals_repeat_for_one_key_head": None,
    # For practice, no points. 32 query heads share 8 key heads. Which key head does query head 13 use? Heads count from
    # 0.
    "key_head_of_query_head_13_of_32_with_8": None,
    # For practice, no points. How many numbers do w_gate, w_up and w_down have in total for d = 32 and f = 48?
    "parameters_of_a_gated_part_d_32_f_48": None,
    # For practice, no points. The model gave the right token the probability 1/8. How large is the loss, in nats?
    "loss_of_a_token_that_got_probability_1_in_8": None,
}
