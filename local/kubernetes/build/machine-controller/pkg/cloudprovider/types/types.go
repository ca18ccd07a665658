// Package types has what KubeOne asks of the driver of a cloud.
package types

import (
	"context"

	"go.uber.org/zap"

	"k8c.io/machine-controller/pkg/cloudprovider/instance"
	"k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
)

type ProviderData struct {
	Ctx context.Context
}

type Provider interface {
	Get(ctx context.Context, log *zap.SugaredLogger, machine *v1alpha1.Machine, data *ProviderData) (instance.Instance, error)
	Create(ctx context.Context, log *zap.SugaredLogger, machine *v1alpha1.Machine, data *ProviderData, userdata string) (instance.Instance, error)
	Cleanup(ctx context.Context, log *zap.SugaredLogger, machine *v1alpha1.Machine, data *ProviderData) (bool, error)
}
