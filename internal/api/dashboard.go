package api

import (
	"net/http"

	"github.com/contextd/contextd/internal/web"
)

// dashboard sends the page and its files. They hold no data: what the page shows it asks this API for.
func (s *Server) dashboard(w http.ResponseWriter, r *http.Request) error {
	if !web.Serve(w, r) {
		return &fault{slug: notFound, err: refuse(notFound, "no such path %q", r.URL.Path),
			hint: "the dashboard is at /"}
	}
	return nil
}
