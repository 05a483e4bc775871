//! The description of the API.
//!
//! - `openapi_document`: the document
//! - `api_operations`: the operations, with the types that they read and write
//! - `input_schemas`, `schema_adjustments`: what differs from the schemas of these types

mod api_operations;
mod input_schemas;
mod openapi_document;
mod schema_adjustments;

pub(super) use openapi_document::openapi;
