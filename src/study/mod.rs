//! Studies: the classic soil tests and what is made of them.
