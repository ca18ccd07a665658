module k8c.io/machine-controller

go 1.26.0
