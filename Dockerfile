# Two stages: Bun builds the one binary, and the image holds that binary, the C library and nothing else: no shell,
# no package manager, no Node, no Bun. It writes nowhere, so it runs with a read-only file system.
FROM oven/bun:1.4.5-slim AS build
WORKDIR /build
COPY package.json bun.lock bunfig.toml ./
COPY patches patches
RUN bun install --frozen-lockfile --production --ignore-scripts
COPY src src
COPY sql sql
COPY workers workers
RUN bun run build

FROM gcr.io/distroless/base-nossl-debian12:nonroot
COPY --from=build /build/dist/workspace-data-api /usr/local/bin/workspace-data-api
# DATABASE_URL is all that has to be set; SECRETS_KEY and DASHBOARD_PASSWORD should be.
ENV HOST=0.0.0.0 PORT=3000
# On machines with 16 GB and more as well, the heap grows as on smaller ones: 120 MB instead of 150.
ENV BUN_JSC_heapGrowthFunctionThresholdInMB=1048576
EXPOSE 3000
USER 65532:65532
HEALTHCHECK --interval=15s --timeout=5s --start-period=90s --start-interval=1s --retries=4 CMD ["/usr/local/bin/workspace-data-api", "health"]
ENTRYPOINT ["/usr/local/bin/workspace-data-api"]
CMD ["serve"]
