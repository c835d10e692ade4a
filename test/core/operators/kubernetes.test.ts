/** The manifests for Kubernetes: valid, consistent with each other and with our settings, and without rights to spare. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { configured } from '../../support/configured.js';
import { useFolder } from '../../support/folder.js';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const folderOf = `${root}config/deploy/kubernetes/`;

interface Container {
  image: string;
  args: string[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts: { name: string }[];
  resources: { requests: object; limits: { memory: string } };
  securityContext: object;
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}

interface Pod {
  metadata: { labels: Record<string, string> };
  spec: {
    containers: Container[];
    volumes: { name: string; secret?: { secretName: string } }[];
    securityContext: object;
    terminationGracePeriodSeconds?: number;
    automountServiceAccountToken: boolean;
    enableServiceLinks: boolean;
  };
}

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: {
    template?: Pod;
    selector?: Record<string, unknown>;
    ports?: { targetPort: string }[];
    podSelector?: { matchLabels: Record<string, string> };
    ingress?: { ports: { port: string }[] }[];
  };
}

/** A class of kubernetes-models. Its `validate` checks what it is called on, and throws the errors of the schema. */
interface Model {
  prototype: { validate(): void };
}

interface SchemaErrors {
  errors?: { instancePath: string; keyword: string }[];
}

const files = readdirSync(folderOf).filter((name) => name.endsWith('.yaml'));
const manifests = files
  .flatMap((name) => parseAllDocuments(readFileSync(folderOf + name, 'utf8')))
  .map((document) => {
    expect(document.errors).to.deep.equal([]);
    return document.toJS() as Manifest;
  });
const pods = manifests.flatMap(({ spec }) => (spec?.template ? [spec.template] : []));
const named = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);

/** What Kubernetes would refuse, as `kubectl apply --validate=strict` does: unknown fields too. */
function refusals(manifest: Manifest): string[] {
  const { apiVersion, kind } = manifest;
  const { [kind]: model } = require(`kubernetes-models/${apiVersion}/${kind}`) as Record<string, Model>;
  const { watched, unread } = watch(manifest);
  let errors: string[] = [];
  try {
    model?.prototype.validate.call(watched);
  } catch (error) {
    const faults = (error as SchemaErrors).errors;
    if (faults === undefined) throw error;
    errors = faults.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  }
  return [...errors, ...unread().map((path) => `${path} unknown`)];
}

/** A view of a value that knows which members were never read. A schema's validator reads those that the schema has. */
function watch<T extends object>(value: T): { watched: T; unread(): string[] } {
  const read = new Set<string | symbol>();
  const inner = new Map<string | symbol, { watched: object; unread(): string[] }>();
  const watched = new Proxy(value, {
    get(target, name) {
      read.add(name);
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'object' || member === null) return member;
      const known = inner.get(name) ?? watch(member);
      inner.set(name, known);
      return known.watched;
    },
  });
  const unread = () =>
    Object.keys(value).flatMap((name) =>
      read.has(name) ? (inner.get(name)?.unread() ?? []).map((path) => `/${name}${path}`) : [`/${name}`],
    );
  return { watched, unread };
}

const selects = (selector: object, { metadata }: Pod) =>
  Object.entries(selector).every(([label, value]) => metadata.labels[label] === value);

