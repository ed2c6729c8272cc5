"""What may be done: rules, requests, answers, and who is asked."""
