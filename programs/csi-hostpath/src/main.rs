//! The program `csi-hostpath`; see README.md.

use std::error::Error;
use std::process::ExitCode;

use csi_hostpath::{Command, HostPath, Options};
use kubernetes_csi_driver::{Endpoint, KubeletRegistration, ServeError, stop_signal};
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    let done = match Command::parse() {
        Command::Serve(options) => run(&options).await,
        Command::PrintManifests(declaration) => {
            HostPath::manifests(&declaration).map(|text| print!("{text}"))
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let mut message = error.to_string();
            let mut cause = error.source();
            while let Some(inner) = cause {
                message.push_str(&format!(": {inner}"));
                cause = inner.source();
            }
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let stop = stop_signal()?;
    let services = HostPath::open(options)?.services(&options.declaration.driver_name)?;
    let controller = services.controller_part();
    let (own, apart) = match &options.controller_endpoint {
        Some(endpoint) => (services.node_part(), Some(endpoint)),
        None => (services.clone(), None),
    };
    let serve = own.serve(&options.endpoint, stop.clone());
    let serve_apart = async {
        match apart {
            Some(endpoint) => controller.serve(endpoint, stop.clone()).await,
            None => Ok(()),
        }
    };
    // Each needs the other one.
    let registration = options.kubelet_registration.as_ref();
    let registration = registration.zip(options.kubelet_endpoint.as_ref());
    let registration = registration.map(|(folder, own)| KubeletRegistration::new(folder, own));
    let register = async {
        match &registration {
            Some(registration) => services.register(registration, stop.clone()).await,
            None => Ok(()),
        }
    };
    let http = async {
        let Some(address) = options.http_endpoint else {
            return Ok(());
        };
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|source| ServeError::Listen {
            endpoint: Endpoint::Tcp(address),
            source,
        })?;
        services.serve_http(listener, stop.clone()).await
    };
    tokio::try_join!(serve, serve_apart, register, http)?;
    Ok(())
}
