/** The guides in the packed package: every file that they link to exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { type Installed, install } from '../support/installed.js';

/** Guides that a reader of the package needs. */
const guides = [
  'README.md',
  'SECURITY.md',
  'core/README.md',
  'plugins/README.md',
  'plugins/coverage/d4/README.md',
  'plugins/beacon/README.md',
  'plugins/beacon/year.md',
  'plugins/coverage/README.md',
  'plugins/matchmaker/README.md',
  'plugins/panels/README.md',
  'adapters/README.md',
  'config/README.md',
  'config/install.md',
  'config/access.md',
  'config/audit.md',
  'config/backup.md',
  'config/capacity.md',
  'config/case-system.md',
  'config/data-protection.md',
  'config/files.md',
  'config/matchmaker.md',
  'config/monitoring.md',
  'config/moving.md',
  'config/passports.md',
  'config/samples.md',
  'config/shared-datasets.md',
  'config/sharding.md',
  'config/upgrades.md',
  'config/reference/settings.md',
  'config/cluster.md',
  'config/loqusdb.md',
  'config/erasure.md',
  'config/kept-reports.md',
  'config/kubernetes.md',
  'config/matchmaker-nodes.md',
  'config/triage.md',
  'config/tickets.md',
  'config/tenants.md',
  'config/sign-in.md',
  'config/beacon-network.md',
];

/** Targets of links that are files, not addresses or headings of the same page. */
function linkedFiles(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}

/** The anchor of a heading, as common renderers make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

describe('the packed package', function () {
  this.timeout(120_000); // builds and packs
  let installed: Installed;
  let root: string;
  before(() => {
    installed = install();
    root = join(installed.folder, 'node_modules/trefoil');
  });
  after(() => installed.remove());

  const pages = () =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.md') && !file.includes('node_modules'),
    );

  it('holds the guides, and every file and heading that they link to', () => {
    expect(pages()).to.include.members(guides);
    const broken = pages().flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8');
      const missing = linkedFiles(text).filter((target) => !existsSync(join(root, dirname(page), target)));
      const anchors = [...text.matchAll(/\]\(([^)\s]*\.md)?#([^)\s]+)\)/g)].filter(([, file, anchor]) => {
        const target = file === undefined ? join(root, page) : join(root, dirname(page), file);
        const headings = existsSync(target) ? [...readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)] : [];
        return !headings.some(([, heading = '']) => anchorOf(heading) === anchor);
      });
      return [...missing, ...anchors.map(([link]) => link)].map((target) => `${page}: ${target}`);
    });
    expect(broken).to.deep.equal([]);
  });

  it('has source maps that carry their sources', () => {
    const maps = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.js.map'),
    );
    expect(maps).to.not.have.lengthOf(0);
    const bare = maps.filter((file) => {
      const { sources, sourcesContent } = JSON.parse(readFileSync(join(root, 'dist', file), 'utf8'));
      return sourcesContent?.length !== sources.length || sourcesContent.includes(null);
    });
    expect(bare.map((file) => relative(root, file))).to.deep.equal([]);
  });
});
