"""Commands that install, convert and prepare what metrics and data sets need."""
