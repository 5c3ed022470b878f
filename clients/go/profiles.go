package client

import (
	"context"
	"net/http"
	"net/url"
)

// Profiles lists the profiles of agents.
func (c *Client) Profiles(ctx context.Context) ([]Profile, error) {
	var reply Profiles
	err := c.Call(ctx, http.MethodGet, "/v1/profiles", nil, nil, &reply)
	return reply.Profiles, err
}

// Profile shows one profile.
func (c *Client) Profile(ctx context.Context, name string) (Profile, error) {
	var p Profile
	err := c.Call(ctx, http.MethodGet, "/v1/profiles/"+url.PathEscape(name), nil, nil, &p)
	return p, err
}
