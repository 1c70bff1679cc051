import numpy as np
import scipy.sparse as sp
import torch

from nnbr_core.baselines.sparse import basket_matrix, symmetric_product, to_torch
from nnbr_core.data.baskets import Baskets


def test_baskets_are_rows_of_ones():
    found = basket_matrix(Baskets.from_lists([[[0, 2], [1]], [[2]]])).toarray()
    assert found.tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 1]]


def test_the_product_and_its_gradient_are_those_of_the_dense_matrix():
    dense = np.array([[0, 2, 0], [2, 0, 3], [0, 3, 1]], dtype=np.float64)
    x = torch.tensor([[1.0, 2], [3, 4], [5, 6]], dtype=torch.float64, requires_grad=True)
    product = symmetric_product(to_torch(sp.csr_matrix(dense)), x)
    assert product.tolist() == [[6, 8], [17, 22], [14, 18]]
    product[1, 0].backward()
    assert x.grad.tolist() == [[2, 0], [0, 0], [3, 0]]
