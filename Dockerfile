# An image with the static program and nothing else:
#
#   docker build -t loopbreak .
#   docker run --rm -v "$PWD/logs:/logs:ro" loopbreak analyze /logs
#
# Hooks are not for containers: they have to run where the agent runs.

FROM rust:1.95-alpine AS build
# A C compiler and its headers, for SQLite, the allocator and the cryptography of https.
RUN apk add --no-cache build-base
WORKDIR /source
COPY . .
# Such as "0123abcde 2026-01-31"; .dockerignore leaves git out.
ARG LOOPBREAK_COMMIT=""
RUN LOOPBREAK_COMMIT="$LOOPBREAK_COMMIT" cargo build --profile dist --locked --package loopbreak-cli --features postgres \
    && cp target/dist/loopbreak /loopbreak \
    && mkdir -p /state && chown 65534:65534 /state

FROM scratch
COPY --from=build /loopbreak /usr/local/bin/loopbreak
COPY --from=build /source/LICENSE-MIT /source/LICENSE-APACHE /usr/share/doc/loopbreak/
# Certificates for webhooks and models with https addresses.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65534:65534 /state /state
ENV XDG_STATE_HOME=/state
USER 65534:65534
ENTRYPOINT ["/usr/local/bin/loopbreak"]
CMD ["--help"]
