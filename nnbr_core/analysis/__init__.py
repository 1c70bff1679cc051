"""Records -> rows of tables -> comparisons -> outcomes of claims."""
