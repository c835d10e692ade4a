import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { issueToken } from '../../../core/auth/access.js';
import { openSource } from '../../../core/files.js';
import type { Dataset, DatasetDescription, SampleChange } from '../../../plugins/beacon/contract.js';
import { permitAll } from '../../../plugins/beacon/loading/permit.js';
import { findVariant } from '../../../plugins/beacon/loqusdb/documents.js';
import { loadCase } from '../../../plugins/beacon/loqusdb/load.js';
import plugin from '../../../plugins/beacon/plugin.js';
import { beaconSettings } from '../../../plugins/beacon/settings.js';
import { memorySubject } from '../../kit/memory.js';
import { dealt } from '../../support/dealt.js';
import { outcome } from '../../support/http.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { carried, Families } from './support/families.js';
import {
  answerOnSmall,
  homozygousInTrio,
  smallVcf,
  structuralVcf,
  trioStructural,
  trioVariants,
} from './support/loqusdb.js';
import { type Beacon, type BeaconOptions, dataset, serveBeacon } from './support/serve.js';
import { vcf } from './support/vcf.js';

const local = { dataset: 'local', addresses: ['127.0.0.0/8'] };

const observations: Partial<DatasetDescription> = { counting: { quality: 20, passOnly: false, window: 2000 } };

const trio = new Map<string, SampleChange>([
  ['father', { sex: 'male', affected: false }],
  ['mother', { sex: 'female', affected: false }],
  ['proband', { sex: 'male', affected: true }],
]);

describe('loqusdb: its settings', () => {
  it('are refused without addresses and secret, since its clients send no token', async () => {
    expect(await failure(serveBeacon(memorySubject, { settings: { loqusdb: { dataset: 'local' } } }))).to.include(
      'loqusdb: needs addresses or a secret',
    );
  });

  for (const [what, more, sentence] of [
    ['an address that is none', { addresses: ['10.0.0.0/33'] }, 'is an address or a range such as 10.0.0.0/8'],
    ['a secret that is easily guessed', { secret: 'short' }, 'is made of 16 to 128 letters'],
    ['a prefix that is no path', { ...local, prefix: 'loqusdb/' }, 'is a path without a slash at its end'],
  ] as const) {
    it(`are refused with ${what}`, async () => {
      const settings = { loqusdb: { dataset: 'local', ...more } };
      expect(await failure(serveBeacon(memorySubject, { settings }))).to.include(sentence);
    });
  }
});

describe('loqusdb: its advice', () => {
  const advice = async (loqusdb: Record<string, unknown>) => {
    const settings = beaconSettings.parse({ organisation: { name: 'Lab' }, loqusdb });
    return (await plugin.advice?.(settings, { demo: false, people: false, tenants: [] })) ?? [];
  };

  it('warns of routes that are open to every address', async () => {
    expect(await advice(local)).to.deep.equal([]);
    expect(await advice({ ...local, addresses: ['10.0.0.0/8', '::/0'] })).to.deep.equal([
      'loqusdb.addresses: has all addresses, so that every client can read which cases carry a variant',
    ]);
    expect(await advice({ ...local, addresses: ['0.0.0.0/0'], secret: 'q7Zk2mXw9TnB4vLs' })).to.deep.equal([]);
  });
});

