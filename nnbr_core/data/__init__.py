"""Purchase rows -> Baskets -> folds."""
