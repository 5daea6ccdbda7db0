//! Nodes, and deployments.

use crate::managed::Entry;
use crate::objects::Objects;

/// Nodes of a cloud provider, with a CSI driver.
pub static NODES: Objects = Objects {
    kind: "Node",
    api_version: "v1",
    template: r#"{
        "metadata": {
            "name": "<self>",
            "uid": "<uid>",
            "resourceVersion": "<version>",
            "creationTimestamp": "<created>",
            "labels": {
                "beta.kubernetes.io/arch": "amd64",
                "beta.kubernetes.io/instance-type": "m7i.2xlarge",
                "beta.kubernetes.io/os": "linux",
                "failure-domain.beta.kubernetes.io/region": "eu-west-1",
                "failure-domain.beta.kubernetes.io/zone": "<zone>",
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": "<self>",
                "kubernetes.io/os": "linux",
                "node.kubernetes.io/instance-type": "m7i.2xlarge",
                "node.kubernetes.io/pool": "general-<team>",
                "topology.ebs.csi.aws.com/zone": "<zone>",
                "topology.kubernetes.io/region": "eu-west-1",
                "topology.kubernetes.io/zone": "<zone>"
            },
            "annotations": {
                "csi.volume.kubernetes.io/nodeid": "{\"ebs.csi.aws.com\":\"i-0<short>7c31e<short>\"}",
                "node.alpha.kubernetes.io/ttl": "0",
                "volumes.kubernetes.io/controller-managed-attach-detach": "true"
            },
            "managedFields": "<managed>"
        },
        "spec": {
            "podCIDR": "<ip>/24",
            "podCIDRs": ["<ip>/24"],
            "providerID": "aws:///<zone>/i-0<short>7c31e<short>"
        },
        "status": {
            "capacity": {
                "cpu": "8",
                "ephemeral-storage": "104845292Ki",
                "hugepages-1Gi": "0",
                "hugepages-2Mi": "0",
                "memory": "32<team>8844Ki",
                "pods": "110"
            },
            "allocatable": {
                "cpu": "7910m",
                "ephemeral-storage": "95551679124",
                "hugepages-1Gi": "0",
                "hugepages-2Mi": "0",
                "memory": "31482344Ki",
                "pods": "110"
            },
            "conditions": [
                {
                    "type": "MemoryPressure",
                    "status": "False",
                    "lastHeartbeatTime": "<changed>",
                    "lastTransitionTime": "<created>",
                    "reason": "KubeletHasSufficientMemory",
                    "message": "kubelet has sufficient memory available"
                },
                {
                    "type": "DiskPressure",
                    "status": "False",
                    "lastHeartbeatTime": "<changed>",
                    "lastTransitionTime": "<created>",
                    "reason": "KubeletHasNoDiskPressure",
                    "message": "kubelet has no disk pressure"
                },
                {
                    "type": "PIDPressure",
                    "status": "False",
                    "lastHeartbeatTime": "<changed>",
                    "lastTransitionTime": "<created>",
                    "reason": "KubeletHasSufficientPID",
                    "message": "kubelet has sufficient PID available"
                },
                {
                    "type": "Ready",
                    "status": "True",
                    "lastHeartbeatTime": "<changed>",
                    "lastTransitionTime": "<started>",
                    "reason": "KubeletReady",
                    "message": "kubelet is posting ready status"
                }
            ],
            "addresses": [
                {"type": "InternalIP", "address": "<self-ip>"},
                {"type": "Hostname", "address": "<self>"},
                {"type": "InternalDNS", "address": "<self>"}
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "machineID": "<hash>",
                "systemUUID": "<uid>",
                "bootID": "<owner-uid>",
                "kernelVersion": "6.12.63-84.121.amzn2023.x86_64",
                "osImage": "Amazon Linux 2023.10.20260302",
                "containerRuntimeVersion": "containerd://2.2.1",
                "kubeletVersion": "v1.37.2",
                "kubeProxyVersion": "",
                "operatingSystem": "linux",
                "architecture": "amd64"
            },
            "images": [
                {
                    "names": [
                        "registry.example.com/shop/checkout@sha256:<hash>",
                        "registry.example.com/shop/checkout:4.18.2"
                    ],
                    "sizeBytes": 412887431
                },
                {
                    "names": [
                        "registry.example.com/shop/catalog@sha256:<attachment>",
                        "registry.example.com/shop/catalog:7.2.0"
                    ],
                    "sizeBytes": 268412330
                },
                {
                    "names": [
                        "registry.example.com/platform/log-shipper@sha256:<hash>",
                        "registry.example.com/platform/log-shipper:2.9.0"
                    ],
                    "sizeBytes": 98117642
                },
                {
                    "names": [
                        "registry.example.com/storage/ebs-csi-driver@sha256:<attachment>",
                        "registry.example.com/storage/ebs-csi-driver:v1.56.0"
                    ],
                    "sizeBytes": 31276540
                },
                {
                    "names": [
                        "registry.example.com/sig-storage/csi-node-driver-registrar@sha256:<hash>",
                        "registry.example.com/sig-storage/csi-node-driver-registrar:v2.16.0"
                    ],
                    "sizeBytes": 12790115
                },
                {"names": ["registry.k8s.io/pause:3.10.1"], "sizeBytes": 319908}
            ],
            "volumesInUse": [
                "kubernetes.io/csi/ebs.csi.aws.com^<handle>"
            ],
            "volumesAttached": [
                {"name": "kubernetes.io/csi/ebs.csi.aws.com^<handle>", "devicePath": ""}
            ],
            "runtimeHandlers": [
                {
                    "name": "crun",
                    "features": {"recursiveReadOnlyMounts": true, "userNamespaces": true}
                },
                {
                    "name": "runc",
                    "features": {"recursiveReadOnlyMounts": true, "userNamespaces": true}
                }
            ],
            "features": {"supplementalGroupsPolicy": true}
        }
    }"#,
    entries: &[
        Entry {
            manager: "cloud-controller-manager",
            subresource: None,
            fields: &["/metadata/labels", "/spec/providerID"],
        },
        Entry {
            manager: "kube-controller-manager",
            subresource: None,
            fields: &[
                "/metadata/annotations/node.alpha.kubernetes.io~1ttl",
                "/spec/podCIDR",
                "/spec/podCIDRs",
            ],
        },
        Entry {
            manager: "kubelet",
            subresource: None,
            fields: &["/metadata/annotations", "/metadata/labels"],
        },
        Entry {
            manager: "kube-controller-manager",
            subresource: Some("status"),
            fields: &["/status/volumesAttached"],
        },
        Entry {
            manager: "kubelet",
            subresource: Some("status"),
            fields: &[
                "/status/addresses",
                "/status/allocatable",
                "/status/capacity",
                "/status/conditions",
                "/status/daemonEndpoints",
                "/status/features",
                "/status/images",
                "/status/nodeInfo",
                "/status/runtimeHandlers",
                "/status/volumesInUse",
            ],
        },
    ],
};

