# Trefoil in a container: built in one stage, run in another that holds neither compiler nor development packages.
FROM node:22-bookworm-slim AS build
WORKDIR /build
# For the SQLite driver, where no prebuilt one fits or can be fetched; the headers of Node.js come with the image.
ENV npm_config_nodedir=/usr/local
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build
# What runs later: the same versions, without development packages, and with the driver's binary.
RUN npm prune --omit=dev --ignore-scripts && npm rebuild sqlite3

FROM node:22-bookworm-slim
ENV NODE_ENV=production \
  TREFOIL_SQLITE_FILE=/data/trefoil.sqlite \
  TREFOIL_BEACON_UPLOADS=/data/uploads
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY --from=build /build/core/bin ./core/bin
COPY --from=build /build/plugins/beacon/bin ./plugins/beacon/bin
COPY --from=build /build/config ./config
RUN ln -s /app/core/bin/trefoil.mjs /usr/local/bin/trefoil \
  && ln -s /app/plugins/beacon/bin/beacon.mjs /usr/local/bin/beacon \
  && install -d -o node -g node -m 700 /data
USER node
VOLUME /data
# Publish it as 5000 (`-p 5000:6000`): browsers refuse to open port 6000.
EXPOSE 6000
# By http.get, since fetch refuses port 6000 too.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "require('node:http').get('http://127.0.0.1:6000/-/ready', (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["trefoil"]
CMD ["serve", "--host", "0.0.0.0", "--port", "6000"]
