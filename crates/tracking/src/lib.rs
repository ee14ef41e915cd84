//! tracking
