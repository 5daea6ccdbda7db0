// A CSI driver that does nothing, on Go's gRPC and CSI's bindings: it only knows the ids and sizes
// of its volumes. The benchmark noop of kubernetes-csi-driver compares its kit with it.
//
//	noop SOCKET
package main

import (
	"context"
	"log"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	controllerService = csi.PluginCapability_Service_CONTROLLER_SERVICE
	createDelete      = csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME
	list              = csi.ControllerServiceCapability_RPC_LIST_VOLUMES
)

type driver struct {
	csi.UnimplementedIdentityServer
	csi.UnimplementedControllerServer
	csi.UnimplementedNodeServer

	lock  sync.Mutex
	sizes map[string]int64
}

func missing(field string) error {
	return status.Errorf(codes.InvalidArgument, "%s: required", field)
}

func (d *driver) GetPluginInfo(
	context.Context, *csi.GetPluginInfoRequest,
) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: "noop.csi.example.com", VendorVersion: "0.1.0"}, nil
}

func (d *driver) GetPluginCapabilities(
	context.Context, *csi.GetPluginCapabilitiesRequest,
) (*csi.GetPluginCapabilitiesResponse, error) {
	service := &csi.PluginCapability_Service{Type: controllerService}
	capability := &csi.PluginCapability{Type: &csi.PluginCapability_Service_{Service: service}}
	capabilities := []*csi.PluginCapability{capability}
	return &csi.GetPluginCapabilitiesResponse{Capabilities: capabilities}, nil
}

func (d *driver) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{}, nil
}

func (d *driver) ControllerGetCapabilities(
	context.Context, *csi.ControllerGetCapabilitiesRequest,
) (*csi.ControllerGetCapabilitiesResponse, error) {
	response := &csi.ControllerGetCapabilitiesResponse{}
	for _, kind := range []csi.ControllerServiceCapability_RPC_Type{createDelete, list} {
		rpc := &csi.ControllerServiceCapability_RPC{Type: kind}
		response.Capabilities = append(response.Capabilities, &csi.ControllerServiceCapability{
			Type: &csi.ControllerServiceCapability_Rpc{Rpc: rpc},
		})
	}
	return response, nil
}

func (d *driver) CreateVolume(
	_ context.Context, request *csi.CreateVolumeRequest,
) (*csi.CreateVolumeResponse, error) {
	name := request.GetName()
	if name == "" {
		return nil, missing("name")
	}
	if len(request.GetVolumeCapabilities()) == 0 {
		return nil, missing("volume_capabilities")
	}
	wanted := request.GetCapacityRange()
	d.lock.Lock()
	defer d.lock.Unlock()
	size, exists := d.sizes[name]
	if !exists {
		size = max(wanted.GetRequiredBytes(), 1)
		d.sizes[name] = size
	}
	limit := wanted.GetLimitBytes()
	if size < wanted.GetRequiredBytes() || limit > 0 && size > limit {
		return nil, status.Errorf(codes.AlreadyExists, "it exists, with %d bytes", size)
	}
	volume := &csi.Volume{VolumeId: name, CapacityBytes: size}
	return &csi.CreateVolumeResponse{Volume: volume}, nil
}

func (d *driver) DeleteVolume(
	_ context.Context, request *csi.DeleteVolumeRequest,
) (*csi.DeleteVolumeResponse, error) {
	if request.GetVolumeId() == "" {
		return nil, missing("volume_id")
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	delete(d.sizes, request.GetVolumeId())
	return &csi.DeleteVolumeResponse{}, nil
}

func (d *driver) ValidateVolumeCapabilities(
	_ context.Context, request *csi.ValidateVolumeCapabilitiesRequest,
) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if _, exists := d.sizes[request.GetVolumeId()]; !exists {
		return nil, status.Error(codes.NotFound, "there is no such volume")
	}
	return &csi.ValidateVolumeCapabilitiesResponse{
		Confirmed: &csi.ValidateVolumeCapabilitiesResponse_Confirmed{
			VolumeCapabilities: request.GetVolumeCapabilities(),
		},
	}, nil
}

// A page ends with the id that is the token for the next one.
func (d *driver) ListVolumes(
	_ context.Context, request *csi.ListVolumesRequest,
) (*csi.ListVolumesResponse, error) {
	d.lock.Lock()
	defer d.lock.Unlock()
	ids := make([]string, 0, len(d.sizes))
	for id := range d.sizes {
		if id > request.GetStartingToken() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	response := &csi.ListVolumesResponse{}
	if most := int(request.GetMaxEntries()); most > 0 && most < len(ids) {
		ids = ids[:most]
		response.NextToken = ids[most-1]
	}
	for _, id := range ids {
		volume := &csi.Volume{VolumeId: id, CapacityBytes: d.sizes[id]}
		response.Entries = append(response.Entries, &csi.ListVolumesResponse_Entry{Volume: volume})
	}
	return response, nil
}

func (d *driver) NodeGetCapabilities(
	context.Context, *csi.NodeGetCapabilitiesRequest,
) (*csi.NodeGetCapabilitiesResponse, error) {
	return &csi.NodeGetCapabilitiesResponse{}, nil
}

func (d *driver) NodeGetInfo(
	context.Context, *csi.NodeGetInfoRequest,
) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: "node"}, nil
}

func (d *driver) NodePublishVolume(
	_ context.Context, request *csi.NodePublishVolumeRequest,
) (*csi.NodePublishVolumeResponse, error) {
	switch {
	case request.GetVolumeId() == "":
		return nil, missing("volume_id")
	case request.GetTargetPath() == "":
		return nil, missing("target_path")
	case request.GetVolumeCapability() == nil:
		return nil, missing("volume_capability")
	}
	return &csi.NodePublishVolumeResponse{}, nil
}

func (d *driver) NodeUnpublishVolume(
	context.Context, *csi.NodeUnpublishVolumeRequest,
) (*csi.NodeUnpublishVolumeResponse, error) {
	return &csi.NodeUnpublishVolumeResponse{}, nil
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: noop SOCKET")
	}
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	d := &driver{sizes: map[string]int64{}}
	server := grpc.NewServer()
	csi.RegisterIdentityServer(server, d)
	csi.RegisterControllerServer(server, d)
	csi.RegisterNodeServer(server, d)
	log.Fatal(server.Serve(listener))
}
