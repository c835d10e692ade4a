/** Outgoing queries, incoming responses, and storage of tokens. */
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readAnswer as readWith } from '../../../../plugins/matchmaker/exchange/ask.js';
import { dialectOfNode } from '../../../../plugins/matchmaker/exchange/dialect.js';
import { matchUrl, seal, unseal } from '../../../../plugins/matchmaker/exchange/node.js';
import { mailOfNotices, nextHour } from '../../../../plugins/matchmaker/mail/notices.js';
import { addressesOfContact } from '../../../../plugins/matchmaker/mail/readers.js';
import { outgoingPatient } from '../../../../plugins/matchmaker/patients/presentation.js';
import { readSubmission } from '../../../../plugins/matchmaker/patients/reading.js';
import { assemble } from '../../../../plugins/matchmaker/resources/resources.js';
import { useFolder } from '../../../support/folder.js';
import { type Json, patient } from '../support/serve.js';

const faultOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('A fault was expected');
};

describe('matchmaker: queries to nodes', () => {
  it('contain what the specification names, in the spelling that other servers accept', async () => {
    const { genes } = await assemble(0, []);
    const sent = patient('P', {
      _private: 'x',
      internal: 'y',
      contact: { name: 'A', href: 'mailto:a@b.se', email: ['a@b.se', 'c@b.se'], phone: '1' },
      disorders: [{ id: 'OMIM:610536', note: 'z' }, { id: 'ORPHA:79113', label: 'L' }, { id: 'MONDO:0001' }],
      features: [{ id: 'HP:0001250', observed: 'no', _x: 1 }],
      genomicFeatures: [
        {
          gene: { id: 'SCN1A', _secret: 's' },
          variant: { assembly: 'GRCh37', referenceName: 'MT', start: 5, _inheritance: 'de novo', _secret: 's' },
          zygosity: 1,
          _inheritance: 'HP:0000006',
        },
        {
          gene: { id: 'no such gene' },
          variant: { assembly: 'GRCh37', referenceName: '17' },
          type: { id: 'SO:0001587' },
          _inheritance: 'dominant',
        },
      ],
      test: true,
      _purpose: 'clinical',
    });
    expect(outgoingPatient(readSubmission({ patient: sent }), genes)).to.deep.equal({
      id: 'P',
      contact: { name: 'A', href: 'mailto:a@b.se', email: 'a@b.se' },
      disorders: [{ id: 'MIM:610536' }, { id: 'Orphanet:79113', label: 'L' }],
      features: [{ id: 'HP:0001250', observed: 'no' }],
      genomicFeatures: [
        {
          gene: { id: 'ENSG00000144285', _geneName: 'SCN1A' },
          variant: { assembly: 'GRCh37', referenceName: 'M', start: 5, _inheritance: 'de novo' },
          zygosity: 1,
          _inheritance: 'HP:0000006',
        },
        { gene: { id: 'no such gene' }, type: { id: 'SO:0001587' } },
      ],
      test: true,
      _purpose: 'clinical',
    });
  });
});

/** Of a node without quirks. */
const readAnswer = (text: string, most: number) =>
  readWith(text, most, dialectOfNode({ contentType: 'application/json' }));

