/**
 * Prints what an installed Trefoil consists of, as a CycloneDX bill of materials, or with --licences as a list: every
 * package that the lock file installs without development dependencies, with its hash and licence. The same lock file
 * gives the same text.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { name, version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));

/** Packages whose package.json names no licence; read from the LICENSE file of exactly this version. */
const unnamed = { 'png-js@2.0.0': 'MIT' };

// With --omit=dev, npm also leaves out packages that both kinds of dependencies need: all are read, and chosen here.
const command = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
const npm = spawnSync('npm', command, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
if (npm.status !== 0) {
  process.stderr.write(`sbom: npm sbom failed\n${npm.stderr}`);
  process.exit(1);
}
const installed = new Set(
  Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, entry]) => `${entry.name ?? path.replace(/^.*node_modules\//, '')}@${entry.version}`),
);
const { serialNumber: _, metadata, components, dependencies, ...bom } = JSON.parse(npm.stdout);
const { timestamp: _time, ...about } = metadata;
const own = about.component['bom-ref'];
const byRef = (a, b) => (a < b ? -1 : 1);
const chosen = components
  .filter((component) => installed.has(`${component.name}@${component.version}`))
  .map((component) => {
    const id = unnamed[`${component.name}@${component.version}`];
    return component.licenses === undefined && id !== undefined
      ? { ...component, licenses: [{ license: { id } }] }
      : component;
  })
  .sort((a, b) => byRef(a['bom-ref'], b['bom-ref']));
const refs = new Set([own, ...chosen.map((component) => component['bom-ref'])]);

if (process.argv.includes('--licences')) {
  const lines = chosen.map((component) => `${component.name}@${component.version}\t${licenceOf(component)}\n`);
  process.stdout.write(lines.join(''));
} else {
  const result = {
    ...bom,
    // npm names the component after the folder.
    metadata: { ...about, component: { ...about.component, type: 'application', name, version } },
    components: chosen,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)).sort(byRef) }))
      .sort((a, b) => byRef(a.ref, b.ref)),
  };
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}

function licenceOf({ licenses = [] }) {
  return licenses.map(({ expression, license }) => expression ?? license.id ?? license.name).join(' AND ') || 'unknown';
}
