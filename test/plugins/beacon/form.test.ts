import { execFile } from 'node:child_process';
import http from 'node:http';
import { promisify } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { memorySubject } from '../../kit/memory.js';
import { dealt } from '../../support/dealt.js';
import { encoded } from '../../support/http.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { alerts, curl, type FormParameters, getForm, plain, postForm, rows } from './support/form.js';
import { parameterNames } from './support/parameters.js';
import { addRecords, ask, type Beacon, type BeaconOptions, dataset, get, serveBeacon } from './support/serve.js';

const run = promisify(execFile);

const found = {
  assemblyId: 'GRCh37',
  referenceName: '1',
  start: 99,
  referenceBases: 'A',
  alternateBases: 'C',
  includeDatasetResponses: 'ALL',
  query: 'submit',
};
const deletion = { assemblyId: 'GRCh37', referenceName: '5', referenceBases: 'N', variantType: 'DEL' };

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: /apiv1.0/query_form (${engine.name})`, () => {
    const beacon = useOnce(() => serveBeacon(engine, { settings: { name: 'A & B <beacon>' } }));

    before(async () => {
      const add = addRecords.bind(null, beacon.repository);
      await add('one', [
        '1 100 . A C . . . GT 0/1 1/1',
        '5 1001 . G <DEL> . . SVTYPE=DEL;END=2000 GT 0/1 0/0',
        '17 501 . A A]2:901] . . SVTYPE=BND GT 0/1 0/0',
      ]);
      await add('two', ['1 100 . A G . . . GT 0/1 1/1'], {
        description: 'Has <b>none</b>.',
        externalUrl: 'https://example.org/?a=1&b=2',
        version: 2.1,
      });
      await add('secret', ['1 100 . A C . . . GT 0/1 1/1', '9 9 . A C . . . GT 1/1 1/1'], { access: 'CONTROLLED' });
      await add('members', ['9 9 . A C . . . GT 1/1 1/1'], { access: 'REGISTERED' });
    });

    it('is an empty form without a query, with the public datasets and no others', async () => {
      const { status, headers, text } = await getForm(beacon.url);
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(alerts(text)).to.deep.equal([]);
      expect(text).not.to.include('id="answer"');
      expect(text).to.include('<title>A &amp; B &lt;beacon&gt;</title>');
      for (const name of parameterNames) {
        expect(text).to.include(` name="${name}"`);
      }
      expect(text).to.include('<button type="submit" name="query" value="submit">Search A &amp; B &lt;beacon&gt;<');
      const section = plain(text.slice(text.indexOf('id="datasets"')));
      const today = new Date().toISOString().slice(0, 10);
      expect(section).to.match(
        new RegExp(
          `Dataset one one\\s+AccessPUBLIC\\s+AssemblyGRCh37\\s+Version1.0\\s+Variants3\\s+Calls5\\s+Samples2\\s+Created${today}\\s+Updated${today}`,
        ),
      );
      expect(section).to.match(/Dataset two two\s+Has <b>none<\/b>\.\s+AccessPUBLIC\s+AssemblyGRCh37\s+Version2\.1/);
      expect(text).to.include('<a href="https://example.org/?a=1&amp;b=2" rel="noreferrer">');
      expect(text).not.to.match(/secret|members/);
    });

    it('runs a GET query, dataset by dataset', async () => {
      const { status, text } = await getForm(beacon.url, found);
      expect(status).to.equal(200);
      expect(text).to.include('<title>Allele found · ');
      expect(alerts(text)).to.deep.equal([
        'success: Allele was found in this beacon',
        'success: Allele exists: True',
        'secondary: Allele exists: False',
      ]);
      // Sample a has one copy and b two: three calls of one allele in two samples.
      expect(rows(text)).to.deep.equal([
        ['one', 'PUBLIC', 'Allele exists: True', '1', '3', '2'],
        ['two', 'PUBLIC', 'Allele exists: False', '0', '0', '0'],
      ]);
    });

    it('runs a POST query with the same result', async () => {
      const [byGet, byPost] = [await getForm(beacon.url, found), await postForm(beacon.url, found)];
      expect(byPost.status).to.equal(200);
      const nonce = /nonce="[^"]+"/g;
      expect(byPost.text.replace(nonce, '')).to.equal(byGet.text.replace(nonce, ''));
      const { status } = await postForm(beacon.url, found, 'application/x-www-form-urlencoded; charset=UTF-8');
      expect(status).to.equal(200);
    });

    for (const [include, expected] of [
      ['HIT', ['success: Allele was found in this beacon', 'success: Allele exists: True']],
      ['MISS', ['success: Allele was found in this beacon', 'secondary: Allele exists: False']],
      ['NONE', ['success: Allele was found in this beacon']],
      ['', ['success: Allele was found in this beacon']],
    ] as const) {
      it(`lists what "${include}" requests, under the overall result`, async () => {
        const { text } = await getForm(beacon.url, { ...found, includeDatasetResponses: include });
        expect(alerts(text)).to.deep.equal(expected);
      });
    }

    it('says if no dataset is listed', async () => {
      const { text } = await getForm(beacon.url, { ...found, start: 100, includeDatasetResponses: 'HIT' });
      expect(alerts(text)).to.deep.equal(['secondary: Allele could not be found']);
      expect(text).to.include('There is no dataset to list for HIT.');
    });

    it('says that nothing was searched if no dataset has the assembly', async () => {
      const { status, text } = await getForm(beacon.url, { ...found, assemblyId: 'GRCh38' });
      expect(status).to.equal(200);
      expect(alerts(text).slice(0, 2)).to.deep.equal([
        'secondary: Allele could not be found',
        'warning: No public dataset uses the assembly GRCh38. No dataset was searched.',
      ]);
    });

    for (const [title, parameters, expected] of [
      ['a structural variant at its ends', { ...deletion, start: 1000, end: 2000 }, true],
      ['no structural variant at another end', { ...deletion, start: 1000, end: 1999 }, false],
      ['one within ranges', { ...deletion, startMin: 900, startMax: 1100, endMin: 1900, endMax: 2100 }, true],
      ['none beside the ranges', { ...deletion, startMin: 1001, startMax: 1100 }, false],
      [
        'a breakend from its mate, by chromosome',
        {
          assemblyId: 'GRCh37',
          referenceName: '2',
          start: 900,
          referenceBases: 'N',
          variantType: 'BND',
          mateName: '17',
        },
        true,
      ],
      [
        'no breakend with another mate',
        {
          assemblyId: 'GRCh37',
          referenceName: '2',
          start: 900,
          referenceBases: 'N',
          variantType: 'BND',
          mateName: '9',
        },
        false,
      ],
    ] as [string, FormParameters, boolean][]) {
      it(`finds ${title}`, async () => {
        const { text } = await getForm(beacon.url, parameters);
        expect(alerts(text)).to.deep.equal([
          expected ? 'success: Allele was found in this beacon' : 'secondary: Allele could not be found',
        ]);
      });
    }

    describe('reports faults and keeps the form:', () => {
      const { start: _, ...placeless } = found;
      const { alternateBases: __, ...changeless } = found;
      for (const [title, parameters, message] of [
        [
          'mandatory parameters',
          { ...found, referenceBases: '' },
          'Missing one or more mandatory parameters (referenceName, referenceBases, assemblyId)',
        ],
        [
          'datasets',
          { ...found, datasetIds: 'nowhere' },
          'Unknown datasets. Database does not contain the dataset IDs specified in the query',
        ],
        [
          'assembly',
          { ...found, assemblyId: 'GRCh38', datasetIds: ['one', 'two'] },
          'Requested genome assembly is in conflict with the assembly of one or more requested datasets',
        ],
        ['change', changeless, "Either 'alternateBases' or 'variantType' param is required"],
        ['place', placeless, 'Start coordinate or range coordinate params are required'],
        [
          'numbers',
          { ...found, start: '1.5' },
          'Invalid coordinates. Variant start and stop positions must be numbers',
        ],
        ['bases', { ...found, alternateBases: 'Q' }, 'Invalid alternateBases. Bases are the letters A, C, G, T and N'],
        [
          'ranges',
          { ...found, startMin: 1 },
          "Invalid coordinates. Range coordinates cannot be combined with 'start' or 'end'",
        ],
        [
          'list of answers',
          { ...found, includeDatasetResponses: 'FOO' },
          'Invalid includeDatasetResponses. Accepted values are ALL, HIT, MISS, NONE',
        ],
      ] as [string, FormParameters, string][]) {
        it(title, async () => {
          for (const { status, text } of [
            await getForm(beacon.url, parameters),
            await postForm(beacon.url, parameters),
          ]) {
            expect(status).to.equal(200);
            expect(text).to.include('<title>Error in the query · ');
            expect(alerts(text)).to.deep.equal([`danger: ${message}`]);
            // The link to the query contains the request, so that it can be compared with the form.
            const link = /<a href="\?([^"]+)">Link to this query/.exec(text)?.[1] ?? '';
            const { query: ___, ...kept } = parameters;
            const expected = encoded(kept);
            for (const [name, value] of [...expected]) if (value === '') expected.delete(name);
            const got = new URLSearchParams(plain(link));
            expected.sort();
            got.sort();
            expect(got.toString()).to.equal(expected.toString());
          }
        });
      }

      it('an empty form, by either method', async () => {
        const message = 'danger: Missing one or more mandatory parameters (referenceName, referenceBases, assemblyId)';
        expect(alerts((await getForm(beacon.url, { query: 'submit' })).text)).to.deep.equal([message]);
        expect(alerts((await postForm(beacon.url, {})).text)).to.deep.equal([message]);
        expect(alerts((await postForm(beacon.url, { start: '' })).text)).to.deep.equal([message]);
      });

      it('a duplicate parameter', async () => {
        const { status, text } = await getForm(beacon.url, { ...found, referenceBases: ['A', 'C'] });
        expect(status).to.equal(200);
        expect(alerts(text)).to.deep.equal(['danger: referenceBases was given twice']);
      });
    });

    it('never shows protected datasets', async () => {
      const there = { ...found, referenceName: '9', start: 8 };
      const credentials: Record<string, string>[] = [
        {},
        { authorization: 'Bearer x.y.z' },
        { authorization: 'Basic eA==' },
      ];
      for (const headers of credentials) {
        expect(alerts((await getForm(beacon.url, there, headers)).text)[0]).to.equal(
          'secondary: Allele could not be found',
        );
        for (const datasetIds of ['secret', 'members', 'nowhere']) {
          const { status, text } = await getForm(beacon.url, { ...there, datasetIds }, headers);
          expect(status).to.equal(200);
          expect(alerts(text)).to.deep.equal([
            'danger: Unknown datasets. Database does not contain the dataset IDs specified in the query',
          ]);
        }
        const mixed = await getForm(beacon.url, { ...found, datasetIds: ['one', 'secret'] }, headers);
        expect(rows(mixed.text).map(([id]) => id)).to.deep.equal(['one']);
      }
    });

    describe('keeps the request', () => {
      const checked = (text: string) =>
        [...text.matchAll(/name="(?:datasetIds|includeDatasetResponses)" value="([^"]*)" checked/g)].map(
          ([, id]) => id,
        );
      const selected = (text: string) =>
        [...text.matchAll(/<option value="([^"]*)" selected/g)].map(([, value]) => value);
      const value = (text: string, name: string) => new RegExp(` name="${name}" value="([^"]*)"`).exec(text)?.[1];

      it('in every field', async () => {
        const sent = {
          ...{ assemblyId: 'grch37.p13', referenceName: 'chrx', mateName: 'M', variantType: 'DEL:ME' },
          ...{ start: '01', end: 'x', startMin: '2', startMax: '3', endMin: '4', endMax: '5' },
          ...{ referenceBases: 'acgt', alternateBases: 'N', includeDatasetResponses: 'MISS' },
          datasetIds: ['two,nowhere'],
        };
        const { text } = await getForm(beacon.url, sent);
        expect(selected(text)).to.deep.equal(['GRCh37', 'X', 'DEL:ME', 'MT']);
        for (const name of ['start', 'end', 'startMin', 'startMax', 'endMin', 'endMax'] as const) {
          expect(value(text, name)).to.equal(sent[name]);
        }
        expect(value(text, 'referenceBases')).to.equal('acgt');
        expect(value(text, 'alternateBases')).to.equal('N');
        expect(checked(text)).to.deep.equal(['two', 'nowhere', 'MISS']);
        expect(text).to.include('<details open>');
      });

      it('but selects ALL in a new form only', async () => {
        expect(checked((await getForm(beacon.url)).text)).to.deep.equal(['ALL']);
        expect(checked((await getForm(beacon.url, { start: 1 })).text)).to.deep.equal(['NONE']);
        expect((await getForm(beacon.url)).text).to.include('<details>');
      });

      it('but no endless list of unknown ids', async () => {
        const ids = (length: number) => Array.from({ length }, (_, i) => `x${i}`).join(',');
        const { status, text } = await postForm(beacon.url, { ...found, datasetIds: ids(1000) });
        expect(status).to.equal(200);
        expect(checked(text)).to.have.length(21);
        const refused = await postForm(beacon.url, { ...found, datasetIds: ids(5000) });
        expect(alerts(refused.text)).to.include('danger: datasetIds may hold 1000 ids at most; got 5000');
        expect(checked(refused.text)).to.deep.equal(['ALL']);
        const shown = await postForm(beacon.url, { ...found, 'datasetIds[]': ids(1000).split(',') });
        expect(shown.text).to.include('x19 and 980 more');
      });
    });

    it('shows a command with the same result', async () => {
      for (const parameters of [
        { ...found, datasetIds: ['one', 'two'] },
        { ...found, alternateBases: 'C\';echo $(id) `id` "&|' },
      ]) {
        const { text } = await getForm(beacon.url, parameters);
        const command = curl(text);
        expect(command).to.include(`curl '${beacon.url}/apiv1.0/query?`);
        const { stdout } = await run('/bin/sh', ['-c', command.replace(/^curl /, 'printf "%s\\n" ')]);
        const [address, ...rest] = stdout.trimEnd().split('\n');
        expect(rest).to.deep.equal([]);
        const [said, meant] = [await get(address ?? ''), await ask(beacon.url, parameters)];
        expect(said).to.deep.include({ status: meant.status });
        expect(said.body).to.deep.equal(meant.body);
      }
    });

    it('shows a command with a body, and no link, if the URL would be too long', async () => {
      const { text } = await postForm(beacon.url, { ...found, alternateBases: 'C'.repeat(5000) });
      expect(text).not.to.include('Link to this query');
      expect(curl(text)).to.match(
        new RegExp(`^curl --data 'assemblyId=GRCh37&[^']*C{5000}[^']*' '${beacon.url}/apiv1.0/query'$`),
      );
    });

    it('responds like /query if JSON is requested', async () => {
      const accept = { accept: 'application/json' };
      for (const parameters of [found, { ...found, start: 100 }, { ...found, start: 'x' }, {}] as FormParameters[]) {
        const { status, headers, text } = await getForm(beacon.url, parameters, accept);
        const expected = await ask(beacon.url, parameters);
        expect(status).to.equal(expected.status);
        expect(JSON.parse(text)).to.deep.equal(expected.body);
        expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
      }
      const protectedOne = await getForm(beacon.url, { ...found, datasetIds: 'secret' }, accept);
      expect(protectedOne.status).to.equal(400);
    });

    it('refuses other methods, bodies and types', async () => {
      const url = `${beacon.url}/apiv1.0/query_form`;
      const status = async (init: RequestInit) => (await fetch(url, init)).status;
      expect(await status({ method: 'DELETE' })).to.equal(405);
      expect(await status({ headers: { accept: 'image/png' } })).to.equal(406);
      const json = { 'content-type': 'application/json' };
      expect(await status({ method: 'POST', body: '{}', headers: json })).to.equal(415);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      expect(await status({ method: 'POST', body: `start=${'1'.repeat(70_000)}`, headers: form })).to.equal(413);
      expect(await status({ method: 'POST', body: 'start=%00', headers: form })).to.equal(400);
      expect(await status({ method: 'HEAD' })).to.equal(200);
      expect(await status({ method: 'POST' })).to.equal(200);
    });

    it('escapes all input', async () => {
      const nasty = `"'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;`;
      for (const name of [...parameterNames, 'query']) {
        for (const { status, text } of [
          await getForm(beacon.url, { ...found, [name]: nasty }),
          await postForm(beacon.url, { ...found, [name]: nasty }),
        ]) {
          expect(status).to.equal(200);
          expect(text).not.to.match(/<script|<img|onerror=alert\(1\)>/);
          const escaped =
            '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&amp;lt;';
          expect(text.includes(escaped), name).to.equal(name !== 'query');
        }
      }
    });
  });
}

