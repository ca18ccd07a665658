// Package instance is a machine as a driver sees it.
package instance

import corev1 "k8s.io/api/core/v1"

type Instance interface {
	ID() string
	Name() string
	ProviderID() string
	Addresses() map[string]corev1.NodeAddressType
}
