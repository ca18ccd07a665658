module k8c.io/machine-controller/sdk

go 1.26.0
