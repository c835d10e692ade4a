import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { sizeIn } from '../../plugins/coverage/d4/index.js';
import { type Block, blocksOf, follow, node } from '../support/guide.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const start: Block = { language: 'sh', rest: 'serve', text: 'npm start' };

/** The binaries of the clone, linked as `npm ci` would for npx. */
const prelude = `npx() {
  case $1 in
    trefoil) shift; ${node} core/bin/trefoil.mjs "$@" ;;
    beacon) shift; ${node} plugins/beacon/bin/beacon.mjs "$@" ;;
  esac
}`;

/** A clone as `npm ci` leaves it: the files here, their build if it exists, and the dependencies. */
function clone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-clone-'));
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter(Boolean);
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    if (existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
  }
  // Copied last: a build that is older than a source is ignored.
  if (existsSync(join(root, 'dist'))) cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

describe('guides: the README', function () {
  this.timeout(180_000); // many processes, started from source
  let folder: string;
  beforeEach(() => {
    folder = clone();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const section = (heading: string) => blocksOf('README.md', heading);

  it('starts with one command, and its example requests get the documented answers', async () => {
    const [first, ...others] = section('Start');
    expect(first?.text).to.equal('npm ci && npm start');
    expect(others.at(-1)?.text).to.equal('npm ci && npm test');
    await follow([start, ...others.slice(0, -1)], { folder, prelude });
  });

  it('loads intervals as documented', async () => {
    const gtf = readFileSync(join(root, 'plugins/coverage/demo/intervals.GRCh38.gtf'));
    writeFileSync(join(folder, 'gencode.gtf.gz'), gzipSync(gtf));
    const columns = ['hgnc_id', 'symbol', 'alias_symbol', 'prev_symbol', 'status', 'ensembl_gene_id'];
    const row = ['HGNC:7436', 'MTHFR', '', 'MTHFR-OLD', 'Approved', 'ENSG00000177000'];
    writeFileSync(join(folder, 'hgnc_complete_set.txt'), `${columns.join('\t')}\n${row.join('\t')}\n`);
    await follow(section('Coverage'), { folder, prelude });
  });

  it('creates and checks depth files as documented', async () => {
    const names = [...Array.from({ length: 22 }, (_, i) => String(i + 1)), 'X', 'Y', 'MT'];
    const contigs = names.map((name) => ({ name, size: sizeIn('GRCh38', name) }));
    writeFileSync(join(folder, 'genome.txt'), contigs.map(({ name, size }) => `${name}\t${size}\n`).join(''));
    const depths = contigs.map(({ name, size }) => `${name}\t0\t${size}\t30\n`).join('');
    writeFileSync(join(folder, 'depth.bedgraph.gz'), gzipSync(depths));
    writeFileSync(join(folder, 'exons.bed'), '1\t1000\t2000\n');
    await follow(section('Depth files'), { folder, prelude });
  });
});
