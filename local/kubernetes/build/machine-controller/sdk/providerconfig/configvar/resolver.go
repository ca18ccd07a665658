// Package configvar would look up values of a Machine in Secrets.
package configvar

import "context"

type Resolver struct{}

func NewResolver(context.Context, any) *Resolver {
	return &Resolver{}
}
