"""The best list: learning to rank over everything cheap. One file per step.

members (what they say) -> candidates (who is ranked, by which features) -> learners -> model
"""
