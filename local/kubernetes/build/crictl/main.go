// crictl, as far as KubeOne calls it: ps, logs, stop, rm, rmi --prune, images, version. It speaks the real CRI.
// The release of that name cannot be had as a Go module.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "crictl:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := map[string]string{}
	var words []string
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
			flags[name] = value
		} else {
			words = append(words, arg)
		}
	}
	if len(words) == 0 {
		return fmt.Errorf("usage: crictl ps|logs|stop|rm|images|rmi|version")
	}
	socket := "unix:///run/containerd/containerd.sock"
	connection, err := grpc.NewClient(socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	call := client{cri.NewRuntimeServiceClient(connection), cri.NewImageServiceClient(connection)}
	switch words[0] {
	case "version":
		answer, err := call.runtime.Version(ctx, &cri.VersionRequest{})
		if err == nil {
			fmt.Println(answer.RuntimeName, answer.RuntimeVersion)
		}
		return err
	case "ps":
		return call.list(ctx, flags)
	case "logs":
		if len(words) < 2 {
			return fmt.Errorf("logs: name a container")
		}
		return call.logs(ctx, words[1])
	case "stop":
		return each(words[1:], func(id string) error {
			_, err := call.runtime.StopContainer(ctx, &cri.StopContainerRequest{ContainerId: id})
			return err
		})
	case "rm":
		return each(words[1:], func(id string) error {
			_, err := call.runtime.RemoveContainer(ctx, &cri.RemoveContainerRequest{ContainerId: id})
			return err
		})
	case "images", "rmi":
		return call.imagesOrPrune(ctx, words[0] == "rmi")
	}
	return fmt.Errorf("%s: not a command of this small crictl", words[0])
}

type client struct {
	runtime cri.RuntimeServiceClient
	images  cri.ImageServiceClient
}

func each(ids []string, do func(string) error) error {
	for _, id := range ids {
		if err := do(id); err != nil {
			return err
		}
	}
	return nil
}

func (c client) list(ctx context.Context, flags map[string]string) error {
	filter := &cri.ContainerFilter{}
	if _, all := flags["a"]; !all {
		filter.State = &cri.ContainerStateValue{State: cri.ContainerState_CONTAINER_RUNNING}
	}
	answer, err := c.runtime.ListContainers(ctx, &cri.ListContainersRequest{Filter: filter})
	if err != nil {
		return err
	}
	_, quiet := flags["q"]
	for _, one := range answer.Containers {
		if !strings.Contains(one.Metadata.Name, flags["name"]) {
			continue
		}
		if quiet {
			fmt.Println(one.Id)
		} else {
			fmt.Println(one.Id[:13], one.State, one.Metadata.Name, one.Labels["io.kubernetes.pod.name"])
		}
	}
	return nil
}

func (c client) logs(ctx context.Context, id string) error {
	status, err := c.runtime.ContainerStatus(ctx, &cri.ContainerStatusRequest{ContainerId: id})
	if err != nil {
		return err
	}
	file, err := os.Open(status.Status.LogPath)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(os.Stdout, file)
	return err
}

// imagesOrPrune lists all images, or removes those that no container uses.
func (c client) imagesOrPrune(ctx context.Context, prune bool) error {
	listed, err := c.images.ListImages(ctx, &cri.ListImagesRequest{})
	if err != nil {
		return err
	}
	containers, err := c.runtime.ListContainers(ctx, &cri.ListContainersRequest{})
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, one := range containers.Containers {
		used[one.ImageRef], used[one.Image.GetImage()] = true, true
	}
	for _, image := range listed.Images {
		if !prune {
			fmt.Println(image.Id, image.Size, strings.Join(image.RepoTags, " "))
		} else if !used[image.Id] && !image.Pinned {
			request := &cri.RemoveImageRequest{Image: &cri.ImageSpec{Image: image.Id}}
			if _, err := c.images.RemoveImage(ctx, request); err != nil {
				return err
			}
		}
	}
	return nil
}
