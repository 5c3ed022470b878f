package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	yaml "go.yaml.in/yaml/v3"
)

// OpenAPI is the description of the API as it is served at /openapi.yaml, in YAML.
//
//go:embed openapi.yaml
var OpenAPI []byte

// openapiDoc is OpenAPI in JSON.
var openapiDoc = sync.OnceValues(func() ([]byte, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(OpenAPI, &doc); err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	return json.Marshal(doc)
})

func (s *Server) openapiYAML(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(OpenAPI) // the client is gone
	return nil
}

func (s *Server) openapiJSON(w http.ResponseWriter, _ *http.Request) error {
	data, err := openapiDoc()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // the client is gone
	return nil
}
