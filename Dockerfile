# gluewheel in one image: the same binary is admin, executor and CLI.
#   docker build -t gluewheel .
#   docker run --rm gluewheel --help
FROM node:22-bookworm-slim AS webui
WORKDIR /src/webui
COPY webui/package.json webui/package-lock.json webui/.npmrc ./
RUN npm ci
COPY webui ./
RUN npm run build

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=webui /src/webui/dist ./webui/dist
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=${VERSION}" -o /gluewheel ./cmd/gluewheel

# Scripts (GLUE_SHELL, GLUE_PYTHON) need their interpreters where the executor runs.
FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends bash ca-certificates python3-minimal tzdata \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /var/lib/gluewheel --create-home gluewheel
COPY --from=build /gluewheel /usr/local/bin/gluewheel
USER gluewheel
VOLUME /var/lib/gluewheel
ENV GLUEWHEEL_DATA_DIR=/var/lib/gluewheel
EXPOSE 8080 9999
ENTRYPOINT ["gluewheel"]
CMD ["--help"]