/// Deployments that a person applies and their controller scales.
pub static DEPLOYMENTS: Objects = Objects {
    kind: "Deployment",
    api_version: "apps/v1",
    template: r#"{
        "metadata": {
            "name": "checkout-<at>",
            "namespace": "team-<team>",
            "uid": "<uid>",
            "resourceVersion": "<version>",
            "generation": 7,
            "creationTimestamp": "<created>",
            "labels": {
                "app.kubernetes.io/instance": "checkout-<at>",
                "app.kubernetes.io/managed-by": "Helm",
                "app.kubernetes.io/name": "checkout",
                "helm.sh/chart": "checkout-4.18.2"
            },
            "annotations": {
                "deployment.kubernetes.io/revision": "7",
                "meta.helm.sh/release-name": "checkout-<at>",
                "meta.helm.sh/release-namespace": "team-<team>"
            },
            "managedFields": "<managed>"
        },
        "spec": {
            "replicas": 3,
            "selector": {
                "matchLabels": {
                    "app.kubernetes.io/instance": "checkout-<at>",
                    "app.kubernetes.io/name": "checkout"
                }
            },
            "template": {
                "metadata": {
                    "labels": {
                        "app.kubernetes.io/instance": "checkout-<at>",
                        "app.kubernetes.io/name": "checkout"
                    },
                    "annotations": {"checksum/config": "<hash>"}
                },
                "spec": {
                    "volumes": [
                        {"name": "config", "configMap": {
                            "name": "checkout-<at>", "defaultMode": 420
                        }},
                        {"name": "tmp", "emptyDir": {"sizeLimit": "256Mi"}}
                    ],
                    "containers": [{
                        "name": "checkout",
                        "image": "registry.example.com/shop/checkout:4.18.2",
                        "args": ["--config=/etc/checkout/config.yaml", "--log-level=info"],
                        "ports": [
                            {"name": "http", "containerPort": 8080, "protocol": "TCP"},
                            {"name": "metrics", "containerPort": 9090, "protocol": "TCP"}
                        ],
                        "env": [
                            {"name": "REGION", "value": "eu-west-1"},
                            {"name": "DATABASE_PASSWORD", "valueFrom": {"secretKeyRef": {
                                "name": "checkout-<at>-database", "key": "password"
                            }}}
                        ],
                        "resources": {
                            "limits": {"cpu": "2", "memory": "1Gi"},
                            "requests": {"cpu": "250m", "memory": "512Mi"}
                        },
                        "volumeMounts": [
                            {"name": "config", "readOnly": true, "mountPath": "/etc/checkout"},
                            {"name": "tmp", "mountPath": "/tmp"}
                        ],
                        "readinessProbe": {
                            "httpGet": {"path": "/ready", "port": "http", "scheme": "HTTP"},
                            "timeoutSeconds": 1,
                            "periodSeconds": 5,
                            "successThreshold": 1,
                            "failureThreshold": 3
                        },
                        "terminationMessagePath": "/dev/termination-log",
                        "terminationMessagePolicy": "File",
                        "imagePullPolicy": "IfNotPresent",
                        "securityContext": {
                            "capabilities": {"drop": ["ALL"]},
                            "readOnlyRootFilesystem": true,
                            "allowPrivilegeEscalation": false
                        }
                    }],
                    "restartPolicy": "Always",
                    "terminationGracePeriodSeconds": 30,
                    "dnsPolicy": "ClusterFirst",
                    "serviceAccountName": "checkout",
                    "serviceAccount": "checkout",
                    "securityContext": {"runAsUser": 10001, "runAsNonRoot": true},
                    "schedulerName": "default-scheduler"
                }
            },
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxUnavailable": 0, "maxSurge": "25%"}
            },
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600
        },
        "status": {
            "observedGeneration": 7,
            "replicas": 3,
            "updatedReplicas": 3,
            "readyReplicas": 3,
            "availableReplicas": 3,
            "conditions": [
                {
                    "type": "Available",
                    "status": "True",
                    "lastUpdateTime": "<changed>",
                    "lastTransitionTime": "<changed>",
                    "reason": "MinimumReplicasAvailable",
                    "message": "Deployment has minimum availability."
                },
                {
                    "type": "Progressing",
                    "status": "True",
                    "lastUpdateTime": "<changed>",
                    "lastTransitionTime": "<created>",
                    "reason": "NewReplicaSetAvailable",
                    "message": "ReplicaSet \"checkout-<at>-<short>\" has successfully progressed."
                }
            ]
        }
    }"#,
    entries: &[
        Entry {
            manager: "helm",
            subresource: None,
            fields: &["/metadata/annotations", "/metadata/labels", "/spec"],
        },
        Entry {
            manager: "kube-controller-manager",
            subresource: Some("status"),
            fields: &[
                "/metadata/annotations/deployment.kubernetes.io~1revision",
                "/status",
            ],
        },
    ],
};
