package v1alpha1

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
)

// copied makes a deep copy by way of JSON, which has every field of these types.
func copied[T any](object *T) *T {
	if object == nil {
		return nil
	}
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	copy := new(T)
	if err := json.Unmarshal(text, copy); err != nil {
		panic(err)
	}
	return copy
}

func (in *Machine) DeepCopy() *Machine                     { return copied(in) }
func (in *MachineDeployment) DeepCopy() *MachineDeployment { return copied(in) }

func (in *Machine) DeepCopyObject() runtime.Object               { return copied(in) }
func (in *MachineList) DeepCopyObject() runtime.Object           { return copied(in) }
func (in *MachineSet) DeepCopyObject() runtime.Object            { return copied(in) }
func (in *MachineSetList) DeepCopyObject() runtime.Object        { return copied(in) }
func (in *MachineDeployment) DeepCopyObject() runtime.Object     { return copied(in) }
func (in *MachineDeploymentList) DeepCopyObject() runtime.Object { return copied(in) }
