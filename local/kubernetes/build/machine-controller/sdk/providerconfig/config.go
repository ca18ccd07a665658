// Package providerconfig is the part of a Machine that says in which cloud it is, and how it is made there.
package providerconfig

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"

	"k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
)

type CloudProvider string

const (
	CloudProviderAWS          CloudProvider = "aws"
	CloudProviderAzure        CloudProvider = "azure"
	CloudProviderDigitalocean CloudProvider = "digitalocean"
	CloudProviderGoogle       CloudProvider = "gce"
	CloudProviderHetzner      CloudProvider = "hetzner"
	CloudProviderKubeVirt     CloudProvider = "kubevirt"
	CloudProviderOpenstack    CloudProvider = "openstack"
	CloudProviderVsphere      CloudProvider = "vsphere"
)

type OperatingSystem string

const OperatingSystemFlatcar OperatingSystem = "flatcar"

type ConfigVarString struct {
	Value string `json:"value,omitempty"`
}

type Config struct {
	SSHPublicKeys       []string             `json:"sshPublicKeys,omitempty"`
	CloudProvider       CloudProvider        `json:"cloudProvider"`
	CloudProviderSpec   runtime.RawExtension `json:"cloudProviderSpec"`
	OperatingSystem     OperatingSystem      `json:"operatingSystem"`
	OperatingSystemSpec runtime.RawExtension `json:"operatingSystemSpec"`
}

func GetConfig(spec v1alpha1.ProviderSpec) (*Config, error) {
	config := &Config{}
	if spec.Value == nil {
		return config, nil
	}
	return config, json.Unmarshal(spec.Value.Raw, config)
}
