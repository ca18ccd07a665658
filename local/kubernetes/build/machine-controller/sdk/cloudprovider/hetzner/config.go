// Package hetzner has the fields of a hetzner machine that KubeOne sets itself.
package hetzner

import "k8c.io/machine-controller/sdk/providerconfig"

type RawConfig struct {
	ClusterName providerconfig.ConfigVarString `json:"clusterName,omitempty"`
	Labels      map[string]string              `json:"labels,omitempty"`
	Tags        map[string]string              `json:"tags,omitempty"`
}
