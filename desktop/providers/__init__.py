"""Language models behind one seam: Provider.stream(request) gives deltas, then one completion."""
