"""Commands that write pages and open the viewer."""
