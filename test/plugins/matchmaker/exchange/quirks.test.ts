/** Quirks of nodes as data: what each changes in a query and in a response. */
import { expect } from 'chai';
import fc from 'fast-check';
import { retryTime } from '../../../../plugins/matchmaker/exchange/ask.js';
import { dialectOfNode } from '../../../../plugins/matchmaker/exchange/dialect.js';
import { restsUntil, Stopwatch } from '../../../../plugins/matchmaker/exchange/health.js';
import {
  checkedQuirks,
  kinds,
  type Quirk,
  quirks,
  quirksOfNames,
} from '../../../../plugins/matchmaker/exchange/node.js';
import { vendorType } from '../../../../plugins/matchmaker/exchange/protocol.js';
import { readSubmission } from '../../../../plugins/matchmaker/patients/reading.js';
import { assemble, type Resources } from '../../../../plugins/matchmaker/resources/resources.js';
import { annotation, hp, hpoa, obo, resourcesOf } from '../resources/support/build.js';
import { type Json, patient } from '../support/serve.js';
import { fitsSchema } from './support/strict.js';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

describe('matchmaker: quirks of nodes', () => {
  let resources: Resources;
  before(async () => {
    resources = await assemble(0, []);
  });

  const whole: Json = patient('P', {
    contact: { name: 'A', institution: 'Lab', href: 'mailto:a@b.se,c@d.se' },
    features: [
      { id: 'HP:0001250', observed: 'yes', label: 'as sent' },
      { id: 'HP:0000252', observed: 'no' },
      { id: 'HP:9999999' },
    ],
    genomicFeatures: [
      {
        gene: { id: 'SCN1A' },
        variant: { assembly: 'GRCh37.p13', referenceName: '2', start: 100, end: 101, _inheritance: 'de novo' },
        _inheritance: 'HP:0000006',
      },
    ],
    _purpose: 'research',
  });
  const sent = (named: Quirk[], changed: Json = {}): Json => {
    const dialect = dialectOfNode({ contentType: json, quirks: named });
    return dialect.body(readSubmission({ patient: { ...whole, ...changed } }), resources, {});
  };
  const plain = () => sent([]).patient;

  it('a node without quirks gets the patient as the specification has it', () => {
    expect(plain()).to.deep.equal({
      id: 'P',
      contact: { name: 'A', institution: 'Lab', href: 'mailto:a@b.se,c@d.se' },
      features: [
        { id: 'HP:0001250', observed: 'yes', label: 'as sent' },
        { id: 'HP:0000252', observed: 'no' },
        { id: 'HP:9999999' },
      ],
      genomicFeatures: [
        {
          gene: { id: 'ENSG00000144285', _geneName: 'SCN1A' },
          variant: { assembly: 'GRCh37.p13', referenceName: '2', start: 100, end: 101, _inheritance: 'de novo' },
          _inheritance: 'HP:0000006',
        },
      ],
      _purpose: 'research',
    });
  });

  it('each quirk changes its own members of a query, and no other', () => {
    /** The patient of the query, with one change for each quirk. */
    const changes: Partial<Record<Quirk, (patient: Json) => void>> = {
      'genes-only': (one) => {
        one.features = [];
      },
      'observed-only': (one) => one.features.splice(1, 1),
      'known-terms': (one) => one.features.splice(2, 1),
      'gene-symbols': (one) => {
        one.genomicFeatures[0].gene.id = 'SCN1A';
      },
      'plain-assembly': (one) => {
        one.genomicFeatures[0].variant.assembly = 'GRCh37';
      },
      'starts-at-1': (one) => {
        one.genomicFeatures[0].variant.start = 101;
      },
      labels: (one) => {
        one.features[0].label = 'Seizure';
        one.features[1].label = 'Microcephaly';
      },
      'one-address': (one) => {
        one.contact.href = 'mailto:a@b.se';
      },
      'no-extensions': (one) => {
        delete one._purpose;
        delete one.genomicFeatures[0]._inheritance;
        delete one.genomicFeatures[0].variant._inheritance;
        delete one.genomicFeatures[0].gene._geneName;
      },
    };
    for (const quirk of Object.keys(quirks) as Quirk[]) {
      const expected = structuredClone(plain());
      changes[quirk]?.(expected);
      expect(sent([quirk]).patient, quirk).to.deep.equal(expected);
    }
  });

  it('terms are sent under their current ids, and a contact without a name under another one', async () => {
    const terms = [
      { id: 1, parents: [] },
      { id: 118, parents: [1] },
      { id: 20, parents: [118], alternatives: [7] },
    ];
    const release = await resourcesOf(obo(terms), hpoa([annotation('OMIM:1', 20)]));
    const stored = readSubmission({ patient: patient('P', { features: [{ id: hp(7) }, { id: hp(8) }] }) });
    const body = (named: Quirk[]): Json =>
      dialectOfNode({ contentType: json, quirks: named }).body(
        stored,
        { ...resources, ontology: release.ontology },
        {},
      );
    expect(body(['known-terms']).patient.features).to.deep.equal([{ id: hp(20) }]);
    expect(body(['labels']).patient.features).to.deep.equal([{ id: hp(7), label: 'term 20' }, { id: hp(8) }]);
    expect(body([]).patient.features).to.deep.equal([{ id: hp(7) }, { id: hp(8) }]);
    const named = (contact: Json) => {
      const stored = { ...readSubmission({ patient: whole }), contact };
      const body: Json = dialectOfNode({ contentType: json, quirks: ['contact-name'] }).body(stored, resources, {});
      return body.patient.contact.name;
    };
    expect(named({ name: ' ', href: 'mailto:a@b.se', institution: 'Lab' })).to.equal('Lab');
    expect(named({ name: '', href: 'mailto:a@b.se' })).to.equal('a@b.se');
    expect(named({ name: 'Dr A', href: 'mailto:a@b.se', institution: 'Lab' })).to.equal('Dr A');
  });

  it('a patient of which nothing is left is not sent', () => {
    const onlyFeatures = { genomicFeatures: [], features: [{ id: 'HP:0001250' }] };
    expect(() => sent(['genes-only'], onlyFeatures)).to.throw(/was not queried: it compares nothing/);
    const onlyExcluded = { genomicFeatures: [], features: [{ id: 'HP:0001250', observed: 'no' }] };
    expect(() => sent(['observed-only'], onlyExcluded)).to.throw(/was not queried/);
    expect(sent(['genes-only', 'observed-only'], { features: null }).patient.genomicFeatures).to.have.length(1);
  });

  it('whatever a valid patient and the quirks are, strict servers accept what is sent', () => {
    const term = fc.constantFrom('HP:0001250', 'HP:0000252', 'HP:9999999', 'HP:0000118');
    const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
    const variant = fc.record({
      assembly: fc.constantFrom('GRCh37', 'GRCh38.p13', 'NCBI36'),
      referenceName: fc.constantFrom('1', 'X', 'M', 'MT'),
      start: maybe(fc.nat({ max: 1000 })),
      _inheritance: fc.constantFrom(undefined, null, 'de novo', 'odd', 3),
    });
    const patients = fc.record({
      id: fc.constant('P'),
      contact: fc.record({ name: fc.constant('A'), href: fc.constantFrom('a@b.se', 'https://x.org', 'a@b.se,c@d.se') }),
      disorders: maybe(fc.array(fc.record({ id: fc.constantFrom('OMIM:1', 'ORPHA:12', 'MONDO:0000001') }))),
      features: maybe(fc.array(fc.record({ id: term, observed: fc.constantFrom('yes', 'no', null) }))),
      genomicFeatures: fc.array(
        fc.record({
          gene: fc.record({ id: fc.constantFrom('SCN1A', 'ENSG00000144285', 'no gene') }),
          variant: maybe(variant),
          _inheritance: fc.constantFrom(undefined, 'HP:0000006', 'AD', { deep: true }),
        }),
        { minLength: 1 },
      ),
      _purpose: fc.constantFrom(undefined, 'clinical', 'fun', {}),
    });
    const some = fc.subarray(Object.keys(quirks) as Quirk[]);
    fc.assert(
      fc.property(patients, some, (one, named) => {
        const dialect = dialectOfNode({ contentType: json, quirks: named });
        const body: Json = dialect.body(readSubmission({ patient: one }), resources, {});
        expect(fitsSchema(body)).to.equal(true);
        const text = JSON.stringify(body);
        if (named.includes('no-extensions')) expect(text).to.not.include('"_');
        if (named.includes('observed-only')) expect(text).to.not.include('"observed":"no"');
        expect(text).to.not.match(/"(odd|AD|fun|deep)"/);
        // What a node returns as it was sent is read as it was.
        const back: Json = dialect.result({ score: { patient: 1 }, patient: body.patient });
        const starts = ({ genomicFeatures }: Json) => genomicFeatures.map((each: Json) => each.variant?.start);
        expect(starts(back.patient)).to.deep.equal(one.genomicFeatures.map(({ variant }) => variant?.start));
      }),
    );
  });

  it('headers follow the version and the media type that a node accepts', () => {
    const [v10, v11] = [vendorType('1.0'), vendorType('1.1')];
    const said = { disclaimer: 'D', terms: 'T' };
    const cases: [accepted: string, quirks: string[], type: string, states: boolean][] = [
      [v10, [], v10, false],
      [v11, [], v11, true],
      [json, [], json, false],
      [v11, ['version-1.0'], v10, false],
      [json, ['seqr'], v10, false],
      [v11, ['form-content-type'], form, true],
      [v11, ['matchbox'], form, false],
    ];
    for (const [contentType, named, type, states] of cases) {
      const dialect = dialectOfNode({ contentType, quirks: named });
      expect(dialect.headers, String(named)).to.include({ 'Content-Type': type, Accept: v10 });
      const body = dialect.body(readSubmission({ patient: whole }), resources, said);
      expect('disclaimer' in body, `${contentType} ${named}`).to.equal(states);
    }
  });

  it('responses are read as the specification has them', () => {
    const variant = { assembly: 'GRCh37', referenceName: '2', start: 101 };
    const result = {
      score: { patient: 50, _own: 7 },
      patient: {
        id: 'R',
        features: [{ id: 'HP:0000118' }, { id: 'HP:0001250' }],
        genomicFeatures: [{ gene: { id: 'SCN1A' }, variant }, { gene: { id: 'SCN1A' } }],
      },
    };
    const read = (named: Quirk[], one: unknown = result): Json =>
      dialectOfNode({ contentType: json, quirks: named }).result(one);
    expect(read([])).to.deep.equal(result);
    expect(read(['score-100']).score).to.deep.equal({ patient: 0.5, _own: 7 });
    expect(read(['masked-features']).patient.features).to.deep.equal([{ id: 'HP:0001250' }]);
    expect(read(['starts-at-1']).patient.genomicFeatures[0].variant.start).to.equal(100);
    // Rubbish is left to the check of responses.
    for (const one of [null, 'x', [], { score: 1 }, { score: {}, patient: 3 }, { patient: { features: 1 } }]) {
      const named: Quirk[] = ['score-100', 'masked-features', 'starts-at-1'];
      expect(read(named, one), JSON.stringify(one)).to.deep.equal(one);
    }
    const odd = { patient: { genomicFeatures: [null, { variant: { start: 'a' } }, { variant: { start: 0 } }] } };
    expect(read(['starts-at-1'], odd)).to.deep.equal(odd);
  });

  it('kinds stand for their quirks, and names are checked', () => {
    expect([...quirksOfNames(['patientmatcher', 'labels'])].sort()).to.deep.equal(
      [...kinds.patientmatcher, 'labels'].sort(),
    );
    expect(checkedQuirks('seqr, labels labels')).to.deep.equal(['seqr', 'labels']);
    expect(checkedQuirks(' None ')).to.deep.equal([]);
    for (const text of ['', ' ,', 'sequr', 'none, seqr', 'toString', '__proto__']) {
      expect(() => checkedQuirks(text), text).to.throw(/No quirk is named|is neither a quirk nor a kind of server/);
    }
    // As a later version may have stored it.
    expect(() => dialectOfNode({ contentType: json, quirks: ['of-tomorrow'] })).to.throw(/does not know its quirk/);
  });
});