describe('matchmaker: responses of nodes', () => {
  const answer = (...results: Json[]) => JSON.stringify({ results });
  const one = (score: number, more: Json = {}) => ({ score: { patient: score }, patient: patient('A', more) });

  it('are accepted as other servers send them', () => {
    // seqr and PhenomeCentral hide features and genes; other nodes add members.
    const seqr = {
      score: { patient: 0.25, _genotypeScore: 0.5 },
      patient: patient('S', { features: null, _disclaimer: 'x' }),
    };
    const hidden = { score: { patient: 0.5 }, patient: { id: 'H', contact: { name: 'n', href: 'https://x.org' } } };
    // Empty members count as absent, as in queries.
    const empty = {
      contact: { name: null, href: 'a@b.se' },
      features: [{ id: null }, { id: 'HP:0001250' }],
      genomicFeatures: [{ gene: { id: null } }, { gene: { id: 'SCN1A' } }],
    };
    const read = readAnswer(`\ufeff${answer(seqr, hidden, one(0.1, empty))}`, 10);
    expect(read.dropped).to.equal(undefined);
    expect(read.patients.pop()?.patient).to.deep.equal({
      id: 'A',
      contact: { name: '', href: 'a@b.se' },
      features: [{ id: 'HP:0001250' }],
      genomicFeatures: [{ gene: { id: 'SCN1A' } }],
    });
    expect(read.patients.map(({ patient, score }) => [patient.id, score.patient])).to.deep.equal([
      ['H', 0.5],
      ['S', 0.25],
    ]);
  });

  it('are cut to the best results, and faults are named without their values', () => {
    const sent = [one(0.1), one(0.3, { id: 'B' }), one(0.2, { id: 'C' }), one(Number.NaN), one(0.4, { id: 5 })];
    const read = readAnswer(answer(...sent), 2);
    expect(read.patients.map(({ score }) => score.patient)).to.deep.equal([0.3, 0.2]);
    expect(read.dropped).to.match(
      /^results were dropped: results\.3\.score\.patient .*; results\.4\.patient\.id .*; 1 beyond/,
    );
    expect(readAnswer(answer(one(0.5, { label: 'half \ud800' })), 2).dropped).to.match(/contains invalid characters/);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(readAnswer(`{"results":[{"score":{"patient":1},"patient":${deep}}]}`, 2).dropped).to.match(/too deeply/);
    const wide = one(0.5, { more: new Array(50_000).fill(0) });
    expect(readAnswer(answer(wide, one(0.4)), 2)).to.include({
      dropped: 'results were dropped: results.0 has too many values',
    });
    const many = readAnswer(answer(...Array.from({ length: 2003 }, (_, i) => one(i / 4000, { id: `P${i}` }))), 1);
    expect(many.dropped).to.equal('results were dropped: 1999 beyond the first 1; 3 after 2000 were not read');
    // The best of those that were read: number 1999.
    expect(many.patients.map(({ score }) => score.patient)).to.deep.equal([1999 / 4000]);
  });

  it('take a score that rounding made larger than 1 or less than 0 for the bound', () => {
    // 0.1 + 0.2 + 0.7 is 1.0000000000000002 in one of its orders; sums of single precision are off by up to 1e-7.
    const read = readAnswer(answer(one(1.0000000000000002), one(1.0000001, { id: 'B' }), one(-1e-9, { id: 'C' })), 9);
    expect(read.dropped).to.equal(undefined);
    expect(read.patients.map(({ patient, score }) => [patient.id, score.patient])).to.deep.equal([
      ['A', 1],
      ['B', 1],
      ['C', 0],
    ]);
    for (const score of [1.00001, -0.00001]) expect(readAnswer(answer(one(score)), 9).patients).to.deep.equal([]);
  });

  it('lose an entry that cannot be read, and keep its patient', () => {
    const parts = {
      features: [{ id: 'HP:0001250' }, { label: 'no id' }, 'HP:0001251', { id: 5 }],
      disorders: [{ label: 'Dravet' }, { id: 'MIM:607208' }],
      genomicFeatures: [
        { gene: {} },
        { gene: { id: 'SCN1A' } },
        { variant: { assembly: 'GRCh37', referenceName: '2', start: 5 } },
        { gene: { id: 'x'.repeat(256) } },
      ],
    };
    const read = readAnswer(answer(one(0.5, parts), one(0.4, { id: 'B', features: 'none' })), 9);
    expect(read.patients.map(({ patient }) => patient)).to.deep.equal([
      patient('A', {
        features: [{ id: 'HP:0001250' }],
        disorders: [{ id: 'MIM:607208' }],
        genomicFeatures: [
          { gene: { id: 'SCN1A' } },
          // Compared by its variant alone.
          { variant: { assembly: 'GRCh37', referenceName: '2', start: 5 }, gene: { id: '' } },
        ],
      }),
      (({ features: _, ...rest }) => rest)(patient('B')),
    ]);
    expect(read.dropped).to.equal(
      'parts of results were left out: results.0.patient.features.1.id is missing or of another type; ' +
        'results.0.patient.features.2 is missing or of another type; ' +
        'results.0.patient.features.3.id is missing or of another type; 4 more',
    );
    const both = readAnswer(answer(one(0.5, { disorders: [{}] }), one(7)), 9);
    expect(both.dropped).to.match(
      /^results were dropped: results\.1\.score.*\. parts of results were left out: results\.0/,
    );
  });

  it('name a patient once, with its best score', () => {
    const read = readAnswer(answer(one(0.2), one(0.9), one(0.3, { id: 'B' }), one(0.9)), 2);
    expect(read.patients.map(({ patient, score }) => [patient.id, score.patient])).to.deep.equal([
      ['A', 0.9],
      ['B', 0.3],
    ]);
    expect(read.dropped, 'nothing is lost with a repetition').to.equal(undefined);
  });

  it('are refused as a whole if they are not valid', async () => {
    for (const text of ['', '<html>', 'null', '3', '{"results":{}}', '{"message":"hi"}', '[]']) {
      expect(await faultOf(() => readAnswer(text, 5)), text).to.match(
        /^sent a response (that is not JSON|without a list of results)$/,
      );
    }
  });
});

