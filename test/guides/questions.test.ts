/** What newcomers ask: each answer is within two links from the README, as a reader who follows links finds it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (page: string) => readFileSync(join(root, page), 'utf8');

/** Each question, and the heading that answers it. */
const answers: Readonly<Record<string, string>> = {
  'How do I install it?': 'README.md#Start',
  'How do I load my VCF files?': 'plugins/beacon/README.md#Load alleles',
  'How do I make a report?': 'plugins/coverage/README.md#Make a report',
  'How do I report on a gene panel?': 'plugins/panels/README.md#In reports',
  'How do I connect a node?': 'config/matchmaker-nodes.md#Connect a node',
  'How do I join a network?': 'config/beacon-network.md#Step by step',
  'How do I move from chanjo2, patientMatcher or cgbeacon2?': 'config/moving.md#Moving the data',
  'How do I move from loqusdb?': 'config/loqusdb.md#Step by step',
  'How do I write a plugin?': 'plugins/README.md#A plugin of your own, from an empty folder',
  'How do I write an adapter?': 'adapters/README.md#The tour: from an empty folder to all plugins',
  'How do I back up?': 'config/backup.md#Backup and restore',
  'How do I upgrade?': 'config/upgrades.md#Upgrades',
  'What does this number of a report mean?': 'plugins/coverage/README.md#What the numbers mean',
  'What does this number of the beacon mean?': 'plugins/beacon/README.md#What the numbers mean',
  'What does this score of a match mean?': 'plugins/matchmaker/README.md#What the numbers mean',
  'What does this number of a panel mean?': 'plugins/panels/README.md#What the numbers mean',
};

/** Pages that a page links to; headings within it cost no link. */
function linkedFrom(page: string): string[] {
  return [...read(page).matchAll(/\]\(([^)#\s]+\.md)(?:#[^)\s]*)?\)/g)]
    .map(([, target = '']) => (/^[a-z]+:/.test(target) ? '' : join(dirname(page), target)))
    .filter((target) => target !== '' && existsSync(join(root, target)));
}

/** The pages within so many links from the README. */
function within(links: number): Set<string> {
  const found = new Set(['README.md']);
  for (let step = 0; step < links; step++) {
    for (const page of [...found]) for (const target of linkedFrom(page)) found.add(target);
  }
  return found;
}

/** Headings outside of code blocks. */
function headingsOf(page: string): string[] {
  const text = read(page).replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
}

describe('guides: what newcomers ask', () => {
  const near = within(2);

  for (const [question, answer] of Object.entries(answers)) {
    it(question, () => {
      const [page = '', heading = ''] = answer.split('#');
      expect([...near], 'pages within two links').to.include(page);
      expect(headingsOf(page)).to.include(heading);
    });
  }

  it('is answered by a README of at most 150 lines', () => {
    expect(read('README.md').split('\n').length).to.be.at.most(151);
  });

  it('is not hidden: every page for operators is within two links', () => {
    const pages = readdirSync(join(root, 'config')).filter((name) => name.endsWith('.md'));
    expect(pages.map((name) => `config/${name}`).filter((page) => !near.has(page))).to.deep.equal([]);
  });
});
