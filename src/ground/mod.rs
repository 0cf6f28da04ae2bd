//! Deformed ground: the published tiles that all share, the private overlay
//! of each vehicle, and the patches by which one becomes the other.
