// Package cloudprovider would choose the driver of a cloud.
package cloudprovider

import (
	"fmt"

	"k8c.io/machine-controller/pkg/cloudprovider/types"
	"k8c.io/machine-controller/sdk/providerconfig"
	"k8c.io/machine-controller/sdk/providerconfig/configvar"
)

// ForProvider refuses every cloud: Terraform creates the machines.
func ForProvider(cloud providerconfig.CloudProvider, _ *configvar.Resolver) (types.Provider, error) {
	return nil, fmt.Errorf("this KubeOne was built without the drivers of clouds: it cannot create machines in %q", cloud)
}
