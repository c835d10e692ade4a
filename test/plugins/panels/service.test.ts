/** What other plugins get of panels: the versions that a caller may read, for reports. */
import { expect } from 'chai';
import { grantsFromClaims } from '../../../core/auth/claims.js';
import { authSettings } from '../../../core/auth/settings.js';
import { createPolicy, type Principal, subjectWith, tokenHolder } from '../../../core/policy/policy.js';
import { createTenants } from '../../../core/policy/tenants.js';
import { serveForTest } from '../../../core/testing.js';
import { type PanelRepository, panels } from '../../../plugins/panels/contract.js';
import { keptNames } from '../../../plugins/panels/genes/gene-table.js';
import { panelsService } from '../../../plugins/panels/register.js';
import { rights } from '../../../plugins/panels/rights.js';
import type { PanelContent, PanelGene } from '../../../plugins/panels/versions/content.js';
import {
  draftVersion,
  retiredVersion,
  type StepActor,
  signedVersion,
  submittedVersion,
} from '../../../plugins/panels/versions/lifecycle.js';
import { probe } from '../../support/configured.js';
import { useFolder } from '../../support/folder.js';
import { type OpenedStorage, storages } from '../../support/storages.js';

const day = (date: number) => new Date(Date.UTC(2026, 10, date));
const anna: StepActor = { by: 'anna', at: day(1) };
const bap1: PanelGene = {
  hgnc: 950,
  symbol: 'BAP1',
  confidence: 'green',
  inheritance: 'AD',
  transcripts: ['NM_004656'],
  core: true,
};
const mll: PanelGene = { hgnc: 7132, symbol: 'MLL', confidence: 'amber', comment: 'not for reports' };

function contentOf(genes: PanelGene[], more: Partial<PanelContent> = {}): PanelContent {
  return { name: 'Kidney', genes, source: { kind: 'person', name: 'anna', read: anna.at.toISOString() }, ...more };
}

const draft = (panel: string, version: string, content: PanelContent) => draftVersion(panel, version, content, anna);

/** Signed by anna on 2 November and by bo on 3 November. */
function signedOff(panel: string, version: string, content: PanelContent) {
  const review = submittedVersion(draft(panel, version, content), anna);
  const once = signedVersion(review, review.digest, 2, { by: 'anna', at: day(2) });
  return signedVersion(once, review.digest, 2, { by: 'bo', at: day(3) });
}