describe('beacon: around the query page', () => {
  let beacon: Beacon | undefined;

  const serve = async (options?: BeaconOptions) => {
    beacon = await serveBeacon(memorySubject, options);
    return beacon;
  };

  afterEach(async () => {
    await beacon?.close();
    beacon = undefined;
  });

  it('is linked from the front page', async () => {
    const { url } = await serve();
    const front = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
    expect(front).to.include('<a href="/apiv1.0/query_form">Query form</a>');
  });

  it('is the welcome page of a beacon with a public address, unless another is configured', async () => {
    expect((await get(`${(await serve()).url}/apiv1.0/info`)).body.welcomeUrl).to.equal(null);
    await beacon?.close();
    const published = { http: { baseUrl: 'https://example.org/genomics/' } };
    expect((await get(`${(await serve(published)).url}/apiv1.0/info`)).body.welcomeUrl).to.equal(
      'https://example.org/genomics/apiv1.0/query_form',
    );
    await beacon?.close();
    const settings = { welcomeUrl: 'https://example.org/beacon' };
    expect((await get(`${(await serve({ ...published, settings })).url}/apiv1.0/info`)).body.welcomeUrl).to.equal(
      'https://example.org/beacon',
    );
  });

  it('uses the public address in its links and commands', async () => {
    const { url } = await serve({ http: { baseUrl: 'https://example.org/genomics/' } });
    const { text } = await getForm(url, found);
    expect(curl(text)).to.match(/^curl 'https:\/\/example\.org\/genomics\/apiv1\.0\/query\?/);
    expect(text).to.include('<a href="/genomics/apiv1.0/">');
    expect(text).to.include('<a href="/genomics/docs">');
  });

  it('names the host that the client asked, if it is one', async () => {
    const { url } = await serve();
    const { port } = new URL(url);
    const commandFor = (host: string) =>
      new Promise<string>((resolve, reject) => {
        const path = `/apiv1.0/query_form?${encoded(found)}`;
        const request = http.get({ host: '127.0.0.1', port, path, headers: { host } }, async (response) => {
          let text = '';
          for await (const chunk of response.setEncoding('utf8')) text += chunk;
          resolve(curl(text));
        });
        request.on('error', reject);
      });
    for (const host of ['beacon.example.org', 'my_beacon:6000', '[::1]:5000']) {
      expect(await commandFor(host)).to.include(`'http://${host}/apiv1.0/query?`);
    }
    for (const host of ["a'b", 'a/b', '$(id)', '<b>', 'a:b']) {
      expect(await commandFor(host)).to.include(`'http://localhost/apiv1.0/query?`);
    }
  });

  it('says that there is no public dataset, and selects no assembly then', async () => {
    const { url } = await serve();
    const { text } = await getForm(url);
    expect(alerts(text)).to.deep.equal(['warning: This beacon has no public dataset yet.']);
    expect(text).to.include('<option value="" selected>Choose…</option>\n<option value="GRCh37">');
  });

  it('selects the assembly if all datasets have the same', async () => {
    const { url, repository } = await serve({ demo: true });
    expect((await getForm(url)).text).to.include('<option value="GRCh37" selected>');
    await repository.addDataset(dataset('other', { assembly: 'GRCh38' }), new Date());
    await new Promise((resolve) => setTimeout(resolve, 120)); // the list of datasets is refreshed that often
    expect((await getForm(url)).text).to.include('<option value="" selected>Choose…</option>\n<option value="GRCh37">');
  });

  it('offers examples that have matches', async () => {
    const { url } = await serve({ demo: true });
    const { text } = await getForm(url);
    const links = [...text.matchAll(/<a href="(\?[^"]+)">chromosome/g)].map(([, link]) => plain(link ?? ''));
    expect(links).to.have.length(2);
    for (const link of links) {
      const page = await (await fetch(`${url}/apiv1.0/query_form${link}`)).text();
      expect(alerts(page)).to.include('success: Allele was found in this beacon');
    }
  });

  it('is a page for any input, without foreign markup', async () => {
    const { url } = await serve({ demo: true });
    const skeleton = (text: string) => new Set(text.match(/<[a-z][^\s>]*/g));
    const tags = skeleton((await getForm(url, { ...found, includeDatasetResponses: 'ALL' })).text);
    const names = [...parameterNames, 'query', '__proto__'];
    const plausible = fc.constantFrom('', '0', '99', '-1', '1e3', 'GRCh37', '1', 'A', 'N', 'DEL', 'ALL', 'test_public');
    const value = fc.oneof(
      plausible,
      fc.string({ unit: 'binary' }),
      fc.string().map((text) => `<${text}"'>`),
    );
    const sent = fc.dictionary(fc.constantFrom(...names), fc.oneof(value, fc.array(value, { maxLength: 3 })));
    await fc.assert(
      fc.asyncProperty(sent, async (parameters) => {
        const broken = [...encoded(parameters).values()].some((text) => text.includes('\0'));
        for (const { status, text } of [await getForm(url, parameters), await postForm(url, parameters)]) {
          expect(status).to.equal(broken ? 400 : 200);
          if (!broken) for (const tag of skeleton(text)) expect([...tags, '<p', '<details']).to.include(tag);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('counts its queries with the others', async () => {
    const { url } = await serve({ demo: true });
    await getForm(url);
    await getForm(url, found);
    await getForm(url, { ...found, start: 'x' });
    const metrics = await (await fetch(`${url}/-/metrics`)).text();
    expect(metrics).to.include('trefoil_beacon_queries_total{outcome="miss"} 1');
    expect(metrics).to.include('trefoil_beacon_queries_total{outcome="invalid"} 1');
    expect(metrics).not.to.include('outcome="hit"');
  });
});
