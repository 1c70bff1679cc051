"""Random tensors, and results with their gradients, to compare two ways of computing."""

import torch


def normal(rng, *shape, scale=1.0):
    return (scale * torch.randn(*shape, generator=rng)).requires_grad_()


def with_gradients(result, *inputs):
    """The result, and its gradients when each of its numbers has a weight of its own."""
    weight = torch.linspace(1, 2, result.numel()).view_as(result)
    return [result, *torch.autograd.grad((result * weight).sum(), inputs)]
