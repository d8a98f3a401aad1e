import numpy as np


def init_table(max_len, d_model, seed, std=0.02):
    if max_len < 1 or d_model < 1:
        raise ValueError(f"{max_len} {d_model}")
    np.random.seed(seed)
    return np.random.normal(0.0, std, (max_len, d_model))


def lookup(table, positions):
    return table[positions]


def embed(token_table, position_table, token_ids):
    T = token_ids.shape[-1]
    return token_table[token_ids] + position_table[np.arange(T)]


def lookup_gradient(table_shape, positions, grad_output):
    gradient = np.zeros(table_shape, dtype=grad_output.dtype)
    gradient[positions] += grad_output
    return gradient


def sgd_step(table, gradient, learning_rate):
    table -= learning_rate * gradient
    return table


def trained_rows(max_len, lengths):
    if max_len < 1:
        raise ValueError(f"{max_len} rows")
    trained = []
    for row in range(max_len):
        trained.append(any(row <= n for n in lengths))
    return np.array(trained)


def resize_table(table, new_len):
    if new_len < 1:
        raise ValueError(f"new_len {new_len}")
    n = len(table)
    rows = []
    for j in range(new_len):
        u = j * n / new_len
        low = int(u)
        high = min(low + 1, n - 1)
        rows.append((1 - (u - low)) * table[low] + (u - low) * table[high])
    return np.array(rows)


ANSWERS = {
    "rows_available_at_position_1024": 1,
    "parameters_gpt2": 786432,
    "has_built_in_distance": False,
}
