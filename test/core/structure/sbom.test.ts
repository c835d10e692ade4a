/** The bill of materials, against what the lock file installs. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Locked {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

interface Bom {
  bomFormat: string;
  metadata: { component: { name: string; type: string } };
  components: {
    'bom-ref': string;
    name: string;
    version: string;
    hashes?: { alg: string; content: string }[];
    licenses?: { expression?: string; license?: { id?: string } }[];
  }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** Licences under which anyone may run and pass on the software, as terms of SPDX. */
const permitted = new Set(
  'MIT MIT-0 ISC Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 CC0-1.0 OFL-1.1 WTFPL'.split(' '),
);

describe('the bill of materials', function () {
  this.timeout(60_000); // runs npm
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
    packages: Record<string, Locked>;
  };
  let bom: Bom;
  before(() => {
    const text = execFileSync(process.execPath, ['core/bin/sbom.mjs'], { cwd: root, encoding: 'utf8' });
    bom = JSON.parse(text) as Bom;
  });

  it('has every package that an installation gets, as Node.js finds it', () => {
    /** The folder of the package that a require of `name` in `folder` finds: the nearest node_modules above. */
    const resolved = (folder: string, name: string): string | undefined => {
      const here = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      if (packages[here] !== undefined) return here;
      return folder === '' ? undefined : resolved(folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, ''), name);
    };
    const reached = new Set<string>();
    const visit = (folder: string): void => {
      const { dependencies, optionalDependencies } = packages[folder] as Locked;
      for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
        const found = resolved(folder, name);
        expect(found, `${name} of ${folder}`).to.be.a('string');
        if (found === undefined || reached.has(found)) continue;
        reached.add(found);
        visit(found);
      }
    };
    visit('');
    const listed = new Set(bom.components.map(({ name, version }) => `${name}@${version}`));
    const missing = [...reached].filter((folder) => {
      return !listed.has(`${folder.replace(/^.*node_modules\//, '')}@${packages[folder]?.version}`);
    });
    expect(reached.size).to.be.above(100);
    expect(missing).to.deep.equal([]);
    expect([...listed].filter((one) => /^(mocha|typescript|@biomejs)/.test(one))).to.deep.equal([]);
  });

  it('names Trefoil, the hash and the licence of each package, and what needs what', () => {
    expect(bom).to.deep.include({ bomFormat: 'CycloneDX' });
    expect(bom.metadata.component).to.include({ name: 'trefoil', type: 'application' });
    const refs = new Set(bom.components.map((one) => one['bom-ref']));
    for (const { name, hashes = [], licenses = [] } of bom.components) {
      expect(hashes[0]?.content, name).to.match(/^[0-9a-f]{128}$/);
      const terms = licenses.flatMap(({ expression, license }) => (expression ?? license?.id ?? '').split(/[() ]+/));
      const named = terms.filter((term) => !['', 'AND', 'OR'].includes(term));
      expect(named.length, `${name} has no licence`).to.be.above(0);
      expect(
        named.filter((term) => !permitted.has(term)),
        name,
      ).to.deep.equal([]);
    }
    for (const { dependsOn } of bom.dependencies) for (const ref of dependsOn) expect(refs).to.include(ref);
  });
});
