"""Records to tables, metrics, figures and reports; reads nothing but records."""
