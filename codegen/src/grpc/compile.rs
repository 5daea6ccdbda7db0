//! Reads a `.proto` file.

use std::path::Path;

use prost_reflect::DescriptorPool;
use prost_types::FileDescriptorProto;
use protox::file::{File, FileResolver, GoogleFileResolver};
use protox::{Compiler, Error};

use crate::diag::Diagnostics;
use crate::source::Source;

/// A `.proto` file that has been read.
pub(super) struct Compiled {
    pub(super) file: FileDescriptorProto,
    /// The files that it imports.
    pub(super) imports: Vec<FileDescriptorProto>,
    /// The same with the options that the file defines, which `FileDescriptorProto` drops.
    pub(super) pool: DescriptorPool,
}

/// Reads the file. The only other files that it may import are Google's own.
pub(super) fn compile(source: &Source, diagnostics: &mut Diagnostics) -> Option<Compiled> {
    let mut compiler = Compiler::with_file_resolver(Memory {
        name: source.name.clone(),
        text: source.text.clone(),
    });
    compiler.include_source_info(true).include_imports(true);
    if let Err(error) = compiler.open_file(&source.name) {
        let message = format!("it can't be read: {error:?}");
        let help = "mend the file; it may import files of google/protobuf alone";
        diagnostics.in_file(&source.name, None, message, help);
        return None;
    }
    let mut imports = compiler.file_descriptor_set().file;
    let file = imports.pop_if(|last| last.name() == source.name)?;
    let pool = compiler.descriptor_pool();
    Some(Compiled {
        file,
        imports,
        pool,
    })
}

/// The file, in memory, and Google's.
struct Memory {
    name: String,
    text: String,
}

impl FileResolver for Memory {
    fn resolve_path(&self, path: &Path) -> Option<String> {
        path.to_str().map(str::to_owned)
    }

    fn open_file(&self, name: &str) -> Result<File, Error> {
        if name == self.name {
            return File::from_source(name, &self.text);
        }
        GoogleFileResolver::new().open_file(name)
    }
}