describe('panels for other plugins', () => {
  const folder = useFolder();
  const policy = createPolicy();
  let opened: OpenedStorage;
  let repository: PanelRepository;

  const open = (tenants = false) =>
    panelsService(
      {
        repository: <Repository>(contract: Parameters<typeof opened.storage.repository<Repository>>[0]) =>
          opened.storage.repository(contract),
        policy,
        tenants: tenants ? createTenants([], policy) : undefined,
      },
      keptNames(repository),
    );
  const reader = tokenHolder('reader', ['panels:read']);

  before(async () => {
    const [subject] = storages;
    if (subject === undefined) throw new Error('there is no storage');
    opened = await subject.open([panels]);
    repository = opened.storage.repository(panels);
    const others = [
      { kind: 'str' as const, name: 'HTT_CAG', confidence: 'green' as const, place: '4:3074877-3074933 (GRCh38)' },
      { kind: 'region' as const, name: 'Xp11.22', confidence: 'amber' as const, from: ['dropped'] },
    ];
    const first = contentOf([bap1, mll], {
      requirement: { depth: 15, percent: 99 },
      others,
      names: '2026-11-01',
    });
    await repository.add(retiredVersion(signedOff('kidney', '1.8', first), { by: 'bo', at: day(4) }));
    await repository.add(signedOff('kidney', '1.9', first));
    await repository.add(signedOff('kidney', '1.10', contentOf([{ ...mll, symbol: 'KMT2A', confidence: 'green' }])));
    const why = { given: 'XYZ', at: 'line 2', why: 'XYZ is unknown', confidence: 'green' as const };
    await repository.add(draft('kidney', '2.0', contentOf([bap1], { unmapped: [why], name: 'Kidney, new' })));
    await repository.add(draft('lung', '1', contentOf([bap1])));
    await repository.add(signedOff('eye', '3', contentOf([bap1], { name: 'Eye' })));
  });
  after(() => opened.close());

  it('have what a report states', async () => {
    const stored = await repository.find('kidney', '1.9');
    expect(await open().versionOf('kidney@1.9', reader)).to.deep.equal({
      panel: 'kidney',
      version: '1.9',
      name: 'Kidney',
      state: 'signed off',
      sha256: stored?.digest,
      names: '2026-11-01',
      signedOff: { at: day(3), by: ['anna', 'bo'] },
      requirement: { depth: 15, percent: 99, bases: 'exons' },
      genes: [
        { hgnc: 950, symbol: 'BAP1', confidence: 'green', inheritance: 'AD', transcripts: ['NM_004656'], core: true },
        { hgnc: 7132, symbol: 'MLL', confidence: 'amber' },
      ],
      others: [
        {
          ...{ kind: 'str', name: 'HTT_CAG', confidence: 'green', place: '4:3074877-3074933 (GRCh38)' },
          places: { GRCh38: { chromosome: '4', start: 3_074_876, end: 3_074_933 } },
        },
        { kind: 'region', name: 'Xp11.22', confidence: 'amber', places: {} },
      ],
      unmapped: [],
    });
  });

  it('say what a draft lacks, and nothing of signatures that it does not have', async () => {
    const found = await open().versionOf('kidney@2.0', reader);
    expect(found?.unmapped).to.deep.equal([{ given: 'XYZ', why: 'XYZ is unknown' }]);
    expect(found).to.include({ state: 'draft', name: 'Kidney, new' }).and.not.have.any.keys('signedOff', 'names');
  });

  it('keep the signatures of a version that was retired', async () => {
    expect(await open().versionOf('kidney@1.8', reader)).to.deep.include({
      state: 'retired',
      signedOff: { at: day(3), by: ['anna', 'bo'] },
    });
  });

  it('are the latest that is signed off if no version is named', async () => {
    // 1.10 is after 1.9; the draft 2.0 does not count.
    expect((await open().versionOf('kidney', reader))?.version).to.equal('1.10');
    expect(await open().versionOf('lung', reader)).to.equal(undefined);
  });

  it('are undefined for references that name none', async () => {
    for (const reference of [
      ...['', '@', 'kidney@', '@1.9', 'kidney@1.9@1', 'kidney@9', 'nothing', 'nothing@1', 'Kidney', 'kidney@01'],
      ...['kidney@1.x', 'kidney\u0000', '../kidney', 'kidney 1.9', `${'k'.repeat(101)}@1`],
    ]) {
      expect(await open().versionOf(reference, reader), reference).to.equal(undefined);
    }
  });

  it('are offered by their latest signed-off version', async () => {
    expect(await open().offered(reader)).to.deep.equal([
      { panel: 'eye', version: '3', name: 'Eye' },
      { panel: 'kidney', version: '1.10', name: 'Kidney' },
    ]);
  });

  it('tell of a newer signed-off version, with the genes that differ', async () => {
    const newer = await open().newerThan('kidney', '1.9', reader);
    expect(newer?.version).to.equal('1.10');
    expect(newer?.differences.map(({ hgnc, what }) => [hgnc, what])).to.deep.equal([
      [950, ['removed']],
      [7132, ['promoted', 'renamed']],
    ]);
    expect((await open().newerThan('kidney', '1.8', reader))?.version).to.equal('1.10');
    for (const [panel, version] of [
      ['kidney', '1.10'],
      ['kidney', '2.0'],
      ['kidney', '1.7'],
      ['lung', '1'],
      ['nothing', '1'],
      ['kidney', 'x'],
      ['kid@ney', '1'],
    ] as const) {
      expect(await open().newerThan(panel, version, reader), `${panel}@${version}`).to.equal(undefined);
    }
  });

  it('are for every caller once signed, if nobody has rights of their own', async () => {
    const service = open();
    for (const caller of [undefined, tokenHolder('else', ['coverage:report'])]) {
      expect((await service.versionOf('kidney@1.9', caller))?.version).to.equal('1.9');
      expect((await service.versionOf('kidney@1.8', caller))?.state).to.equal('retired');
      expect(await service.versionOf('kidney@2.0', caller)).to.equal(undefined);
      expect((await service.offered(caller)).map(({ panel }) => panel)).to.deep.equal(['eye', 'kidney']);
      expect((await service.newerThan('kidney', '1.9', caller))?.version).to.equal('1.10');
    }
  });

  it('are for the members of a tenant only if they are of its panels', async () => {
    const issuer = 'https://idp.lab';
    const member = (value: string, rights: string[]) => [{ claim: 'groups', value, rights }];
    const auth = authSettings.parse({
      tenants: {
        renal: { members: member('renal', ['read']), panels: ['kidney'] },
        eyes: { members: member('eyes', ['read', 'report', 'load', 'admin']), panels: ['eye'] },
        empty: { members: member('empty', ['read']) },
      },
    });
    const granted = grantsFromClaims(auth, rights);
    const caller = (group: string): Principal => {
      const { tenants, grants } = granted({ groups: [group] }, issuer);
      return subjectWith({ owner: group, issuer, tenants }, grants);
    };
    const service = open(true);
    const seen = async (who: Principal | undefined) => ({
      offered: (await service.offered(who)).map(({ panel }) => panel),
      versions: await Promise.all(
        ['kidney', 'kidney@1.8', 'kidney@2.0', 'eye@3'].map(
          async (one) => (await service.versionOf(one, who))?.version,
        ),
      ),
      newer: (await service.newerThan('kidney', '1.9', who))?.version,
    });
    const nothing = { offered: [], versions: [undefined, undefined, undefined, undefined], newer: undefined };
    expect(await seen(caller('renal'))).to.deep.equal({
      offered: ['kidney'],
      versions: ['1.10', '1.8', '2.0', undefined],
      newer: '1.10',
    });
    expect(await seen(caller('eyes'))).to.deep.equal({
      offered: ['eye'],
      versions: [undefined, undefined, undefined, '3'],
      newer: undefined,
    });
    for (const who of [caller('empty'), caller('other'), tokenHolder('else', ['coverage:report']), undefined]) {
      expect(await seen(who)).to.deep.equal(nothing);
    }
  });

  it('are found by other plugins of the server', async () => {
    const module = await folder.write(
      'asking.mjs',
      `import probe from ${JSON.stringify(probe)};
       import { z } from ${JSON.stringify(import.meta.resolve('zod'))};
       const versions = (context) => context.find('panels/versions@1').offered(undefined);
       export default { ...probe, name: 'asking', commands: [], register(context) {
         context.route({ method: 'GET', path: '/asking', operation: 'ask', summary: 's',
           answers: { 200: { description: 'd', content: { 'application/json': z.array(z.object({ panel: z.string() }).loose()) } } },
           handle: async () => ({ body: await versions(context) }) });
       } };`,
    );
    const server = await serveForTest({ plugins: { panels: {}, [module]: {} } });
    try {
      await server.repository(panels).add(signedOff('eye', '3', contentOf([bap1], { name: 'Eye' })));
      const response = await fetch(`${server.url}/asking`);
      expect(await response.json()).to.deep.equal([{ panel: 'eye', version: '3', name: 'Eye' }]);
    } finally {
      await server.close();
    }
  });
});
