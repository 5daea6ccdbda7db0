//! Pods.

use crate::managed::Entry;
use crate::objects::Objects;

/// Running pods of deployments, with a sidecar and a volume.
pub static PODS: Objects = Objects {
    kind: "Pod",
    api_version: "v1",
    template: r#"{
        "metadata": {
            "name": "checkout-<app>-<replica-set>-<short>",
            "generateName": "checkout-<app>-<replica-set>-",
            "namespace": "team-<team>",
            "uid": "<uid>",
            "resourceVersion": "<version>",
            "generation": 1,
            "creationTimestamp": "<created>",
            "labels": {
                "app.kubernetes.io/instance": "checkout-<app>",
                "app.kubernetes.io/name": "checkout",
                "app.kubernetes.io/version": "4.18.2",
                "pod-template-hash": "<replica-set>"
            },
            "annotations": {
                "checksum/config": "<hash>",
                "prometheus.io/port": "9090",
                "prometheus.io/scrape": "true"
            },
            "ownerReferences": [{
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "name": "checkout-<app>-<replica-set>",
                "uid": "<owner-uid>",
                "controller": true,
                "blockOwnerDeletion": true
            }],
            "managedFields": "<managed>"
        },
        "spec": {
            "volumes": [
                {"name": "data", "persistentVolumeClaim": {"claimName": "data-checkout-<app>"}},
                {"name": "config", "configMap": {"name": "checkout-<app>", "defaultMode": 420}},
                {"name": "tmp", "emptyDir": {"sizeLimit": "256Mi"}},
                {
                    "name": "kube-api-access-<short>",
                    "projected": {
                        "sources": [
                            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                            {"configMap": {
                                "name": "kube-root-ca.crt",
                                "items": [{"key": "ca.crt", "path": "ca.crt"}]
                            }},
                            {"downwardAPI": {"items": [{
                                "path": "namespace",
                                "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
                            }]}}
                        ],
                        "defaultMode": 420
                    }
                }
            ],
            "containers": [
                {
                    "name": "checkout",
                    "image": "registry.example.com/shop/checkout:4.18.2",
                    "args": ["--config=/etc/checkout/config.yaml", "--log-level=info"],
                    "ports": [
                        {"name": "http", "containerPort": 8080, "protocol": "TCP"},
                        {"name": "metrics", "containerPort": 9090, "protocol": "TCP"}
                    ],
                    "env": [
                        {"name": "POD_NAME", "valueFrom": {"fieldRef": {
                            "apiVersion": "v1", "fieldPath": "metadata.name"
                        }}},
                        {"name": "REGION", "value": "eu-west-1"},
                        {"name": "DATABASE_PASSWORD", "valueFrom": {"secretKeyRef": {
                            "name": "checkout-<app>-database", "key": "password"
                        }}}
                    ],
                    "resources": {
                        "limits": {"cpu": "2", "memory": "1Gi"},
                        "requests": {"cpu": "250m", "memory": "512Mi"}
                    },
                    "volumeMounts": [
                        {"name": "data", "mountPath": "/var/lib/checkout"},
                        {"name": "config", "readOnly": true, "mountPath": "/etc/checkout"},
                        {"name": "tmp", "mountPath": "/tmp"},
                        {
                            "name": "kube-api-access-<short>",
                            "readOnly": true,
                            "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"
                        }
                    ],
                    "livenessProbe": {
                        "httpGet": {"path": "/healthz", "port": "http", "scheme": "HTTP"},
                        "initialDelaySeconds": 10,
                        "timeoutSeconds": 1,
                        "periodSeconds": 10,
                        "successThreshold": 1,
                        "failureThreshold": 3
                    },
                    "readinessProbe": {
                        "httpGet": {"path": "/ready", "port": 8080, "scheme": "HTTP"},
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
                },
                {
                    "name": "log-shipper",
                    "image": "registry.example.com/platform/log-shipper:2.9.0",
                    "env": [{"name": "TARGET", "value": "logs.observability.svc:4317"}],
                    "resources": {
                        "limits": {"memory": "128Mi"},
                        "requests": {"cpu": "20m", "memory": "64Mi"}
                    },
                    "volumeMounts": [
                        {"name": "tmp", "mountPath": "/tmp"},
                        {
                            "name": "kube-api-access-<short>",
                            "readOnly": true,
                            "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"
                        }
                    ],
                    "terminationMessagePath": "/dev/termination-log",
                    "terminationMessagePolicy": "File",
                    "imagePullPolicy": "IfNotPresent"
                }
            ],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "checkout",
            "serviceAccount": "checkout",
            "nodeName": "<node>",
            "securityContext": {"runAsUser": 10001, "runAsNonRoot": true, "fsGroup": 10001},
            "schedulerName": "default-scheduler",
            "tolerations": [
                {
                    "key": "node.kubernetes.io/not-ready",
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": 300
                },
                {
                    "key": "node.kubernetes.io/unreachable",
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": 300
                }
            ],
            "priority": 0,
            "enableServiceLinks": true,
            "preemptionPolicy": "PreemptLowerPriority"
        },
        "status": {
            "observedGeneration": 1,
            "phase": "Running",
            "conditions": [
                {
                    "type": "PodReadyToStartContainers",
                    "observedGeneration": 1,
                    "status": "True",
                    "lastProbeTime": null,
                    "lastTransitionTime": "<started>"
                },
                {
                    "type": "Initialized",
                    "observedGeneration": 1,
                    "status": "True",
                    "lastProbeTime": null,
                    "lastTransitionTime": "<created>"
                },
                {
                    "type": "Ready",
                    "observedGeneration": 1,
                    "status": "True",
                    "lastProbeTime": null,
                    "lastTransitionTime": "<changed>"
                },
                {
                    "type": "ContainersReady",
                    "observedGeneration": 1,
                    "status": "True",
                    "lastProbeTime": null,
                    "lastTransitionTime": "<changed>"
                },
                {
                    "type": "PodScheduled",
                    "observedGeneration": 1,
                    "status": "True",
                    "lastProbeTime": null,
                    "lastTransitionTime": "<created>"
                }
            ],
            "hostIP": "<node-ip>",
            "hostIPs": [{"ip": "<node-ip>"}],
            "podIP": "<ip>",
            "podIPs": [{"ip": "<ip>"}],
            "startTime": "<created>",
            "containerStatuses": [
                {
                    "name": "checkout",
                    "state": {"running": {"startedAt": "<started>"}},
                    "lastState": {},
                    "ready": true,
                    "restartCount": 0,
                    "image": "registry.example.com/shop/checkout:4.18.2",
                    "imageID": "registry.example.com/shop/checkout@sha256:6f2d0c1a9be1",
                    "containerID": "containerd://<hash>",
                    "started": true
                },
                {
                    "name": "log-shipper",
                    "state": {"running": {"startedAt": "<started>"}},
                    "lastState": {
                        "terminated": {
                            "exitCode": 137,
                            "reason": "OOMKilled",
                            "startedAt": "<created>",
                            "finishedAt": "<started>",
                            "containerID": "containerd://<attachment>"
                        }
                    },
                    "ready": true,
                    "restartCount": 1,
                    "image": "registry.example.com/platform/log-shipper:2.9.0",
                    "imageID": "registry.example.com/platform/log-shipper@sha256:0b7715c8f24e",
                    "containerID": "containerd://<attachment>",
                    "started": true
                }
            ],
            "qosClass": "Burstable"
        }
    }"#,
    entries: &[
        Entry {
            manager: "kube-controller-manager",
            subresource: None,
            fields: &[
                "/metadata/annotations",
                "/metadata/generateName",
                "/metadata/labels",
                "/metadata/ownerReferences",
                "/spec/containers",
                "/spec/dnsPolicy",
                "/spec/enableServiceLinks",
                "/spec/restartPolicy",
                "/spec/schedulerName",
                "/spec/securityContext",
                "/spec/serviceAccount",
                "/spec/serviceAccountName",
                "/spec/terminationGracePeriodSeconds",
                "/spec/volumes",
            ],
        },
        Entry {
            manager: "kubelet",
            subresource: Some("status"),
            fields: &[
                "/status/conditions",
                "/status/containerStatuses",
                "/status/hostIP",
                "/status/hostIPs",
                "/status/observedGeneration",
                "/status/phase",
                "/status/podIP",
                "/status/podIPs",
                "/status/startTime",
            ],
        },
    ],
};
