"""The viewer of `rubrica open`: files of any kind as one table of samples, queried on the server."""
