"""The local web application in which people write content units and look for them in summaries."""
