import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { tokens } from '../../../core/auth/contract.js';
import { matchmaker, matchmakerMatches, matchmakerNodes } from '../../../plugins/matchmaker/contract.js';
import { unseal } from '../../../plugins/matchmaker/exchange/node.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { storages } from '../../support/storages.js';
import { useEach } from '../../support/use.js';
import { describeWithShared, type Json, lines, openSite, reasons, shared } from './support/site.js';

const token = '9046b1d3-4a3b-4ccf-a8cc-5b7a8a7a1b7e';
const key = 'a key for the tests, long enough';

/** As stored by patientMatcher: genes by Ensembl id with their symbol, `_id` equal to `id`. */
function stored(id: string, more: Json = {}): Json {
  return {
    _id: id,
    id,
    label: `label ${id}`,
    contact: { name: 'A Doctor', href: 'mailto:doctor@example.org' },
    features: [{ id: 'HP:0001250', observed: 'yes' }],
    genomicFeatures: [{ gene: { id: 'ENSG00000144285', _geneName: 'SCN1A' } }],
    ...more,
  };
}

function match(number: number, more: Json = {}): Json {
  return {
    _id: { $oid: String(number).padStart(24, '0') },
    created: { $date: new Date(Date.now() - number * 86_400_000).toISOString() },
    has_matches: true,
    match_type: 'internal',
    data: { patient: stored('P1') },
    results: [
      {
        node: { id: 'patientMatcher', label: 'patientMatcher server' },
        patients: [{ patient: stored('P2'), score: { patient: 0.5, _genotype: 0.4, _phenotype: 0.1 } }],
      },
    ],
    ...more,
  };
}

