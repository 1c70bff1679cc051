"""Code that somebody writes into a cell, a script or a module: captured, rebuilt, checked."""
