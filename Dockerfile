# Trefoil in a container: built in two stages, run in a third that holds neither compiler nor development packages.
# Engines that write OCI images by default need `--format docker` to keep HEALTHCHECK: `podman build --format docker .`
FROM node:22-bookworm-slim AS modules
WORKDIR /app
# The headers of Node.js come with the image.
ENV npm_config_nodedir=/usr/local
COPY package.json package-lock.json .npmrc ./
# The packages that run later. The SQLite driver is compiled if no prebuilt one can be fetched and loaded: the error that
# npm then prints first is expected.
RUN npm ci --omit=dev --ignore-scripts \
  && { npm rebuild sqlite3 && node --eval "require('sqlite3')" \
    || { apt-get update \
      && apt-get install -y --no-install-recommends python3 make g++ \
      && npm rebuild sqlite3 --build-from-source \
      && rm -rf node_modules/sqlite3/build/Release/obj*; }; }

FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# The commit, which the folder .git is not here to tell.
ARG TREFOIL_REVISION=unknown
# Types were checked before; what was copied may have come from a clone that only its owner may read.
RUN node core/bin/build.mjs --no-check \
  && rm -r dist/test \
  && chmod -R a+rX,go-w package.json dist core/bin plugins/beacon/bin config

FROM node:22-bookworm-slim
ARG TREFOIL_REVISION=unknown
LABEL org.opencontainers.image.title="Trefoil" \
  org.opencontainers.image.description="Clinical genomics services: beacon, matchmaker, coverage reports and gene panels" \
  org.opencontainers.image.version="0.3.0" \
  org.opencontainers.image.revision="${TREFOIL_REVISION}" \
  org.opencontainers.image.licenses="MIT"
# Threads share two heaps of the C library: with one each, memory that one has freed is not there for the others.
ENV NODE_ENV=production \
  MALLOC_ARENA_MAX=2 \
  TREFOIL_SQLITE_FILE=/data/trefoil.sqlite \
  TREFOIL_BEACON_UPLOADS=/data/uploads \
  TREFOIL_BEACON_REFERENCES=/data/references
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=modules /app/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY --from=build /build/core/bin ./core/bin
COPY --from=build /build/plugins/beacon/bin ./plugins/beacon/bin
COPY --from=build /build/config ./config
RUN ln -s /app/core/bin/trefoil.mjs /usr/local/bin/trefoil \
  && ln -s /app/plugins/beacon/bin/beacon.mjs /usr/local/bin/beacon \
  && install -d -o node -g node -m 700 /data /data-erasures dist/compiled
# Node.js keeps the compiled code of what these commands run, by the number of their user, so that they start faster. It is
# root's afterwards, as all of the application.
USER 1000:1000
RUN trefoil migrate >/dev/null && trefoil check >/dev/null && trefoil token list >/dev/null \
  && rm -rf /data/* /data-erasures/*
USER root
RUN chown -R root:root dist/compiled && chmod -R a+rX,go-w dist/compiled
# The user `node` by number, so that Kubernetes can see that it is not root.
USER 1000:1000
# The list of erasures is apart from the database, so that a snapshot of one does not bring the other back.
VOLUME ["/data", "/data-erasures"]
# Publish it as 5000 (`-p 5000:6000`): browsers refuse to open port 6000.
EXPOSE 6000
# By http.get, since fetch refuses port 6000 too.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "require('node:http').get('http://127.0.0.1:6000/-/ready', (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["trefoil"]
CMD ["serve", "--host", "0.0.0.0", "--port", "6000"]
