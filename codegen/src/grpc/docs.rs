//! Documentation of what prost-build and tonic-prost-build add to the declarations of a file.

/// The side of a service that a module has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Client,
    Server,
}

/// Returns the documentation of a function that each client or server has.
pub(super) fn of_service(side: Side, function: &str) -> Option<&'static str> {
    Some(match (side, function) {
        (Side::Client, "new") => {
            "Returns a client that calls by `inner`, such as a `tonic::transport::Channel`."
        }
        (Side::Client, "with_origin") => {
            "Returns a client whose requests have the scheme and the authority of `origin`."
        }
        (Side::Client, "with_interceptor") => {
            "Returns a client whose requests pass `interceptor`, which may change or refuse them."
        }
        (Side::Client, "send_compressed") => {
            "Compresses requests, which the server has to understand."
        }
        (Side::Client, "accept_compressed") => "Accepts answers that are compressed.",
        (Side::Client, "max_decoding_message_size") => {
            "Limits the bytes of an answer: 4 MiB by default."
        }
        (Side::Client, "max_encoding_message_size") => {
            "Limits the bytes of a request, which have no limit by default."
        }
        (Side::Server, "new") => "Returns a server that calls `inner`.",
        (Side::Server, "from_arc") => "Returns a server that shares `inner`.",
        (Side::Server, "with_interceptor") => {
            "Returns a server whose requests pass `interceptor`, which may change or refuse them."
        }
        (Side::Server, "send_compressed") => "Compresses answers to clients that understand it.",
        (Side::Server, "accept_compressed") => "Accepts requests that are compressed.",
        (Side::Server, "max_decoding_message_size") => {
            "Limits the bytes of a request: 4 MiB by default."
        }
        (Side::Server, "max_encoding_message_size") => {
            "Limits the bytes of an answer, which have no limit by default."
        }
        _ => return None,
    })
}

/// Returns the documentation of a function that each enumeration has.
pub(super) fn of_enum(function: &str) -> Option<&'static str> {
    Some(match function {
        "as_str_name" => "Returns the name of the value in the specification.",
        "from_str_name" => "Returns the value that has the name in the specification.",
        _ => return None,
    })
}
