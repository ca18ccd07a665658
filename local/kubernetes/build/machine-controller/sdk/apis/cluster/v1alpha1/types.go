// Package v1alpha1 has the objects of cluster.k8s.io/v1alpha1 with the fields that KubeOne reads and writes.
package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"k8c.io/machine-controller/sdk/apis/cluster/common"
)

var SchemeGroupVersion = schema.GroupVersion{Group: "cluster.k8s.io", Version: "v1alpha1"}

func AddToScheme(scheme *runtime.Scheme) error {
	objects := []runtime.Object{
		&Machine{}, &MachineList{}, &MachineSet{}, &MachineSetList{}, &MachineDeployment{}, &MachineDeploymentList{},
	}
	scheme.AddKnownTypes(SchemeGroupVersion, objects...)
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}

type ProviderSpec struct {
	Value *runtime.RawExtension `json:"value,omitempty"`
}

type MachineVersionInfo struct {
	Kubelet string `json:"kubelet"`
}

type MachineSpec struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Taints       []corev1.Taint     `json:"taints,omitempty"`
	ProviderSpec ProviderSpec       `json:"providerSpec"`
	Versions     MachineVersionInfo `json:"versions,omitempty"`
}

type MachineStatus struct {
	NodeRef      *corev1.ObjectReference `json:"nodeRef,omitempty"`
	Addresses    []corev1.NodeAddress    `json:"addresses,omitempty"`
	ErrorMessage *string                 `json:"errorMessage,omitempty"`
}

type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MachineSpec   `json:"spec,omitempty"`
	Status MachineStatus `json:"status,omitempty"`
}

type MachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Machine `json:"items"`
}

type MachineTemplateSpec struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MachineSpec `json:"spec,omitempty"`
}

type MachineSetSpec struct {
	Replicas *int32               `json:"replicas,omitempty"`
	Selector metav1.LabelSelector `json:"selector"`
	Template MachineTemplateSpec  `json:"template,omitempty"`
}

type MachineSetStatus struct {
	Replicas          int32 `json:"replicas"`
	ReadyReplicas     int32 `json:"readyReplicas,omitempty"`
	AvailableReplicas int32 `json:"availableReplicas,omitempty"`
}

type MachineSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MachineSetSpec   `json:"spec,omitempty"`
	Status MachineSetStatus `json:"status,omitempty"`
}

type MachineSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []MachineSet `json:"items"`
}

type MachineRollingUpdateDeployment struct {
	MaxSurge       *intstr.IntOrString `json:"maxSurge,omitempty"`
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
}

type MachineDeploymentStrategy struct {
	Type          common.MachineDeploymentStrategyType `json:"type,omitempty"`
	RollingUpdate *MachineRollingUpdateDeployment      `json:"rollingUpdate,omitempty"`
}

type MachineDeploymentSpec struct {
	Paused          bool                       `json:"paused,omitempty"`
	Replicas        *int32                     `json:"replicas,omitempty"`
	MinReadySeconds *int32                     `json:"minReadySeconds,omitempty"`
	Selector        metav1.LabelSelector       `json:"selector"`
	Strategy        *MachineDeploymentStrategy `json:"strategy,omitempty"`
	Template        MachineTemplateSpec        `json:"template"`
}

type MachineDeploymentStatus struct {
	Replicas            int32 `json:"replicas,omitempty"`
	UpdatedReplicas     int32 `json:"updatedReplicas,omitempty"`
	ReadyReplicas       int32 `json:"readyReplicas,omitempty"`
	AvailableReplicas   int32 `json:"availableReplicas,omitempty"`
	UnavailableReplicas int32 `json:"unavailableReplicas,omitempty"`
}

type MachineDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MachineDeploymentSpec   `json:"spec,omitempty"`
	Status MachineDeploymentStatus `json:"status,omitempty"`
}

type MachineDeploymentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []MachineDeployment `json:"items"`
}
