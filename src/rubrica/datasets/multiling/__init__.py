"""The MultiLing community's tasks: summaries in many languages."""
