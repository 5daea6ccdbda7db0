//! Errors, alone and together.

use std::io;
use std::path::Path;

use kubernetes_volume::Error;

#[test]
fn an_error_belongs_to_one_class() {
    let error = || Error::invalid("the path is relative");
    assert!(error().is_final() && !error().is_transient());
    assert!(error().transient().is_transient() && !error().transient().is_final());
    assert!(error().uncertain().is_uncertain());
    assert_eq!(error().uncertain().to_string(), "the path is relative");
}

#[test]
fn an_error_of_the_system_says_what_and_where() {
    let error = Error::io("open", Path::new("/a/b"))(io::Error::from_raw_os_error(2));
    assert_eq!(
        error.to_string(),
        "open /a/b: No such file or directory (os error 2)"
    );
}

#[test]
fn several_errors_are_one() {
    assert!(Error::all(vec![]).is_ok());
    let one = Error::all(vec![Error::invalid("a")]).unwrap_err();
    assert!(matches!(one, Error::Invalid(_)));
    let two = Error::all(vec![Error::invalid("a"), Error::invalid("b")]).unwrap_err();
    assert_eq!(two.to_string(), "[a, b]");
}