describe('loqusdb: a file with more samples than loads.samples', () => {
  it('is neither loaded nor compared', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trefoil-loqusdb-'));
    const settings = { roots: [folder], loads: { samples: 2 }, loqusdb: local };
    writeFileSync(join(folder, 'trio.vcf'), smallVcf());
    writeFileSync(join(folder, 'one.vcf'), smallVcf(['one'], ['1_879537_T_C']));
    try {
      await withBeacon({ settings }, async ({ url, tokens, repository }) => {
        const { token } = await issueToken(tokens, { owner: 'uploader', scopes: ['beacon:write:local'] }, new Date());
        for (const query of ['snv_file=trio.vcf', 'sv_file=trio.vcf', 'snv_file=one.vcf&profile_file=trio.vcf']) {
          const { status, body } = await send(`${url}/loqusdb/cases/a?${query}`, 'POST', { 'x-auth-token': token });
          expect([status, (body as { detail: string }).detail], query).to.deep.equal([
            400,
            'trio.vcf: the file has 3 samples, and the limit is 2 (plugins.beacon.loads.samples): split it by samples ' +
              '(bcftools view -S), or raise the limit',
          ]);
        }
        expect(await repository.samples('local')).to.deep.equal([]);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('loqusdb: who may use its routes', () => {
  const secret = 'q7Zk2mXw9TnB4vLs';

  it('nobody, unless it is configured', () =>
    withBeacon({}, async ({ url }) => {
      expect((await fetch(`${url}/loqusdb/`)).status).to.equal(404);
    }));

  it('only clients at the configured addresses', () =>
    withBeacon({ settings: { loqusdb: { ...local, addresses: ['10.0.0.0/8', '2001:db8::/32'] } } }, async ({ url }) => {
      for (const path of ['/', '/variants/1_880086_T_C', '/svs/', '/cases', '/nothing']) {
        const { status, body } = await get(`${url}/loqusdb${path}`);
        expect(status).to.equal(403);
        expect(body.detail).to.include('not one of the configured clients');
      }
    }));

  it('also those that a trusted proxy names', () =>
    withBeacon(
      { settings: { loqusdb: { ...local, addresses: '10.0.0.0/8, 2001:db8::/32' } }, http: { trustProxy: 1 } },
      async ({ url }) => {
        const from = async (address: string) =>
          (await fetch(`${url}/loqusdb/`, { headers: { 'x-forwarded-for': address } })).status;
        expect(await from('10.1.2.3')).to.equal(200);
        expect(await from('::ffff:10.1.2.3')).to.equal(200);
        expect(await from('2001:db8::7')).to.equal(200);
        expect(await from('11.1.2.3')).to.equal(403);
        expect(await from('not-an-address')).to.equal(403);
      },
    ));

  it('only clients that know the secret, which the server neither logs nor describes', () =>
    withBeacon({ settings: { loqusdb: { dataset: 'local', secret } } }, async ({ url, log }) => {
      expect((await get(`${url}/loqusdb/${secret}/`)).body.loqusdb_version).to.equal('2.7.25');
      expect((await get(`${url}/loqusdb/${secret}/cases`)).status).to.equal(200);
      const unknown = await get(`${url}/loqusdb/${secret}/nothing`);
      for (const path of ['', '/', '/cases', `/${secret}x/cases`, `/${secret.slice(1)}/cases`, '/%zz/cases']) {
        const { status, body } = await get(`${url}/loqusdb${path}`);
        expect(status, path).to.equal(404);
        expect(body, path).to.deep.equal(unknown.body);
      }
      expect(log()).to.include('/loqusdb/:secret/cases').and.not.include(secret);
      expect(await (await fetch(`${url}/openapi.json`)).text())
        .to.include('/loqusdb/{secret}/cases')
        .and.not.include(secret);
    }));
});

for (const engine of dealt(engines, 'sqlite')) {
  describe(`loqusdb: its answers, on ${engine.name}`, () => {
    const beacon = useOnce(async () => {
      const settings = {
        roots: [folder],
        loqusdb: { ...local, databases: { loqusdb_wes: 'exomes', gone: 'removed' } },
      };
      return serveBeacon(engine, { settings });
    });
    let base: string;
    const folder = mkdtempSync(join(tmpdir(), 'trefoil-test-'));

    before(async () => {
      base = `${beacon.url}/loqusdb`;
      await beacon.repository.addDataset(dataset('local', observations), new Date());
      await beacon.repository.addDataset(dataset('exomes', observations), new Date());
      writeFileSync(join(folder, 'trio.vcf'), smallVcf());
      writeFileSync(join(folder, 'trio.SV.vcf'), structuralVcf());
      await load('recessive_trio', 'trio.vcf', 'trio.SV.vcf', trio);
    });
    after(async () => {
      rmSync(folder, { recursive: true });
    });

    async function load(
      id: string,
      small: string | undefined,
      structural: string | undefined,
      individuals?: ReadonlyMap<string, SampleChange>,
    ) {
      const into = await beacon.repository.dataset('local');
      if (!into) throw new Error('no dataset');
      const opened = (file: string | undefined) => file && openSource(join(folder, file));
      const sources = {
        small: (await opened(small)) || undefined,
        structural: (await opened(structural)) || undefined,
      };
      return loadCase({
        permit: permitAll,
        repository: beacon.repository,
        dataset: into,
        id,
        individuals,
        now: new Date(),
        ...sources,
      });
    }

    it('name the version that Scout asks for', async () => {
      const { status, body } = await get(`${base}/`);
      expect(status).to.equal(200);
      expect(body).to.deep.equal({ message: 'Welcome to the loqusdbapi', loqusdb_version: '2.7.25' });
    });

    it('count a small variant', async () => {
      const { status, body } = await get(`${base}/variants/1_880086_T_C`);
      expect(status).to.equal(200);
      // The answer of loqusdbapi to the same question about the same case.
      expect(body).to.deep.equal({ _id: '1_880086_T_C', ...answerOnSmall });
      expect((await get(`${base}/variants/chr1_880086_T_C`)).body).to.deep.equal(body);
    });

    it('find all 15 small variants, 6 of them homozygous, but for the one that lies beyond its chromosome', async () => {
      expect([trioVariants.length, homozygousInTrio.length]).to.deep.equal([15, 6]);
      const impossible = 'MT_302253_CCCTCCTGCCCCT_C';
      expect(trioVariants.at(-1)).to.equal(impossible);
      expect((await get(`${base}/variants/${impossible}`)).status).to.equal(404);
      const possible = trioVariants.slice(0, -1);
      const answers = await Promise.all(possible.map((id) => get(`${base}/variants/${id}`)));
      expect(answers.map(({ body }) => [body._id, body.observations, body.hemizygote])).to.deep.equal(
        possible.map((id) => [id, 1, 0]),
      );
      const homozygous = answers.filter(({ body }) => body.homozygote === 1).map(({ body }) => body._id);
      expect([...homozygous, impossible]).to.deep.equal(homozygousInTrio);
    });

    it('end a variant where loqusdb ends it', async () => {
      // A deletion at the last base of the reference; a single base one further on.
      const { body } = await get(`${base}/variants/X_302253_CCCTCCTGCCCCT_C`);
      expect([body.start, body.end]).to.deep.equal([302253, 302265]);
    });

    it('use the windows of loqusdb: exact up to a length of 100, then half of it in hundreds', async () => {
      // Stored with a length of 127: half of it is 63.5, which rounds to one hundred.
      const found = async (pos: number, end: number) =>
        (await get(`${base}/svs/?chrom=21&end_chrom=21&pos=${pos}&end=${end}&sv_type=DEL`)).body.observations ?? 0;
      expect(await found(46910447, 46910574)).to.equal(1);
      expect(await found(46910447 + 100, 46910574 + 100)).to.equal(1);
      expect(await found(46910447 + 101, 46910574 + 101)).to.equal(0);
      // A request for a length of 100, which loqusdb rounds half to even: to 0.
      expect(await found(46910474, 46910574)).to.equal(0);
      expect(await found(46910473, 46910574)).to.equal(1);
    });

    it('count a structural variant', async () => {
      const { status, body } = await get(`${base}/svs/?chrom=1&end_chrom=1&pos=7889972&end=7890026&sv_type=DEL`);
      expect(status).to.equal(200);
      expect(body).to.deep.include({
        chrom: '1',
        end_chrom: '1',
        sv_type: 'DEL',
        length: 54,
        pos_left: 7889972,
        pos_right: 7889972,
        pos_sum: 7889972,
        end_left: 7890026,
        end_right: 7890026,
        end_sum: 7890026,
        observations: 1,
        families: ['recessive_trio'],
        total: 1,
      });
      // Without end_chrom it is the same chromosome.
      expect((await get(`${base}/svs?chrom=chr1&pos=7889972&end=7890026&sv_type=DEL`)).body).to.deep.equal(body);
    });

    it('find all 19 structural variants', async () => {
      expect(trioStructural).to.have.length(19);
      for (const { chrom, pos, end, type } of trioStructural) {
        const { body } = await get(
          `${base}/svs/?chrom=${chrom}&end_chrom=${chrom}&pos=${pos}&end=${end}&sv_type=${type}`,
        );
        expect(body.observations, `${chrom}:${pos}`).to.equal(1);
      }
    });

    it('are 404 for what was not observed, in the words of loqusdb', async () => {
      for (const id of ['1_880086_T_G', '1_880086_T_<DEL>', 'rs123', 'Q_1_A_T', '1_880086_T', '1_0_A_T']) {
        const { status, body } = await get(`${base}/variants/${encodeURIComponent(id)}`);
        expect([status, body], id).to.deep.equal([404, { detail: `Variant ${id} not found` }]);
      }
      for (const query of ['pos=7889972&end=7890026&sv_type=DUP', 'pos=7889973&end=7890026&sv_type=DEL']) {
        const { status, body } = await get(`${base}/svs/?chrom=1&end_chrom=1&${query}`);
        expect([status, body], query).to.deep.equal([404, { detail: 'Variant not found' }]);
      }
    });

    it('say which parameter is missing or wrong', async () => {
      const { status, body } = await get(`${base}/svs/?chrom=1&pos=x&sv_type=DEL`);
      expect(status).to.equal(400);
      expect((body.detail as { loc: string[] }[]).map(({ loc }) => loc.join('.'))).to.have.members([
        'query.pos',
        'query.end',
      ]);
      expect((await get(`${base}/svs/?chrom=1&pos=10&end=9&sv_type=DEL`)).status).to.equal(400);
    });

    it('choose a dataset by db_name, and never a server', async () => {
      const { body } = await get(`${base}/cases?db_name=loqusdb_wes`);
      expect(body).to.deep.equal({ nr_cases_snvs: 0, nr_cases_svs: 0 });
      expect((await get(`${base}/variants/1_880086_T_C?db_name=loqusdb_wes`)).status).to.equal(404);
      expect((await get(`${base}/variants/1_880086_T_C?db_name=local`)).status).to.equal(200);
      for (const name of ['exomes', 'test_public', 'constructor']) {
        expect((await get(`${base}/cases?db_name=${name}`)).status, name).to.equal(404);
      }
      expect((await get(`${base}/cases?db_name=gone`)).status).to.equal(503);
      const elsewhere = await get(`${base}/cases?uri=mongodb://203.0.113.7`);
      expect(elsewhere.status).to.equal(422);
      expect(elsewhere.body.detail).to.include('uri is not supported');
    });

    it('describe a case with its individuals', async () => {
      expect((await get(`${base}/cases`)).body).to.deep.equal({ nr_cases_snvs: 1, nr_cases_svs: 1 });
      const { body } = await get(`${base}/cases/recessive_trio`);
      const individuals = body.individuals as { ind_id: string; sex: number }[];
      expect(individuals.map(({ ind_id, sex }) => [ind_id, sex])).to.deep.equal([
        ['father', 1],
        ['mother', 2],
        ['proband', 1],
      ]);
      expect(body.case_id).to.equal('recessive_trio');
      expect(body._sv_inds).to.have.keys('father', 'mother', 'proband');
      expect(await get(`${base}/cases/other`)).to.deep.equal({ status: 404, body: { detail: 'Case other not found' } });
    });

    it('list the newest families last for small variants and first for structural ones', async () => {
      writeFileSync(join(folder, 'second.vcf'), smallVcf(['second'], ['1_879537_T_C', '1_880217_T_G']));
      await load('second', 'second.vcf', undefined, new Map([['second', { sex: 'male' }]]));
      // Father of the first: 0/1; the other column stands for the same.
      const { body } = await get(`${base}/variants/1_879537_T_C`);
      expect(body).to.deep.include({
        observations: 2,
        total: 2,
        homozygote: 1,
        families: ['recessive_trio', 'second'],
      });
      writeFileSync(join(folder, 'third.SV.vcf'), structuralVcf().replace('father\tproband\tmother', 'a\tb\tc'));
      await load('third', undefined, 'third.SV.vcf');
      const sv = await get(`${base}/svs/?chrom=20&end_chrom=20&pos=54963149&end=54963210&sv_type=DUP`);
      expect(sv.body).to.deep.include({ observations: 2, total: 2, families: ['third', 'recessive_trio'] });
      const stored = await beacon.repository.dataset('local');
      const at = { repository: beacon.repository, dataset: stored as Dataset, families: 1 };
      expect((await findVariant(at, '1_879537_T_C'))?.families).to.deep.equal(['second']);
      // Three cases by now, of which two have either kind of file.
      expect((await get(`${base}/cases`)).body).to.deep.equal({ nr_cases_snvs: 2, nr_cases_svs: 2 });
    });

    it('name homozygous and hemizygous cases only if they are configured to', async () => {
      const asked = 'X_3000000_A_C';
      const [shared, inX] = ['1_900001_A_C', asked];
      const people = [
        ['girl', 'female', '1/1', '1/1'],
        ['boy', 'male', '0/1', '1/1'],
        ['man', 'male', '1/1', '1'],
        ['unknown', 'unknown', '0/1', '1/1'],
      ] as const;
      await beacon.repository.addDataset(dataset('zygosity', observations), new Date());
      const into = (await beacon.repository.dataset('zygosity')) as Dataset;
      for (const [i, [name, sex, ...genotypes]] of people.entries()) {
        const records = [shared, inX].map((id, n) => {
          const [chrom, pos, ref, alt] = id.split('_');
          return `${chrom} ${pos} . ${ref} ${alt} 100 PASS . GT:GQ ${genotypes[n]}:60`;
        });
        writeFileSync(join(folder, `${name}.vcf`), vcf({ samples: [name], records }));
        const small = await openSource(join(folder, `${name}.vcf`));
        await loadCase({
          ...{ permit: permitAll, repository: beacon.repository, dataset: into, id: `${name}'s`, small },
          ...{ individuals: new Map([[name, { sex }]]), structural: undefined, now: new Date(2026, 0, i + 1) },
        });
      }
      const at = { repository: beacon.repository, dataset: into, families: 1 };
      expect(await findVariant(at, shared)).to.not.have.any.keys('homozygous_families', 'hemizygous_families');
      const named = { ...at, homozygousCases: true };
      // The newest case is a heterozygous one, and the limit holds for each list.
      expect(await findVariant(named, shared)).to.deep.include({
        ...{ observations: 4, homozygote: 2, hemizygote: 0, families: ["unknown's"] },
        ...{ homozygous_families: ["man's"], hemizygous_families: [] },
      });
      expect(await findVariant({ ...named, families: 9 }, inX)).to.deep.include({
        // As loqusdb counts: the boy's two called copies as well.
        ...{ observations: 4, homozygote: 3, hemizygote: 2 },
        homozygous_families: ["unknown's", "girl's"],
        hemizygous_families: ["man's", "boy's"],
      });
    });

    describe('to requests that change data', () => {
      const change = (method: string, path: string, token?: string) =>
        send(`${base}${path}`, method, token === undefined ? {} : { 'x-auth-token': token });
      const tokenFor = async (...scopes: string[]) =>
        (await issueToken(beacon.tokens, { owner: 'uploader', scopes }, new Date())).token;
      let token: string;
      before(async () => {
        token = await tokenFor('beacon:write:local');
        writeFileSync(join(folder, 'fourth.vcf'), smallVcf(['fourth'], ['1_879537_T_C']));
        writeFileSync(join(folder, 'broken.vcf'), 'no VCF\n');
      });

      it('are 401 without a token and 403 without the right', async () => {
        for (const [method, path] of [
          ['POST', '/cases/fourth?snv_file=fourth.vcf'],
          ['DELETE', '/cases/recessive_trio'],
        ] as const) {
          expect((await change(method, path)).status).to.equal(401);
          expect((await change(method, path, await tokenFor('beacon:read'))).status).to.equal(403);
          expect((await change(method, path, await tokenFor('beacon:write:exomes'))).status).to.equal(403);
        }
        expect((await get(`${base}/cases/recessive_trio`)).status).to.equal(200);
      });

      it('are 406 for files that do not exist below the roots', async () => {
        for (const query of [
          'snv_file=gone.vcf',
          'snv_file=/etc/passwd',
          'snv_file=fourth.vcf&profile_file=gone.vcf',
        ]) {
          const { status, body } = await change('POST', `/cases/fourth?${query}`, token);
          expect([status, body]).to.deep.equal([406, { detail: 'Input file path does not exist' }]);
        }
      });

      it('are 400 for a file that cannot be loaded, and 409 for a case that exists', async () => {
        const broken = await change('POST', '/cases/fourth?snv_file=broken.vcf', token);
        expect(broken.status).to.equal(400);
        expect((broken.body as { detail: string }).detail).to.include('broken.vcf');
        expect((await change('POST', '/cases/fourth', token)).status).to.equal(400);
        expect((await change('POST', '/cases/%20a?snv_file=fourth.vcf', token)).status).to.equal(400);
        const again = await change('POST', '/cases/recessive_trio?snv_file=fourth.vcf', token);
        expect([again.status, again.body]).to.deep.equal([409, 'Case recessive_trio already exists']);
      });

      it('are 400 for a sample of another case', async () => {
        const { status, body } = await change('POST', '/cases/copy?snv_file=trio.vcf', token);
        expect(status).to.equal(400);
        expect((body as { detail: string }).detail).to.include('3 samples of the file belong to another case');
        expect((await get(`${base}/cases/copy`)).status).to.equal(404);
      });

      it('are 400 for individuals who are there already, by their profile, and warn of them without one', async () => {
        const families = new Families(600, 5);
        const person = families.person();
        writeFileSync(join(folder, 'known.vcf'), carried('known', person));
        writeFileSync(join(folder, 'again.vcf'), carried('again', person));
        expect((await change('POST', '/cases/fifth?snv_file=known.vcf', token)).status).to.equal(200);
        const refused = await change('POST', '/cases/sixth?snv_file=again.vcf&profile_file=again.vcf', token);
        expect([refused.status, refused.body]).to.deep.equal([
          400,
          { detail: 'Profile error: individual again has a 1.000 similarity with individual known in case fifth' },
        ]);
        expect((await get(`${base}/cases/sixth`)).status).to.equal(404);
        const loaded = await change('POST', '/cases/sixth?snv_file=again.vcf', token);
        expect([loaded.status, loaded.warning]).to.deep.equal([
          200,
          '299 - "Comparisons with other samples that do not fit: 1 (same person)"',
        ]);
        for (const id of ['fifth', 'sixth']) await change('DELETE', `/cases/${id}`, token);
      });

      it('load a case and delete it, exactly', async () => {
        const before = await Promise.all(trioVariants.map((id) => get(`${base}/variants/${id}`)));
        const loaded = await change('POST', '/cases/fourth?snv_file=fourth.vcf&profile_file=fourth.vcf', token);
        expect(loaded.status).to.equal(200);
        expect(loaded.warning, 'of one site nothing is said').to.equal(null);
        expect(loaded.body).to.deep.include({ case_id: 'fourth', vcf_path: 'fourth.vcf', nr_variants: 1 });
        const { body } = await get(`${base}/variants/1_879537_T_C`);
        expect((body.families as string[]).at(-1)).to.equal('fourth');
        const deleted = await change('DELETE', '/cases/fourth', token);
        expect([deleted.status, deleted.body]).to.deep.equal([200, 'Case fourth had been deleted']);
        expect(await Promise.all(trioVariants.map((id) => get(`${base}/variants/${id}`)))).to.deep.equal(before);
        const again = await change('DELETE', '/cases/fourth', token);
        expect([again.status, again.body]).to.deep.equal([404, 'Case fourth does not exist']);
      });
    });
  });
}

async function withBeacon(options: BeaconOptions, work: (beacon: Beacon) => Promise<void>): Promise<void> {
  const beacon = await serveBeacon(memorySubject, options);
  try {
    await beacon.repository.addDataset(dataset('local', observations), new Date());
    await work(beacon);
  } finally {
    await beacon.close();
  }
}

async function failure(starting: Promise<Beacon>): Promise<string> {
  const started = await starting.catch((error: Error) => error.message);
  if (typeof started === 'string') return started;
  await started.close();
  return 'it started';
}

const get = (url: string) => outcome(url);

async function send(url: string, method: string, headers: Record<string, string>) {
  const response = await fetch(url, { method, headers });
  const body: unknown = await response.json();
  return { status: response.status, body, warning: response.headers.get('warning') };
}
