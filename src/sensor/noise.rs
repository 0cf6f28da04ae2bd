//! Random numbers by key: a draw depends on seed, agent, sensor, frame, element
//! and nothing else, so order, threads, ranks, CPU or GPU cannot matter.
