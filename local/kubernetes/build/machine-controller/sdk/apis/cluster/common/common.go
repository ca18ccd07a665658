// Package common has names that objects of the machine-controller carry.
package common

type MachineDeploymentStrategyType string

const (
	RollingUpdateMachineDeploymentStrategyType MachineDeploymentStrategyType = "RollingUpdate"

	KubeletConfigAnnotationPrefixV1   = "v1.kubelet-config.machine-controller.kubermatic.io"
	ContainerLogMaxSizeKubeletConfig  = "ContainerLogMaxSize"
	ContainerLogMaxFilesKubeletConfig = "ContainerLogMaxFiles"
)

// KubeOne 1.13 looks for flags of kubelets among the annotations of machines.
type KubeletFlags string

const (
	KubeletFlagsGroupAnnotationPrefixV1 = "v1.kubelet-flags.machine-controller.kubermatic.io"

	ExternalCloudProviderKubeletFlag KubeletFlags = "ExternalCloudProvider"
)
