//! The decision about the answers of a scripted model.

use super::{ModelAnswer, ModelRequest};

/// Decides the next answer. Functions that take a request and return an answer are scripts.
pub trait ModelScript: Send {
    /// Answers a request. Requests are answered one after the other, in the order in which they arrive.
    fn answer(&mut self, request: &ModelRequest) -> ModelAnswer;
}

impl<F: FnMut(&ModelRequest) -> ModelAnswer + Send> ModelScript for F {
    fn answer(&mut self, request: &ModelRequest) -> ModelAnswer {
        self(request)
    }
}