describe('matchmaker: rest of nodes', () => {
  const now = new Date('2026-11-23T12:00:00Z');
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

  it('Retry-After is seconds or a date, for a day at most', () => {
    expect(retryTime('120', now)).to.deep.equal(later(120));
    expect(retryTime('Mon, 23 Nov 2026 12:02:00 GMT', now)).to.deep.equal(later(120));
    expect(retryTime('999999999', now)).to.deep.equal(later(86_400));
    for (const none of [undefined, '', '0', '-5', 'soon', 'Mon, 23 Nov 2026 11:00:00 GMT']) {
      expect(retryTime(none, now), none).to.equal(undefined);
    }
  });

  it('a node rests twice as long after each failure, and as long as it asks', () => {
    const settings = { retrySeconds: 5, retryMaxSeconds: 900 };
    const until = (state: Json) => restsUntil({ owed: 0, ...state }, settings, now);
    expect(until({ failures: 0 })).to.equal(undefined);
    // 5 s, 10 s, 20 s, … and 900 s at most.
    for (const [failures, seconds] of [
      [1, 5],
      [2, 10],
      [3, 20],
      [8, 640],
      [9, 900],
      [2000, 900],
    ] as const) {
      expect(until({ failures, lastFailure: now }), String(failures)).to.deep.equal(later(seconds));
    }
    expect(until({ failures: 1, lastFailure: later(-5) })).to.equal(undefined);
    expect(until({ failures: 1, lastFailure: later(-5), retryAt: later(60) })).to.deep.equal(later(60));
    expect(until({ failures: 1, lastFailure: now, retryAt: later(1) })).to.deep.equal(later(5));
  });

  it('times of responses are the nearest ranks of the last hundred', () => {
    const watch = new Stopwatch();
    expect(watch.times('a')).to.equal(undefined);
    watch.note('a', 2);
    expect(watch.times('a')).to.deep.equal({ median: 2, p95: 2 });
    // 1 … 100 push the first one out: the 50th and the 95th of 100.
    for (let seconds = 100; seconds > 0; seconds--) watch.note('a', seconds);
    expect(watch.times('a')).to.deep.equal({ median: 50, p95: 95 });
  });
});
