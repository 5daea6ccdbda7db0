// A provisioner that provisions nothing, on the Go library, to be compared with.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

type nothing struct {
	// The annotation of claims without which calls fail.
	ready string
}

func (n nothing) Provision(_ context.Context, options controller.ProvisionOptions) (*corev1.PersistentVolume, controller.ProvisioningState, error) {
	if n.ready != "" {
		fmt.Println(options.PVC.Name)
		if _, ok := options.PVC.Annotations[n.ready]; !ok {
			return nil, controller.ProvisioningFinished, errors.New("not ready")
		}
	}
	spec := options.PVC.Spec
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: options.PVName},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *options.StorageClass.ReclaimPolicy,
			AccessModes:                   spec.AccessModes,
			Capacity:                      spec.Resources.Requests,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: "/srv/" + options.PVName},
			},
		},
	}, controller.ProvisioningFinished, nil
}

func (nothing) Delete(context.Context, *corev1.PersistentVolume) error { return nil }

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the server")
	name := flag.String("name", "example.com/nothing", "the provisioner of the class")
	ready := flag.String("ready", "", "the annotation of claims without which calls fail")
	workers := flag.Int("workers", 4, "claims at a time")
	protobuf := flag.Bool("protobuf", false, "whether objects are protobuf, or else JSON")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	// Nothing is throttled, neither by the client nor by the queue.
	config.QPS = -1
	if *protobuf {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	}
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](0, 0)
	if *ready != "" {
		limiter = workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Hour, time.Hour)
	}
	ctx := context.Background()
	controller.NewProvisionController(ctx, kubernetes.NewForConfigOrDie(config), *name, nothing{*ready},
		controller.Threadiness(*workers),
		controller.LeaderElection(false),
		controller.RateLimiter(limiter),
		controller.AddFinalizer(true),
		controller.CreateProvisionedPVLimiter(workqueue.DefaultTypedControllerRateLimiter[string]()),
	).Run(ctx)
}
