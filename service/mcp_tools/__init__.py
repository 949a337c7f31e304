"""The tools that agents call: what they are called, what they take, how they answer, over MCP and for own code."""
