//! The service of identity: what the driver is called, and what it has.

use kubernetes_csi::v1::identity_server::Identity;
use kubernetes_csi::v1::{
    GetPluginCapabilitiesRequest, GetPluginCapabilitiesResponse, GetPluginInfoRequest,
    GetPluginInfoResponse, ProbeRequest, ProbeResponse,
};
use tonic::{Request, Response, Status, async_trait};

use super::capabilities::plugin_capabilities;
use super::{Services, answer};
use crate::calls::Call;
use crate::mask::Mask;

#[async_trait]
impl Identity for Services {
    async fn get_plugin_info(
        &self,
        _: Request<GetPluginInfoRequest>,
    ) -> Result<Response<GetPluginInfoResponse>, Status> {
        answer(GetPluginInfoResponse {
            name: self.driver.name.clone(),
            vendor_version: self.driver.version.clone(),
            manifest: self.driver.manifest.clone(),
        })
    }

    async fn get_plugin_capabilities(
        &self,
        _: Request<GetPluginCapabilitiesRequest>,
    ) -> Result<Response<GetPluginCapabilitiesResponse>, Status> {
        let capabilities = plugin_capabilities(&self.driver);
        answer(GetPluginCapabilitiesResponse { capabilities })
    }

    async fn probe(&self, _: Request<ProbeRequest>) -> Result<Response<ProbeResponse>, Status> {
        let ready = match self.driver.probe.clone() {
            Some(probe) => {
                let check = async move { probe.probe().await };
                let call = Call {
                    name: "Probe",
                    locks: Vec::new(),
                    mask: Mask::default(),
                    // Whoever asks takes a driver that is silent for one that is broken.
                    needs_place: false,
                };
                self.calls.run(call, check).await?
            }
            None => true,
        };
        answer(ProbeResponse { ready: Some(ready) })
    }
}
