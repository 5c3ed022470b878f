# Images of contextd: one static binary each, no shell, not root.
#
#   docker build --target indexer -t contextd-indexer .
#   docker build --target retriever -t contextd-retriever .
#
# Sources are read at the same paths by both, so mount them where they are outside: -v /srv:/srv:ro

# To pin the digest that your registry gives: --build-arg GO_IMAGE=golang:1.26@sha256:… (docs/OPERATIONS.md).
ARG GO_IMAGE=golang:1.26
FROM --platform=$BUILDPLATFORM $GO_IMAGE AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH
ARG VERSION=devel
ARG REVISION=unknown
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
      -ldflags "-s -w -X github.com/contextd/contextd/internal/cli.version=$VERSION -X github.com/contextd/contextd/internal/cli.revision=$REVISION" \
      -o /out/ ./cmd/indexer ./cmd/retriever
RUN install -d -m 0700 /out/state && go run ./tools/dist -notices /out/THIRD_PARTY_LICENSES.txt && cp internal/embed/static/NOTICE.md /out/

FROM scratch AS base
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/THIRD_PARTY_LICENSES.txt /out/NOTICE.md /usr/share/doc/contextd/
COPY --from=build --chown=65532:65532 /out/state /var/lib/contextd
ENV CONTEXTD_STATE_DIR=/var/lib/contextd CONTEXTD_LOG_FORMAT=json
USER 65532:65532

FROM base AS retriever
COPY --from=build /out/retriever /usr/local/bin/retriever
# What "serve" listens on, on loopback unless CONTEXTD_LISTEN says otherwise, and then with CONTEXTD_TOKEN.
EXPOSE 9465
VOLUME /var/lib/contextd
ENTRYPOINT ["/usr/local/bin/retriever"]
CMD ["--help"]

FROM base AS indexer
COPY --from=build /out/indexer /usr/local/bin/indexer
ENV CONTEXTD_LISTEN=0.0.0.0:9464
EXPOSE 9464
VOLUME /var/lib/contextd
# The store answers. That the daemon lives shows in the container itself; /readyz says both over HTTP.
HEALTHCHECK --interval=30s --timeout=10s --start-period=10s CMD ["/usr/local/bin/indexer", "status"]
ENTRYPOINT ["/usr/local/bin/indexer"]
CMD ["run"]