describe('matchmaker: tokens and addresses of nodes', () => {
  const folder = useFolder();
  const key = 'sixteen characters';

  it('a sealed token opens only with its key and for its node', async () => {
    const kept = seal('the-token', 'n', key);
    expect(JSON.stringify(kept)).to.not.include('the-token');
    expect(seal('the-token', 'n', key), 'each is another').to.not.deep.equal(kept);
    expect(await unseal(kept, 'n', key)).to.equal('the-token');
    for (const [node, other] of [
      ['m', key],
      ['n', 'another key that is long'],
      ['n', undefined],
    ] as const) {
      expect(await faultOf(() => unseal(kept, node, other))).to.match(
        /^its token (was encrypted with another key|is encr)/,
      );
    }
    expect(await faultOf(() => seal('the-token', 'n', undefined))).to.match(/MATCHMAKER_KEY/);
  });

  it('a token in a file is read on each use', async () => {
    const file = await folder.write('token', 'one\n');
    expect(await unseal({ file }, 'n', undefined)).to.equal('one');
    await writeFile(file, 'two');
    expect(await unseal({ file }, 'n', undefined)).to.equal('two');
    await writeFile(file, 'not one\nbut two');
    expect(await faultOf(() => unseal({ file }, 'n', undefined))).to.match(/does not hold a token/);
  });

  it('addresses are encrypted, and resolve to /match', async () => {
    expect(matchUrl('https://x.org', false)).to.equal('https://x.org/match');
    expect(matchUrl('https://x.org/mme/v1/', false)).to.equal('https://x.org/mme/v1/match');
    expect(matchUrl('https://x.org/api/match?k=1', false)).to.equal('https://x.org/api/match?k=1');
    expect(matchUrl('http://x.org', true)).to.equal('http://x.org/match');
    for (const text of ['http://x.org', 'x.org', 'ftp://x.org', 'https://u:p@x.org', 'https://x.org/#a']) {
      expect(await faultOf(() => matchUrl(text, false)), text).to.be.a('string');
    }
  });
});

describe('matchmaker: addresses and texts of notifications', () => {
  it('only e-mail addresses get mail', () => {
    const of = (href: string, email?: string | string[]) =>
      addressesOfContact({ name: '', href, ...(email === undefined ? {} : { email }) });
    expect(of('mailto:a@b.se')).to.deep.equal(['a@b.se']);
    expect(of('mailto:a@b.se, c@d.org,a@b.se?subject=x')).to.deep.equal(['a@b.se', 'c@d.org']);
    expect(of('http://www.ncbi.nlm.nih.gov/pubmed/22305528')).to.deep.equal([]);
    expect(of('https://x.org', ['nonsense', 'e@f.org'])).to.deep.equal(['e@f.org']);
    expect(of('mailto:a@b.se', 'Eve <e@f.org>\r\nBcc: x@y.org')).to.deep.equal(['a@b.se']);
  });

  it('a digest is sent at its hour', () => {
    const at = (text: string) => new Date(`2026-03-31T${text}:00Z`);
    expect(nextHour(at('05:59'), 6)).to.deep.equal(at('06:00'));
    expect(nextHour(at('06:00'), 6)).to.deep.equal(new Date('2026-04-01T06:00:00Z'));
  });

  it('submitted values cannot add lines to a text', () => {
    const contact = { name: 'A\r\nBcc: x@y.org', href: 'https://x.org/"><script>' };
    const matches = [{ node: { id: 'n', label: 'n' }, patient: { id: 'Q', contact }, genes: [], terms: [] }];
    const { text, html } = mailOfNotices([{ patient: { id: '<b>', label: "o'" }, matches }], {});
    expect(text).to.include('Contact: A Bcc: x@y.org');
    expect(html).to.include('&lt;b&gt;').and.not.include('<script>').and.not.include('<b>');
  });
});
