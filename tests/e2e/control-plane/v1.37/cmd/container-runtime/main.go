// A container runtime for a kubelet, which runs nothing: it says that it has every image, and that
// every container runs from when it was started. For tests of what a kubelet does before that.
//
//	container-runtime SOCKET CONTAINERS
//
// Serves CRI on a Unix socket. CONTAINERS is a file to which each container that is created is
// added as a line of JSON.
//
// A container whose command is `exit N` ends with this code as soon as it is started.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-client/pkg/fake"
)

// The label by which a kubelet names the Pod of a container.
const podUID = "io.kubernetes.pod.uid"

// A container as the file has it.
type container struct {
	Pod     string   `json:"pod"`
	Name    string   `json:"name"`
	Mounts  []mount  `json:"mounts"`
	Devices []device `json:"devices"`
}

type device struct {
	HostPath      string `json:"hostPath"`
	ContainerPath string `json:"containerPath"`
	Permissions   string `json:"permissions"`
}

type mount struct {
	HostPath          string `json:"hostPath"`
	ContainerPath     string `json:"containerPath"`
	Readonly          bool   `json:"readonly"`
	RecursiveReadOnly bool   `json:"recursiveReadOnly"`
	Propagation       string `json:"propagation"`
}

type runtime struct {
	*fake.RemoteRuntime
	// Guards the file.
	lock       sync.Mutex
	containers *os.File
}

func (r *runtime) Status(ctx context.Context, request *cri.StatusRequest) (*cri.StatusResponse, error) {
	answer, err := r.RemoteRuntime.Status(ctx, request)
	if err == nil {
		// A kubelet asks for recursive read-only mounts only of a runtime that has them.
		features := &cri.RuntimeHandlerFeatures{RecursiveReadOnlyMounts: true}
		answer.RuntimeHandlers = []*cri.RuntimeHandler{{Features: features}}
	}
	return answer, err
}

func (r *runtime) CreateContainer(ctx context.Context, request *cri.CreateContainerRequest) (*cri.CreateContainerResponse, error) {
	made := container{
		Pod:     request.Config.Labels[podUID],
		Name:    request.Config.Metadata.Name,
		Mounts:  []mount{},
		Devices: []device{},
	}
	for _, d := range request.Config.Devices {
		made.Devices = append(made.Devices, device{
			HostPath:      d.HostPath,
			ContainerPath: d.ContainerPath,
			Permissions:   d.Permissions,
		})
	}
	for _, m := range request.Config.Mounts {
		made.Mounts = append(made.Mounts, mount{
			HostPath:          m.HostPath,
			ContainerPath:     m.ContainerPath,
			Readonly:          m.Readonly,
			RecursiveReadOnly: m.RecursiveReadOnly,
			Propagation:       m.Propagation.String(),
		})
	}
	line, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	r.lock.Lock()
	_, err = r.containers.Write(append(line, '\n'))
	r.lock.Unlock()
	if err != nil {
		return nil, err
	}
	answer, err := r.RemoteRuntime.CreateContainer(ctx, request)
	if err != nil {
		return nil, err
	}
	return answer, r.complete(answer.ContainerId, request)
}

// complete adds to a container what the fake one lacks. What ends when it is started has its code.
func (r *runtime) complete(id string, request *cri.CreateContainerRequest) error {
	r.RuntimeService.Lock()
	defer r.RuntimeService.Unlock()
	made, found := r.RuntimeService.Containers[id]
	if !found {
		return nil
	}
	// Without a path, a kubelet that removes the logs removes the files of its working directory.
	made.LogPath = filepath.Join(request.SandboxConfig.LogDirectory, request.Config.LogPath)
	command := request.Config.Command
	if len(command) != 2 || command[0] != "exit" {
		return nil
	}
	code, err := strconv.ParseInt(command[1], 10, 32)
	if err != nil {
		return err
	}
	made.ExitCode = int32(code)
	made.Reason = "Completed"
	made.FinishedAt = time.Now().UnixNano()
	return nil
}

func (r *runtime) StartContainer(ctx context.Context, request *cri.StartContainerRequest) (*cri.StartContainerResponse, error) {
	answer, err := r.RemoteRuntime.StartContainer(ctx, request)
	if err != nil {
		return nil, err
	}
	r.RuntimeService.Lock()
	defer r.RuntimeService.Unlock()
	if started, found := r.RuntimeService.Containers[request.ContainerId]; found && started.FinishedAt != 0 {
		started.State = cri.ContainerState_CONTAINER_EXITED
		started.FinishedAt = time.Now().UnixNano()
	}
	return answer, nil
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: container-runtime SOCKET CONTAINERS")
	}
	containers, err := os.OpenFile(os.Args[2], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	served := &runtime{RemoteRuntime: fake.NewFakeRemoteRuntime(), containers: containers}
	// A kubelet doesn't use an image without a size.
	served.ImageService.SetFakeImageSize(1)
	served.RuntimeService.FakeStatus = &cri.RuntimeStatus{Conditions: []*cri.RuntimeCondition{
		{Type: cri.RuntimeReady, Status: true},
		{Type: cri.NetworkReady, Status: true},
	}}
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	cri.RegisterRuntimeServiceServer(server, served)
	cri.RegisterImageServiceServer(server, served)
	log.Fatal(server.Serve(listener))
}
