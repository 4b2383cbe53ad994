"""The settings: pages made from the models of the configuration, and a few pieces made by hand."""
