"""The methods BTBR is compared with: one file each, or one folder, and one contract for all.

The contract is `api.Recommender`. neural.py holds what the trained ones share, search.py how the
others choose settings on validation users, sparse.py fixed matrices inside networks.
"""
