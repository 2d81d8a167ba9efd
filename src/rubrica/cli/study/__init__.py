"""`rubrica study STAGE`: the human study, from raw outputs to human scores, stage by stage."""
