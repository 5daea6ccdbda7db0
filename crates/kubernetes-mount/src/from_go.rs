#![doc = include_str!("from_go.md")]
