"""What an audit looks for: faults in files, outputs, systems and tables of scores, each as a finding."""