describe('operators: manifests for Kubernetes', () => {
  const folder = useFolder();

  it('fit the schemas of Kubernetes, and have no field that these do not know', () => {
    expect(manifests.map(({ kind }) => kind)).to.include.members(['Deployment', 'Job', 'ConfigMap', 'NetworkPolicy']);
    for (const manifest of manifests) expect(refusals(manifest), manifest.metadata.name).to.deep.equal([]);
  });

  it('are all listed in the guide', () => {
    const guide = readFileSync(`${root}config/kubernetes.md`, 'utf8');
    const listed = [...guide.matchAll(/^\| \[(\S+)\]\(deploy\/kubernetes\/\1\)/gm)].map(([, name]) => name);
    expect(listed).to.have.members(files);
  });

  it('would be refused with mistakes', () => {
    const server = () =>
      structuredClone(named('Deployment')[0]) as Manifest & { spec: { template: Pod; replicas: unknown } };
    const typed = server();
    typed.spec.replicas = 'two';
    expect(refusals(typed)).to.deep.equal(['/spec/replicas type']);
    const misspelt = server();
    Object.assign(misspelt.spec.template.spec.containers[0] ?? {}, {
      securityContext: { readOnlyRootFileSystem: true },
    });
    expect(refusals(misspelt)).to.deep.equal([
      '/spec/template/spec/containers/0/securityContext/readOnlyRootFileSystem unknown',
    ]);
    const headless = server();
    headless.spec.template.spec.containers = undefined as never;
    expect(refusals(headless)).to.deep.equal(['/spec/template/spec required']);
  });

  it('run as a user without rights, on a read-only file system, with limited memory', () => {
    expect(pods).to.have.lengthOf(3);
    for (const { spec } of pods) {
      expect(spec.automountServiceAccountToken).to.equal(false);
      // Kubernetes would add variables such as POSTGRES_PORT, which our settings would read.
      expect(spec.enableServiceLinks).to.equal(false);
      expect(spec.securityContext).to.deep.include({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const { securityContext, resources, volumeMounts } of spec.containers) {
        expect(securityContext).to.deep.equal({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources.requests).to.have.keys('cpu', 'memory');
        expect(resources.limits).to.have.keys('memory');
        expect(spec.volumes.map(({ name }) => name)).to.have.members(volumeMounts.map(({ name }) => name));
      }
    }
  });

  it('name what exists: settings, files, ports, labels and the version of the image', () => {
    const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string };
    const text = JSON.stringify(pods);
    for (const [kind, pattern] of [
      ['ConfigMap', /"configMap":{"name":"(.*?)"/g],
      ['PersistentVolumeClaim', /"claimName":"(.*?)"/g],
    ] as const) {
      const asked = [...text.matchAll(pattern)].map(([, name]) => name);
      expect(new Set(asked), kind).to.deep.equal(new Set(named(kind).map(({ metadata }) => metadata.name)));
    }
    expect(named('Secret')).to.deep.equal([]);
    const containers = pods.flatMap(({ spec }) => spec.containers);
    expect(new Set(containers.map(({ image }) => image))).to.deep.equal(new Set([`trefoil:${version}`]));
    for (const container of containers) {
      const ports = (container.ports ?? []).map(({ name }) => name);
      const probes = (['startupProbe', 'livenessProbe', 'readinessProbe'] as const).flatMap(
        (name) => container[name] ?? [],
      );
      expect(probes.map(({ httpGet }) => httpGet.path)).to.deep.equal(
        ports.length > 0 ? ['/-/live', '/-/live', '/-/ready'] : [],
      );
      for (const { httpGet } of probes) expect(ports).to.include(httpGet.port);
    }

    const [server] = pods.filter(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === 'server');
    const [service] = named('Service');
    expect(pods.filter((pod) => selects(service?.spec?.selector ?? {}, pod))).to.deep.equal([server]);
    expect(server?.spec.containers[0]?.ports?.map(({ name }) => name)).to.include(
      service?.spec?.ports?.[0]?.targetPort,
    );
    const [budget] = named('PodDisruptionBudget');
    const matchLabels = budget?.spec?.selector?.matchLabels as object;
    expect(pods.filter((pod) => selects(matchLabels, pod))).to.deep.equal([server]);
    const [network] = named('NetworkPolicy');
    expect(pods.filter((pod) => selects(network?.spec?.podSelector?.matchLabels ?? {}, pod))).to.deep.equal(pods);
    const reached = network?.spec?.ingress?.flatMap(({ ports }) => ports.map(({ port }) => port));
    expect(reached).to.deep.equal(['http', 'metrics']);
  });

  it('have settings that Trefoil accepts, which agree with the pods', async () => {
    const [map] = named('ConfigMap');
    const [name = '', text = ''] = Object.entries(map?.data ?? {})[0] ?? [];
    expect(JSON.stringify(pods)).to.include(`/etc/trefoil/${name}`);
    const secret = '/run/secrets/trefoil/postgres_password';
    const file = await folder.write(name, text.replace(secret, await folder.write('password', 'secret\n')));
    const { core, storage, migrate, plugins } = await configured({ file });
    expect(storage.settings).to.include({ password: 'secret', database: 'trefoil' });
    expect(migrate).to.equal('manual');
    expect(plugins.map(({ key }) => key)).to.include.members(['beacon', 'coverage', 'matchmaker']);
    const ports = Object.fromEntries(
      pods.flatMap(({ spec }) => spec.containers[0]?.ports ?? []).map((port) => [port.name, port.containerPort]),
    );
    expect(ports).to.deep.equal({ http: core.http.port, metrics: core.http.metrics.port });
    const longest = core.http.drainDelay + core.http.shutdownTimeout + core.jobs.stopSeconds;
    for (const { spec } of pods.filter(({ spec }) => spec.containers[0]?.ports)) {
      expect(spec.terminationGracePeriodSeconds).to.be.above(longest);
    }
  });
});
