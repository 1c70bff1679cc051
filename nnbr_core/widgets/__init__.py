"""What answers to clicks in JupyterLab: one file per widget, thin shells over figures."""
