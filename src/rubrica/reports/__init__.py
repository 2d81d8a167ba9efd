"""Reports: plain data first, then one self-contained HTML page that draws it."""