for (const engine of dealt(storages, 'sqlite')) {
  describe(`import-patientmatcher on ${engine.name}`, function () {
    this.timeout(120_000);
    const folder = useFolder();
    const site = useEach(() => openSite(engine, 'matchmaker', { exchange: { key } }));

    const file = (name: string, documents: readonly unknown[]) => folder.write(`${name}.json`, lines(documents));
    const run = (options: Record<string, unknown>) => site.run('import-patientmatcher', options);

    const refused = (options: Record<string, unknown>) => site.refused('import-patientmatcher', options);

    const ask = async (path: string, init: RequestInit = {}) => {
      const headers = { 'x-auth-token': token, 'content-type': 'application/json' };
      const response = await fetch(site.url + path, { ...init, headers });
      return { status: response.status, body: (await response.json()) as Json };
    };

    it('imports patients, and counts invalid ones by reason', async () => {
      const patients = await file('patients', [
        stored('P1'),
        // Canonical Extended JSON, nulls, an unknown term, a variant without a start: imported.
        stored('P2', {
          label: null,
          features: [{ id: 'HP:9999999' }, { id: 'HP:0001250' }],
          genomicFeatures: [
            {
              gene: { id: 'ENSG00000144285', _geneName: 'SCN1A' },
              variant: { assembly: 'GRCh37', referenceName: '2' },
              zygosity: { $numberInt: '1' },
            },
          ],
        }),
        stored('P3', { sex: 'XYZ' }),
        stored('P4', { sex: 'male', features: [{ id: 'HP:1' }, { id: 'HP:2' }] }),
        stored('P1', { label: 'again' }),
        stored('', {}),
        stored('P5', { id: 'P6' }),
        { _id: { $oid: '0'.repeat(24) } },
      ]);
      const rehearsal = await run({ patients, owner: 'scout', dryRun: true });
      const repository = site.storage.repository(matchmaker);
      expect(await repository.patients({ limit: 10 })).to.deep.equal([]);
      const { data, lines: told } = await run({ patients, owner: 'scout' });
      expect({ ...rehearsal.data, dryRun: false }).to.deep.equal(data);
      expect(data.patients).to.deep.include({ read: 8, added: 2, replaced: 0, unchanged: 0, left: 6 });
      expect(reasons(data.patients.notCarried)).to.deep.equal({
        'sex must be one of FEMALE, MALE, OTHER, MIXED_SAMPLE, NOT_APPLICABLE': 2,
        'features.*.id must be HP: followed by seven digits, such as HP:0000252': 1,
        'has the id of another patient in the file': 1,
        'id must not be empty': 1,
        'has an id that differs from its _id': 1,
        'contact is missing': 1,
      });
      expect(data.patients.notCarried[0].examples).to.deep.equal(['P3', 'P4']);
      expect(reasons(data.patients.remarks)).to.deep.equal({
        'features.*.id a term is not in the HPO release in use: it is ignored in matching': 1,
        'genomicFeatures.*.variant has no start: only its gene is compared': 1,
      });
      // Only the id of a patient appears.
      expect(told.join('\n')).to.not.match(/XYZ|doctor|HP:9999999|SCN1A|ENSG/);
      const kept = await repository.patients({ limit: 10 });
      expect(kept.map(({ owner, patient }) => [owner, patient.id])).to.deep.equal([
        ['scout', 'P1'],
        ['scout', 'P2'],
      ]);
      const { _id: _, ...first } = stored('P1');
      expect(kept[0]?.patient).to.deep.equal(first);
      expect(kept[1]?.patient.genomicFeatures?.[0]?.zygosity).to.equal(1);
    });

    it('changes nothing on a second run; patients that differ here stay unless --update is given', async () => {
      const patients = await file('patients', [stored('P1'), stored('P2')]);
      await run({ patients, owner: 'scout' });
      const repository = site.storage.repository(matchmaker);
      const before = await repository.patients({ limit: 10 });
      expect((await run({ patients, owner: 'scout' })).data.patients).to.deep.include({
        added: 0,
        unchanged: 2,
        left: 0,
      });
      expect(await repository.patients({ limit: 10 })).to.deep.equal(before);

      const newer = await file('newer', [stored('P1', { label: 'new' }), stored('P2')]);
      const kept = await run({ patients: newer, owner: 'scout' });
      expect(reasons(kept.data.patients.notCarried)).to.deep.equal({
        'is already stored with other data; --update replaces them': 1,
      });
      expect((await repository.patient('P1'))?.patient.label).to.equal('label P1');
      const foreign = await run({ patients: newer, owner: 'other', update: true });
      expect(reasons(foreign.data.patients.notCarried)).to.deep.equal({
        'is already stored for another client': 1,
      });
      const replaced = await run({ patients: newer, owner: 'scout', update: true });
      expect(replaced.data.patients).to.deep.include({ replaced: 1, unchanged: 1, left: 0 });
      expect((await repository.patient('P1'))?.patient.label).to.equal('new');
    });

    it('stores tokens of clients as hashes, and clients can still use them', async () => {
      const clients = await file('clients', [
        {
          _id: 'scout',
          created: { $date: 1600000000000 },
          auth_token: token,
          base_url: 'https://scout.example.org',
          contact: null,
        },
        { _id: 'DExterMOrgan', auth_token: 'DEMO', base_url: 'Demo client URL', contact: 'demo@example.org' },
        { _id: 'twin', auth_token: token, base_url: 'https://twin.example.org' },
        { _id: 'two words', auth_token: `${token}2`, base_url: 'x' },
        stored('P1'),
      ]);
      const rehearsal = await run({ clients, dryRun: true });
      expect((await ask('/nodes')).status).to.equal(401);
      const { data } = await run({ clients });
      expect({ ...rehearsal.data, dryRun: false }).to.deep.equal(data);
      expect(data.clients).to.deep.include({
        read: 5,
        added: 3,
        unchanged: 0,
        left: 2,
        tokens: { issued: 2, unchanged: 0 },
      });
      expect(reasons(data.clients.notCarried)).to.deep.equal({
        'the client is imported, but has the token of another client: issue a new one': 1,
        'has an id that is not of 1 to 200 characters without blanks': 1,
        'is not a client: it has neither auth_token nor base_url': 1,
      });
      expect(reasons(data.clients.remarks)).to.deep.equal({
        'has a token of less than 16 characters, which can be found by trying: issue a new one': 1,
      });
      expect(await site.storage.repository(matchmaker).clients()).to.deep.include({
        id: 'scout',
        url: 'https://scout.example.org',
        created: new Date(1600000000000),
      });
      // In either order: both may be issued in one millisecond.
      const issued = await site.storage.repository(tokens).list();
      expect(issued.map(({ owner, scopes, hash }) => [owner, scopes, hash])).to.have.deep.members([
        ['scout', ['matchmaker:query', 'matchmaker:submit'], createHash('sha256').update(token).digest('hex')],
        ['DExterMOrgan', ['matchmaker:query', 'matchmaker:submit'], createHash('sha256').update('DEMO').digest('hex')],
      ]);
      expect(await ask('/nodes')).to.deep.equal({ status: 200, body: [] });
      const again = await run({ clients });
      expect(again.data.clients).to.deep.include({ added: 0, unchanged: 3, tokens: { issued: 0, unchanged: 2 } });
      expect(await site.storage.repository(tokens).list()).to.have.length(2);
    });

    it('stores tokens of nodes encrypted, and queries no node until it is enabled', async () => {
      const nodes = await file('nodes', [
        {
          _id: 'partner', label: 'The partner', created: { $date: '2022-01-02T03:04:05Z' }, auth_token: 'short',
          matching_url: 'https://mme.example.org/match', accepted_content: 'application/vnd.ga4gh.matchmaker.v1.0+json', contact: null,
        }, // biome-ignore format: as in the database
        { _id: 'plain', label: 'Plain', auth_token: 'x', matching_url: 'http://mme.example.org/match' },
        { _id: 'bare', label: 'Bare' },
      ]);
      const { data } = await run({ nodes });
      expect(data.nodes).to.deep.include({ read: 3, added: 1, unchanged: 0, left: 2 });
      expect(data.nodes.notCarried.map(({ examples }: Json) => examples)).to.deep.equal([['plain'], ['bare']]);
      const [node, ...others] = await site.storage.repository(matchmakerNodes).nodes();
      expect(others).to.deep.equal([]);
      expect(node).to.deep.include({ id: 'partner', url: 'https://mme.example.org/match', enabled: false });
      expect(JSON.stringify(node)).to.not.contain('short');
      if (!node) throw new Error('there is one');
      expect(await unseal(node.token, 'partner', key)).to.equal('short');
      expect((await run({ nodes })).data.nodes).to.deep.include({ added: 0, unchanged: 1, left: 2 });
    });

    it('imports records of matches with results, for the owners of the patients', async () => {
      const others = {
        clients: await file('clients', [{ _id: 'scout', auth_token: token, base_url: 'x' }]),
        patients: await file('patients', [stored('P1'), stored('P2'), stored('P3')]),
        owner: 'scout',
      };
      const foreign = { ...stored('R1'), _id: undefined };
      const external = {
        match_type: 'external',
        results: [
          {
            node: { id: 'n1', label: 'Node 1' },
            patients: [{ patient: foreign, score: { patient: 0.9 } }, { patient: { id: 'X' } }],
          },
          { node: { id: 'n2', label: 'Node 2' }, patients: [] },
        ],
        errors: [{ node: 'PatientMatcher', error: 'HTTPSConnectionPool(host=secret)' }],
      };
      const matches = await file('matches', [
        match(1),
        match(2, external),
        match(3, { results: [], has_matches: false }),
        match(4, { match_type: 'other' }),
        match(5, { data: { patient: stored('P1', { contact: {} }) } }),
        match(9999),
        // Another client queried a patient with the same id.
        match(6, { data: { patient: stored('P3', { contact: { name: 'X', href: 'mailto:x@example.org' } }) } }),
      ]);
      const rehearsal = await run({ ...others, matches, dryRun: true });
      const { data } = await run({ ...others, matches });
      expect({ ...rehearsal.data, dryRun: false }).to.deep.equal(data);
      expect(data.matches).to.deep.include({ read: 7, added: 3, unchanged: 0, left: 4 });
      expect(reasons(data.matches.notCarried)).to.deep.equal({
        'found no patient': 1,
        'is not a record of matches: its match_type is neither internal nor external': 1,
        'has an invalid query patient': 1,
        'is older than the 730 days for which records are kept': 1,
      });
      expect(reasons(data.matches.remarks)).to.deep.equal({
        'omits found patients that are invalid or have no score': 1,
        'has an error without the name of its node': 1,
      });
      const shown = await ask('/matches/P1');
      expect(shown.status).to.equal(200);
      // Newest first.
      expect(
        shown.body.matches.map(({ match_type: type, direction, results, errors }: Json) => [
          type,
          direction,
          results.map(({ node, patients }: Json) => [
            node.id,
            patients.map(({ patient, score }: Json) => [patient.id, score.patient]),
          ]),
          errors,
        ]),
      ).to.deep.equal([
        ['internal', 'incoming', [['trefoil', [['P2', 0.5]]]], undefined],
        [
          'external',
          'outgoing',
          [['n1', [['R1', 0.9]]]],
          [{ node: { id: 'unknown', label: 'unknown' }, error: 'The search failed' }],
        ],
      ]);
      expect(JSON.stringify(shown.body)).to.not.match(/secret|_id":"P/);
      // Found twice, also before the import; no owner here has the third patient.
      expect((await ask('/matches/P2')).body.matches).to.have.length(2);
      expect((await ask('/matches/P3')).body).to.have.property('message');

      const again = await run({ matches });
      expect(again.data.matches).to.deep.include({ added: 0, unchanged: 3, left: 4 });
      expect((await ask('/matches/P1')).body).to.deep.equal(shown.body);
      expect(await site.storage.repository(matchmakerMatches).asked()).to.equal(false);
    });

    it('refuses unreadable files, before any change', async () => {
      const patients = await file('patients', [stored('P1')]);
      expect(await refused({})).to.match(/At least one collection is required/);
      expect(await refused({ patients })).to.match(/--owner/);
      expect(await refused({ patients, owner: 'a b' })).to.match(/no blanks/);
      const list = await folder.write('list.json', JSON.stringify([stored('P1')]));
      expect(await refused({ patients, owner: 'scout', matches: list })).to.match(
        /^list\.json, line 1: this is not a JSON object/,
      );
      const cut = await folder.write('cut.json', `${lines([stored('P1')])}{"_id":`);
      expect(await refused({ patients: cut, owner: 'scout' })).to.match(
        /^cut\.json, line 2: this is not a JSON object/,
      );
      expect(await refused({ clients: `${folder.path()}/absent.json`, patients, owner: 'scout' })).to.match(
        /no such file/,
      );
      expect(await refused({ clients: await folder.write('empty.json', '') })).to.match(
        /empty\.json holds no documents/,
      );
      expect(await site.storage.repository(matchmaker).patients({ limit: 10 })).to.deep.equal([]);
    });
  });

  describeWithShared(`import-patientmatcher of the benchmark patients on ${engine.name}`, () => {
    const folder = useFolder();

    it('returns the same as after importing the patients themselves', async function () {
      this.timeout(120_000);
      const text = await readFile(shared('matchmaker/benchmark_patients.json'), 'utf8');
      const patients = JSON.parse(text) as Json[];
      const genes = new Map(
        (await readFile(new URL('../../../plugins/matchmaker/assets/genes-excerpt.tsv', import.meta.url), 'utf8'))
          .split('\n')
          .map((line) => line.split('\t'))
          .flatMap((cells) => cells.filter((cell) => /^ENSG\d+$/.test(cell)).map((id) => [cells, id] as const))
          .flatMap(([cells, id]) => cells.map((cell) => [cell, id] as const)),
      );
      // patientMatcher converts the symbols that Ensembl knows, and drops the flag `test`.
      const documents = patients.map(({ test: _, ...patient }) => ({
        _id: patient.id,
        ...patient,
        genomicFeatures: patient.genomicFeatures?.map((feature: Json) => {
          const id = genes.get(feature.gene.id);
          return id === undefined ? feature : { ...feature, gene: { id, _geneName: feature.gene.id } };
        }),
      }));
      const own = `${folder.path()}/own.json`;
      await writeFile(own, text);
      const answered: Json[] = [];
      for (const load of ['import', 'import-patientmatcher']) {
        const site = await openSite(engine, 'matchmaker');
        try {
          await site.run('add client', { id: 'scout', token, url: 'x' });
          if (load === 'import') await site.run('import', { file: own, owner: 'scout' });
          else {
            const carried = await site.run(load, {
              patients: await folder.write('p.json', lines(documents)),
              owner: 'scout',
            });
            expect(carried.data.patients).to.deep.include({ read: 50, added: 50, left: 0 });
            // The two that patientMatcher itself refuses on submission.
            expect(carried.data.patients.remarks.at(-1)).to.deep.include({ examples: ['P0001017', 'P0001018'] });
          }
          answered.push(await answers(site.url, patients));
        } finally {
          await site.close();
        }
      }
      const [expected, found] = answered;
      for (const [what, answer] of Object.entries(expected)) expect(found[what], what).to.deep.equal(answer);
    });
  });
}

async function answers(url: string, patients: readonly Json[]): Promise<Json> {
  const headers = { 'x-auth-token': token, 'content-type': 'application/json' };
  const found: Json = {};
  for (const patient of patients) {
    const response = await fetch(`${url}/match`, { method: 'POST', headers, body: JSON.stringify({ patient }) });
    const { results } = (await response.json()) as Json;
    expect(response.status).to.equal(200);
    // How a score reads is told once the random pairs were drawn, in the background.
    found[patient.id] = results.map(({ score: { _reading, ...score }, patient: { test: _, ...match } }: Json) => ({
      score,
      match,
    }));
  }
  const { metrics } = (await (await fetch(`${url}/metrics`)).json()) as Json;
  return { ...found, metrics };
}
