//! gRPC: messages, clients and servers from a `.proto` file.
//!
//! protox reads the file, prost-build and tonic-prost-build write the code. Around them are the
//! documentation, which comes from the comments of the file and their annotations (`comment`), the
//! type of secrets, the division into files (`split`), and the rules by which requests are checked
//! (`rules`).

mod comment;
mod compile;
mod docs;
mod file;
mod items;
mod rules;
mod split;

use std::collections::BTreeSet;

use prost_build::{Config as ProstBuild, Module};
use prost_types::FileDescriptorProto;

use crate::config::Grpc;
use crate::diag::Diagnostics;
use crate::generated::Generated;
use crate::source::Source;

use compile::Compiled;
use rules::Rules;

/// Returns the files of a module, and the file with the rules of its requests, if the configuration
/// has one.
///
/// # Errors
///
/// All errors of the `.proto` file: its syntax, items without documentation, and annotations that
/// aren't known or are at an item that can't have them.
pub fn grpc(config: &Grpc, source: &Source) -> Result<Vec<Generated>, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let Some(Compiled {
        mut file,
        imports,
        pool,
    }) = compile::compile(source, &mut diagnostics)
    else {
        return Err(diagnostics);
    };
    let items = items::items(&file, &pool);
    let comments = comment::rewrite(&mut file, &items, source, &mut diagnostics);
    let secrets = items.iter().filter(|item| item.is_secret);
    let secrets = secrets.map(|item| &*item.name).collect();
    let rules = config.rules.as_ref().map(|rules| {
        let rules = Rules {
            config: rules,
            pool: &pool,
            package: file.package(),
            comments: &comments,
            secrets: &secrets,
            source,
        };
        of_requests(config, &rules, &mut diagnostics)
    });
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let failed = |error: String| failed(source, &error);
    let rules = rules.transpose().map_err(failed)?;
    let text = written(config, file, imports, &secrets).map_err(failed)?;
    let module = Generated {
        name: config.package.clone(),
        files: split::files(&text, config).map_err(failed)?,
        ..Generated::default()
    };
    Ok([module].into_iter().chain(rules).collect())
}

/// Returns the package of the rules, with their file.
fn of_requests(
    config: &Grpc,
    rules: &Rules<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Generated, String> {
    let items = rules.items(diagnostics)?;
    let path = rules.config.file.clone();
    Ok(Generated {
        name: rules.config.package.clone(),
        files: vec![file::generated(config, path, &[], items)?],
        ..Generated::default()
    })
}

/// Writes the code into one text, in which the fields with secrets have a mark.
fn written(
    grpc: &Grpc,
    file: FileDescriptorProto,
    imports: Vec<FileDescriptorProto>,
    secrets: &BTreeSet<&str>,
) -> Result<String, String> {
    let mut config = ProstBuild::new();
    config.btree_map(["."]);
    let secrets: BTreeSet<_> = secrets.iter().map(|field| format!(".{field}")).collect();
    for field in &secrets {
        config.field_attribute(field, format!("#[{}]", split::SECRET));
    }
    // prost's own `Debug` prints maps whatever type they have.
    let messages: BTreeSet<_> = secrets
        .iter()
        .filter_map(|field| Some(field.rsplit_once('.')?.0.to_owned()))
        .collect();
    let own_debug = grpc.own_debug.iter();
    let own_debug: BTreeSet<_> = own_debug
        .map(|name| format!(".{}.{name}", file.package()))
        .collect();
    for message in messages.difference(&own_debug) {
        config.message_attribute(message, "#[derive(Debug)]");
    }
    config.skip_debug(messages.union(&own_debug));
    let services = tonic_prost_build::configure().build_transport(false);
    config.service_generator(services.service_generator());
    let module = |file: &FileDescriptorProto| Module::from_protobuf_package_name(file.package());
    let own = module(&file);
    // Types of imports become those of prost-types, for which no code is made.
    let files = imports.into_iter().chain([file]);
    let modules = config.generate(files.map(|file| (module(&file), file)).collect());
    let modules = modules.map_err(|error| error.to_string())?;
    let own = modules.into_iter().find(|(module, _)| *module == own);
    Ok(own.map(|(_, text)| text).unwrap_or_default())
}

fn failed(source: &Source, error: &str) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.in_file(
        &source.name,
        None,
        format!("no code can be made of it: {error}"),
        "this is a bug of the generator: please report it with the file",
    );
    diagnostics
}
