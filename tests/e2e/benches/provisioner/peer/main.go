// A provisioner that provisions nothing, on the Go library, to be compared with.
package main

import (
	"context"
	"flag"
	"log"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

type nothing struct{}

func (nothing) Provision(_ context.Context, options controller.ProvisionOptions) (*corev1.PersistentVolume, controller.ProvisioningState, error) {
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
	workers := flag.Int("workers", 4, "claims at a time")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	// Nothing is throttled, neither by the client nor by the queue.
	config.QPS = -1
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](0, 0)
	ctx := context.Background()
	controller.NewProvisionController(ctx, kubernetes.NewForConfigOrDie(config), *name, nothing{},
		controller.Threadiness(*workers),
		controller.LeaderElection(false),
		controller.RateLimiter(limiter),
		controller.AddFinalizer(true),
		controller.CreateProvisionedPVLimiter(workqueue.DefaultTypedControllerRateLimiter[string]()),
	).Run(ctx)
}
