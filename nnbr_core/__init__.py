"""A workbench for next novel basket recommendation: what will a shopper try next?"""

__version__ = "0.1.0"
