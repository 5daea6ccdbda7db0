//! Reads one list from standard input and prints what that takes of the heap, in bytes: the most at
//! one time, with the body, and what is left of it, without the body.
//!
//! It is a program of its own because counting slows down what allocates.

use std::hint::black_box;
use std::io::Read;

use lists::{Way, kinds};

/// Counts the bytes that are asked for and not yet freed.
#[global_allocator]
static HEAP: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [kind, way, length] = arguments.as_slice() else {
        panic!("give the kind, the way and the length of the body");
    };
    let way: Way = way.parse().unwrap();
    let length: usize = length.parse().unwrap();
    let kinds = kinds();
    let kind = kinds.iter().find(|known| known.name() == kind).unwrap();
    let mut input = std::io::stdin();
    // A first read has what the standard library keeps for its own.
    let mut first = [0; 1];
    input.read_exact(&mut first).unwrap();
    let before = HEAP.allocated();
    let mut body = vec![0; length];
    body[0] = first[0];
    input.read_exact(&mut body[1..]).unwrap();
    let held = HEAP.allocated();
    let list = black_box(kind.read(way, &body));
    let (most, after) = (HEAP.max_allocated(), HEAP.allocated());
    println!("{} {}", most - before, after - held);
    drop((list, body));
}
