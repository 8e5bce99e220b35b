"""How fast docasm is: beside its peers, and as its inputs grow."""
