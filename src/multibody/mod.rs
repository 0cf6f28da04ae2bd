//! Trees of bodies in reduced coordinates, with closures and stiff forces.
