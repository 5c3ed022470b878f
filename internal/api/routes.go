package api

// routes are all operations but those that package obs serves. Each stands in openapi.yaml.
var routes = []route{
	{method: "POST", path: "/v1/search", serve: (*Server).search},
	{method: "GET", path: "/v1/projects", serve: (*Server).listProjects},
	{method: "GET", path: "/v1/projects/{id}", serve: (*Server).getProject},
	{method: "POST", path: "/v1/projects/{id}/refresh", serve: (*Server).refreshProject},
	{method: "GET", path: "/v1/projects/{id}/why", serve: (*Server).why},
	{method: "GET", path: "/v1/queue", serve: (*Server).getQueue},
	{method: "GET", path: "/v1/queue/dead", serve: (*Server).listDead},
	{method: "POST", path: "/v1/queue/dead/retry", serve: (*Server).retryDead},
	{method: "POST", path: "/v1/queue/dead/drop", serve: (*Server).dropDead},
	{method: "GET", path: "/v1/events", raw: (*Server).events},
	{method: "GET", path: "/openapi.json", raw: (*Server).openapiJSON},
	{method: "GET", path: "/openapi.yaml", raw: (*Server).openapiYAML},
}
