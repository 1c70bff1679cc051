"""The methods BTBR is compared with: one file each, one contract for all.

A method is made with (settings, baskets, seed), where `baskets` only tells the catalogue;
fitted with `fit(train, validation, context, progress)`, where `context` holds test users'
histories, as inputs; and asked with `score(histories)` -> float32 [users, items]. It never
filters repeat items and never sees a test user's last basket.
"""
