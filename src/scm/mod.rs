//! The Soil Contact Model: undersides of wheels against the nodes of the ground.
